"""The ledger of save sets: what each target holds on each day, by calendars, levels and retention.

Restore points follow from the calendar and retention alone. So a ledger counts several cases of a site, which differ in
numbers, at once: as arrays, for little more than the time of one.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Self, cast

from simbackup.planning.night import MERGE, SYNTHETIC, LevelRun, MadeAtTarget
from simbackup.planning.points import Points
from simbackup.planning.site import PlannedSite, Target
from simbackup.planning.stored import NOTHING, Cartridges, Clients, StoredCopies, StoredLogs, Total, WrittenObjects
from simbackup.policies.calendar import Due, evening
from simbackup.policies.clock import NOON, elapsed
from simbackup.policies.days import each_day
from simbackup.policies.levels import Level
from simbackup.policies.retention import Retention
from simbackup.schema.quantity import si_or

ONE_DAY = timedelta(days=1)
KEPT_EVERY = 7
"""Days between the states of a ledger that are kept."""
Sessions = dict[str, dict[Retention, list[tuple[Hashable, Total, int]]]]
"""Save sets that are written to tape on a date, with bytes and number of systems: by target and retention."""


class Stock(NamedTuple):
    """What a target holds at the end of a day."""

    used: float
    """Bytes."""
    peak: float
    """Greatest number of bytes during the day."""
    cartridges: int = 0
    """Cartridges in use."""
    bought: int = 0
    """Cartridges bought so far."""
    empty: int = 0
    """Empty cartridges."""
    new: int = 0
    """New cartridges that were begun in its night; 0 if it makes no difference."""
    early: float = 0.0
    """Bytes in object storage that were deleted but are still paid for."""
    written: WrittenObjects = NOTHING
    """Objects that were written in its night."""


class Day(NamedTuple):
    """A day of the ledger."""

    day: date
    """The date."""
    runs: tuple[tuple[LevelRun, datetime], ...]
    """The levels that ran, with their times."""
    stocks: dict[str, Stock]
    """What each target holds."""
    points: dict[str, int]
    """Number of restore points of each policy."""
    catalogue: float
    """Bytes of the catalogue."""
    broken: Mapping[str, int] = {}
    """Number of copies of each policy that cannot be restored, because their chain is incomplete on their target."""
    cases: tuple[dict[str, Stock], ...] = ()
    """What each target holds in each case, if there are several; then points and catalogue are not counted."""


def rules_of(site: PlannedSite, name: str) -> Hashable:
    """Everything that decides what a policy stores, except for its systems.

    That is its calendar, targets, retention and logs, and what fails.
    """
    policy, points = site.file.spec.policies[name], Points.of(site, name)
    copies = tuple((copy, part.which, part.on, part.seeded) for copy, part in policy.copies.items())
    kept = tuple((site.target_of(name, copy), each.retention, each.merges) for copy, each in points.series.items())
    logs = None if policy.logs is None else (policy.logs.to or (policy.target,), policy.logs.every.si)
    lacking, unreadable = tuple(site.lacking_of(name).items()), tuple(site.unreadable_of(name).items())
    return site.calendar(name), copies, kept, logs, lacking, unreadable


def counted_together(one: PlannedSite, other: PlannedSite) -> bool:
    """Whether two sites differ in numbers alone, so that one ledger counts both as cases."""

    def same(site: PlannedSite) -> Hashable:
        systems = tuple((system.name, system.policy, system.by_file) for system in site.systems)
        rules = tuple((name, rules_of(site, name)) for name in dict.fromkeys(policy for _, policy, _ in systems))
        return site.begin, systems, rules

    def target(target: Target) -> tuple[object, ...]:
        of_prices = None if target.prices is None else target.prices.minimum_storage
        return target.tape, target.stores_objects, target.clones, target.chunking, target.object_size, target.objects, (
            si_or(of_prices, 0.0)
        )  # fmt: skip

    targets, others = ({name: target(each) for name, each in site.targets.items()} for site in (one, other))
    return targets == others and same(one) == same(other)


@dataclass
class PolicyStock:
    """What policies with the same rules have stored."""

    policies: tuple[str, ...]
    """Their names."""
    points: Points
    """Their restore points, which are the same for all of them."""
    places: dict[str, StoredCopies]
    """What is stored by the backups (an empty name) and by each copy."""
    logs: list[StoredLogs]
    """Backups of transaction logs, by target."""
    seeded: frozenset[str]
    """Copies whose first one is brought by hand."""
    counts: tuple[int, int] = (0, 0)
    """Number of restore points, and of copies that cannot be restored."""
    catalogued: list[float] = field(default_factory=list[float])
    """Files of each save set, wherever it is kept."""
    times: dict[int, datetime] = field(default_factory=dict[int, datetime])
    """When each point was made."""
    written: tuple[StoredCopies, ...] = ()
    """Where the backups and copies of the last run are."""

    @classmethod
    def of(cls, site: PlannedSite, policies: Sequence[str], cases: tuple[PlannedSite, ...] = ()) -> Self:
        """The empty stock of policies with the same rules, of a site or of its cases."""
        name, points = policies[0], Points.of(site, policies[0])
        policy, systems = site.file.spec.policies[name], Clients(site, tuple(policies), cases)
        places = {
            copy: StoredCopies(copy, site.targets[site.target_of(name, copy)], systems, series)
            for copy, series in points.series.items()
        }
        given = policy.logs
        to = (given.to or (policy.target,)) if given is not None else ()
        every = given.every.si if given is not None else 0.0
        logs = [StoredLogs(site.targets[each], systems, every) for each in to]
        return cls(tuple(policies), points, places, logs, frozenset(n for n, c in policy.copies.items() if c.seeded))

    @property
    def name(self) -> str:
        """The first of the policies."""
        return self.policies[0]

    def backup(self, run: Due) -> tuple[LevelRun, list[tuple[Target, WrittenObjects]]]:
        """Add the save sets of a run and their copies; what the first policy runs, and the objects that are written.

        A backup that fails runs, too, and adds nothing.
        """
        place, series, before = self.places[""], self.points.series, next(reversed(self.times.values()), None)
        newest = {
            copy: max((point.time for point in each.series.points.values()), default=None)
            for copy, each in self.places.items()
            if each.target.chunking is not None
        }
        by_hand = {copy for copy in self.seeded if not series[copy].count}
        point, copies = self.points.wanted(run)
        fails = "" in self.points.lacking.get(run.time, ())
        base = None if point.base is None else series[""].points[point.base].time
        written: list[tuple[Target, WrittenObjects]] = []
        if before is not None and not fails:
            written += [(logs.target, logs.add(point.number - 1, before, run.time)) for logs in self.logs]
        age = elapsed(base, run.time) if base is not None else 0.0
        if point.level is Level.SYNTHETIC and before is not None:
            age = elapsed(before, run.time)
        self.written = ()
        if not fails:
            _, made_now = self.points.run(run)
            self.times[point.number] = run.time
            self.written = (place, *(self.places[copy] for copy in made_now))
        for kept in self.written:
            kept.add(point, base)
            written.append((kept.target, kept.written(point)))
        sent = tuple(copy for copy in copies if copy not in by_hand)
        synthetic = point.level is Level.SYNTHETIC and age > 0.0 and place.target.on_disk
        whole = place.target.chunking is None or any(self.places[copy].target.chunking is None for copy in sent)
        made = (MadeAtTarget(SYNTHETIC, "", age),) if synthetic and whole else ()
        since = ((copy, newest.get(copy)) for copy in ("", *sent))
        ages = tuple((copy, elapsed(time, run.time)) for copy, time in since if time is not None)
        return LevelRun(self.name, point.level, age, sent, made=made, before=ages), written

    def expire(self) -> Iterator[tuple[StoredCopies, set[int], tuple[float, ...]]]:
        """Free what has expired at the last run: the points of each copy, and the seconds between those that merged."""
        now = next(reversed(self.times.values()))
        expired = self.points.expire(now)
        for copy, place in self.places.items():
            yield place, *place.expire(expired[copy], now, self.times)
        for logs in self.logs:
            logs.keep(self.points.series[""].kept, now)
        if not self.places[""].systems.cases:  # in which they are as in the site
            self.counts, self.catalogued = self.points.counts(), self._files()

    def _files(self) -> list[float]:
        backups, *copies = (place.files for place in self.places.values())
        most = dict(backups)
        for files in copies:
            for number, many in files.items():  # a copy that is not merged has fewer than its save set
                most[number] = max(most.get(number, 0.0), many)
        return list(most.values())


@dataclass
class Ledger:
    """Runs the calendar of a site, and keeps its save sets."""

    site: PlannedSite
    cases: tuple[PlannedSite, ...] = ()
    """The site in several cases, which are counted instead of it."""
    stocks: dict[str, PolicyStock] = field(default_factory=dict[str, PolicyStock])
    """What each policy with systems has stored; policies with the same rules share it."""
    tapes: dict[str, tuple[Cartridges, ...]] = field(default_factory=dict[str, tuple[Cartridges, ...]])
    """The cartridges of each target with tape, in each case."""
    written: dict[str, WrittenObjects] = field(default_factory=dict[str, WrittenObjects])
    """Objects written in the night, by target."""

    def __post_init__(self) -> None:
        alike: dict[Hashable, list[str]] = {}
        for name in self.followed:
            alike.setdefault(rules_of(self.site, name), []).append(name)
        self.each = [PolicyStock.of(self.site, names, self.cases) for names in alike.values()]
        of = {name: stock for stock in self.each for name in stock.policies}
        self.stocks |= {name: of[name] for name in self.followed}
        for name in (name for name, target in self.site.targets.items() if target.tape):
            self.tapes[name] = tuple(self._cartridges(case.targets[name]) for case in self.rows)

    @property
    def rows(self) -> tuple[PlannedSite, ...]:
        """The cases that are counted, or the site alone."""
        return self.cases or (self.site,)

    def _cartridges(self, target: Target) -> Cartridges:
        streams = max(min(target.drives, len(self.site.systems)), 1)
        new = int(min(target.new or 0.0, target.owned))
        return Cartridges(target.cartridge, streams, target.offsite, target.owned, new)

    @cached_property
    def followed(self) -> list[str]:
        """The policies that some system follows, in the order of the file."""
        return [name for name in self.site.file.spec.policies if self.site.of_policy(name)]

    def days(self, last: date | datetime, after: date | None = None) -> Iterator[Day]:
        """Follow the site day by day until a date, or until a moment of a day.

        A policy that no system follows saves nothing. If the days until `after` were followed, it goes on from there.
        """
        due: dict[date, list[tuple[str, Due]]] = {}
        until = last if isinstance(last, datetime) else None
        last = last.date() if isinstance(last, datetime) else last
        runs = {stock.name: list(self.site.due(stock.name, last)) for stock in self.each}
        for name, stock in self.stocks.items():
            for run in runs[stock.name]:
                if (after is None or run.day > after) and (until is None or run.time <= until):
                    due.setdefault(run.day, []).append((name, run))
        before: Day | None = None
        for day in each_day(self.site.start if after is None else after + ONE_DAY, last):
            found = self._day(day, sorted(due.get(day, []), key=lambda one: one[1].time))
            if before is not None and before.points == found.points and before.broken == found.broken:
                found = found._replace(points=before.points, broken=before.broken)
            before = found
            yield found

    def _day(self, day: date, due: list[tuple[str, Due]]) -> Day:
        saved, sessions = dict[str, LevelRun](), Sessions()
        self.written = {}
        for policy, run in due:
            stock = self.stocks[policy]
            if stock.name not in saved:
                saved[stock.name], written = stock.backup(run)
                for target, objects in written:
                    self.written[target.name] = self.written.get(target.name, NOTHING).plus(objects)
            for place in stock.written:
                if place.target.tape:
                    there = sessions.setdefault(place.target.name, {}).setdefault(place.series.retention, [])
                    there.append(place.newest(policy))
        for name, cases in self.tapes.items():
            _written_to(cases, sessions.get(name, {}))
        peaks = self._used()
        for stock in self.each:
            if stock.name in saved and stock.written:
                made = saved[stock.name].made
                saved[stock.name] = saved[stock.name]._replace(made=(*made, *self._expire(stock)))
        runs = ((LevelRun(policy, *saved[self.stocks[policy].name][1:]), run.time) for policy, run in due)
        whole, broken = ({policy: stock.counts[i] for policy, stock in self.stocks.items()} for i in range(2))
        used, early = self._used(), self._early(day)
        cases = self._stocks(used, peaks, early)
        return Day(day, tuple(runs), cases[0], whole, self._catalogue(), broken, tuple(cases) if self.cases else ())

    def on_newest_cartridge(self, target: str) -> list[tuple[str, str, int]]:
        """The save sets on the cartridge of a library that was begun last: policy, copy, and number of the point."""
        written = self.tapes[target][0].written
        return sorted(cast("set[tuple[str, str, int]]", written[-1].holds)) if written else []

    def _expire(self, stock: PolicyStock) -> Iterator[MadeAtTarget]:
        """Free what has expired since the last run, on tape as well; what targets merge."""
        for place, gone, ages in stock.expire():
            if place.target.tape:
                keys = {place.key(name, each) for name in stock.policies for each in gone}
                for tapes in self.tapes[place.target.name]:
                    tapes.free(keys)
            elif place.target.on_disk and place.target.chunking is None:
                yield from (MadeAtTarget(MERGE, place.copy, age) for age in ages)

    def _used(self) -> dict[str, Total]:
        """Bytes on each target."""
        used = dict[str, Total](dict.fromkeys(self.site.targets, 0.0))
        for stock in self.each:
            there = dict[str, Total]()
            for one in (*stock.places.values(), *stock.logs):
                there[one.target.name] = there.get(one.target.name, 0.0) + one.used
            for name, size in there.items():
                used[name] = used[name] + size
        return used

    def _early(self, day: date) -> dict[str, Total]:
        """Bytes in object storage that were deleted but are still paid for."""
        early = dict[str, Total](dict.fromkeys(self.site.targets, 0.0))
        for one in (one for stock in self.each for one in (*stock.places.values(), *stock.logs)):
            early[one.target.name] = early[one.target.name] + one.early_on(day)
        return early

    def _stocks(
        self, used: Mapping[str, Total], peaks: Mapping[str, Total], early: Mapping[str, Total]
    ) -> list[dict[str, Stock]]:
        """What each target holds, in each case."""
        found: list[dict[str, Stock]] = [{} for _ in self.rows]
        for name in used:
            sums = zip(*(self._of_cases(each[name]) for each in (used, peaks, early)), strict=True)
            objects, parts = self.written.get(name, NOTHING)
            written = map(WrittenObjects, self._of_cases(objects), self._of_cases(parts))
            is_new = self.site.targets[name].new is not None
            tapes = self.tapes.get(name) or [None] * len(found)
            for stocks, one, of_all, sent in zip(found, tapes, sums, written, strict=True):
                there, peak, early_ones = of_all
                counts = (one.in_use, one.bought, one.empty) if one else (0, 0, 0)
                stocks[name] = Stock(there, peak, *counts, one.begun if one and is_new else 0, early_ones, sent)
        return found

    def _of_cases(self, total: Total) -> list[float]:
        """A sum in each case."""
        if isinstance(total, float | int):
            return [float(total)] * len(self.rows)
        return total.tolist()

    def _catalogue(self) -> float:
        """Bytes of the catalogue: a record for each file of each save set, wherever it is kept."""
        record = self.site.file.spec.index_record
        files = sum(chain.from_iterable(stock.catalogued for stock in self.each), 0.0)
        return 0.0 if record is None else record.si * files


@dataclass
class Ledgers:
    """The ledgers of a site at many moments, all from one that is followed day by day.

    The state at the end of some days is kept, and each ledger goes on from the last of these before its moment.
    """

    site: PlannedSite
    since: date
    """The first day whose state is worth keeping."""
    kept: dict[date, bytes] = field(default_factory=dict[date, bytes])

    def at(self, now: datetime) -> Ledger:
        """The ledger at a moment."""
        yesterday = now.date() - ONE_DAY
        day = max((each for each in self.kept if each <= yesterday), default=None)
        ledger = Ledger(self.site) if day is None else self._unpacked(self.kept[day])
        for each in ledger.days(yesterday, day) if day is None or day < yesterday else ():
            regular = each.day >= self.since and (each.day - self.since).days % KEPT_EVERY == 0
            if regular or each.day == yesterday:
                self.kept[each.day] = self._packed(ledger)
        for _ in ledger.days(now, yesterday if yesterday >= self.site.start else None):
            pass
        return ledger

    def _packed(self, ledger: Ledger) -> bytes:
        """The state of a ledger, without what never changes."""
        self._shared |= {str(i): stock.places[""].systems for i, stock in enumerate(ledger.each)}
        known = {id(one): name for name, one in self._shared.items()}
        stream = io.BytesIO()
        pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
        pickler.persistent_id = lambda one: known.get(id(one))  # pyright: ignore[reportAttributeAccessIssue]
        pickler.dump(ledger)
        return stream.getvalue()

    def _unpacked(self, state: bytes) -> Ledger:
        """A ledger in a state."""
        unpickler = pickle.Unpickler(io.BytesIO(state))  # noqa: S301 (of this process)
        unpickler.persistent_load = self._shared.__getitem__  # pyright: ignore[reportAttributeAccessIssue]
        return unpickler.load()

    @cached_property
    def _shared(self) -> dict[str, object]:
        """What all ledgers have in common, by the names that it has in states."""
        return {"site": self.site, **{f"target {name}": target for name, target in self.site.targets.items()}}


def _written_to(
    cases: Sequence[Cartridges], sessions: Mapping[Retention, Sequence[tuple[Hashable, Total, int]]]
) -> None:
    """Write the sessions of a night to the cartridges of each case."""
    for i, tapes in enumerate(cases):
        tapes.begun = 0
        for kept, sets in sessions.items():
            tapes.session([(key, of_case(size, i), count) for key, size, count in sets], kept)


def of_case(total: Total, case: int) -> float:
    """A sum in one of several cases; one that is the same in all cases is a number."""
    return float(total) if isinstance(total, float | int) else float(total[case])


def evenings(days: Sequence[Day]) -> list[Day]:
    """A day for each night, by the date on which it begins, with what targets hold before the next night.

    What a library begins on a date is begun in the night of the first run of that date. A run in the evening of a date
    on which others ran in the morning finds what targets held the evening before.
    """
    if not days:
        return []
    by_date = {day.day: day for day in days}
    runs = {day.day: list[tuple[LevelRun, datetime]]() for day in days}
    begun = dict[date, list[Day]]()
    nights = {time: evening(time) for time in {time for day in days for _, time in day.runs}}  # policies share times
    for day in days:
        for run, time in day.runs:
            runs.setdefault(nights[time], []).append((run, time))
        if day.runs:
            begun.setdefault(nights[day.runs[0][1]], []).append(day)
    empty = dict.fromkeys(days[0].stocks, Stock(0.0, 0.0))
    found: list[Day] = []
    for night in sorted(runs):
        before, later = by_date.get(night), by_date.get(night + timedelta(days=1))
        if later is not None and later.runs and all(time.time() < NOON for _, time in later.runs):
            before = later
        stocks = before.stocks if before is not None else empty
        new = {name: sum(day.stocks[name].new for day in begun.get(night, ())) for name in stocks}
        found.append(
            Day(
                night, tuple(runs[night]), {name: stock._replace(new=new[name]) for name, stock in stocks.items()},
                before.points if before is not None else {}, before.catalogue if before is not None else 0.0,
            )
        )  # fmt: skip
    return found
