"""Requests of a flow that go round between a processor, buses and devices, and wait there behind those of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from simbackup.engine.activity import Activity
from simbackup.engine.limit import Limit, Parts
from simbackup.engine.link import Link
from simbackup.equations.circuits import Round, Visit, circulate

NOBODY: Mapping[Link, float] = {}

STEP = 1e-6
"""Shares of a link that others use are the same to so much."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """How each unit of a flow goes round: the parts of its cycle, what it holds of links, and how many workers go.

    `serial` are seconds of a unit that only one worker at a time can spend.
    """

    workers: int
    parts: Parts
    demands: Mapping[Link, float]
    serial: float = 0.0
    own: Link = field(default_factory=lambda: Link("serial", 1.0))

    def waits(self) -> dict[Link, float]:
        """Seconds of a unit that a worker alone takes at each link where it may wait for others.

        Core seconds that only one worker at a time can spend are waited for there, and not for a core.
        """
        spent: dict[str, float] = {}
        for (address, activity), seconds in self.parts.items():
            if activity != Activity.TRAVEL.value:
                spent[address] = spent.get(address, 0.0) + seconds
        there = {link: spent[link.name] for link, held in self.demands.items() if held > 0.0 and link.name in spent}
        serial = self.serial if self.workers > 1 else 0.0
        return {link: max(wait - serial, 0.0) if link.pooled else wait for link, wait in there.items()}

    def turned(self, waits: Mapping[Link, float]) -> Rounds:
        """The round when a unit waits so many seconds at some links for its turn."""
        turns = {(link.name, Activity.TURN.value): seconds for link, seconds in waits.items() if seconds > 0.0}
        return replace(self, parts={**self.parts, **turns}) if turns else self

    def together(
        self,
        all_of_them: Sequence[Rounds],
        others: Callable[[Link], float],
        turns: Sequence[Mapping[Link, float]] | None = None,
        rates: Sequence[float] | None = None,
    ) -> list[Limit]:
        """The limits of several flows whose requests go round at once, when others use a share of each link.

        One that moves less than it could, as something else holds it up, comes back later, and others wait less for it.
        """
        all_of_them = [
            each.turned(lost) for each, lost in zip(all_of_them, turns or [NOBODY] * len(all_of_them), strict=True)
        ]
        at_once = _limits(all_of_them, others, [0.0] * len(all_of_them))
        if rates is None or len(all_of_them) == 1:
            return at_once
        idle = [
            each.workers * (1.0 / rate - 1.0 / limit.rate) if 0.0 < rate < limit.rate * (1.0 - STEP) else 0.0
            for each, rate, limit in zip(all_of_them, rates, at_once, strict=True)
        ]
        if not any(idle):
            return at_once
        return [_limits(all_of_them, others, [*idle[:i], 0.0, *idle[i + 1 :]])[i] for i in range(len(all_of_them))]

    def round(self, waits: Mapping[Link, float], number: Mapping[Link, int]) -> Round:
        """One unit as a round of the queueing network."""
        visits = [
            Visit(number[link], wait, self.demands[link] / link.capacity if link.capacity > 0.0 else 0.0)
            for link, wait in waits.items()
        ]
        delay = sum(self.parts.values()) - math.fsum(waits.values())
        if self.own in number:
            visits.append(Visit(number[self.own], self.serial, self.serial))
            delay -= self.serial
        return Round(self.workers, max(delay, 0.0), tuple(visits))

    def limit(self, rate: float, residence: Mapping[Link, float], waits: Mapping[Link, float]) -> Limit:
        """The rate of all workers, what takes most of it, and where the seconds of a unit go, waiting included."""
        if rate <= 0.0:
            return Limit(0.0, next((link.name for link, s in residence.items() if math.isinf(s)), ""))
        parts = {part: seconds / self.workers for part, seconds in self.parts.items()}
        for link, seconds in residence.items():
            if seconds > waits[link] * (1.0 + STEP):
                parts[link.name, Activity.QUEUE] = (seconds - waits[link]) / self.workers
        spent: dict[str, float] = {}
        for (address, _), seconds in parts.items():
            spent[address] = spent.get(address, 0.0) + seconds
        return Limit(rate, max(spent, key=lambda address: spent[address]), parts)


def _limits(all_of_them: Sequence[Rounds], others: Callable[[Link], float], idle: Sequence[float]) -> list[Limit]:
    """The limits of flows whose requests go round at once and stay away for some seconds of each unit."""
    there = [each.waits() for each in all_of_them]
    used = {link: None for waits in there for link in waits}
    private = [each.own for each in all_of_them if each.workers > 1 and each.serial > 0.0]
    number = {link: i for i, link in enumerate([*used, *private])}
    rounds = [each.round(waits, number) for each, waits in zip(all_of_them, there, strict=True)]
    taken = [*(round(others(link) / STEP) * STEP for link in used), *(0.0 for _ in private)]
    pooled = [link.capacity if link.pooled and link.capacity > 0.0 else None for link in number]
    takes_time = [one.delay + sum(visit.wait for visit in one.visits) > 0.0 for one in rounds]
    going = [
        replace(one, delay=one.delay + away) for one, away, does in zip(rounds, idle, takes_time, strict=True) if does
    ]
    turned = iter(circulate(going, taken, pooled))
    limits: list[Limit] = []
    for each, waits, does in zip(all_of_them, there, takes_time, strict=True):
        if not does:
            limits.append(Limit(math.inf, ""))
            continue
        found = next(turned)
        limits.append(each.limit(found.rate, dict(zip(waits, found.residence, strict=False)), waits))
    return limits
