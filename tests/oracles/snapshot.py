"""Equations of snapshot that only tests need."""

from __future__ import annotations

from simbackup.equations.snapshot import CopyOnWriteParameters, group_size


def first_write_rate(cow: CopyOnWriteParameters, time: float) -> float:
    """Bytes a second of sequential first writes when a group takes `time` seconds.

    >>> first_write_rate(CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536), 0.016)
    4096000.0
    """
    return group_size(cow) * cow.chunk / time
