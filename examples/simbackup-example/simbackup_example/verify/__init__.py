"""Checks of save sets on disk."""

from __future__ import annotations

from simbackup.schema.registry import MethodKind
from simbackup_example.verify.spec import VerifySpec

KINDS = (MethodKind(("verify",), VerifySpec, "simbackup_example.verify.make:make"),)
