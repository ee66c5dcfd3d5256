"""What can be restored at a moment: when backups had ended, the newest complete restore points, and data lost."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import dropwhile
from typing import NamedTuple, Self

from simbackup.planning.ledger import Day, evenings, rules_of
from simbackup.planning.night import job_of
from simbackup.planning.nights import Nights
from simbackup.planning.playing import Outcome, Play, of_site
from simbackup.planning.points import ChainLink, Points, Usable
from simbackup.planning.sampling import LONGEST
from simbackup.planning.scenarios import logs_jobs
from simbackup.planning.site import Client, PlannedSite
from simbackup.policies.clock import NOON, elapsed, moment
from simbackup.policies.days import each_day
from simbackup.policies.levels import RestorePoint
from simbackup.units import show_short

ABOUT = 0.1
"""Share of the time between two backups of logs that is no reason to take them from another target."""
NIGHTS = LONGEST + 1
"""Nights before a restore that are simulated: what began earlier is taken as whole."""

Known = dict[tuple[str, str, datetime, tuple[str, ...]], float | None]
"""Seconds of the longest backup or copy of some systems in a night: by policy, copy, time and systems."""
Ends = Mapping[tuple[str, str, datetime], float]
"""The same of all systems of a policy."""
Times = Callable[[date], float]
"""How many times as long all of a night takes."""


class Arrivals:
    """When backups and copies ended, by simulated nights."""

    def __init__(
        self, nights: Nights, times: Times = lambda _: 1.0, known: Known | None = None, ends: Ends | None = None
    ) -> None:
        """When they ended, or would have ended if all had taken some times as long; what is known is not found anew."""
        self._nights, self._times_as_long, self._ends = nights, times, ends or {}
        self._days = {(run.policy, time): day for day in nights.days for run, time in day.runs}
        self._times: dict[str, list[datetime]] = {}
        for policy, time in sorted(self._days):
            self._times.setdefault(policy, []).append(time)
        self._known: Known = {} if known is None else known
        self._night: tuple[int, Mapping[str, Outcome]] = -1, {}
        """The night that was looked at last, by its first one, and its outcomes."""

    @classmethod
    def before(cls, site: PlannedSite, days: Sequence[Day], play: Play | None = None, nights: int = NIGHTS) -> Arrivals:
        """When backups and copies ended in the last nights of a ledger; the nights that decide are simulated now.

        If jobs run on after these, they may be late since the start: then nights of all the time are simulated.

        Parameters
        ----------
        site
            The site.
        days
            Its days up to the moment.
        play
            A function that simulates a night; by default, the simulator.
        nights
            How many nights.
        """
        whole = evenings(days)
        first, *others = whole[-nights - 1 :]
        recent = [first, *others] if len(whole) <= nights else [first._replace(runs=()), *others]
        found = Nights(site, recent, of_site(play, site))
        found.sample()
        if found.runs_on and len(whole) > nights:
            found = Nights(site, whole, of_site(play, site))
            found.sample()
        return cls(found)

    def there(self, policy: str, copy: str, point: RestorePoint, systems: Iterable[str], now: datetime) -> bool:
        """Whether the save sets of some systems at a restore point, or their copies, were whole at a moment."""
        took = self.took(policy, copy, point.time, systems)
        return took is None or took <= elapsed(point.time, now)

    def whole(self, policy: str, copy: str, due: datetime, systems: Iterable[str]) -> datetime:
        """When the save sets of some systems, or their copies, were whole; when they were due if that is not known."""
        took = self.took(policy, copy, due, systems) or 0.0
        return (due.astimezone(UTC) + timedelta(seconds=took)).astimezone(due.tzinfo)

    def longest_logs(self, policy: str, to: str, systems: Sequence[str], now: datetime) -> float:
        """Seconds of the longest backup of logs of some systems to a target, in the newest night that had any."""
        copy = logs_jobs(self._nights.site.file.spec.policies[policy], "", 0)[to].removeprefix("-")
        times = self._times.get(policy, [])
        for time in reversed(times[: bisect_right(times, now)]):
            took = self.took(policy, copy, time, systems)
            if took is not None:
                return took
        return 0.0

    def took(self, policy: str, copy: str, time: datetime, systems: Iterable[str]) -> float | None:
        """Seconds of the longest backup or copy of some systems in a night; None where it was not simulated."""
        key = policy, copy, time, tuple(systems)
        if key not in self._known:
            whole = len(key[-1]) == len(self._nights.site.of_policy(policy))
            ends = self._ends.get(key[:3]) if whole else None
            self._known[key] = max(self._took(policy, copy, time, key[-1]), default=None) if ends is None else ends
        found = self._known[key]
        return None if found is None else found * self._times_as_long(time.date())

    def slower(self, times: Times) -> Arrivals:
        """When they would have ended if all of a night had taken some times as long, or as short."""
        return Arrivals(self._nights, times, self._known, self._ends)

    def _took(self, policy: str, copy: str, time: datetime, systems: Iterable[str]) -> Iterable[float]:
        """Seconds that backups or copies of a night took, as far as it was simulated and has them."""
        day = self._days.get((policy, time))
        if day is None:
            return
        kind, i, later = self._nights.found(day.day)
        if self._night[0] != i:
            self._night = i, self._nights.between(kind, i)
        for system in systems:
            one = self._night[1].get(job_of(system, later, copy))
            if one is not None:
                yield one.end - one.due


class Available(NamedTuple):
    """The newest restore point of a policy that can be restored."""

    links: tuple[ChainLink, ...]
    """The save sets of its chain, full backup first."""
    logs: str = ""
    """The target that has all logs since; empty if none has."""
    delay: float = 0.0
    """Seconds that the longest of their backups took."""
    late: bool = False
    """Whether newer save sets were still being written."""
    until: datetime | None = None
    """The moment up to which logs are applied, if an older state than the newest is wanted."""

    @property
    def point(self) -> RestorePoint:
        """The restore point."""
        return self.links[-1].point

    def lost(self, every: float, now: datetime) -> float:
        """Seconds of new data that are lost at a moment, after logs have been applied."""
        since = elapsed(self.point.time, now)
        if not self.logs:
            return since
        newest = min(since, every + self.delay)
        return newest if self.until is None else max(newest, elapsed(self.until, now))


@dataclass(frozen=True, slots=True)
class Remaining:
    """What remains of a site after a loss: the save sets that were complete, and can still be used."""

    site: PlannedSite
    """The site."""
    arrivals: Arrivals
    """When each backup and copy had ended."""
    gone: frozenset[str]
    """Targets of which nothing is left."""
    locked: Mapping[str, float] = field(default_factory=dict[str, float])
    """Targets whose save sets are usable only up to an age, in seconds, as nobody could change these."""
    unnoticed: float = 0.0
    """Seconds for which nobody had noticed the loss; save sets completed in this time are of no use."""
    unreadable: bool = False
    """Whether the newest save set on each tape library cannot be read."""
    logged: bool = True
    """Whether transaction logs can be applied after a restore."""

    def newest(
        self, policy: str, points: Points, systems: Sequence[str], now: datetime, state: datetime | None = None
    ) -> Available | None:
        """The newest restore point of a policy in a place that is left; of equal ones, that on disk. None without one.

        Parameters
        ----------
        policy
            Its name.
        points
            Its restore points at that moment.
        systems
            The systems whose save sets have to be whole.
        now
            The moment.
        state
            The moment whose state is wanted, an earlier one; the newest that there is by default.
        """
        struck = now.astimezone(UTC) - timedelta(seconds=self.unnoticed)

        def there(copy: str, point: RestorePoint) -> bool:
            return self.arrivals.there(policy, copy, point, systems, now)

        newest = {copy: self._newest_on_tape(policy, copy, points, there) for copy in points.series}
        targets = {copy: self.site.target_of(policy, copy) for copy in points.series} if self.locked else {}
        locked = {copy: self.locked[name] for copy, name in targets.items() if name in self.locked}

        def usable(copy: str, point: RestorePoint) -> bool:
            if point.number == newest[copy] or not self.site.readable(policy, copy, point.time, now):
                return False
            if copy in locked and elapsed(point.time, now) >= locked[copy]:
                return False
            clean = not self.unnoticed or self.arrivals.there(policy, "", point, systems, struck)
            return clean and there(copy, point)

        found = self.newest_of(policy, points, usable, struck if state is None else min(struck, state), state)
        return None if found is None else self.with_delay(found, policy, systems, now)

    def with_delay(self, found: Available, policy: str, systems: Sequence[str], now: datetime) -> Available:
        """The same with the target of logs that reach furthest, and the seconds that the longest backup of these took.

        Of several targets at which they reach about as far, it is the first.
        """
        logs = self.site.file.spec.policies[policy].logs
        if not found.logs or logs is None:
            return found
        took = {to: self.arrivals.longest_logs(policy, to, systems, now) for to in self._with_logs(policy)}
        near = min(took.values()) + ABOUT * logs.every.si
        best = next(to for to in took if took[to] <= near)
        return found._replace(logs=best, delay=took[best])

    def newest_of(
        self, policy: str, points: Points, usable: Usable, end: datetime | None = None, state: datetime | None = None
    ) -> Available | None:
        """The newest restore point of a policy of which all can be used, without the delay of its logs.

        It is no younger than an `end`, if one is given, and logs go on to the wanted `state`.
        """
        best_of: tuple[int, bool] = (-1, False)
        best: Available | None = None
        left = {copy: self.site.targets[self.site.target_of(policy, copy)] for copy in points.series}
        left = {copy: target for copy, target in left.items() if target.name not in self.gone}
        for place in dict.fromkeys(target.place for target in left.values()):
            here = sorted((copy for copy in left if left[copy].place == place), key=lambda copy: left[copy].tape)
            kept = {
                number: points.series[copy].points[number].time for copy in here for number in points.series[copy].kept
            }
            late = False
            for number in sorted((n for n, time in kept.items() if end is None or time <= end), reverse=True):
                if (number, not left[here[0]].tape) <= best_of:  # it cannot be better, and chains may be long
                    break
                links = points.chain(number, here, usable)
                if links is not None:
                    reached = number, not left[links[-1].copy].tape
                    best_of, best = (reached, Available(links, late=late)) if reached > best_of else (best_of, best)
                    break
                late = late or points.chain(number, here) is not None
        if best is None:
            return None
        logs = self._logs(policy, points, best.point.number, state) if self.logged else ""
        return best._replace(logs=logs, until=state)

    def all_but(self, policy: str, missing: Container[tuple[str, int]], now: datetime) -> Usable:
        """Whether a save set of a policy can be used at a moment, of which some are not complete."""
        readable = self.site.readable
        return lambda copy, point: (copy, point.number) not in missing and readable(policy, copy, point.time, now)

    def _newest_on_tape(self, policy: str, copy: str, points: Points, there: Usable) -> int | None:
        """The number of the newest save set on cartridges if it is unreadable; None otherwise."""
        if not self.unreadable or not self.site.targets[self.site.target_of(policy, copy)].tape:
            return None
        return max((number for number, point in points.series[copy].points.items() if there(copy, point)), default=None)

    def _logs(self, policy: str, points: Points, number: int, state: datetime | None) -> str:
        """The target that is left with all logs of a policy from a point to a state; empty if there is none.

        Logs are kept as long as the restore point before them.
        """
        given, made = self.site.file.spec.policies[policy], points.series[""].count
        end = made - 1 if state is None else min(made - 1, self._made_until(policy, state))
        if given.logs is None or not all(after in points.series[""].kept for after in range(number, end)):
            return ""
        return next(iter(self._with_logs(policy)), "")

    def _with_logs(self, policy: str) -> list[str]:
        """The targets that are left of those that take the logs of a policy."""
        given = self.site.file.spec.policies[policy]
        return [] if given.logs is None else [to for to in given.logs.to or (given.target,) if to not in self.gone]

    def _made_until(self, policy: str, state: datetime) -> int:
        """How many restore points a policy has made up to a moment."""
        return sum(run.time <= state for run in self.site.saved(policy, state.date()))


class Loss(NamedTuple):
    """What losses at noon would cost over the days of a plan."""

    worst: float = math.inf
    """Seconds of new data that are lost on the worst day."""
    day: date | None = None
    """The worst day."""
    mean: float = math.inf
    """Mean seconds of new data that are lost."""
    counted_from: date | None = None
    """The first day that counts, at whose noon each system has a restore point; None if that never happens."""

    @classmethod
    def of(cls, start: date, each: Sequence[float]) -> Self:
        """What losses cost, by the seconds that are lost on each day from the first one on."""
        days = [(start + timedelta(days=i), lost) for i, lost in enumerate(each)]
        counted = list(dropwhile(lambda one: math.isinf(one[1]), days))
        if not counted:
            return cls()
        day, worst = max(counted, key=lambda one: one[1])
        return cls(worst, day, math.fsum(lost for _, lost in counted) / len(counted), counted[0][0])

    def row(self) -> dict[str, float | date | None]:
        """It for a table, without the seconds where everything is lost."""
        found = self._asdict()
        return found if self.day is not None else found | {"worst": None, "mean": None}

    def sentence(self) -> str:
        """When the worst day is, and the mean, in words."""
        return f"on {self.day}, {show_short(self.mean, 's', 3)} on average"


def losses(
    remaining: Remaining, until: date, clients: Sequence[Client], called: Callable[[str], str] = str
) -> dict[tuple[str, ...], Loss]:
    """What losses at noon of each day until the last one would cost: that of the system that loses most.

    By the policies that make and keep the same restore points, as they are `called`; of all together without a name.
    """
    wanted: dict[Hashable, dict[str, list[str]]] = {}
    for client in clients:
        alike = wanted.setdefault(rules_of(remaining.site, client.policy), {})
        alike.setdefault(client.policy, []).append(client.name)
    each: dict[tuple[str, ...], list[float]] = {}
    for alike in wanted.values():
        names, lost = tuple(dict.fromkeys(map(called, alike))), list(_each_noon(remaining, alike, until))
        each[names] = list(map(max, each.get(names, lost), lost))  # parts of a policy that was divided are one
    together = list(map(max, zip(*each.values(), strict=True)))
    return {(): Loss.of(remaining.site.start, together)} | {
        names: Loss.of(remaining.site.start, lost) for names, lost in each.items() if len(each) > 1
    }


def _each_noon(remaining: Remaining, alike: Mapping[str, Sequence[str]], until: date) -> Iterator[float]:
    """Seconds of new data that a loss at noon of each day costs systems, by policies with the same rules.

    Of the policy that loses most; without end where all are lost.
    """
    site, name = remaining.site, next(iter(alike))
    points, logs = Points.of(site, name), site.file.spec.policies[name].logs
    every = logs.every.si if logs is not None else 0.0
    runs = site.saved(name, until)
    following = next(runs, None)
    coming: dict[str, list[tuple[str, RestorePoint]]] = {policy: [] for policy in alike}
    for day in each_day(site.start, until):
        noon = moment(day, NOON, site.zone)
        while following is not None and following.time <= noon:
            point, copies = points.run(following)
            for each in coming.values():
                each += [(copy, point) for copy in ("", *copies)]
            points.expire(following.time)
            following = next(runs, None)
        lacking: dict[frozenset[tuple[str, int]], list[str]] = {}
        for policy, each in coming.items():
            each[:] = [one for one in each if not remaining.arrivals.there(policy, *one, alike[policy], noon)]
            lacking.setdefault(frozenset((copy, point.number) for copy, point in each), []).append(policy)
        lost = [0.0]
        for missing, those in lacking.items():
            found = remaining.newest_of(name, points, remaining.all_but(name, missing, noon))
            if found is None:
                lost.append(math.inf)
            else:
                delayed = (remaining.with_delay(found, policy, alike[policy], noon) for policy in those)
                lost += [each.lost(every, noon) for each in (delayed if found.logs else (found,))]
        yield max(lost)
