"""The restore points of a site at a moment: the chain of each, the rules that keep it, and when it expires."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np
from dateutil.relativedelta import relativedelta

from simbackup.equations.uncertainty import CentralInterval, spread_of
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.planning.available import Arrivals
from simbackup.planning.intervals import EFFORT, Cases
from simbackup.planning.nights import settled
from simbackup.planning.points import ChainLink, Points
from simbackup.planning.site import PlannedSite
from simbackup.planning.stored import Clients, StoredCopies
from simbackup.policies.calendar import Due
from simbackup.policies.levels import Level, RestorePoint
from simbackup.policies.series import Expiry
from simbackup.uncertainty.conditioning import CaseFigures
from simbackup.uncertainty.estimate import estimated
from simbackup.uncertainty.sampling import Case

LOOK_AHEAD = relativedelta(years=30)
"""How far into the future restore points are followed until they expire."""
STILL_HELD = relativedelta(years=1)
"""How long save sets that only a chain holds are followed after their own retention has ended."""


class StoredPoint(NamedTuple):
    """A save set of a policy on one target."""

    copy: str
    """The copy; empty for the backups."""
    target: str
    """The target."""
    place: str
    """The place of the target."""
    time: datetime
    """When it was made."""
    level: Level
    """Its level."""
    bytes: float
    """Its bytes."""
    chain: tuple[tuple[Level, datetime], ...]
    """Levels and times of all save sets that a restore reads, full backup first; empty if one is missing in the place.
    """
    reads: float
    """Bytes of the chain."""
    rules: tuple[str, ...]
    """The rules that keep it; without any it is no restore point, and only chains hold it."""
    needed_by: int
    """Number of later save sets whose chains need it."""
    expires: datetime | None
    """When no rule keeps it any longer; None for never, or later than 30 years after the moment."""
    freed: datetime | None
    """When its space is free; None for never, or later than 30 years after the moment."""
    cases: tuple[float, ...] = ()
    """Its bytes in each case of the values of the site; none unless intervals are wanted."""
    whole: datetime | None = None
    """When it will be complete, if it is not yet."""

    @property
    def spread(self) -> CentralInterval:
        """Its bytes with their 90 % interval."""
        return spread_of(self.bytes, self.cases or (self.bytes,))

    @property
    def restorable(self) -> bool:
        """Whether it is a restore point, and its whole chain is in its place."""
        return bool(self.rules and self.chain)

    @property
    def needs(self) -> str:
        """What a restore reads before it, in words."""
        if self.whole is not None:
            return f"not restorable: it is complete on {self.whole:%Y-%m-%d at %H:%M}"
        if not self.chain:
            return "not restorable: its base is not there"
        (level, time), *others = self.chain
        if not others:
            return ""
        return f"{_level(level)} of {time.date()}" + (f" and {len(others) - 1} more" if len(others) > 1 else "")

    @property
    def kept_by(self) -> str:
        """What keeps it, in words."""
        return ", ".join(self.rules) or f"only the chain of {self.needed_by} later"

    def as_dict(self) -> dict[str, Any]:
        """It for JSON."""
        chain = [{"level": level.value, "time": time} for level, time in self.chain]
        low, high = self.spread[1:3]
        own = {key: value for key, value in self._asdict().items() if key != "cases"}
        return {
            **own, "low": low, "high": high, "level": self.level.value, "chain": chain, "restorable": self.restorable,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class PolicyPoints:
    """The save sets of a policy at a moment, the oldest first."""

    policy: str
    """The policy."""
    systems: tuple[str, ...]
    """Its systems, which all have the same restore points."""
    points: tuple[StoredPoint, ...]
    """The save sets on each target."""
    logs_since: datetime | None = None
    """The moment from which on backups of logs reach any minute; None without them."""
    decides: tuple[str, ...] = ()
    """The values of the site that widen the interval of its bytes most; none unless intervals are wanted."""

    @property
    def rows(self) -> list[tuple[StoredPoint, tuple[str, ...]]]:
        """The save sets with their targets; those of several targets on which all is equal count as one."""
        targets: dict[StoredPoint, list[str]] = {}
        for point in self.points:
            alike = point._replace(copy="", target="", place="")
            targets.setdefault(alike, []).append(point.target)
        return [(point, tuple(names)) for point, names in targets.items()]

    @property
    def spread(self) -> CentralInterval:
        """The bytes of all save sets with their 90 % interval."""
        best = sum(point.bytes for point in self.points)
        return spread_of(best, self.cases or [best])

    @property
    def cases(self) -> list[float]:
        """The bytes of all save sets in each case of the values of the site; none unless intervals are wanted."""
        return [math.fsum(case) for case in zip(*(point.cases for point in self.points), strict=True)]

    @property
    def restorable(self) -> list[datetime]:
        """The moments to which its systems can be restored, each once."""
        return sorted({point.time for point in self.points if point.restorable})

    def as_dict(self) -> dict[str, Any]:
        """It for JSON."""
        return {
            "policy": self.policy, "systems": list(self.systems), "logs_since": self.logs_since,
            "decides": list(self.decides),
            "points": [point.as_dict() for point in self.points],
        }  # fmt: skip


class LogLine(NamedTuple):
    """What happened on a date to the save sets of a policy on one target."""

    date: date
    """The date."""
    policy: str
    """The policy."""
    copy: str
    """The copy; empty for the backups."""
    target: str
    """The target."""
    made: Level | None
    """The level of a save set that is there from this date on; None without one."""
    of: datetime | None
    """When it was due."""
    merged: tuple[datetime, ...]
    """Times of save sets that were merged into the next one."""
    expired: tuple[datetime, ...]
    """Times of save sets that expired."""
    freed: tuple[datetime, ...]
    """Times of save sets whose space was freed."""
    held: tuple[datetime, ...]
    """Times of save sets that only chains hold afterwards."""
    points: int
    """Number of restore points that are kept afterwards."""

    def as_dict(self) -> dict[str, Any]:
        """It for JSON."""
        lists = {key: list(getattr(self, key)) for key in ("merged", "expired", "freed", "held")}
        return {**self._asdict(), **lists, "made": self.made and self.made.value}


class PlayedRun(NamedTuple):
    """A run of a policy."""

    due: Due
    """When it was due, and its level."""
    point: RestorePoint
    """Its new restore point."""
    copies: tuple[str, ...]
    """The copies that are made of it."""
    expired: dict[str, Expiry]
    """What expired then, by copy."""


def points_at(
    site: PlannedSite,
    now: datetime,
    policies: Sequence[str] = (),
    system: str = "",
    *,
    intervals: bool = False,
    arrivals: Arrivals | None = None,
) -> tuple[PolicyPoints, ...]:
    """The restore points that a site has at a moment, and the save sets that their chains hold.

    Parameters
    ----------
    site
        The site.
    now
        The moment.
    policies
        Names of policies; all by default.
    system
        The only system whose bytes count, all of a policy by default.
    intervals
        Whether bytes are counted over the ranges of the values of the site, too.
    arrivals
        When backups and copies of the site, with what its failures cost, were complete; all when they are due by
        default.

    Raises
    ------
    InputError
        There is no such policy or system.
    """
    if arrivals is None:
        site = settled(site, now.date())
    names = [name for name in chosen(site, policies, system) if site.of_policy(name)]
    if not intervals:
        return tuple(_points_of(site, name, now, system, (), arrivals) for name in names)
    cases, found = Cases(site), list[PolicyPoints]()

    def run(some: Sequence[Case], _: int) -> list[CaseFigures]:
        counted = [_points_of(site, name, now, system, (site, *cases.sites(site, some)), arrivals) for name in names]
        found.extend(counted if not found else ())  # the sample comes first
        bytes_of = {one.policy: one.cases for one in counted if one.points}
        return [CaseFigures({name: each[i] for name, each in bytes_of.items()}) for i in range(len(some))]

    best = CaseFigures({name: _points_of(site, name, now, system, ()).spread.best for name in names})
    sure = estimated(best, cases.inputs, run, EFFORT, asked=names)
    return tuple(replace(one, decides=cases.named(sure[one.policy])) for one in found)


def log_until(
    site: PlannedSite,
    now: datetime,
    policies: Sequence[str] = (),
    system: str = "",
    arrivals: Arrivals | None = None,
) -> Iterator[LogLine]:
    """What happened on each date up to a moment, by policy and target; the arguments are those of `points_at`.

    A save set counts from the date on which it is complete. What it makes expire does so when it is due.
    """
    if arrivals is None:
        site = settled(site, now.date())
    for name in chosen(site, policies, system):
        points, lines = Points.of(site, name), list[LogLine]()
        names = (system,) if system else tuple(client.name for client in site.of_policy(name))
        before = {copy: frozenset[int]() for copy in points.series}
        coming: dict[str, dict[int, date]] = {copy: {} for copy in points.series}
        for run in play(site, name, points, None, now):
            for copy, expiry in run.expired.items():
                line = _line(site, name, copy, points, run, before[copy])
                kept = before[copy] = frozenset(points.series[copy].kept)
                made = None
                if not copy or copy in run.copies:
                    whole = run.due.time if arrivals is None else arrivals.whole(name, copy, run.due.time, names)
                    coming[copy][run.point.number] = whole.date()
                    made = (
                        line._replace(made=run.point.level, of=run.due.time, date=whole.date())
                        if whole <= now
                        else None
                    )
                line = line._replace(points=sum(coming[copy][number] <= line.date for number in kept))
                if made is not None and made.date == line.date:
                    lines.append(made._replace(points=line.points))
                    continue
                if made is not None:
                    there = sum(coming[copy][number] <= made.date for number in kept)
                    lines.append(made._replace(merged=(), expired=(), freed=(), held=(), points=there))
                if expiry.freed or line.expired:
                    lines.append(line)
        yield from sorted(lines, key=lambda line: line.date)


def play(
    site: PlannedSite, policy: str, points: Points, after: datetime | None, until: datetime
) -> Iterator[PlayedRun]:
    """The runs of a policy after a moment and up to another one, as each is added to its points and expires others."""
    for due in site.saved(policy, until.date()):
        if (after is None or due.time > after) and due.time <= until:
            point, copies = points.run(due)
            yield PlayedRun(due, point, copies, points.expire(due.time))


def chosen(site: PlannedSite, policies: Sequence[str] = (), system: str = "") -> list[str]:
    """The policies that are asked for, a divided one with all its parts; of a system, the one that it follows.

    Raises
    ------
    InputError
        There is no such policy or system.
    """
    known = {client.name: client.policy for client in site.systems}
    if system and system not in known:
        raise InputError([Problem(Place("--system"), "", f"there is no system '{system}'", choices(system, known))])
    names = {name: site.file.written(name) for name in site.file.spec.policies}
    for policy in policies:
        if policy not in {*names, *names.values()}:
            legal = [*dict.fromkeys(names.values())]
            raise InputError([Problem(Place("--policy"), "", f"there is no policy '{policy}'", choices(policy, legal))])
    if system and policies and not {known[system], names[known[system]]} & {*policies}:
        message = f"'{system}' follows the policy '{names[known[system]]}'"
        raise InputError([Problem(Place("--system"), "", message, "leave out --policy, or name that one")])
    return [
        name for name, written in names.items()
        if (not policies or name in policies or written in policies) and (not system or known[system] == name)
    ]  # fmt: skip


def _points_of(
    site: PlannedSite,
    name: str,
    now: datetime,
    system: str,
    cases: tuple[PlannedSite, ...],
    arrivals: Arrivals | None = None,
) -> PolicyPoints:
    points, times = Points.of(site, name), dict[int, datetime]()
    for run in play(site, name, points, None, now):
        times[run.point.number] = run.due.time
    systems = site.of_policy(name)
    stored = {copy: _stored(Clients(site, (name,), cases), copy, points, times) for copy in points.series}
    one = next((i for i, client in enumerate(systems) if client.name == system), None)
    ends = _ends(site, name, points, now)
    last = max(times.values(), default=now)
    rules = {copy: series.rules(last) for copy, series in points.series.items()}

    def sizes(link: ChainLink) -> list[float]:
        found = np.atleast_2d(stored[link.copy].sizes[link.point.number])
        return list(map(float, np.sum(found, axis=1) if one is None else found[:, one]))

    names = (system,) if system else tuple(client.name for client in systems)
    late: dict[tuple[str, int], datetime] = {}
    for copy, series in points.series.items() if arrivals is not None else ():
        for number, point in series.points.items():
            whole = arrivals.whole(name, copy, point.time, names) if arrivals is not None else now
            if whole > now:
                late[copy, number] = whole

    def usable(copy: str, point: RestorePoint) -> bool:
        return (copy, point.number) not in late

    found: list[StoredPoint] = []
    for copy, series in points.series.items():
        here = [copy, *(each for each in points.series if each != copy and points.places[each] == points.places[copy])]
        chains = {number: points.chain(number, here, usable) or () for number in series.points}
        needed = [link.point.number for number in series.kept for link in chains[number][:-1] if link.copy == copy]
        for number, point in series.points.items():
            chain, (size, *in_cases) = chains[number], sizes(ChainLink(copy, point))
            expires, freed = ends[copy, number]
            found.append(StoredPoint(
                copy, site.target_of(name, copy), points.places[copy], point.time, point.level,
                size, tuple((link.point.level, link.point.time) for link in chain),
                sum(sizes(link)[0] for link in chain), rules[copy].get(number, ()), needed.count(number),
                expires, freed, tuple(in_cases), late.get((copy, number)),
            ))  # fmt: skip
    order = {copy: i for i, copy in enumerate(points.series)}
    found.sort(key=lambda each: (each.time, order[each.copy]))
    return PolicyPoints(name, names, tuple(found), _logs_since(site, name, points, times))


def _stored(systems: Clients, copy: str, points: Points, times: dict[int, datetime]) -> StoredCopies:
    """The save sets of a policy on a target with their bytes, as the ledger has them."""
    site, series = systems.site, points.series[copy]
    stored = StoredCopies(copy, site.targets[site.target_of(systems.policies[0], copy)], systems, series)
    for _, point in sorted(series.points.items()):
        stored.add(point, None if point.base is None else times[point.base])
    return stored


def _ends(
    site: PlannedSite, name: str, points: Points, now: datetime
) -> dict[tuple[str, int], tuple[datetime | None, datetime | None]]:
    """When each point of each copy expires, and when its space is freed, as the calendar goes on."""
    ahead = replace(points, series={
        copy: replace(series, points=dict(series.points), kept=set(series.kept))
        for copy, series in points.series.items()
    })  # fmt: skip
    there = {(copy, number) for copy, series in points.series.items() for number in series.points}
    kept = {(copy, number) for copy, series in points.series.items() for number in series.kept}
    expires, freed = dict[tuple[str, int], datetime](), dict[tuple[str, int], datetime]()
    forever = {copy for copy, series in points.series.items() if series.retention.forever}
    limit = now + LOOK_AHEAD
    for run in play(site, name, ahead, now, limit):
        gone = {key for key in kept if key[1] not in ahead.series[key[0]].kept}
        free = {key for key in there if key[1] not in ahead.series[key[0]].points}
        expires |= dict.fromkeys(gone, run.due.time)
        freed |= dict.fromkeys(free, run.due.time)
        kept, there = kept - gone, there - free
        if not any(copy not in forever for copy, _ in kept):
            limit = min(limit, max(expires.values(), default=now) + STILL_HELD)
        if run.due.time > limit or not any(copy not in forever for copy, _ in there):
            break
    keys = ((copy, number) for copy, series in points.series.items() for number in series.points)
    return {key: (expires.get(key), freed.get(key)) for key in keys}


def _logs_since(site: PlannedSite, name: str, points: Points, times: dict[int, datetime]) -> datetime | None:
    """The oldest restore point since which all logs are kept; they are kept as long as the point before them."""
    own = points.series[""]
    if site.file.spec.policies[name].logs is None or not own.kept:
        return None
    first = own.count
    while first - 1 in own.kept:
        first -= 1
    return times.get(first)


def _line(site: PlannedSite, name: str, copy: str, points: Points, run: PlayedRun, before: frozenset[int]) -> LogLine:
    series, expiry = points.series[copy], run.expired[copy]
    known = {point.number: point.time for point in (*expiry.freed, *series.points.values())}
    merged = {below.number for below, _ in expiry.merges}
    candidates = before | {run.point.number} if not copy or copy in run.copies else before
    return LogLine(
        run.due.day, name, copy, site.target_of(name, copy), None, None,
        tuple(known[number] for number in sorted(merged)),
        tuple(known[number] for number in sorted(candidates - series.kept)),
        tuple(point.time for point in expiry.freed if point.number not in merged),
        tuple(known[number] for number in sorted(series.points.keys() - series.kept)), len(series.kept),
    )  # fmt: skip


def _level(level: Level) -> str:
    return level.value.replace("_", " ")
