"""What a file may say about time over which users are watched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.schema.part import Path

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

from typing import Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    PositiveDuration,
    Text,
)


class ObserveSpec(JobSpec):
    """An interval over which the work of users is reported."""

    method: Literal["observe"]
    workload: Text
    """The users."""
    duration: PositiveDuration
    """Length of the interval."""

    def check(self, checks: Checks, path: Path) -> None:
        """Report an unknown workload."""
        checks.name((*path, "workload"), self.workload, checks.spec.workloads, "workload")
