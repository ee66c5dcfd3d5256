"""What a file may say about time over which users are watched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup.schema.facts import Facts, amount
from simbackup.schema.job import JobSpec
from simbackup.schema.part import Path
from simbackup.schema.quantity import PositiveDuration, Text
from simbackup.schema.refers import Refers

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


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
