"""What a file may say about rebuilds of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from simbackup.errors import choices
from simbackup.schema.capability import RedundantDevice
from simbackup.schema.chosen import Chosen
from simbackup.schema.job import JobSpec
from simbackup.schema.part import Path
from simbackup.schema.quantity import Ratio, Text
from simbackup.schema.refers import Refers

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class RebuildSpec(JobSpec):
    """A new disk takes the place of a failed one, and gets what that held, made from the other disks.

    Its time is that of the rebuild. What is under way goes on as on the degraded array; what begins later finds it
    whole.
    """

    method: Literal["rebuild"]
    of: Annotated[Text, Refers("changes", "devices")]
    """The array with a disk that has `failed`."""
    precedence: Ratio | None = None
    """Time of the disks that it gets for that of each stream beside it; 1 by default. Near zero it works in idle
    time alone, and may not end while others work."""

    def check(self, checks: Checks, path: Path) -> None:
        """Report a device that has no disk to rebuild."""
        legal = Chosen(checks.spec.devices, lambda device: isinstance(device, RedundantDevice) and device.missing())
        if not checks.name((*path, "of"), self.of, legal, "device") and self.of in checks.spec.devices:
            message = f"no disk of '{self.of}' has failed"
            checks.report((*path, "of"), message, choices(self.of, legal) if legal else "write 'failed: 1' there")
