"""The ledger of save sets: what lies where on each day, exactly as calendars, levels and retention have it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simbackup.planning.cartridges import Cartridges
from simbackup.planning.night import MERGE, SYNTHETIC, LevelRun, MadeAtTarget
from simbackup.planning.points import Points
from simbackup.planning.site import PlannedSite, Target
from simbackup.planning.stored import NOTHING, Clients, StoredCopies, StoredLogs, WrittenObjects
from simbackup.policies.calendar import Due
from simbackup.policies.clock import elapsed
from simbackup.policies.days import each_day
from simbackup.policies.levels import Level
from simbackup.policies.retention import Retention

Bytes = NDArray[np.float64]
Sessions = dict[str, dict[Retention, list[tuple[Hashable, float, int]]]]
"""What the save sets of a date write to tape, with bytes and systems: by target, and by how long they are kept."""


class Stock(NamedTuple):
    """What a target holds at the end of a day: bytes, the most during it; cartridges in use, bought so far, and empty.

    `by_policy` are the bytes of each policy, `new` the new cartridges that were begun in its night, where
    that makes a difference. Of object storage, `early` are bytes that were deleted but are still paid for, and
    `written` what was written in its night.
    """

    used: float
    peak: float
    cartridges: int = 0
    bought: int = 0
    empty: int = 0
    by_policy: tuple[tuple[str, float], ...] = ()
    new: int = 0
    early: float = 0.0
    written: WrittenObjects = NOTHING


class Day(NamedTuple):
    """A day of the ledger: what began on it, what targets hold, restore points of policies, bytes of catalogue.

    `broken` are the copies of each policy that cannot be restored, as their chain is not whole where they are.
    """

    day: date
    runs: tuple[tuple[LevelRun, datetime], ...]
    stocks: dict[str, Stock]
    points: dict[str, int]
    catalogue: float
    broken: Mapping[str, int] = {}


@dataclass
class Ledger:
    """Runs the calendar of a site, and keeps its save sets."""

    site: PlannedSite
    points: dict[str, Points] = field(default_factory=dict[str, Points])
    places: dict[tuple[str, str], StoredCopies] = field(default_factory=dict[tuple[str, str], StoredCopies])
    logs: list[StoredLogs] = field(default_factory=list[StoredLogs])
    tapes: dict[str, Cartridges] = field(default_factory=dict[str, Cartridges])
    times: dict[str, dict[int, datetime]] = field(default_factory=dict[str, dict[int, datetime]])
    last: dict[str, datetime] = field(default_factory=dict[str, datetime])
    counts: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """Restore points of each policy, and copies that cannot be restored."""
    written: dict[str, WrittenObjects] = field(default_factory=dict[str, WrittenObjects])
    """What the night has written into each store of objects."""

    def __post_init__(self) -> None:
        spec = self.site.file.spec
        for name in self.followed:
            policy = spec.policies[name]
            systems = Clients(self.site, self.site.of_policy(name))
            if policy.logs is not None:
                logs, every = [self.site.targets[to] for to in policy.logs.to or (policy.target,)], policy.logs.every.si
                self.logs += [StoredLogs(name, target, systems, every) for target in logs]
            self.points[name], self.counts[name] = Points.of(self.site, name), (0, 0)
            for copy, series in self.points[name].series.items():
                target = self.site.targets[self.site.target_of(name, copy)]
                self.places[name, copy] = StoredCopies(name, copy, target, systems, series)
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

    def days(self, last: date | datetime) -> Iterator[Day]:
        """Each day from the start to the last, or to a moment of it; a policy that no system follows saves nothing."""
        due: dict[date, list[tuple[str, Due]]] = {}
        until = last if isinstance(last, datetime) else None
        last = last.date() if isinstance(last, datetime) else last
        for name in self.followed:
            for run in self.site.calendar(name).runs(self.site.start, last, self.site.zone):
                if until is None or run.time <= until:
                    due.setdefault(run.day, []).append((name, run))
        for day in each_day(self.site.start, last):
            yield self._day(day, sorted(due.get(day, []), key=lambda one: one[1].time))

    def _day(self, day: date, due: list[tuple[str, Due]]) -> Day:
        runs: list[tuple[LevelRun, datetime]] = []
        sessions: Sessions = {}
        self.written = {}
        done = {policy: self._backup(policy, run, sessions) for policy, run in due}
        for name, tapes in self.tapes.items():
            tapes.begun = 0
            for kept, sets in sessions.get(name, {}).items():
                tapes.session(sets, kept)
        peaks = self._used()
        for policy, run in due:
            made = list(done[policy].made)
            for (name, copy), place in self.places.items():
                if name == policy:
                    gone, ages = place.expire(run.time, self.times[policy])
                    if place.target.tape:
                        self.tapes[place.target.name].free(gone)
                    elif place.target.on_disk and place.target.chunking is None:
                        made += [MadeAtTarget(MERGE, copy, age) for age in ages]
            for logs in (logs for logs in self.logs if logs.policy == policy):
                logs.keep(self.places[policy, ""].series.kept, run.time)
            runs.append((done[policy]._replace(made=tuple(made)), run.time))
            points = self.points[policy]
            self.counts[policy] = len(points.restorable()), sum(map(len, points.broken().values()))
        whole, broken = ({policy: each[i] for policy, each in self.counts.items()} for i in range(2))
        return Day(day, tuple(runs), self._stocks(day, peaks), whole, self._catalogue(), broken)

    def _backup(self, policy: str, run: Due, sessions: Sessions) -> LevelRun:
        """Add the save set of a run, and its copies."""
        place, times = self.places[policy, ""], self.times.setdefault(policy, {})
        newest = {at: self._newest(policy, at) for at in self.points[policy].series}
        seeds = {copy for copy in newest if copy and self._seeds(policy, copy)}
        point, copies = self.points[policy].run(run)
        base = None if point.base is None else place.series.points[point.base].time
        before = self.last.get(policy)
        for logs in (logs for logs in self.logs if logs.policy == policy and before is not None):
            self._write(logs.target, logs.add(point.number - 1, before or run.time, run.time))
        age = elapsed(base, run.time) if base is not None else 0.0
        if point.level is Level.SYNTHETIC and before is not None:
            age = elapsed(before, run.time)
        self.last[policy] = times[point.number] = run.time
        place.add(point, base)
        sent = tuple(copy for copy in copies if copy not in seeds)
        for at, kept in [("", place), *((name, self.places[policy, name]) for name in copies)]:
            if at:
                kept.add(point, base)
            self._write(kept.target, kept.written(point))
            if kept.target.tape:
                written = (policy, at, point.number), kept.together[point.number], len(kept.systems.systems)
                there = sessions.setdefault(kept.target.name, {})
                there.setdefault(kept.series.retention, []).append(written)
        synthetic = point.level is Level.SYNTHETIC and age > 0.0 and place.target.on_disk
        whole = place.target.chunking is None or any(self.places[policy, copy].target.chunking is None for copy in sent)
        made = (MadeAtTarget(SYNTHETIC, "", age),) if synthetic and whole else ()
        since = ((at, newest[at]) for at in ("", *sent))
        before = tuple((at, elapsed(time, run.time)) for at, time in since if time is not None)
        return LevelRun(policy, point.level, age, sent, made=made, before=before)

    def _write(self, target: Target, objects: WrittenObjects) -> None:
        self.written[target.name] = self.written.get(target.name, NOTHING).plus(objects)

    def _seeds(self, policy: str, copy: str) -> bool:
        """Whether a copy would be the first one at its target, which is brought there by hand."""
        return self.site.file.spec.policies[policy].copies[copy].seeded and not self.places[policy, copy].series.count

    def _newest(self, policy: str, copy: str) -> datetime | None:
        """When the newest save set on a target that deduplicates was made, None without one."""
        place = self.places[policy, copy]
        points = place.series.points.values() if place.target.chunking is not None else ()
        return max((point.time for point in points), default=None)

    def _used(self) -> dict[str, dict[str, float]]:
        """Bytes of each policy on each target."""
        used: dict[str, dict[str, float]] = {name: {} for name in self.site.targets}
        for place in (*self.places.values(), *self.logs):
            there = used[place.target.name]
            there[place.policy] = there.get(place.policy, 0.0) + place.used
        return used

    def _stocks(self, day: date, peaks: dict[str, dict[str, float]]) -> dict[str, Stock]:
        stocks: dict[str, Stock] = {}
        for name, by_policy in self._used().items():
            tapes = self.tapes.get(name)
            counts = (tapes.in_use, tapes.bought, tapes.empty) if tapes else (0, 0, 0)
            new = tapes.begun if tapes and self.site.targets[name].new is not None else 0
            stocks[name] = Stock(
                sum(by_policy.values()), sum(peaks[name].values()), *counts, tuple(by_policy.items()), new,
                sum([one.early_on(day) for one in (*self.places.values(), *self.logs) if one.target.name == name]),
                self.written.get(name, NOTHING),
            )  # fmt: skip
        return stocks

    def _catalogue(self) -> float:
        """Bytes of the catalogue: a record for each file of each save set, wherever it is kept."""
        record = self.site.file.spec.index_record
        if record is None:
            return 0.0
        files: dict[tuple[str, int], float] = {}
        for place in self.places.values():
            for number, many in place.files.items():  # a copy that is not merged has fewer than its save set
                files[place.policy, number] = max(files.get((place.policy, number), 0.0), many)
        return record.si * sum(files.values())
