"""What a file may say about work that saves nothing: on arrays, and while users are watched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup.errors import choices
from simbackup.schema.capability import RedundantDevice
from simbackup.schema.job import JobSpec
from simbackup.schema.part import Chosen, Facts, Path, Refers, amount
from simbackup.schema.quantity import PositiveDuration, Ratio, Text, usual
from simbackup.schema.registry import MethodKind

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


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
    MethodKind(("rebuild",), RebuildSpec, f"{MAKE}:make_rebuild"),
    MethodKind(("observe",), ObserveSpec, f"{MAKE}:make_observe"),
)
