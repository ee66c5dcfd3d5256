"""Programs as data: phases of groups of workers, who repeat steps in series, as a datasheet lists them."""

from __future__ import annotations

from simbackup.methods.program.sheet import ProgramSheet, WorkersSheet
from simbackup.methods.program.spec import ProgramJobSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(
        ("program",),
        ProgramJobSpec,
        "simbackup.methods.program.make:make",
        "simbackup.methods.file_backup.make:restore",
    ),
)
SHEETS = {"program": ProgramSheet, "workers": WorkersSheet}
