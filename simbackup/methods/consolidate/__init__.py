"""What a target makes of save sets by itself: synthetic full backups, and merges of incrementals."""

from __future__ import annotations

from simbackup.methods.consolidate.spec import ConsolidateSpec
from simbackup.schema.registry import MethodKind

KINDS = (MethodKind(("consolidate",), ConsolidateSpec, "simbackup.methods.consolidate.make:make"),)
