"""Deduplication by a program: it stores only chunks that the store does not have yet."""

from __future__ import annotations

from simbackup.methods.deduplication.spec import DeduplicationSheet

SHEETS = {"deduplication": DeduplicationSheet}
