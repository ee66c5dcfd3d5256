"""Several workers of one job: how much of its work only one of them does."""

from __future__ import annotations

from simbackup.methods.workers.spec import WorkersSheet

SHEETS = {"workers": WorkersSheet}
