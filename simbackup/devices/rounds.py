"""Requests of a flow that go round between a processor, buses and devices, and wait there behind those of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from simbackup.engine.limit import Limit, Parts
from simbackup.engine.link import Link
from simbackup.equations.circuits import Round, Turnout, Visit, circulate
from simbackup.trace.activity import Activity

NOBODY: Mapping[Link, float] = {}

STEP = 1e-6
"""Shares of a link that others use are the same to so much."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """How each unit of a flow goes round: the parts of its cycle, what it holds of links, and how many workers go.

    `serial` are seconds of a unit that only one worker at a time can spend. `visits` are the times that a unit comes to
    links that serve in order of arrival, such as the locks of a program, if all who come there say so; elsewhere all
    share the link.
    """

    workers: int
    parts: Parts
    demands: Mapping[Link, float]
    serial: float = 0.0
    visits: Mapping[Link, float] = field(default_factory=dict["Link", float])
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
        away: Sequence[float] | None = None,
    ) -> list[Limit]:
        """The limits of several flows whose requests go round at once, when others use a share of each link.

        Workers that stay away for some seconds of each unit, as something else holds them up, are waited for less.
        """
        all_of_them = [
            each.turned(lost) for each, lost in zip(all_of_them, turns or [NOBODY] * len(all_of_them), strict=True)
        ]
        return _Meeting(all_of_them, others, away or [0.0] * len(all_of_them)).limits()

    def round(self, waits: Mapping[Link, float], number: Mapping[Link, int], away: float) -> Round:
        """One unit as a round of the queueing network, with some seconds away."""
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
        if self.own in number:
            visits.append(Visit(number[self.own], self.serial, self.serial))
            delay -= self.serial
        return Round(self.workers, max(delay, 0.0), tuple(visits), away)

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


class _Meeting:
    """Flows whose requests go round at once, as a queueing network."""

    def __init__(self, flows: Sequence[Rounds], others: Callable[[Link], float], away: Sequence[float]) -> None:
        self.flows = flows
        self.waits = [each.waits() for each in flows]
        used = {link: None for waits in self.waits for link in waits}
        private = [each.own for each in flows if each.workers > 1 and each.serial > 0.0]
        number = {link: i for i, link in enumerate([*used, *private])}
        self.rounds = [
            each.round(waits, number, seconds) for each, waits, seconds in zip(flows, self.waits, away, strict=True)
        ]
        self.taken = [*(round(others(link) / STEP) * STEP for link in used), *(0.0 for _ in private)]
        self.pooled = [link.capacity if link.pooled and link.capacity > 0.0 else None for link in number]

    def turnouts(self) -> list[Turnout | None]:
        """How the requests of each flow go round; None for a flow whose requests take no time."""
        takes_time = [one.delay + sum(visit.wait for visit in one.visits) > 0.0 for one in self.rounds]
        going = [one for one, does in zip(self.rounds, takes_time, strict=True) if does]
        turned = iter(circulate(going, self.taken, self.pooled))
        return [next(turned) if does else None for does in takes_time]

    def limits(self) -> list[Limit]:
        """The limits of all flows."""
        return [
            each.limit(found.rate, dict(zip(waits, found.residence, strict=False)), waits)
            if found is not None
            else Limit(math.inf, "")
            for each, waits, found in zip(self.flows, self.waits, self.turnouts(), strict=True)
        ]
