"""Cited arithmetic in SI units: no clock, no files."""

from __future__ import annotations

from simbackup.equations import (
    buffers,
    database,
    disk,
    files,
    fragmentation,
    intervals,
    page_cache,
    queueing,
    raid,
    read_ahead,
    snapshot,
    tape,
    waiting,
)

__all__ = [
    "buffers",
    "database",
    "disk",
    "files",
    "fragmentation",
    "intervals",
    "page_cache",
    "queueing",
    "raid",
    "read_ahead",
    "snapshot",
    "tape",
    "waiting",
]
