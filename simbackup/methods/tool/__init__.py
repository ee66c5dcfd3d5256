"""Backup programs: what they add to the copying, and to a group of save sets."""

from __future__ import annotations

from simbackup.methods.tool.spec import BackupToolSheet, SaveIndexSpec, StartGroupSpec, SystemStateSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(("start_group",), StartGroupSpec, "simbackup.methods.tool.make:make_start"),
    MethodKind(("save_index",), SaveIndexSpec, "simbackup.methods.tool.make:make_index"),
    MethodKind(("system_state",), SystemStateSpec, "simbackup.methods.tool.make:make_state"),
)
SHEETS = {"backup_tool": BackupToolSheet}
