"""What every workload may say: how often it asks, or how many ask, and which links their requests cross."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from simbackup.schema.facts import Fact, Facts, amount, number
from simbackup.schema.figures import IMPACT, Figures
from simbackup.schema.job import Names
from simbackup.schema.part import Part, Path
from simbackup.schema.quantity import Quantity

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class WorkloadSpec(Part):
    """An entry under `workloads:`."""

    recognised_by: ClassVar[tuple[str, ...]] = ()
    """Keys by any of which it is recognised where it says no `kind`."""
    usual: ClassVar[bool] = False
    """Whether a workload without any such key is one of this kind."""

    if TYPE_CHECKING:
        via: Names
        request: Any  # its bytes; some kinds may leave it out
        transactions: Quantity | None
        clients: Quantity | None
        think_time: Quantity | None
        timeout: Quantity | None

    def check(self, checks: Checks, path: Path) -> None:
        """Report a workload without exactly one of its two forms, and wrong links."""
        with checks.about(*path):
            self._check_pace(checks, path)
        with checks.about(*path):
            self._check_way(checks, path)

    def _check_pace(self, checks: Checks, path: Path) -> None:
        """Report both or neither of `transactions` and `clients`."""
        if (self.transactions is None) == (self.clients is None):
            both, neither = "has both 'transactions' and 'clients'", "has neither 'transactions' nor 'clients'"
            remedy = "write 'transactions: 100 /s', or 'clients: 50' and their 'think_time'"
            checks.report(path, both if self.clients else neither, remedy)
        if self.think_time is not None and self.clients is None:
            checks.report((*path, "think_time"), "has no effect with 'transactions'", "leave it out")

    def _check_way(self, checks: Checks, path: Path) -> None:
        """Report unknown links, and links that do not follow each other."""
        for name in dict.fromkeys(self.via):
            checks.street((*path, "via"), name)
            if self.via.count(name) > 1:
                checks.report((*path, "via"), f"names '{name}' more than once", "leave it out")
        known = [name for name in self.via if name in checks.spec.streets]
        for before, after in pairwise(known):
            links = [name.partition(".")[0] for name in (before, after)]
            ends = [{link, *checks.spec.links[link].joins} for link in links]
            if not ends[0] & ends[1]:
                message = f"'{before}' and '{after}' are not connected"
                checks.report((*path, "via"), message, "name the links in the order in which they are crossed")

    def figures(self) -> Figures:
        """What a job costs it."""
        return {"": (*IMPACT, *(("network_wait",) if self.via else ()), *(("timed_out",) if self.timeout else ()))}

    def facts(self) -> Facts:
        """How often it asks, or how many ask, and the bytes over links."""
        if self.transactions is not None:
            yield Fact(f"{self.transactions.si:,.4g} transactions a second")
        yield from number(self.clients, "client")
        if self.think_time is not None and self.think_time.si > 0:
            yield from amount(self.think_time, "between two transactions")
        yield from self.own_facts()
        yield from amount(self.request, "each over the network")
        yield from amount(self.timeout, "until one times out")

    def own_facts(self) -> Facts:
        """More facts of a kind of workload."""
        yield from ()
