"""Copies of save sets, from disk to tape or to another disk."""

from __future__ import annotations

from simbackup.methods.copy_save_set.spec import CopySaveSetSpec
from simbackup.schema.registry import MethodKind

KINDS = (MethodKind(("copy_save_set",), CopySaveSetSpec, "simbackup.methods.copy_save_set.make:make"),)
