"""What the verdicts of a plan come to: by system, by level, and in all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from simbackup.planning.night import DAY
from simbackup.planning.verdicts import Verdict

LevelKey = tuple[str, str, str]
"""A policy, or all parts of one that was divided; a level; and a copy or nothing."""


class OfSystem(NamedTuple):
    """Nights of a system, windows missed, the first such night and its cause, seconds of the longest backup."""

    nights: int = 0
    missed: int = 0
    first_missed: date | None = None
    cause: str = ""
    longest: float = 0.0

    def plus(self, one: Verdict) -> OfSystem:
        """With one more verdict."""
        found = self
        if not one.copy:
            longest = max(found.longest, one.elapsed if one.counts else 0.0)
            found = found._replace(nights=found.nights + 1, longest=longest)
        if one.met or not one.counts:
            return found
        if found.first_missed is None:
            found = found._replace(first_missed=one.night, cause=one.cause)
        return found._replace(missed=found.missed + 1)


class OfLevel(NamedTuple):
    """Nights of a level of a policy, those in which a window is missed, the first, seconds of the longest backup.

    `last` and `last_missed` are the nights that were counted last.
    """

    nights: int = 0
    missed: int = 0
    first_missed: date | None = None
    longest: float = 0.0
    last: date | None = None
    last_missed: date | None = None

    def plus(self, one: Verdict) -> OfLevel:
        """With one more verdict; those of a night follow each other."""
        found = self._replace(
            nights=self.nights + (one.night != self.last), longest=max(self.longest, one.elapsed), last=one.night
        )
        if one.met or one.night == self.last_missed:
            return found
        first = self.first_missed or one.night
        return found._replace(missed=self.missed + 1, first_missed=first, last_missed=one.night)


def called(systems: tuple[str, ...]) -> str:
    """Some systems in few words.

    >>> called(("sql01",)), called(("vm01", "vm02")), called(("vm01", "vm02", "vm03"))
    ('sql01', 'vm01 and vm02', 'vm01 and 2 more')
    """
    first, *others = systems
    rest = others if len(others) == 1 else [f"{len(others)} more"] * bool(others)
    return " and ".join([first, *rest])


@dataclass(slots=True)
class Windows:
    """Verdicts by system and by level, the first window that was missed, and jobs that ran into another night."""

    systems: dict[str, OfSystem]
    levels: dict[LevelKey, OfLevel] = field(default_factory=dict[LevelKey, OfLevel])
    first_missed: Verdict | None = None
    running_on: int = 0
    """Backups and copies that take more than a day, and so slow those of later nights."""

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], systems: Mapping[str, object], called: Callable[[str], str]) -> Windows:
        """What some verdicts come to; `called` is how a policy is called, those alike that are counted together."""
        found = cls(dict.fromkeys(systems, OfSystem()))
        for one in verdicts:
            key = called(one.policy), one.level, one.copy
            found.systems[one.system] = found.systems[one.system].plus(one)
            found.levels[key] = found.levels.get(key, OfLevel()).plus(one)
            found.running_on += one.elapsed > DAY
            if found.first_missed is None and not one.met and one.counts:
                found.first_missed = one
        return found

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
        """Windows missed, in all."""
        return sum(one.missed for one in self.systems.values())
