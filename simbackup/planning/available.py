"""What can be restored at a moment: the newest restore points that were complete, and how much data a loss costs."""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from simbackup.planning.arrivals import Arrivals
from simbackup.planning.ledger import rules_of
from simbackup.planning.points import ChainLink, Points, Usable
from simbackup.planning.site import Client, PlannedSite
from simbackup.policies.clock import NOON, elapsed, moment
from simbackup.policies.days import each_day
from simbackup.policies.levels import RestorePoint
from simbackup.units import show_short


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
        """The same with the seconds that the longest backup of logs of some systems took."""
        if not found.logs:
            return found
        return found._replace(delay=self.arrivals.longest_logs(policy, found.logs, systems, now))

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
        return next((to for to in given.logs.to or (given.target,) if to not in self.gone), "")

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

    def row(self) -> dict[str, float | date | None]:
        """It for a table, without the seconds where everything is lost."""
        found = self._asdict()
        return found if self.day is not None else found | {"worst": None, "mean": None}

    def sentence(self) -> str:
        """When the worst day is, and the mean, in words."""
        return f"on {self.day}, {show_short(self.mean, 's', 3)} on average"


def loss(remaining: Remaining, until: date, clients: Sequence[Client]) -> Loss:
    """What a loss at noon of each day until the last one would cost: the loss of the system that loses most."""
    wanted: dict[Hashable, dict[str, list[str]]] = {}
    for client in clients:
        alike = wanted.setdefault(rules_of(remaining.site, client.policy), {})
        alike.setdefault(client.policy, []).append(client.name)
    each = [_each_noon(remaining, alike, until) for alike in wanted.values()]
    days = [(day, max(lost)) for day, *lost in zip(each_day(remaining.site.start, until), *each, strict=True)]
    whole = next((i for i, (_, lost) in enumerate(days) if math.isfinite(lost)), None)
    if whole is None:
        return Loss()
    counted = days[whole:]
    worst, day = max(((lost, day) for day, lost in counted), key=lambda each: each[0])
    return Loss(worst, day, math.fsum(lost for _, lost in counted) / len(counted), counted[0][0])


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
