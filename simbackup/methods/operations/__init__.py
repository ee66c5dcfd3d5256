"""Work that saves nothing: virtual machines are suspended and resumed, arrays rebuilt, users watched."""

from __future__ import annotations

from simbackup.methods.operations.spec import ObserveSpec, RebuildSpec, ResumeSpec, SuspendSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(("suspend",), SuspendSpec, "simbackup.methods.operations.make:make_suspend"),
    MethodKind(("resume",), ResumeSpec, "simbackup.methods.operations.make:make_resume"),
    MethodKind(("rebuild",), RebuildSpec, "simbackup.methods.operations.make:make_rebuild"),
    MethodKind(("observe",), ObserveSpec, "simbackup.methods.operations.make:make_observe"),
)
