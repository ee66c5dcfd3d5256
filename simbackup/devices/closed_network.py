"""The workers of a flow as customers of a closed queueing network: service demands, and the rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from simbackup.engine.limit import Limit, Parts, limit_of
from simbackup.engine.link import Link
from simbackup.equations.circuits import CustomerClass, Throughput, Visit, closed_network
from simbackup.trace.activity import Activity

NOBODY: Mapping[Link, float] = {}

STEP = 1e-6
"""Precision to which shares of a link that others use are distinguished."""


@dataclass(frozen=True, slots=True)
class ClosedClass:
    """The workers of a flow: one class of customers, who pass through a cycle of stations for each unit."""

    workers: int
    """Number of customers."""
    parts: Parts
    """Seconds of a unit by address and activity: the cycle of a worker alone."""
    demands: Mapping[Link, float]
    """Units of each link that one unit of the flow holds."""
    visits: Mapping[Link, float] = field(default_factory=dict["Link", float])
    """Times that a unit comes to links that serve in order of arrival, such as locks, if all who come there say so;
    elsewhere all share the link."""

    def service_demands(self) -> dict[Link, float]:
        """Seconds of a unit that a worker alone takes at each link where it may wait for others."""
        spent: dict[str, float] = {}
        for (address, activity), seconds in self.parts.items():
            if activity != Activity.TRAVEL.value:
                spent[address] = spent.get(address, 0.0) + seconds
        return {link: spent[link.name] for link, held in self.demands.items() if held > 0.0 and link.name in spent}

    def switching(self, waits: Mapping[Link, float]) -> ClosedClass:
        """The same customers when each unit also waits, in seconds, while links turn to other streams."""
        turns = {(link.name, Activity.TURN.value): seconds for link, seconds in waits.items() if seconds > 0.0}
        return replace(self, parts={**self.parts, **turns}) if turns else self

    def limits_of(
        self,
        classes: Sequence[ClosedClass],
        others: Callable[[Link], float],
        switchovers: Sequence[Mapping[Link, float]] | None = None,
        blocked: Sequence[float] | None = None,
    ) -> list[Limit]:
        """The limit of each of several flows of requests, when others use a share of each link: see `Customers`."""
        switching, away = switchovers or [NOBODY] * len(classes), blocked or [0.0] * len(classes)
        classes = [each.switching(seconds) for each, seconds in zip(classes, switching, strict=True)]
        waits = [each.service_demands() for each in classes]
        number = {link: i for i, link in enumerate(dict.fromkeys(link for there in waits for link in there))}
        rounds = [each.round(*own, number) for each, own in zip(classes, zip(waits, away, strict=True), strict=True)]
        moves = [one.delay + sum(visit.demand for visit in one.visits) > 0.0 for one in rounds]
        taken = [round(others(link) / STEP) * STEP for link in number]
        pooled = [link.capacity if link.pooled and link.capacity > 0.0 else None for link in number]
        solved = iter(closed_network([one for one, does in zip(rounds, moves, strict=True) if does], taken, pooled))
        return [
            each.limit(next(solved), there) if does else Limit(math.inf, "")
            for each, there, does in zip(classes, waits, moves, strict=True)
        ]

    def round(self, waits: Mapping[Link, float], away: float, number: Mapping[Link, int]) -> CustomerClass:
        """The customer class of the equations for one unit, whose workers spend `away` seconds at no station."""
        visits = [
            Visit(
                number[link],
                wait,
                self.demands[link] / link.capacity if link.capacity > 0.0 else 0.0,
                self.visits.get(link, 0.0),
            )
            for link, wait in waits.items()
        ]
        delay = sum(self.parts.values()) - math.fsum(waits.values())
        return CustomerClass(self.workers, max(delay, 0.0), tuple(visits), away)

    def limit(self, found: Throughput, waits: Mapping[Link, float]) -> Limit:
        """The limit that a solution means: rate of all workers, main cause, seconds of a unit by part with queueing."""
        rate, residence = found.rate, dict(zip(waits, found.residence, strict=False))
        if rate <= 0.0:
            return Limit(0.0, next((link.name for link, s in residence.items() if math.isinf(s)), ""))
        parts = {part: seconds / self.workers for part, seconds in self.parts.items()}
        for link, seconds in residence.items():
            if seconds > waits[link] * (1.0 + STEP):
                parts[link.name, Activity.QUEUE] = (seconds - waits[link]) / self.workers
        return limit_of(parts, rate)
