"""Shares: files that one host reads or makes on another, over NFS or SMB."""

from __future__ import annotations

from simbackup.methods.share.spec import ShareSheet

SHEETS = {"share": ShareSheet}
