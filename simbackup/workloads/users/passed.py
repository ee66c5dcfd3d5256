"""What transactions have passed through so far, and how long they took over a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from simbackup.engine.flows import Link
from simbackup.equations.queueing import mixed_response
from simbackup.workloads.users.transactions import Load


@dataclass(frozen=True, slots=True)
class Passed:
    """Totals of all transactions so far.

    Their number, seconds that they waited at no link, seconds that they would have waited at each link alone, and
    seconds for which they have filled each link.
    """

    transactions: float = 0.0
    delay: float = 0.0
    waited: Mapping[Link, float] = field(default_factory=dict[Link, float])
    filled: Mapping[Link, float] = field(default_factory=dict[Link, float])

    def plus(self, load: Load, transactions: float) -> Passed:
        """The totals after so many more transactions of a load."""
        waited, filled = dict(self.waited), dict(self.filled)
        for link, seconds in load.waited.items():
            waited[link] = waited.get(link, 0.0) + transactions * seconds
        for link, demand in load.shape.demands.items():
            filled[link] = filled.get(link, 0.0) + transactions * demand / link.capacity
        return Passed(self.transactions + transactions, self.delay + transactions * load.delay, waited, filled)

    def since(self, before: Passed) -> Passed:
        """What has passed since other totals were taken."""
        waited = {link: seconds - before.waited.get(link, 0.0) for link, seconds in self.waited.items()}
        filled = {link: seconds - before.filled.get(link, 0.0) for link, seconds in self.filled.items()}
        return Passed(self.transactions - before.transactions, self.delay - before.delay, waited, filled)

    def response(self, seconds: float, others: Mapping[Link, float], passing: Collection[Link] = ()) -> float:
        """Mean seconds of a transaction over a time in which others filled links for so many seconds.

        What it waits for others at the links that it is only `passing` is left out.
        """
        if not self.transactions or seconds <= 0.0:
            return 0.0
        return (self.delay + sum(self._residences(seconds, others, passing))) / self.transactions

    def _residences(self, seconds: float, others: Mapping[Link, float], passing: Collection[Link]) -> Iterator[float]:
        for link, waited in self.waited.items():
            if link in passing:
                yield waited
            elif waited > 0.0:
                yield mixed_response(waited, self.filled.get(link, 0.0) / seconds, others.get(link, 0.0) / seconds)
