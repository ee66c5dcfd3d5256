"""What a file may say about rebuilds of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from simbackup.errors import choices
from simbackup.schema.capability import RedundantDevice
from simbackup.schema.chosen import Chosen
from simbackup.schema.job import JobSpec
from simbackup.schema.part import Path
from simbackup.schema.quantity import Ratio, Text, usual
from simbackup.schema.refers import Refers

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
    """Turns that it has at the disks for each turn of another stream, or of the users' requests. Near
    zero, it only works in idle time, and may not end while others work.
    """

    def check(self, checks: Checks, path: Path) -> None:
        """Report a device that has no disk to rebuild."""
        if any(failure.disk == self.of for failure in checks.spec.failures.values()):
            return
        legal = Chosen(checks.spec.devices, lambda device: isinstance(device, RedundantDevice) and device.missing())
        if not checks.name((*path, "of"), self.of, legal, "device") and self.of in checks.spec.devices:
            message = f"no disk of '{self.of}' has failed"
            checks.report((*path, "of"), message, choices(self.of, legal) if legal else "write 'failed: 1' there")
