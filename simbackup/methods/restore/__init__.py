"""Restores of what a backup saved."""

from __future__ import annotations

from simbackup.methods.restore.spec import RestoreSpec
from simbackup.schema.registry import Look, MethodKind

KINDS = (MethodKind(("restore",), RestoreSpec, "simbackup.methods.restore.make:make"),)
LOOKS = {"job": Look("M4 2.5l9 5.5-9 5.5z", "#f3effc", "#6d4fc2", "rounded")}
