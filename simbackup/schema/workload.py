"""What workloads may say: how often they ask, or how many ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from simbackup.schema.part import IMPACT, Fact, Facts, Figures, Part, Path, amount, number
from simbackup.schema.quantity import Duration, Frequency, PositiveCount, usual

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class WorkloadSpec(Part):
    """An entry under `workloads:`, whatever it does while jobs run."""

    live_part = "simbackup.workloads.live:Workload"

    recognised_by: ClassVar[tuple[str, ...]] = ()
    """Keys by any of which it is recognised where it says no `kind`."""
    by_default: ClassVar[bool] = False
    """Whether a workload without any such key is one of this kind."""

    def figures(self) -> Figures:
        """What a job costs it."""
        return {"": IMPACT}


class AskingSpec(WorkloadSpec):
    """A workload of transactions or requests: so many a second, or those of clients who wait for each answer."""

    transactions: Frequency | None = None
    """Transactions or requests per second, however long each takes."""
    clients: PositiveCount | None = None
    """Instead of `transactions`, the number of users or clients; each begins the next transaction when the previous one
    is done.
    """
    think_time: Duration = usual("0 s", "s")
    """Time that a user or client waits between two transactions."""

    def check(self, checks: Checks, path: Path) -> None:
        """Report both or neither of `transactions` and `clients`."""
        if (self.transactions is None) == (self.clients is None):
            both, neither = "has both 'transactions' and 'clients'", "has neither 'transactions' nor 'clients'"
            remedy = "write 'transactions: 100 /s', or 'clients: 50' and their 'think_time'"
            checks.report(path, both if self.clients else neither, remedy)
        if self.states("think_time") and self.clients is None:
            checks.report((*path, "think_time"), "has no effect with 'transactions'", "leave it out")

    def facts(self) -> Facts:
        """How often it asks, or how many ask."""
        if self.transactions is not None:
            yield Fact(f"{self.transactions.si:,.4g} transactions a second")
        yield from number(self.clients, "client")
        if self.think_time.si > 0:
            yield from amount(self.think_time, "between two transactions")
        yield from self.own_facts()

    def own_facts(self) -> Facts:
        """More facts of a kind of workload."""
        yield from ()
