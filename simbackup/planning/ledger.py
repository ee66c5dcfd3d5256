"""The ledger of save sets: what lies where on each day, exactly as calendars, levels and retention have it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simbackup.equations.change import differs, grown
from simbackup.planning.cartridges import Cartridges
from simbackup.planning.night import MERGE, SYNTHETIC, LevelRun, MadeAtTarget, copied
from simbackup.planning.site import Client, PlannedSite, Target
from simbackup.policies.calendar import Due
from simbackup.policies.clock import elapsed
from simbackup.policies.days import each_day
from simbackup.policies.levels import Level, RestorePoint
from simbackup.policies.retention import Retention
from simbackup.policies.series import Series

Bytes = NDArray[np.float64]


class Stock(NamedTuple):
    """What a target holds at the end of a day: bytes, the most during it; cartridges in use, bought so far, and empty.

    `by_policy` are the bytes of each policy, `new` the new cartridges that were begun in its night, where
    that makes a difference.
    """

    used: float
    peak: float
    cartridges: int = 0
    bought: int = 0
    empty: int = 0
    by_policy: tuple[tuple[str, float], ...] = ()
    new: int = 0


class Day(NamedTuple):
    """A day of the ledger: what ran in its night, what targets hold, restore points of policies, bytes of catalogue."""

    day: date
    runs: tuple[tuple[LevelRun, datetime], ...]
    stocks: dict[str, Stock]
    points: dict[str, int]
    catalogue: float


@dataclass
class Clients:
    """The systems of a policy as arrays."""

    site: PlannedSite
    systems: tuple[Client, ...]
    shares: dict[float, Bytes] = field(default_factory=dict[float, Bytes])

    @cached_property
    def sizes(self) -> Bytes:
        """Bytes at the start."""
        return np.array([system.size for system in self.systems])

    def factors(self, time: datetime) -> Bytes:
        """How much larger each is than at the start."""
        seconds = self.site.seconds(time)
        return np.array([grown(system.change.growth, seconds) for system in self.systems])

    def saved(self, point: RestorePoint, base: datetime | None) -> Bytes:
        """Bytes of the save set of each at a restore point with a base of some time."""
        whole = self.sizes * self.factors(point.time)
        return whole if base is None else whole * self.share(elapsed(base, point.time))

    def share(self, age: float) -> Bytes:
        """Share of each that differs after some seconds."""
        if age not in self.shares:
            self.shares[age] = np.array([differs(system.change, age) for system in self.systems])
        return self.shares[age]

    def files(self, sizes: Bytes) -> float:
        """Files in save sets of so many bytes of each, together."""
        return float(np.sum(sizes / self.sizes * np.array([system.files for system in self.systems])))


@dataclass
class StoredCopies:
    """The backups of a policy, or one of its copies, on a target: which are there, and bytes of each system."""

    policy: str
    copy: str
    target: Target
    systems: Clients
    series: Series
    sizes: dict[int, Bytes] = field(default_factory=dict[int, Bytes])
    files: dict[int, float] = field(default_factory=dict[int, float])
    together: dict[int, float] = field(default_factory=dict[int, float])
    """Bytes of all systems, by point."""

    def add(self, point: RestorePoint, base: datetime | None) -> None:
        """Note a new save set."""
        sizes = self.systems.saved(point, base)
        self.files[point.number] = self.systems.files(sizes)
        self._put(point, sizes)
        self._share()

    def _put(self, point: RestorePoint, saved: Bytes) -> None:
        self.sizes[point.number] = taken = saved / self._reduction
        self.together[point.number] = float(np.sum(taken))

    def _share(self) -> None:
        """Let synthetic full backups share blocks with the point before, on a target that clones them."""
        if not self.target.clones:
            return
        before: RestorePoint | None = None
        for point in self.series.points.values():
            if point.level is Level.SYNTHETIC and point.number in self.sizes:
                self._put(point, self.systems.saved(point, before.time if before is not None else None))
            before = point

    def expire(self, now: datetime, times: dict[int, datetime]) -> tuple[set[Hashable], tuple[float, ...]]:
        """Free what has expired: its keys, and the seconds between points that were merged."""
        expiry = self.series.expire(now)
        for point in expiry.freed:
            del self.sizes[point.number], self.files[point.number], self.together[point.number]
        for point in expiry.merged:
            self.add(point, None if point.base is None else times[point.base])
        self._share()
        gone: set[Hashable] = {(self.policy, self.copy, point.number) for point in expiry.freed}
        return gone, tuple(elapsed(below.time, heir.time) for below, heir in expiry.merges)

    @cached_property
    def _reduction(self) -> Any:
        if not self.target.tape:
            return self.target.reduction
        return np.array([system.compression for system in self.systems.systems])

    @property
    def used(self) -> float:
        """Bytes that it takes on the target."""
        return float(sum(self.together.values()))


@dataclass
class StoredLogs:
    """The backups of transaction logs of a policy on a target: bytes of each system, by the point that they follow."""

    policy: str
    target: Target
    systems: Clients
    sizes: dict[int, Bytes] = field(default_factory=dict[int, Bytes])

    def add(self, after: int, begin: datetime, end: datetime) -> None:
        """Note the logs from one point to the next."""
        now, seconds = self.systems.site.seconds(end), elapsed(begin, end)
        sizes = [system.log_over(seconds, now) for system in self.systems.systems]
        self.sizes[after] = np.array(sizes) / self.target.reduction

    def keep(self, points: set[int]) -> None:
        """Free the logs after other points."""
        self.sizes = {number: sizes for number, sizes in self.sizes.items() if number in points}

    @property
    def used(self) -> float:
        """Bytes that they take on the target."""
        return float(sum(np.sum(sizes) for sizes in self.sizes.values()))


@dataclass
class Ledger:
    """Runs the calendar of a site, and keeps its save sets."""

    site: PlannedSite
    places: dict[tuple[str, str], StoredCopies] = field(default_factory=dict[tuple[str, str], StoredCopies])
    logs: list[StoredLogs] = field(default_factory=list[StoredLogs])
    tapes: dict[str, Cartridges] = field(default_factory=dict[str, Cartridges])
    times: dict[str, dict[int, datetime]] = field(default_factory=dict[str, dict[int, datetime]])
    last: dict[str, datetime] = field(default_factory=dict[str, datetime])

    def __post_init__(self) -> None:
        spec = self.site.file.spec
        for name in self.followed:
            policy = spec.policies[name]
            systems = Clients(self.site, self.site.of_policy(name))
            for to in (policy.logs.to or (policy.target,)) if policy.logs is not None else ():
                self.logs.append(StoredLogs(name, self.site.targets[to], systems))
            for copy, to, retention, merges in (
                ("", policy.target, policy.retention, policy.merges),
                *((copy, part.to, part.retention, part.merges) for copy, part in policy.copies.items()),
            ):
                target = self.site.targets[to]
                self.places[name, copy] = StoredCopies(
                    name, copy, target, systems, Series(retention.made() if retention else Retention(), merges)
                )
        for name, target in self.site.targets.items():
            if target.tape:
                streams = max(min(target.drives, len(self.site.systems)), 1)
                new = int(min(target.new or 0.0, target.owned))
                self.tapes[name] = Cartridges(target.cartridge, streams, target.offsite, target.owned, new)

    @property
    def followed(self) -> list[str]:
        """The policies that some system follows, in the order of the file."""
        following = {system.policy for system in self.site.systems}
        return [name for name in self.site.file.spec.policies if name in following]

    def days(self, last: date) -> Iterator[Day]:
        """Each day from the start to the last; a policy that no system follows saves nothing."""
        due: dict[date, list[tuple[str, Due]]] = {}
        for name in self.followed:
            for run in self.site.calendar(name).runs(self.site.start, last, self.site.zone):
                due.setdefault(run.day, []).append((name, run))
        for day in each_day(self.site.start, last):
            yield self._day(day, sorted(due.get(day, []), key=lambda one: one[1].time))

    def _day(self, day: date, due: list[tuple[str, Due]]) -> Day:
        runs: list[tuple[LevelRun, datetime]] = []
        sessions: dict[str, list[tuple[Hashable, float]]] = {}
        done = {policy: self._backup(policy, run, sessions) for policy, run in due}
        for name, tapes in self.tapes.items():
            tapes.begun = 0
            if name in sessions:
                tapes.session(sessions[name])
        peaks = self._used()
        for policy, run in due:
            made = list(done[policy].made)
            for (name, copy), place in self.places.items():
                if name == policy:
                    gone, ages = place.expire(run.time, self.times[policy])
                    if place.target.tape:
                        self.tapes[place.target.name].free(gone)
                    elif place.target.on_disk:
                        made += [MadeAtTarget(MERGE, copy, age) for age in ages]
            for logs in (logs for logs in self.logs if logs.policy == policy):
                logs.keep(self.places[policy, ""].series.kept)
            runs.append((done[policy]._replace(made=tuple(made)), run.time))
        return Day(day, tuple(runs), self._stocks(peaks), self._points(), self._catalogue())

    def _backup(self, policy: str, run: Due, sessions: dict[str, list[tuple[Hashable, float]]]) -> LevelRun:
        """Add the save set of a run, and its copies."""
        place, times = self.places[policy, ""], self.times.setdefault(policy, {})
        point = place.series.add(run.time, run.level)
        base = None if point.base is None else place.series.points[point.base].time
        before = self.last.get(policy)
        for logs in (logs for logs in self.logs if logs.policy == policy and before is not None):
            logs.add(point.number - 1, before or run.time, run.time)
        age = elapsed(base, run.time) if base is not None else 0.0
        if point.level is Level.SYNTHETIC and before is not None:
            age = elapsed(before, run.time)
        self.last[policy] = times[point.number] = run.time
        place.add(point, base)
        copies = copied(self.site.file.spec.policies[policy], point.level, run.day)
        for at, kept in [("", place), *((name, self.places[policy, name]) for name in copies)]:
            if at:
                kept.series.take(point)
                kept.add(point, base)
            if kept.target.tape:
                written = (policy, at, point.number), kept.together[point.number]
                sessions.setdefault(kept.target.name, []).append(written)
        synthetic = point.level is Level.SYNTHETIC and age > 0.0 and place.target.on_disk
        made = (MadeAtTarget(SYNTHETIC, "", age),) if synthetic else ()
        return LevelRun(policy, point.level, age, copies, made=made)

    def _used(self) -> dict[str, dict[str, float]]:
        """Bytes of each policy on each target."""
        used: dict[str, dict[str, float]] = {name: {} for name in self.site.targets}
        for place in (*self.places.values(), *self.logs):
            there = used[place.target.name]
            there[place.policy] = there.get(place.policy, 0.0) + place.used
        return used

    def _stocks(self, peaks: dict[str, dict[str, float]]) -> dict[str, Stock]:
        stocks: dict[str, Stock] = {}
        for name, by_policy in self._used().items():
            tapes = self.tapes.get(name)
            counts = (tapes.in_use, tapes.bought, tapes.empty) if tapes else (0, 0, 0)
            peak = sum(peaks[name].values())
            new = tapes.begun if tapes and self.site.targets[name].new is not None else 0
            stocks[name] = Stock(sum(by_policy.values()), peak, *counts, tuple(by_policy.items()), new)
        return stocks

    def _points(self) -> dict[str, int]:
        """Restore points of each policy, at whichever place they are kept."""
        found: dict[str, set[int]] = {}
        for (policy, _), place in self.places.items():
            found.setdefault(policy, set()).update(place.series.kept)
        return {policy: len(kept) for policy, kept in found.items()}

    def _catalogue(self) -> float:
        """Bytes of the catalogue: a record for each file of each save set, wherever it is kept."""
        record = self.site.file.spec.index_record
        if record is None:
            return 0.0
        files: dict[tuple[str, int], float] = {}
        for place in self.places.values():
            files |= {(place.policy, number): many for number, many in place.files.items()}
        return record.si * sum(files.values())
