"""What the verdicts of a plan come to: by system, by level, and in all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
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
class _Nights:
    """Nights of a system or of a level, counted one after the other, each once."""

    nights: int = 0
    missed: int = 0
    longest: float = 0.0
    first: Verdict | None = None
    last: date | None = None
    last_missed: date | None = None

    def miss(self, one: Verdict) -> None:
        """Count that a night misses a window, if none of its verdicts did before."""
        if one.night != self.last_missed:
            self.first = self.first or one
            self.missed += 1
            self.last_missed = one.night

    @property
    def first_missed(self) -> date | None:
        """The first night in which a window is missed."""
        return None if self.first is None else self.first.night


@dataclass(slots=True)
class _RunCopy:
    """The backups of a run, or a copy of them: the longest, the first that misses its window, and their share of it."""

    longest: Verdict
    missed: Verdict | None = None
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of a plan."""

    systems: dict[str, OfSystem]
    """By system."""
    levels: dict[LevelKey, OfLevel] = field(default_factory=dict[LevelKey, OfLevel])
    """By level."""
    tight: dict[LevelKey, dict[date, float]] = field(default_factory=dict[LevelKey, "dict[date, float]"])
    """Of each level the share of its window that each night takes; infinite where a job fails."""
    tightest: Verdict | None = None
    """The one that uses most of its window; without windows, the longest."""
    stated: bool = False
    """Whether anything has a window."""
    ends: dict[tuple[str, str, datetime], float] = field(default_factory=dict[tuple[str, str, datetime], float])
    """Seconds of the longest backup or copy of each run, by policy, copy and when it was due."""
    running_on: int = 0
    """Backups and copies that take more than a day, and so slow those of later nights."""
    first_missed: Verdict | None = None
    """The first window that was missed."""

    def missed_if(self, slower: Callable[[date], float]) -> dict[LevelKey, int]:
        """How many nights of each level with a window miss it if all of a night took so many times as long."""
        return {
            key: sum(share * slower(night) > 1.0 for night, share in each.items())
            for key, each in self.tight.items()
            if any(each.values())
        }

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], systems: Iterable[str], called: Callable[[str], str]) -> Windows:
        """What some verdicts come to; `called` is how a policy is called, those alike that are counted together.

        Those of a run follow each other.
        """
        by_system, runs = {system: _Nights() for system in systems}, list[dict[str, _RunCopy]]()
        due, policy, level = None, "", ""
        running_on, missed, run, counts = 0, None, dict[str, _RunCopy](), True
        for one in verdicts:
            if one.due is not due or one.policy != policy or one.level != level:
                due, policy, level, counts = one.due, one.policy, one.level, one.counts
                run = dict[str, _RunCopy]()
                runs.append(run)
            own, elapsed, copy, night = by_system[one.system], one.elapsed, one.copy, one.night
            there = run.get(copy)
            if there is None:
                there = run[copy] = _RunCopy(one)
            elif elapsed > there.longest.elapsed:
                there.longest = one
            if own.last != night:
                own.last = night
                own.nights += 1
            if counts and not copy and elapsed > own.longest:
                own.longest = elapsed
            if not one.met:
                there.missed, there.share = there.missed or one, max(there.share, share_of_window(one))
                if counts:
                    own.miss(one)
                    missed = missed or one
            running_on += elapsed > DAY
        found = {
            name: OfSystem(own.nights, own.missed, own.first_missed, own.first.cause if own.first else "", own.longest)
            for name, own in by_system.items()
        }
        longest = ((copy, each.longest) for run in runs for copy, each in run.items())
        ends = {(one.policy, copy, one.due): one.elapsed for copy, one in longest}
        return cls(found, *_of_levels(runs, called), ends, running_on, missed)

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


def _of_levels(
    runs: Iterable[Mapping[str, _RunCopy]], called: Callable[[str], str]
) -> tuple[dict[LevelKey, OfLevel], dict[LevelKey, dict[date, float]], Verdict | None, bool]:
    """Levels, the share of its window that each night takes, what is tightest, and whether anything has a window."""
    levels, tight = dict[LevelKey, _Nights](), dict[LevelKey, dict[date, float]]()
    tightest, most, stated = None, (False, -math.inf), False
    for copy, each in (pair for run in runs for pair in run.items()):
        longest = each.longest
        key = called(longest.policy), longest.level, copy
        own, shares = levels.setdefault(key, _Nights()), tight.setdefault(key, {})
        own.nights, own.last = own.nights + (own.last != longest.night), longest.night
        own.longest = max(own.longest, longest.elapsed)
        shares[longest.night] = max(shares.get(longest.night, 0.0), each.share, share_of_window(longest))
        if each.missed is not None:
            own.miss(each.missed)
        stated |= longest.window is not None and copy != LOGS
        if longest.counts and (now := tightness(longest)) > most:
            tightest, most = longest, now
    found = {key: OfLevel(one.nights, one.missed, one.first_missed, one.longest) for key, one in levels.items()}
    return found, tight, tightest, stated


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
