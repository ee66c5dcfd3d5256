"""What the verdicts of a plan come to: by system, by level, and in all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from simbackup.planning.night import DAY, LOGS
from simbackup.planning.verdicts import Verdict

LevelKey = tuple[str, str, str]
"""A policy, or all parts of one that was divided; a level; and a copy or nothing."""


class OfSystem(NamedTuple):
    """The windows of a system; a night counts once, whether its backup, a copy or both are late."""

    nights: int = 0
    """Number of nights."""
    missed: int = 0
    """Nights that miss a window."""
    first_missed: date | None = None
    """The first of these; None without one."""
    cause: str = ""
    """Its cause."""
    longest: float = 0.0
    """Seconds of the longest backup."""


class OfLevel(NamedTuple):
    """The windows of a level of a policy."""

    nights: int = 0
    """Number of nights."""
    missed: int = 0
    """Nights that miss a window."""
    first_missed: date | None = None
    """The first of these; None without one."""
    longest: float = 0.0
    """Seconds of the longest backup."""


@dataclass(slots=True)
class _Count:
    """Verdicts counted one after the other, those of a night once: of a system, or of a level."""

    nights: int = 0
    missed: int = 0
    longest: float = 0.0
    shares: dict[date, float] = field(default_factory=dict[date, float])
    first: Verdict | None = None
    last: date | None = None
    last_missed: date | None = None

    def of_system(self, one: Verdict) -> None:
        """Count one more verdict on a system, whose copies are late in the night of their backup."""
        if not one.copy:
            self.longest = max(self.longest, one.elapsed) if one.counts else self.longest
        self._count(one, missed=not one.met and one.counts)

    def of_level(self, one: Verdict) -> None:
        """Count one more verdict on a level."""
        self.longest = max(self.longest, one.elapsed)
        self._count(one, missed=not one.met)

    def _count(self, one: Verdict, *, missed: bool) -> None:
        """Count a night, and that it is missed, if none of its verdicts was before; they follow each other."""
        self.nights += one.night != self.last
        self.shares[one.night] = max(self.shares.get(one.night, 0.0), share_of_window(one))
        self.last = one.night
        if missed and one.night != self.last_missed:
            self.first = self.first or one
            self.missed += 1
            self.last_missed = one.night

    @property
    def first_missed(self) -> date | None:
        """The first night in which a window is missed."""
        return None if self.first is None else self.first.night

    def system(self) -> OfSystem:
        """What has been counted of a system."""
        cause = "" if self.first is None else self.first.cause
        return OfSystem(self.nights, self.missed, self.first_missed, cause, self.longest)

    def level(self) -> OfLevel:
        """What has been counted of a level."""
        return OfLevel(self.nights, self.missed, self.first_missed, self.longest)


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of a plan."""

    systems: dict[str, OfSystem]
    """By system."""
    levels: dict[LevelKey, OfLevel] = field(default_factory=dict[LevelKey, OfLevel])
    """By level."""
    first_missed: Verdict | None = None
    """The first window that was missed."""
    running_on: int = 0
    """Backups and copies that take more than a day, and so slow those of later nights."""
    tightest: Verdict | None = None
    """The one that uses most of its window; without windows, the longest."""
    stated: bool = False
    """Whether anything has a window."""
    tight: dict[LevelKey, dict[date, float]] = field(default_factory=dict[LevelKey, "dict[date, float]"])
    """Of each level the share of its window that each night takes; infinite where a job fails."""

    def missed_if(self, slower: Callable[[date], float]) -> dict[LevelKey, int]:
        """How many nights of each level with a window miss it if all of a night took so many times as long."""
        return {
            key: sum(share * slower(night) > 1.0 for night, share in each.items())
            for key, each in self.tight.items()
            if any(each.values())
        }

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], systems: Iterable[str], called: Callable[[str], str]) -> Windows:
        """What some verdicts come to; `called` is how a policy is called, those alike that are counted together."""
        by_system, by_level = {system: _Count() for system in systems}, dict[LevelKey, _Count]()
        names = dict[str, str]()
        missed = tightest = None
        most, running_on, stated = (False, -math.inf), 0, False
        for one in verdicts:
            name = names.get(one.policy) or names.setdefault(one.policy, called(one.policy))
            by_system[one.system].of_system(one)
            key = name, one.level, one.copy
            if key not in by_level:
                by_level[key] = _Count()
            by_level[key].of_level(one)
            running_on += one.elapsed > DAY
            stated |= one.window is not None and one.copy != LOGS
            if one.counts:
                missed = one if missed is None and not one.met else missed
                if (tight := tightness(one)) > most:
                    tightest, most = one, tight
        return cls(
            {system: count.system() for system, count in by_system.items()},
            {key: count.level() for key, count in by_level.items()}, missed, running_on, tightest, stated,
            {key: count.shares for key, count in by_level.items()},
        )  # fmt: skip

    def late(self) -> list[tuple[tuple[str, ...], OfSystem]]:
        """The systems that miss a window, those alike together with the longest backup; the first to miss one first."""
        alike: dict[OfSystem, list[str]] = {}
        for system, one in self.systems.items():
            if one.missed:
                alike.setdefault(one._replace(longest=0.0), []).append(system)
        found = [
            (tuple(sorted(systems)), one._replace(longest=max(self.systems[each].longest for each in systems)))
            for one, systems in alike.items()
        ]
        return sorted(found, key=lambda each: (each[1].first_missed or date.max, each[0]))

    @property
    def missed(self) -> int:
        """Nights that miss a window, those of all systems together."""
        return sum(one.missed for one in self.systems.values())


def share_of_window(one: Verdict) -> float:
    """The share of its window that a backup or copy takes: 0 without a window, infinite if it fails."""
    if one.window is None:
        return 0.0 if one.met else math.inf
    if not one.met and one.elapsed <= one.window:
        return math.inf
    return one.elapsed / one.window if one.window else math.inf


def tightness(one: Verdict) -> tuple[bool, float]:
    """How much of its window a backup takes; without one, how long it is."""
    return (True, one.elapsed / one.window) if one.window else (False, one.elapsed)
