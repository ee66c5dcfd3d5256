"""What a file may say about work that saves nothing: on virtual machines, on arrays, and while users are watched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup.errors import choices
from simbackup.schema.capability import RedundantDevice
from simbackup.schema.job import JobSpec
from simbackup.schema.part import ONTO_DEVICE, Chosen, Facts, Path, Refers, amount
from simbackup.schema.quantity import PositiveDuration, Ratio, Text, usual
from simbackup.schema.registry import MethodKind

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


class RebuildSpec(JobSpec):
    """A new disk replaces a failed one, and the array reconstructs its contents from the other disks.

    The time of the job is that of the rebuild. From its end on, all transfers use the repaired array.
    """

    method: Literal["rebuild"]
    of: Annotated[Text, Refers("changes", "devices")]
    """The array with a disk that has `failed`, or that fails by then (`failures`)."""
    precedence: Ratio = usual("1", "1")
    """How much of the time of the disks it gets, relative to another stream or to the requests of users. Near zero, it
    works only while the disks are idle, and may not end while others work.
    """

    def check(self, checks: Checks, path: Path) -> None:
        """Report a device that has no disk to rebuild."""
        if any(failure.disk == self.of for failure in checks.spec.failures.values()):
            return
        legal = Chosen(checks.spec.devices, lambda device: isinstance(device, RedundantDevice) and device.missing())
        if not checks.name((*path, "of"), self.of, legal, "device") and self.of in checks.spec.devices:
            message = f"no disk of '{self.of}' has failed"
            checks.report((*path, "of"), message, choices(self.of, legal) if legal else "write 'failed: 1' there")


class ObserveSpec(JobSpec):
    """An interval over which the throughput of users is reported."""

    method: Literal["observe"]
    workload: Annotated[Text, Refers("observes", "workloads")]
    """The users or requests that are watched: a name of `workloads:`."""
    duration: PositiveDuration
    """How long they are watched; the reported figures are means over this time."""

    watches: ClassVar[bool] = True
    moves: ClassVar[bool] = False

    def own_facts(self) -> Facts:
        """How long it lasts."""
        yield from amount(self.duration)

    def check(self, checks: Checks, path: Path) -> None:
        """Report an unknown workload."""
        checks.name((*path, "workload"), self.workload, checks.spec.workloads, "workload")


MAKE = "simbackup.methods.operations.live"
KINDS = (
    MethodKind(("suspend",), SuspendSpec, f"{MAKE}:make_suspend"),
    MethodKind(("resume",), ResumeSpec, f"{MAKE}:make_resume"),
    MethodKind(("rebuild",), RebuildSpec, f"{MAKE}:make_rebuild"),
    MethodKind(("observe",), ObserveSpec, f"{MAKE}:make_observe"),
)
