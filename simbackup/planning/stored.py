"""What a target keeps: the save sets of a policy with the bytes of each system, and cartridges.

A number of bytes is an array with one number for each case, where several cases of a site are counted at once. They
differ in numbers alone, and so have the same restore points.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simbackup.equations.change import Change, differs
from simbackup.planning.site import Chunking, Client, PlannedSite, Target
from simbackup.policies.clock import elapsed
from simbackup.policies.levels import Level, RestorePoint
from simbackup.policies.series import Expiry, Series
from simbackup.schema.quantity import si_or

ROUNDING = 1e-9
"""Share of a cartridge that is a rounding error."""


@dataclass(slots=True, eq=False)
class Written:
    """A cartridge with data."""

    used: float = 0.0
    """Bytes that are written."""
    holds: set[Hashable] = field(default_factory=set[Hashable])
    """The save sets of which parts are on it."""


@dataclass(slots=True)
class Cartridges:
    """The cartridges of a target over time.

    A session goes on where the last one ended, unless sessions begin `fresh` cartridges. Save sets that are kept
    equally long share cartridges. A cartridge whose save sets have all expired is used again. If there is none, a
    cartridge that was never used is begun, and if there is none either, one is bought.
    """

    capacity: float
    """Bytes of a cartridge."""
    streams: int = 1
    """Greatest number of cartridges among which the bytes of a session are divided evenly."""
    fresh: bool = False
    """Whether each session begins cartridges of its own, which are then taken out."""
    owned: int = 0
    """Cartridges at the start."""
    new: int = 0
    """Cartridges that were never used."""
    bought: int = 0
    """Cartridges bought so far."""
    begun: int = 0
    """New cartridges that were begun since this was last reset."""
    written: list[Written] = field(default_factory=list[Written])
    """Cartridges with data."""
    filling: dict[Hashable, list[Written]] = field(default_factory=dict[Hashable, list[Written]])
    """Cartridges with free space, by how long their save sets are kept, for the next session; the first begun first."""

    @property
    def in_use(self) -> int:
        """Number of cartridges with data that are kept."""
        return len(self.written)

    @property
    def empty(self) -> int:
        """Number of cartridges that can be written from their beginning."""
        return self.owned + self.bought - self.in_use

    def session(self, sets: Sequence[tuple[Hashable, float, int]], kept: Hashable = None) -> None:
        """Write save sets that are `kept` equally long, and take the cartridges out if sessions do so.

        Each comes with its bytes on tape, and the number of systems that have a stream in it.

        >>> tapes = Cartridges(capacity=18e12, fresh=True)
        >>> for week in range(3):
        ...     tapes.session([(week, 20e12, 1)])
        ...     tapes.free({week - 2})
        >>> tapes.in_use, tapes.bought, tapes.empty
        (4, 6, 2)
        """
        streams = min(self.streams, sum(systems for *_, systems in sets))
        opened = [] if self.fresh else self.filling.get(kept, [])
        going_on, begun = iter(opened[:streams]), list[Written]()
        share, left, cartridge = sum(size for _, size, _ in sets) / streams, 0.0, None
        for name, size, _ in sets:
            rest = size
            while rest > self.capacity * ROUNDING:
                if left <= self.capacity * ROUNDING:
                    left, cartridge = share, next(going_on, None)
                if cartridge is None or self._space(cartridge) <= 0.0:
                    cartridge = self._take()
                    begun.append(cartridge)
                part = min(rest, left, self._space(cartridge))
                cartridge.used += part
                cartridge.holds.add(name)
                rest, left = rest - part, left - part
        self.filling[kept] = [] if self.fresh else [each for each in (*opened, *begun) if self._space(each) > 0.0]

    def _space(self, cartridge: Written) -> float:
        """Free bytes of a cartridge; 0 if they are a rounding error."""
        space = self.capacity - cartridge.used
        return space if space > self.capacity * ROUNDING else 0.0

    def free(self, names: set[Hashable]) -> None:
        """Forget save sets that have expired."""
        if not names:
            return
        for cartridge in self.written:
            cartridge.holds -= names
        self.written = [cartridge for cartridge in self.written if cartridge.holds]
        self.filling = {kept: [each for each in filling if each.holds] for kept, filling in self.filling.items()}

    def _take(self) -> Written:
        """An empty cartridge, bought if there is none."""
        if self.empty <= 0:
            self.bought += 1
            self.new += 1
        if self.empty <= self.new:
            self.new -= 1
            self.begun += 1
        self.written.append(Written())
        return self.written[-1]


Bytes = NDArray[np.float64]


Total = float | Bytes
"""A sum over systems, or one for each case."""


def in_all(each: Bytes) -> Total:
    """The sum over systems, in each case if there are several."""
    found = np.sum(each, axis=-1)
    return found if found.ndim else float(found)


class WrittenObjects(NamedTuple):
    """Objects that were written."""

    objects: Total = 0.0
    """Number of objects."""
    parts: Total = 0.0
    """Requests for parts of those with several parts."""

    @classmethod
    def of_cases(cls, each: Sequence[WrittenObjects]) -> WrittenObjects:
        """Those of one case, or of several cases."""
        if len(each) == 1:
            return each[0]
        return cls(np.array([one.objects for one in each]), np.array([one.parts for one in each]))

    def plus(self, other: WrittenObjects) -> WrittenObjects:
        """The sum of both."""
        return WrittenObjects(self.objects + other.objects, self.parts + other.parts)

    def times(self, number: float) -> WrittenObjects:
        """The numbers multiplied."""
        return WrittenObjects(number * self.objects, number * self.parts)


NOTHING = WrittenObjects()


def objects_of(target: Target, size: float, number: float = 1.0) -> WrittenObjects:
    """The objects of a save set of `size` bytes: `number` objects, unless the target states their size."""
    if target.objects is None:
        return NOTHING
    if target.object_size is None:
        number = max(number, 1.0)
        return WrittenObjects(number, number * target.objects.part_requests(size / number))
    whole, rest = divmod(size, target.object_size)
    parts = target.objects.part_requests
    of_rest = parts(rest) if rest else 0.0
    return WrittenObjects(whole + (rest > 0.0), whole * parts(target.object_size) + of_rest)


@dataclass
class EarlyDeletions:
    """Bytes that were deleted from a target before their minimum storage duration."""

    target: Target
    each: list[tuple[datetime, Total]] = field(default_factory=list[tuple[datetime, Total]])
    """Until when they are paid for, and their number."""

    @cached_property
    def minimum(self) -> timedelta:
        """Minimum duration for which stored bytes are paid for."""
        prices = self.target.prices if self.target.stores_objects else None
        return timedelta(seconds=si_or(prices.minimum_storage if prices is not None else None, 0.0))

    def add(self, made: datetime, size: Total, now: datetime) -> None:
        """Note bytes that are deleted now, if they are paid for longer."""
        until = made + self.minimum
        if until > now:
            self.each = [*((end, other) for end, other in self.each if end > now), (until, size)]

    def on(self, day: date) -> Total:
        """Bytes that are paid for on a day."""
        return sum([size for until, size in self.each if until.date() > day])


@dataclass
class Clients:
    """The systems of some policies as arrays, policy by policy; with a row for each case, if there are several."""

    site: PlannedSite
    policies: tuple[str, ...]
    cases: tuple[PlannedSite, ...] = ()
    """The site in several cases; the site alone by default."""
    shares: dict[float, Bytes] = field(default_factory=dict[float, Bytes])
    chunks: dict[tuple[Chunking, float | None], Bytes] = field(
        default_factory=dict[tuple[Chunking, float | None], Bytes]
    )
    grown_at: tuple[datetime, Bytes] | None = None
    """Growth factor of each system since the start, at the moment that was asked for last."""

    @cached_property
    def systems(self) -> tuple[Client, ...]:
        """All of them."""
        return self._of(self.site)

    @cached_property
    def rows(self) -> tuple[tuple[Client, ...], ...]:
        """All of them, in each case."""
        return tuple(self._of(case) for case in self.cases) or (self.systems,)

    def _of(self, site: PlannedSite) -> tuple[Client, ...]:
        return tuple(system for policy in self.policies for system in site.of_policy(policy))

    def array(self, number: Callable[[Client], float]) -> Bytes:
        """A number of each system, in each case if there are several."""
        found = np.array([[number(system) for system in row] for row in self.rows])
        return found if self.cases else found[0]

    @cached_property
    def parts(self) -> dict[str, slice]:
        """Where the systems of each policy are."""
        ends = accumulate((len(self.site.of_policy(policy)) for policy in self.policies), initial=0)
        return {policy: slice(*pair) for policy, pair in zip(self.policies, pairwise(ends), strict=True)}

    @cached_property
    def sizes(self) -> Bytes:
        """Bytes at the start."""
        return self.array(lambda system: system.size)

    @cached_property
    def dumped(self) -> Bytes:
        """Bytes of a full backup of each for each of its data."""
        return self.array(lambda system: system.dumped)

    @cached_property
    def each_files(self) -> Bytes:
        """Files at the start."""
        return self.array(lambda system: system.files)

    @cached_property
    def changes(self) -> tuple[list[Change], Any]:
        """The different ways in which they change, and which of them each has."""
        return self._kinds(lambda change: change)

    @cached_property
    def growths(self) -> tuple[list[Change], Any]:
        """The different ways in which they grow, and which of them each has."""
        return self._kinds(lambda change: Change(growth=change.growth, added=change.added, turns=change.turns))

    def _kinds(self, kind: Callable[[Change], Change]) -> tuple[list[Change], Any]:
        found: dict[Change, int] = {}
        which = self.array(lambda system: found.setdefault(kind(system.change), len(found)))
        return [*found], which.astype(int)

    def factors(self, time: datetime) -> Bytes:
        """How much larger each is than at the start."""
        if self.grown_at is None or self.grown_at[0] != time:
            seconds, (changes, which) = self.site.seconds(time), self.growths
            self.grown_at = time, np.array([change.factor(seconds) for change in changes])[which]
        return self.grown_at[1]

    def saved(self, point: RestorePoint, base: datetime | None) -> Bytes:
        """Bytes of the save set of each at a restore point with a base of some time."""
        factors = self.factors(point.time)
        return (
            self.sizes
            * self.dumped
            * factors
            * (1.0 if base is None else self.share(elapsed(base, point.time), factors))
        )

    def share(self, age: float, factors: Bytes) -> Bytes:
        """Share of each that differs after some seconds, when they are larger than at the start by some factors."""
        if self.added:
            return self._each(factors, lambda system, factor: system.differs(age, factor))
        if age not in self.shares:
            changes, which = self.changes
            self.shares[age] = np.array([differs(change, age) for change in changes])[which]
        return self.shares[age]

    @cached_property
    def added(self) -> bool:
        """Whether some of them do not always grow by the same share, so that what differs changes with time."""
        return not all(system.change.compounds for row in self.rows for system in row)

    @cached_property
    def _alike(self) -> list[float]:
        """A number for each system, the same for those that change alike, in each case one after the other."""
        found: dict[tuple[Change, Change, float], int] = {}
        each = self.array(lambda one: found.setdefault((one.change, one.bytes_change, one.run), len(found)))
        return np.ravel(each).tolist()

    def _each(self, factors: Bytes, number: Callable[[Client, float], float]) -> Bytes:
        """A number of each system by how it changes, and how much larger it is than at the start, in each case."""
        known, keys = (
            dict[tuple[float, float], float](),
            iter(zip(self._alike, np.ravel(factors).tolist(), strict=True)),
        )

        def once(system: Client) -> float:
            key = next(keys)
            if key not in known:
                known[key] = number(system, key[1])
            return known[key]

        return self.array(once)

    def new_chunks(self, chunking: Chunking, point: RestorePoint, before: float | None) -> Bytes:
        """Bytes of each system at a point that a store lacks, if its newest save set is `before` seconds older."""
        factors, key = self.factors(point.time), (chunking, before)
        if self.added or key not in self.chunks:
            self.chunks[key] = self._each(factors, lambda each, factor: each.new_chunks(chunking, before, factor))
        return self.sizes * factors * self.chunks[key]

    def reduced(self, target: Target) -> Bytes:
        """Bytes of each for each byte that a target keeps."""
        targets = iter(case.targets[target.name] for case in self.cases or (self.site,))
        found = np.array([[system.reduced(own) for system in row] for own, row in zip(targets, self.rows, strict=True)])
        return found if self.cases else found[0]

    def files(self, sizes: Bytes) -> Bytes:
        """Number of files of each system in save sets of so many bytes."""
        return sizes / self.sizes * self.each_files


@dataclass
class StoredCopies:
    """The backups of some policies, or a copy of them, on a target."""

    copy: str
    """The copy; empty for the backups."""
    target: Target
    """The target."""
    systems: Clients
    """The systems of the policies."""
    series: Series
    """The restore points, and which of them are kept."""
    sizes: dict[int, Bytes] = field(default_factory=dict[int, Bytes])
    """Bytes of each system, by point."""
    files: dict[int, float] = field(default_factory=dict[int, float])
    """Files of all systems, by point; of several cases in the first one."""
    counts: dict[int, Bytes] = field(default_factory=dict[int, Bytes])
    """Files of each system, by point, in a store of objects."""
    together: dict[int, Total] = field(default_factory=dict[int, Total])
    """Bytes of all systems, by point."""
    follows: dict[int, int | None] = field(default_factory=dict[int, int | None])
    """The point before each point, with which it shares chunks; None for the first."""
    sent: list[tuple[datetime, Total]] = field(default_factory=list[tuple[datetime, Total]])
    """Bytes of new chunks and when they came: those that are still paid for in any case, and the last before these."""

    since: dict[int, datetime] = field(default_factory=dict[int, datetime])
    """By point, the moment at which most of its objects were written, if older points have been merged into it."""

    def __post_init__(self) -> None:
        self.early = EarlyDeletions(self.target)
        self._bytes: Total | None = None

    def add(self, point: RestorePoint, base: datetime | None) -> None:
        """Note a new save set."""
        sizes, is_new = self.systems.saved(point, base), point.number not in self.sizes
        files = self.systems.files(sizes)
        self.files[point.number] = float(np.sum(np.atleast_2d(files)[0]))
        if self.target.objects is not None:
            self.counts[point.number] = files
        self.follows.pop(point.number, None)
        self._put(point, sizes)
        self._share()
        if is_new and self.target.chunking is not None:
            older, lately = self._paid_for(point.time.date())
            self.sent = [*older, *lately, (point.time, self.together[point.number])]

    def _put(self, point: RestorePoint, saved: Bytes) -> None:
        self._bytes = None
        self.sizes[point.number] = taken = saved / self._reduction
        self.together[point.number] = in_all(taken)

    def _share(self) -> None:
        """Let save sets share what they have in common with the point before.

        On a target that deduplicates all do, and on one that clones blocks synthetic full backups.
        """
        if self.target.chunking is not None:
            self._share_chunks(self.target.chunking)
        if self.target.chunking is not None or not self.target.clones:
            return
        before: RestorePoint | None = None
        for point in self.series.points.values():
            if point.level is Level.SYNTHETIC and point.number in self.sizes:
                self._put(point, self.systems.saved(point, before.time if before is not None else None))
            before = point

    def _share_chunks(self, chunking: Chunking) -> None:
        """Let each point hold the chunks that the one before does not have."""
        before: RestorePoint | None = None
        for point in sorted(self.series.points.values(), key=lambda point: point.time):
            found = before.number if before is not None else None
            if self.follows.get(point.number, point.number) != found:
                age = elapsed(before.time, point.time) if before is not None else None
                self._put(point, self.systems.new_chunks(chunking, point, age))
                self.follows[point.number] = found
            before = point

    def expire(
        self, expiry: Expiry, now: datetime, times: Mapping[int, datetime]
    ) -> tuple[set[int], tuple[float, ...]]:
        """Free what has expired; return the numbers of freed points, and the seconds between merged points."""
        self._bytes = None
        into = {below.number: heir.number for below, heir in expiry.merges}
        taken = {number: self.together[number] for pair in into.items() for number in pair}
        for point in expiry.freed:
            if self.target.chunking is None and point.number not in into:
                self.early.add(self._made(point), self.together[point.number], now)
            del self.sizes[point.number], self.files[point.number], self.together[point.number]
            self.follows.pop(point.number, None)
            self.counts.pop(point.number, None)
        for point in expiry.merged:
            self.add(point, None if point.base is None else times[point.base])
        self._share()
        self._merge_early(expiry.merges, taken, now)
        ages = tuple(elapsed(below.time, heir.time) for below, heir in expiry.merges)
        return {point.number for point in expiry.freed}, ages

    def key(self, policy: str, number: int) -> Hashable:
        """The save set of a policy at a point, by which cartridges know it."""
        return policy, self.copy, number

    def newest(self, policy: str) -> tuple[Hashable, Total, int]:
        """The newest save set of a policy, for a session on tape: its key, its bytes, and its systems."""
        number, part = self.series.count - 1, self.systems.parts[policy]
        return self.key(policy, number), in_all(self.sizes[number][..., part]), part.stop - part.start

    def _made(self, point: RestorePoint) -> datetime:
        """When most objects of a point were written; merged points bring older ones."""
        return self.since.pop(point.number, point.time)

    def _merge_early(
        self, merges: Sequence[tuple[RestorePoint, RestorePoint]], taken: Mapping[int, Total], now: datetime
    ) -> None:
        """Note what merges delete: bytes that were replaced, and not the objects that stay as a part of the heir."""
        if self.target.chunking is not None:
            return
        together = dict[int, Total]()
        for below, heir in merges:
            together[heir.number] = together.pop(below.number, taken[below.number]) + taken[heir.number]
            self.since[heir.number] = self._made(below)
        for number, size in together.items():
            if number in self.together:
                self.early.add(self.since[number], np.maximum(size - self.together[number], 0.0), now)

    def early_on(self, day: date) -> Total:
        """Bytes that are paid for on a day though they were deleted."""
        chunking = self.target.chunking
        if not self.early.minimum:
            return 0.0
        return self.early.on(day) if chunking is None else self._early_chunks(chunking, day)

    def _early_chunks(self, chunking: Chunking, day: date) -> Total:
        """Bytes of chunks that are paid for on a day though no save set holds them: all recent ones, less those in use.

        A chunk of a point is recent if neither the point before has it, nor the data had it when the first recent ones
        came.
        """
        older, lately = self._paid_for(day)
        if not lately:
            return 0.0
        first = older[0][0] if older else None
        there: Total = 0.0
        before: RestorePoint | None = None
        for point in sorted(self.series.points.values(), key=lambda point: point.time):
            if first is None or (before is not None and before.time >= first):
                there = there + self.together[point.number]
            elif point.time > first:
                new = self.systems.new_chunks(chunking, point, elapsed(first, point.time))
                there = there + in_all(new / self._reduction)
            before = point
        return np.maximum(sum([size for _, size in lately]) - there, 0.0)

    def _paid_for(self, day: date) -> tuple[list[tuple[datetime, Total]], list[tuple[datetime, Total]]]:
        """The last new chunks that are no longer paid for in any case on a day, and those that still are."""
        lately = [(time, size) for time, size in self.sent if (time + self.early.minimum).date() > day]
        return self.sent[: len(self.sent) - len(lately)][-1:], lately

    def written(self, point: RestorePoint) -> WrittenObjects:
        """The objects of the save sets of a point, and the requests for their parts; none but in a store of objects."""
        if self.target.objects is None:
            return NOTHING
        sizes = np.atleast_2d(self.sizes[point.number])
        counts = np.broadcast_to(self.counts[point.number], sizes.shape)
        cases: list[WrittenObjects] = []
        for row, own, files in zip(self.systems.rows, sizes, counts, strict=True):
            found = NOTHING
            for system, size, count in zip(row, own, files, strict=True):
                found = found.plus(objects_of(self.target, size, count if system.by_file else 1.0))
            cases.append(found)
        return WrittenObjects.of_cases(cases)

    @cached_property
    def _reduction(self) -> Any:
        return self.systems.reduced(self.target)

    @property
    def used(self) -> Total:
        """Bytes on the target."""
        if self._bytes is None:
            self._bytes = sum(self.together.values(), 0.0)
        return self._bytes


@dataclass
class StoredLogs:
    """The backups of transaction logs of some policies on a target."""

    target: Target
    """The target."""
    systems: Clients
    """The systems of the policies."""
    every: float
    """Seconds between two backups."""
    sizes: dict[int, Total] = field(default_factory=dict[int, Total])
    """Bytes of all systems, by the point after which the logs were made."""
    made: dict[int, datetime] = field(default_factory=dict[int, datetime])
    """When the last of them was made, by that point."""

    def __post_init__(self) -> None:
        self.early = EarlyDeletions(self.target)

    def add(self, after: int, begin: datetime, end: datetime) -> WrittenObjects:
        """Add the logs from one point to the next; return the objects that they make."""
        now, seconds = self.systems.site.seconds(end), elapsed(begin, end)
        sizes = self.systems.array(lambda system: system.log_over(seconds, now)) / self.systems.reduced(self.target)
        self.sizes[after], self.made[after] = in_all(sizes), end
        number, cases = max(seconds / self.every, 1.0), list[WrittenObjects]()
        for own in np.atleast_2d(sizes) if self.target.objects is not None else ():
            found = NOTHING
            for size in own:
                found = found.plus(objects_of(self.target, size / number).times(number))
            cases.append(found)
        return WrittenObjects.of_cases(cases or [NOTHING])

    def early_on(self, day: date) -> Total:
        """Bytes that are paid for on a day though they were deleted."""
        return self.early.on(day)

    def keep(self, points: set[int], now: datetime) -> None:
        """Free the logs after other points, once their target no longer locks them."""
        lock = self.systems.site.file.spec.targets[self.target.name].immutable.si
        for number in self.sizes.keys() - points:
            if elapsed(self.made[number], now) < lock:
                continue
            self.early.add(self.made.pop(number), self.sizes.pop(number), now)

    @property
    def used(self) -> Total:
        """Bytes on the target."""
        return sum(self.sizes.values(), 0.0)
