"""What a file may say about users who work on a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup.schema.part import Facts, Figures, Modelled, Path, Refers, amount
from simbackup.schema.registry import Look, WorkloadKind
from simbackup.schema.workload import AskingSpec

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Multiple,
    PositiveShare,
    PositiveSize,
    Share,
    Text,
    Word,
    usual,
)


class WorkloadSheet(Frozen):
    """The demands of each transaction of a user on the data."""

    reads: Multiple
    """Number of disk reads of a transaction."""
    read_size: PositiveSize
    """Bytes of one disk read."""
    cpu: Duration
    """Time of the reference core for a transaction."""
    writes: Share
    """Share of the transactions that write, and therefore wait for a read lock."""
    updates: Multiple = usual("0", "1")
    """Number of disk writes of a transaction, each at a different place."""
    update_size: PositiveSize | None = None
    """Bytes of one disk write; by default, as many as of a disk read."""
    synchronous: Annotated[bool, Word()] = False
    """Whether a transaction waits until its disk writes are done."""
    working_set: PositiveShare = usual("100 %", "1")
    """Share of the data to which disk writes go."""
    hot_data: PositiveShare = usual("100 %", "1")
    """Share of the working set that receives most of the writes."""
    hot_updates: PositiveShare = usual("100 %", "1")
    """Share of the disk writes that go to the hot data."""


class UsersSpec(AskingSpec, Modelled, WorkloadSheet):
    """Users of a data set: a given number of transactions per second, or one after the other from each user."""

    kind: Literal["users"] = "users"
    """The kind of workload, which its other keys say as well."""
    data: Annotated[Text, Refers("works on", "data")]
    """The data set that they work on."""

    recognised_by: ClassVar[tuple[str, ...]] = ("data", "model")
    by_default: ClassVar[bool] = True

    def check(self, checks: Checks, path: Path) -> None:
        """Report data without a host, and incomplete keys of updates."""
        for step in (self._check_data, self._check_updates):
            with checks.about(*path):
                step(checks, path)
        super().check(checks, path)

    def _check_data(self, checks: Checks, path: Path) -> None:
        if checks.name((*path, "data"), self.data, checks.named("data"), "data set"):
            checks.owned(path, checks.spec.data[self.data].on)

    def _check_updates(self, checks: Checks, path: Path) -> None:
        if not (self.reads.si or self.cpu.si or self.updates.si):
            checks.report(path, "its transactions do nothing", "write 'reads', 'updates' or 'cpu' above 0")
        if self.update_size is not None and not self.states("updates"):
            checks.report((*path, "update_size"), "has no effect without updates", "write 'updates:' of a transaction")
        if self.states("hot_data") != self.states("hot_updates"):
            missing = "hot_updates" if self.states("hot_data") else "hot_data"
            checks.report(path, f"needs '{missing}'", "give both 'hot_data' and 'hot_updates'")

    def figures(self) -> Figures:
        """What a job costs them: waits for locks, a slower disk, and slower transactions."""
        return {"": (*super().figures()[""], "waited", "mean_wait", "longest_wait", "slowdown", "response", "slower")}

    def own_facts(self) -> Facts:
        """How many transactions write."""
        if self.writes.si > 0:
            yield from amount(self.writes, "of transactions write")


KINDS = (WorkloadKind("users", UsersSpec, "simbackup.workloads.users.make:make"),)
SHEETS = {"workload": WorkloadSheet}
LOOKS = {"workload": Look("M8 7.5a3 3 0 1 0-.01 0M2.5 14.5c0-6.5 11-6.5 11 0", "#fdeef3", "#c0527b")}
