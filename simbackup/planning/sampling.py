"""Which nights are simulated: the ends of each kind, then halves until the others follow, and first misses."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from simbackup.planning.night import DAY, NightKind, begin, job_of
from simbackup.planning.playing import SHORT, differences
from simbackup.planning.windows import Verdict
from simbackup.units import show_short

if TYPE_CHECKING:
    from simbackup.planning.nights import Nights

LONGEST = 7
"""Most nights that are simulated together. Jobs that still run after them never catch up."""
BENT = 0.02
"""Share of a pool by which its contents may be off the line between simulated nights: disks are slower further in."""
CLOSE = 0.05
"""Error of a guessed time, as a share of it, up to which no more nights are simulated between two."""
FEW = 8
"""Nights of a kind up to which its first and its last are enough: weeks in which retention fills up."""
MOST_OF_A_GAP = 0.75
"""Share of a gap up to which a part of it is as well guessed as the night that divided it."""
MOST_JOBS = 2_000
"""Backups and copies that are simulated in nights besides the first and the last of each kind."""
MOST_LOOKS = 100
"""Nights that are simulated besides these, however few jobs they have."""


_What = tuple[str, str, int]
"""A system, one of its copies or none, and days after the first of several nights."""

UNKNOWN = {"": math.inf}
"""Errors of jobs of which none has been looked at."""


class _Gap(NamedTuple):
    """Nights between two simulated ones, and by how much the job was off that was guessed worst there."""

    error: float
    kind: NightKind
    low: int
    inside: Sequence[int]


@dataclass
class Sampling:
    """Chooses the nights that are simulated."""

    nights: Nights
    failing: bool = False
    """Whether only nights are simulated in which something fails."""
    behind: date | None = None
    """The first night whose jobs still run after a week."""
    jobs: int = 0
    """Backups and copies that were simulated between the ends of kinds."""
    looks: int = 0
    """Nights that were simulated between the ends of kinds."""
    errors: dict[tuple[NightKind, int], Mapping[str, float]] = field(
        default_factory=dict[tuple[NightKind, int], Mapping[str, float]]
    )
    """How far off each job was guessed in the night that made a gap, by the night before the gap."""
    worst: dict[tuple[NightKind, int], str] = field(default_factory=dict[tuple[NightKind, int], str])
    """By the same, the job that was guessed worst, with its night and its times, in words."""
    doubts: dict[NightKind, tuple[int, int | None]] = field(default_factory=dict[NightKind, tuple[int, int | None]])
    """Of each kind the simulated nights that there were, and the night that was not sure by these."""
    ended: dict[tuple[NightKind, int], float] = field(default_factory=dict[tuple[NightKind, int], float])
    """When the last job of simulated nights ends."""

    def run(self, *, every_night: bool) -> None:
        """Simulate each kind at chosen nights; those whose jobs run on, together with the next ones."""
        stages = (self._ends,) if self.failing else (self._ends, self._all if every_night else self._between)
        for simulate in stages:
            while longer := self._longer(simulate):
                self.nights.lengths |= longer
                self.nights.group()
                self._ends()

    @property
    def error(self) -> tuple[float, str]:
        """The greatest error of a guessed time that is to be expected, as a share of it; and why, in words."""
        gaps = [gap for gap in self._gaps() if math.isfinite(gap.error)]
        most = max(gaps, key=lambda gap: gap.error, default=None)
        return (most.error, self.worst[most.kind, most.low]) if most is not None else (0.0, "")

    def _longer(self, simulate: Callable[[], None]) -> dict[int, int]:
        """Simulate nights; how many are to be simulated together with those whose jobs run on.

        From the ends of a kind alone, only if already its first night reaches into the next.
        """
        simulate()
        found: dict[int, int] = {}
        for kind, at in self._kinds():
            reached = {i: most for i in at if (most := self._reach(kind, i))}
            if simulate != self._ends or at[0] in reached:
                found |= reached
        return found

    def _kinds(self) -> list[tuple[NightKind, list[int]]]:
        """The kinds of nights that are simulated, with the first nights of each.

        Of those in which something fails, also the nights before: their jobs may run on.
        """
        if not self.failing:
            return [*self.nights.kinds.items()]
        order = self.nights.in_order()
        wanted = {kind for (kind, _), (after, _) in pairwise(order) if after.failures}
        return [(kind, at) for kind, at in self.nights.kinds.items() if kind.failures or kind in wanted]

    def _reach(self, kind: NightKind, i: int) -> int | None:
        """How many nights the jobs of one reach into, if these are more than are simulated together with it."""
        nights = self.nights
        now, running, days = nights.lengths.get(i, 1), nights.running, nights.days
        if now >= LONGEST and self.behind is not None and days[i].day >= self.behind:
            return None
        place = bisect_left(running, i) + now
        if place >= len(running) or self._opens(i, place) >= max(
            self._ended(kind, at) for at in nights.around(kind, i)
        ):
            return None
        end = max(one.end for one in nights.between(kind, i).values())
        reached = now
        while place < len(running) and self._opens(i, place) < end:
            place, reached = place + 1, reached + 1
        if reached > LONGEST <= now and (self.behind is None or days[i].day < self.behind):
            self.behind = days[i].day
        return min(reached, LONGEST) if now < min(reached, LONGEST) else None

    def _opens(self, i: int, place: int) -> float:
        """Seconds from the midnight before a night until the first backup of a later one."""
        days, policies = self.nights.days, self.nights.site.file.spec.policies
        day = days[self.nights.running[place]]
        return (day.day - days[i].day).days * DAY + min(begin(policies[run.policy].at) for run, _ in day.runs)

    def _ended(self, kind: NightKind, i: int) -> float:
        """Seconds from the midnight before a simulated night until all its jobs have ended."""
        if (kind, i) not in self.ended:
            self.ended[kind, i] = max(one.end for one in self.nights.played[kind][i].values())
        return self.ended[kind, i]

    def _ends(self) -> None:
        """Simulate each kind at its first night, and at its last, unless others around these are."""
        ends = [(kind, i) for kind, at in self._kinds() for i in (at[0], at[-1])]
        new = dict.fromkeys((kind, i) for kind, i in ends if self._new(kind, i) and self._end(kind, i))
        self.nights.begin(new)
        for kind, i in ends:
            if self._end(kind, i):
                self.nights.simulate(kind, i)

    def _new(self, kind: NightKind, i: int) -> bool:
        """Whether a night has not been simulated."""
        return i not in self.nights.played.get(kind, {})

    def _end(self, kind: NightKind, i: int) -> bool:
        """Whether a night is not between simulated ones of its kind."""
        known = self.nights.known(kind)
        return not known or not known[0] < i < known[-1]

    def _all(self) -> None:
        """Simulate every night."""
        self.nights.begin([(kind, i) for kind, i in self.nights.in_order() if self._new(kind, i)])
        for kind, i in self.nights.in_order():
            self.nights.simulate(kind, i)

    def _between(self) -> None:
        """Simulate nights until first misses are sure and all times are guessed well, or there were enough.

        Each gap is looked at once; then come the misses, on which more depends, and then the gaps that are guessed
        worst.
        """
        while found := list(islice(self._wanted(), self.nights.at_once)):
            gaps = sum(gap.error > CLOSE for gap in self._gaps())
            self.nights.begin(found, gaps)  # the next ones are likely to be wanted, too, when the first is known
            if not self._look(*found[0]):
                return

    def _wanted(self) -> Iterator[tuple[NightKind, int]]:
        """The nights on which most depends, in their order, one of each gap; none if all follow well enough."""
        gaps = sorted(self._gaps(), key=lambda gap: -gap.error)
        if (not gaps or math.isfinite(gaps[0].error)) and (doubtful := self._doubtful()) is not None:
            yield doubtful
        yield from ((gap.kind, self._worst(gap)) for gap in gaps if gap.error > CLOSE)

    def _gaps(self) -> Iterator[_Gap]:
        """The gaps between simulated nights of kinds with more than a few."""
        for kind, at in self.nights.kinds.items():
            for low, high in pairwise(self.nights.known(kind)) if len(at) > FEW else ():
                inside = at[bisect_right(at, low) : bisect_left(at, high)]
                if inside:
                    yield _Gap(max(self.errors.get((kind, low), UNKNOWN).values()), kind, low, inside)

    def _look(self, kind: NightKind, i: int) -> bool:
        """Simulate a night and note how far off it was guessed; whether there was room for it."""
        nights = self.nights
        (low, high), guessed = nights.around(kind, i), nights.between(kind, i)
        enough = self.jobs + len(guessed) > MOST_JOBS or self.looks >= MOST_LOOKS
        if enough and math.isfinite(max(self.errors.get((kind, low), UNKNOWN).values())):
            return False
        self.jobs, self.looks = self.jobs + len(guessed), self.looks + 1
        simulated, before = nights.simulate(kind, i), self.errors.get((kind, low), UNKNOWN)
        windows = {
            job_of(one.system, (one.night - nights.days[i].day).days, one.copy)
            for one in nights.verdicts_on(kind, i)
            if one.window is not None
        }
        found = differences(simulated, guessed, windows)
        worse = {name: max(error, before.get(name, max(before.values()))) for name, error in found.items()}
        for start, end in ((low, i), (i, high)):  # of most of a gap, a night near its end says nothing
            errors = found if end - start <= MOST_OF_A_GAP * (high - low) else worse
            name = max(errors, key=errors.__getitem__)
            if errors[name] == found[name] or (kind, start) not in self.worst:
                one, other = (
                    each[name].reason or show_short(each[name].end - each[name].due, "s", 3)
                    for each in (simulated, guessed)
                )
                told = f"'{name}' in the night of {nights.days[i].day}: {one}; by nights around it: {other}"
                self.worst[kind, start] = told
            self.errors[kind, start] = errors
        return True

    def _worst(self, gap: _Gap) -> int:
        """The night that is guessed worst: where a pool holds least what the line has, else in the middle."""
        off, worst = max((self._bent(gap.kind, i), i) for i in gap.inside)
        return worst if off > BENT else gap.inside[len(gap.inside) // 2]

    def _bent(self, kind: NightKind, i: int) -> float:
        """How far the contents of a pool are off the line between nights around, as a share of the pool."""
        low, high = self.nights.around(kind, i)
        before, here, after = (self.nights.time(at) for at in (low, i, high))
        share = (here - before) / (after - before) if after > before else 0.0
        return max(
            (
                abs(self._filled(name, i) - (1.0 - share) * self._filled(name, low) - share * self._filled(name, high))
                for name in self.nights.site.targets
            ),
            default=0.0,
        )

    def _filled(self, name: str, i: int) -> float:
        """The share of a pool that is in use before a night; none of what has no limit."""
        target = self.nights.site.targets[name]
        if not i or target.tape or math.isinf(target.capacity):
            return 0.0
        return min(self.nights.days[i - 1].stocks[name].used / target.capacity, 1.0)

    def _doubtful(self) -> tuple[NightKind, int] | None:
        """The earliest night that decides when a window is first missed, and is not sure; None if all are."""
        found: list[tuple[int, NightKind]] = []
        for kind in self.nights.kinds:
            known = len(self.nights.known(kind))
            if kind not in self.doubts or self.doubts[kind][0] != known:
                self.doubts[kind] = known, min(self._doubts(kind), default=None)
            if (i := self.doubts[kind][1]) is not None:
                found.append((i, kind))
        return min(((kind, i) for i, kind in found), key=lambda each: each[1], default=None)

    def _doubts(self, kind: NightKind) -> Iterator[int]:
        """The nights of a kind in which a backup or copy first misses its window, or those before, as far as not sure.

        Windows that are missed in no simulated night are not looked at, as times between are between theirs.
        """
        at, seen = self.nights.kinds[kind], dict[int, dict[_What, Verdict]]()
        known = sorted(set(at).intersection(self.nights.known(kind)))  # others are now simulated with the next nights

        def verdicts(i: int) -> dict[_What, Verdict]:
            if i not in seen:
                first = self.nights.days[i].day
                each = self.nights.verdicts_on(kind, i)
                seen[i] = {(one.system, one.copy, (one.night - first).days): one for one in each}
            return seen[i]

        def missed(i: int, what: _What) -> bool:
            return verdicts(i)[what].counts and not verdicts(i)[what].met

        decided = {what for i in known[:1] for what in verdicts(i) if missed(i, what)}
        for low, high in pairwise(known):
            after = [*at[bisect_right(at, low) : bisect_left(at, high)], high]
            for what in [what for what in verdicts(high) if what not in decided and missed(high, what)]:
                decided.add(what)
                place = bisect_left(after, True, key=lambda i, what=what: missed(i, what))
                near = (after[place], after[place - 1] if place else low)
                yield from [i for i in near if not self._sure(kind, i, verdicts(i)[what])][:1]

    def _sure(self, kind: NightKind, i: int, one: Verdict) -> bool:
        """Whether a verdict stays the same within the error of guessed times."""
        low, high = self.nights.around(kind, i)
        if low == high:
            return low == i
        errors, later = self.errors.get((kind, low), UNKNOWN), (one.night - self.nights.days[i].day).days
        error = errors.get(job_of(one.system, later, one.copy), max(errors.values()))
        return one.window is not None and abs(one.elapsed - one.window) > error * max(one.elapsed, SHORT)
