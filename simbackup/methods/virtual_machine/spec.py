"""What a file may say about virtual machines that are suspended while they are saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.part import Path
from simbackup.schema.quantity import Text
from simbackup.schema.refers import ONTO_DEVICE, Refers

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class OfMachine(JobSpec):
    """A job that stops a virtual machine or lets it go on."""

    machine: Annotated[Text, Refers("acts on", "hosts")]
    """The virtual machine: a name of `hosts:` that states `within`."""


class SuspendSpec(OfMachine):
    """Suspension of a virtual machine: its memory is saved to disk, and it stops until it is resumed."""

    method: Literal["suspend"]
    to: Annotated[Text, ONTO_DEVICE]
    """The volume or device that takes its memory."""

    def check(self, checks: Checks, path: Path) -> None:
        """Report a machine that is not virtual, and memory to a disk of another host."""
        below = None
        with checks.about(*path):
            below = _guest(checks, path, self.machine)
        if self.machine not in checks.spec.hosts or not checks.block_device((*path, "to"), self.to):
            return
        owner = checks.spec.owner_of(self.to)
        if below is not None and owner != below and checks.sound(path, "hosts", "devices"):
            message = f"'{self.to}' does not belong to '{below}', on which '{self.machine}' runs"
            checks.report((*path, "to"), message, f"name a disk or volume of '{below}'")
        else:
            checks.free((*path, "to"), self.to, checks.spec.hosts[self.machine].memory, "the memory")


class ResumeSpec(OfMachine):
    """Resumption of a virtual machine from the saved memory on disk."""

    method: Literal["resume"]

    def check(self, checks: Checks, path: Path) -> None:
        """Report a machine that is not virtual."""
        _guest(checks, path, self.machine)


def _guest(checks: Checks, path: Path, machine: str) -> str | None:
    """The host of a virtual machine; reports that there is none and returns None."""
    if not checks.name((*path, "machine"), machine, checks.spec.hosts, "host"):
        return None
    below = checks.spec.hosts[machine].within
    if below is None:
        checks.report((*path, "machine"), f"'{machine}' is not a virtual machine", "give that host 'within:'")
    return below
