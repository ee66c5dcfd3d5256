"""A copy of one data set onto another."""

from __future__ import annotations

from simbackup.methods.copy.spec import CopySpec
from simbackup.schema.registry import MethodKind

KINDS = (MethodKind(("copy",), CopySpec, "simbackup.methods.copy.make:make"),)
