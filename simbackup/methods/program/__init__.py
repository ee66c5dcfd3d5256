"""Programs as data: phases of groups of workers, who repeat steps in series, as a datasheet lists them."""

from __future__ import annotations

from simbackup.methods.program.sheet import ProgramSheet
from simbackup.methods.program.spec import ProgramJobSpec
from simbackup.schema.registry import MethodKind

KINDS = (MethodKind(("program",), ProgramJobSpec, "simbackup.methods.program.make:make"),)
SHEETS = {"program": ProgramSheet}
