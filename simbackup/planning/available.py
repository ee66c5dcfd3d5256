"""What can be restored at a moment: the newest restore points that were complete, and how much data a loss costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from simbackup.planning.arrivals import Arrivals
from simbackup.planning.points import ChainLink, Points
from simbackup.planning.site import Client, PlannedSite
from simbackup.policies.clock import NOON, elapsed, moment
from simbackup.policies.days import each_day
from simbackup.policies.levels import RestorePoint
from simbackup.units import show_short


class Available(NamedTuple):
    """The chain of the newest restore point of a policy, its full backup first.

    `logs` is the target that has all logs since, empty if none has; `delay` are the seconds that the longest of their
    backups took. `late` says whether newer save sets were still being written. `until` is the moment up to which logs
    are applied, where an older state is wanted than the newest.
    """

    links: tuple[ChainLink, ...]
    logs: str = ""
    delay: float = 0.0
    late: bool = False
    until: datetime | None = None

    @property
    def point(self) -> RestorePoint:
        """The restore point."""
        return self.links[-1].point

    def lost(self, every: float, now: datetime) -> float:
        """Seconds of new data that are lost: since the state that comes back, which logs bring near the moment."""
        since = elapsed(self.point.time, now)
        if not self.logs:
            return since
        newest = min(since, every + self.delay)
        return newest if self.until is None else max(newest, elapsed(self.until, now))


@dataclass(frozen=True, slots=True)
class Remaining:
    """What remains of a site without targets that are lost: which save sets were whole at a moment."""

    site: PlannedSite
    arrivals: Arrivals
    gone: frozenset[str]

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

        def usable(copy: str, point: RestorePoint) -> bool:
            return self.arrivals.there(policy, copy, point, systems, now)

        found: list[tuple[int, bool, Available]] = []
        left = {copy: self.site.targets[self.site.target_of(policy, copy)] for copy in points.series}
        left = {copy: target for copy, target in left.items() if target.name not in self.gone}
        for place in dict.fromkeys(target.place for target in left.values()):
            here = sorted((copy for copy in left if left[copy].place == place), key=lambda copy: left[copy].tape)
            kept = sorted({
                number for copy in here for number in points.series[copy].kept
                if state is None or points.series[copy].points[number].time <= state
            }, reverse=True)  # fmt: skip
            late = False
            for number in kept:
                links = points.chain(number, here, usable)
                if links is not None:
                    found.append((number, not left[links[-1].copy].tape, Available(links, late=late)))
                    break
                late = late or points.chain(number, here) is not None
        best = max(found, key=lambda each: each[:2], default=(0, False, None))[2]
        if best is None:
            return None
        logs = self._logs(policy, points, best.point.number, state)
        delay = self.arrivals.longest_logs(policy, logs, systems, now) if logs else 0.0
        return best._replace(logs=logs, delay=delay, until=state)

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
        runs = self.site.calendar(policy).runs(self.site.start, state.date(), self.site.zone)
        return sum(run.time <= state for run in runs)


class Loss(NamedTuple):
    """What losses at noon would cost over the days of a plan, in seconds of new data: the worst day, and the mean.

    Days are `counted_from` the first one at whose noon each system has a restore point; before it, everything is
    lost. None where that never is so.
    """

    worst: float = math.inf
    day: date | None = None
    mean: float = math.inf
    counted_from: date | None = None

    def row(self) -> dict[str, float | date | None]:
        """It for a table, without the seconds where everything is lost."""
        found = self._asdict()
        return found if self.day is not None else found | {"worst": None, "mean": None}

    def sentence(self) -> str:
        """When the worst day is, and the mean, in words."""
        return f"on {self.day}, {show_short(self.mean, 's', 3)} on average"


def loss(remaining: Remaining, until: date, clients: Sequence[Client]) -> Loss:
    """What a loss at noon of each day until the last one would cost: the loss of the system that loses most."""
    wanted: dict[str, list[str]] = {}
    for client in clients:
        wanted.setdefault(client.policy, []).append(client.name)
    each = [_each_noon(remaining, policy, systems, until) for policy, systems in wanted.items()]
    days = [(day, max(lost)) for day, *lost in zip(each_day(remaining.site.start, until), *each, strict=True)]
    whole = next((i for i, (_, lost) in enumerate(days) if math.isfinite(lost)), None)
    if whole is None:
        return Loss()
    counted = days[whole:]
    worst, day = max(((lost, day) for day, lost in counted), key=lambda each: each[0])
    return Loss(worst, day, math.fsum(lost for _, lost in counted) / len(counted), counted[0][0])


def _each_noon(remaining: Remaining, policy: str, systems: Sequence[str], until: date) -> Iterator[float]:
    """Seconds of new data of a policy that a loss at noon of each day costs; without end where all are lost."""
    site, points = remaining.site, Points.of(remaining.site, policy)
    logs = site.file.spec.policies[policy].logs
    every = logs.every.si if logs is not None else 0.0
    runs = site.calendar(policy).runs(site.start, until, site.zone)
    following = next(runs, None)
    for day in each_day(site.start, until):
        noon = moment(day, NOON, site.zone)
        while following is not None and following.time <= noon:
            points.run(following)
            points.expire(following.time)
            following = next(runs, None)
        found = remaining.newest(policy, points, systems, noon)
        yield math.inf if found is None else found.lost(every, noon)
