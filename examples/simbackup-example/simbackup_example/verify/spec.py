"""What a file may say of a check of a save set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from simbackup.errors import choices
from simbackup.schema.capability import BlockDevice
from simbackup.schema.job import JobSpec, Saving
from simbackup.schema.part import Path, Refers
from simbackup.schema.quantity import PositiveTimePerByte, Text

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class VerifySpec(JobSpec):
    """Check of the newest save set of a backup: it is read back from its disk, and each byte costs the processor."""

    method: Literal["verify"]
    save_set: Annotated[Text, Refers("reads", "jobs")]
    """The backup onto a disk whose newest complete save set is checked."""
    check_cpu: PositiveTimePerByte
    """Time of the reference core for each byte that is checked."""

    def check(self, checks: Checks, path: Path) -> None:
        """What is checked lies on a disk."""
        jobs, devices = checks.spec.jobs, checks.spec.devices
        saving = {name: job for name, job in jobs.items() if isinstance(job, Saving)}
        legal = [name for name, job in saving.items() if isinstance(devices.get(job.to), BlockDevice)]
        if not checks.name((*path, "save_set"), self.save_set, legal, "job") and self.save_set in jobs:
            message = f"'{self.save_set}' makes no save set on a disk"
            checks.report((*path, "save_set"), message, choices(self.save_set, legal))
