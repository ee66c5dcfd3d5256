"""simbackup.methods.virtual_machine.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    Text,
)


class SuspendSpec(JobSpec):
    """Suspension of a virtual machine: its memory is saved to disk, and it stands still until it is resumed."""

    method: Literal["suspend"]
    machine: Text
    """The virtual machine."""
    to: Text
    """The volume or device that takes its memory."""


class ResumeSpec(JobSpec):
    """Resumption of a virtual machine from the disk that holds its memory."""

    method: Literal["resume"]
    machine: Text
    """The virtual machine."""
