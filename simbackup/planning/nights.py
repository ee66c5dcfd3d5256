"""Nights of a plan: each kind is simulated at chosen dates, and interpolated between them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

from simbackup.planning.contents import NightKind, logged_by, moved_by, older_on
from simbackup.planning.ledger import Day
from simbackup.planning.night import DAY, Night, Work, begin, work_of
from simbackup.planning.playing import Outcome, Play, difference, mixed
from simbackup.planning.search import first_of
from simbackup.planning.site import PlannedSite
from simbackup.planning.verdicts import Verdict, verdicts_of

LONGEST = 7
"""Most nights that are simulated together. Jobs that still run after them never catch up."""
BENT = 0.02
"""Share of a pool by which its contents may be off the line between simulated nights: disks are slower further in."""
CLOSE = 0.03
"""Error of a guessed night, as a share of its longest job, from which on no more nights of its kind are simulated."""
FEW = 8
"""Nights of a kind up to which its first and its last are enough: weeks in which retention fills up."""
MOST_BETWEEN = 6
"""Most nights of a kind that are simulated to guess the others better, with those that are simulated together."""


def kind_of(days: Sequence[Day]) -> NightKind:
    """What runs in nights that are simulated together, and how many new cartridges of each target are begun.

    Ages are in whole days: an hour more or less through daylight saving changes no kind.
    """
    runs = sorted(
        run._replace(
            age=_whole_days(run.age),
            later=(day.day - days[0].day).days,
            made=tuple(one._replace(age=_whole_days(one.age)) for one in run.made),
            before=tuple((copy, _whole_days(age)) for copy, age in run.before),
        )
        for day in days
        for run, _ in day.runs
    )
    new = {name: sum(day.stocks[name].new for day in days) for name in days[0].stocks}
    return NightKind(tuple(runs), tuple((name, number) for name, number in new.items() if number))


def _whole_days(seconds: float) -> float:
    return round(seconds / DAY) * DAY


@dataclass
class Nights:
    """The nights of a site, simulated when they are needed.

    Jobs that run on into the next night compete with its jobs: such nights are simulated together.
    """

    site: PlannedSite
    days: Sequence[Day]
    play: Play
    played: dict[NightKind, dict[int, Mapping[str, Outcome]]] = field(
        default_factory=dict[NightKind, dict[int, Mapping[str, Outcome]]]
    )
    done: dict[Work, Mapping[str, Outcome]] = field(default_factory=dict[Work, Mapping[str, Outcome]])
    """Outcomes by all on which they depend: nights of equal work are simulated once."""
    errors: dict[NightKind, float] = field(default_factory=dict[NightKind, float])
    """Of each kind the error of the night that was guessed last, as a share of its longest job."""
    firsts: dict[str, date] = field(default_factory=dict[str, date])
    lengths: dict[int, int] = field(default_factory=dict[int, int])
    """Nights that are simulated together with one, itself among them; one unless noted."""
    sizes: dict[int, float] = field(default_factory=dict[int, float])
    behind: date | None = None
    """The first night whose jobs still run after a week."""

    def __post_init__(self) -> None:
        self.running = [i for i, day in enumerate(self.days) if day.runs]
        for i in self.running:
            for run, _ in self.days[i].runs:
                self.firsts.setdefault(run.policy, self.days[i].day)
        self.kinds = self._kinds()

    @property
    def simulated(self) -> int:
        """Nights that were simulated."""
        return len(self.done)

    @property
    def error(self) -> float:
        """The greatest error of an interpolated elapsed time that was found, as a share of the longest simulated."""
        return max((self.errors.get(kind, 0.0) for kind in self.kinds), default=0.0)

    def sample(self) -> None:
        """Simulate each kind at chosen nights; those whose jobs run on, together with the next ones."""
        for simulate in (self._ends, self._between_ends, self._around_miss):
            while longer := self._longer(simulate):
                self.lengths |= longer
                self.kinds = self._kinds()
                for kind, at in self.kinds.items():
                    self._ends(kind, at)

    def _longer(self, simulate: Callable[[NightKind, Sequence[int]], None]) -> dict[int, int]:
        """Simulate nights of each kind; how many are to be simulated together with those whose jobs run on.

        From the ends of a kind alone, only if already its first night reaches into the next.
        """
        found: dict[int, int] = {}
        for kind, at in self.kinds.items():
            simulate(kind, at)
            reached = {i: most for i in at if (most := self._reach(kind, i))}
            if simulate != self._ends or at[0] in reached:
                found |= reached
        return found

    def verdicts(self) -> Iterator[Verdict]:
        """The verdict on each backup and copy of each night, in order."""
        for kind, i in sorted(((kind, i) for kind, at in self.kinds.items() for i in at), key=lambda each: each[1]):
            yield from self._verdicts(kind, i)

    def night(self, kind: NightKind, i: int) -> Night:
        """The nights of a kind from a date on: sizes have grown, and targets hold what the ledger has."""
        factors = {
            system.name: system.size_at(self.site.seconds(time)) / system.size
            for day in self._together(i)
            for run, time in day.runs
            for system in self.site.of_policy(run.policy)
        }
        before = self.days[i - 1].stocks if i else {}
        used = {name: older_on(self.site, name, stock.used, kind.runs, factors) for name, stock in before.items()}
        moved, logs = moved_by(self.site, kind.runs, factors), logged_by(self.site, kind.runs, factors)
        new = {
            name: min(dict(kind.new).get(name, 0), target.slots)
            for name, target in self.site.targets.items()
            if target.new is not None
        }
        points = self.days[i - 1].points if i and any(run.before for run in kind.runs) else {}
        return Night(self.days[i].day, kind.runs, factors, used, moved, logs, new, points)

    def found(self, night: date) -> tuple[NightKind, int, int]:
        """The kind of a night, the first of those simulated together with it, and days that it is after that one."""
        for kind, at in self.kinds.items():
            for i in at:
                if any(day.day == night for day in self._together(i)):
                    return kind, i, (night - self.days[i].day).days
        raise KeyError(night)

    def _kinds(self) -> dict[NightKind, list[int]]:
        """The first nights of those that are simulated together, by kind."""
        found: dict[NightKind, list[int]] = {}
        following = 0
        for place, i in enumerate(self.running):
            if place >= following:
                days = self._together(i)
                following = place + len(days)
                found.setdefault(kind_of(days), []).append(i)
        return found

    def _together(self, i: int) -> list[Day]:
        place = bisect_left(self.running, i)
        return [self.days[j] for j in self.running[place : place + self.lengths.get(i, 1)]]

    def _reach(self, kind: NightKind, i: int) -> int | None:
        """How many nights the jobs of one reach into, if these are more than are simulated together with it."""
        now, end, place = self.lengths.get(i, 1), self._end(kind, i), bisect_left(self.running, i)
        reached = now
        for j in self.running[place + now :]:
            later = (self.days[j].day - self.days[i].day).days * DAY
            if later + min(begin(self.site.file.spec.policies[run.policy].at) for run, _ in self.days[j].runs) >= end:
                break
            reached += 1
        if reached > LONGEST <= now and (self.behind is None or self.days[i].day < self.behind):
            self.behind = self.days[i].day
        return min(reached, LONGEST) if now < min(reached, LONGEST) else None

    def _end(self, kind: NightKind, i: int) -> float:
        """Seconds from the midnight before until all jobs have ended, on the line between simulated nights."""
        low, high, share = self._around(kind, i)
        ends = [max(outcome.end for outcome in self.played[kind][at].values()) for at in (low, high)]
        return ends[0] + share * (ends[1] - ends[0])

    def _ends(self, kind: NightKind, at: Sequence[int]) -> None:
        """Simulate a kind at its first night, and at its last, unless others around these are."""
        for i in (at[0], at[-1]):
            known = self.played.get(kind, {})
            if not min(known, default=i) < i < max(known, default=i):
                self._played(kind, i)

    def _between_ends(self, kind: NightKind, at: Sequence[int]) -> None:
        """Simulate nights between until the others are well guessed."""
        together = self.lengths.get(at[0], 1)
        for _ in range(max(MOST_BETWEEN // together, 1) if len(at) > FEW else 0):
            i = self._doubtful(kind, at)
            if i is None or self.errors.get(kind, math.inf) <= CLOSE:
                break
            guessed = self.between(kind, i)
            self.errors[kind] = difference(self._played(kind, i), guessed)

    def _doubtful(self, kind: NightKind, at: Sequence[int]) -> int | None:
        """The night that is guessed worst: where pools hold least what the line has, else in the longest gap."""
        known = sorted(self.played[kind])
        off, worst = max(((self._bent(known, i), i) for i in at), default=(0.0, at[0]))
        if off > BENT:
            return worst
        gaps = [at[bisect_right(at, low) : bisect_left(at, high)] for low, high in pairwise(known)]
        inside = max(gaps, key=len, default=())
        return inside[len(inside) // 2] if inside else None

    def _bent(self, known: Sequence[int], i: int) -> float:
        """How far the contents of a pool are off the line between nights around, as a share of the pool."""
        after = bisect_left(known, i)
        if after in {0, len(known)} or known[after] == i:
            return 0.0
        low, high = known[after - 1], known[after]
        share = self._share(low, i, high)
        return max(
            (
                abs(self._filled(name, i) - (1.0 - share) * self._filled(name, low) - share * self._filled(name, high))
                for name in self.site.targets
            ),
            default=0.0,
        )

    def _filled(self, name: str, i: int) -> float:
        """The share of a pool that is in use before a night; none of what has no limit."""
        target = self.site.targets[name]
        if not i or target.tape or math.isinf(target.capacity):
            return 0.0
        return min(self.days[i - 1].stocks[name].used / target.capacity, 1.0)

    def _verdicts(self, kind: NightKind, i: int) -> Iterator[Verdict]:
        outcomes = self.between(kind, i)
        for day in self._together(i):
            later = (day.day - self.days[i].day).days
            yield from verdicts_of(self.site, day, later, outcomes, self.firsts)

    def _missed(self, kind: NightKind, i: int) -> bool:
        return any(not verdict.met and verdict.counts for verdict in self._verdicts(kind, i))

    def _around_miss(self, kind: NightKind, at: Sequence[int]) -> None:
        """Simulate nights around the first one that misses a window, until it and the one before are simulated."""

        def missed(place: int) -> bool:
            self._played(kind, at[place])
            return self._missed(kind, at[place])

        def guessed(low: int, high: int) -> int:
            return bisect_left(range(high), True, low + 1, key=lambda place: self._missed(kind, at[place]))

        while True:
            known = [0, *(place for place, i in enumerate(at) if i in self.played[kind] and place), len(at) - 1]
            late = next((place for place in known if self._missed(kind, at[place])), 0)
            if not late:
                return
            if missed(first_of(known[known.index(late) - 1], late, missed, guessed)):
                return

    def _played(self, kind: NightKind, i: int) -> Mapping[str, Outcome]:
        """The outcome of a night, simulated; that of an equal one where there was one."""
        samples = self.played.setdefault(kind, {})
        if i not in samples:
            night = self.night(kind, i)
            work = work_of(self.site.file, night)
            if work not in self.done:
                self.done[work] = self.play(night)
            samples[i] = self.done[work]
        return samples[i]

    def _size(self, i: int) -> float:
        """Bytes of all systems in a night."""
        if i not in self.sizes:
            seconds = self.site.seconds(self.days[i].runs[0][1])
            self.sizes[i] = sum(system.size_at(seconds) for system in self.site.systems)
        return self.sizes[i]

    def _share(self, low: int, i: int, high: int) -> float:
        """How far a night is on the line over all bytes between two others."""
        sizes = [self._size(at) for at in (low, i, high)]
        return (sizes[1] - sizes[0]) / (sizes[2] - sizes[0]) if sizes[2] > sizes[0] else (i - low) / (high - low)

    def between(self, kind: NightKind, i: int) -> Mapping[str, Outcome]:
        """The outcome of a night: as simulated, or on the line over all bytes between simulated nights around it."""
        samples = self.played[kind]
        low, high, share = self._around(kind, i)
        if low == high:
            return samples[low]
        return {name: mixed(one, samples[high][name], share) for name, one in samples[low].items()}

    def _around(self, kind: NightKind, i: int) -> tuple[int, int, float]:
        """The simulated nights around one, and how far it is on the line between them."""
        known = sorted(self.played[kind])
        after = bisect_left(known, i)
        if after == len(known) or known[after] == i or after == 0:
            near = known[min(after, len(known) - 1)]
            return near, near, 0.0
        low, high = known[after - 1], known[after]
        return low, high, self._share(low, i, high)
