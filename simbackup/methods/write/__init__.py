"""A program that writes a data set."""

from __future__ import annotations

from simbackup.methods.write.spec import WriteSpec
from simbackup.schema.registry import MethodKind

KINDS = (MethodKind(("write",), WriteSpec, "simbackup.methods.write.make:make"),)
