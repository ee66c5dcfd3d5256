"""Jobs on save sets: copies to other devices, synthetic full backups and merges."""

from __future__ import annotations

from simbackup.methods.save_sets.spec import ConsolidateSpec, CopySaveSetSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(("copy_save_set",), CopySaveSetSpec, "simbackup.methods.save_sets.make:make"),
    MethodKind(("consolidate",), ConsolidateSpec, "simbackup.methods.save_sets.make:make_consolidation"),
)
