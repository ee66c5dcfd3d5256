"""Virtual machines that are suspended while they are saved."""

from __future__ import annotations

from simbackup.methods.virtual_machine.spec import ResumeSpec, SuspendSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(("suspend",), SuspendSpec, "simbackup.methods.virtual_machine.make:make_suspend"),
    MethodKind(("resume",), ResumeSpec, "simbackup.methods.virtual_machine.make:make_resume"),
)
