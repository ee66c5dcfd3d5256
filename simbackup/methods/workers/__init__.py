"""`serial_share`: the part of a job that only one of its workers does."""

from __future__ import annotations

from simbackup.methods.workers.spec import WorkersSheet

SHEETS = {"workers": WorkersSheet}
