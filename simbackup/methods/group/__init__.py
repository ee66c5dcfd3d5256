"""What a backup program adds to a group of save sets."""

from __future__ import annotations

from simbackup.methods.group.spec import SaveIndexSpec, StartGroupSpec, SystemStateSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(("start_group",), StartGroupSpec, "simbackup.methods.group.make:make_start"),
    MethodKind(("save_index",), SaveIndexSpec, "simbackup.methods.group.make:make_index"),
    MethodKind(("system_state",), SystemStateSpec, "simbackup.methods.group.make:make_state"),
)
