"""Programs that write a data set, or copy one onto another."""

from __future__ import annotations

from simbackup.methods.write.spec import CopySpec, WriteSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(("write",), WriteSpec, "simbackup.methods.write.make:make"),
    MethodKind(("copy",), CopySpec, "simbackup.methods.write.make:make_copy"),
)
