"""Rebuilds of arrays: what a failed disk held is made again on a new one."""

from __future__ import annotations

from simbackup.methods.rebuild.spec import RebuildSpec
from simbackup.schema.registry import MethodKind

KINDS = (MethodKind(("rebuild",), RebuildSpec, "simbackup.methods.rebuild.make:make"),)
