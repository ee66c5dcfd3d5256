"""Time over which users are watched."""

from __future__ import annotations

from simbackup.methods.observe.spec import ObserveSpec
from simbackup.schema.registry import MethodKind

KINDS = (MethodKind(("observe",), ObserveSpec, "simbackup.methods.observe.make:make"),)
