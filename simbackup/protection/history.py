"""What a site's copies offer at each moment of a period in which losses may strike."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import NamedTuple, Self

from simbackup.planning.arrivals import NIGHTS, Arrivals
from simbackup.planning.available import Remaining
from simbackup.planning.ledger import Ledger
from simbackup.planning.playing import Play
from simbackup.planning.points import Points
from simbackup.planning.site import PlannedSite
from simbackup.policies.calendar import Due
from simbackup.policies.clock import moment
from simbackup.policies.levels import Level
from simbackup.policies.series import Series
from simbackup.protection.fates import SNAPSHOTS, Group
from simbackup.protection.losses import Loss
from simbackup.protection.moments import Source, Spread, Track, spread_of

PERIOD = 91
"""Days at the end of a plan in which losses may strike: 13 weeks have each night of a week and of a month."""
LATEST = 62 * 86_400.0
"""Seconds after the period for which snapshots are made: nothing is noticed later."""


class Left(NamedTuple):
    """What a loss leaves of the copies of a group, as far as the data lost depend on it."""

    gone: frozenset[str]
    locked: tuple[tuple[str, float], ...]
    snapshots: float | None
    """Seconds for which snapshots are locked, without end if nothing threatens them; None if they are lost."""
    unnoticed: float
    unreadable: bool
    one_file: bool

    @classmethod
    def of(cls, group: Group, loss: Loss, unnoticed: float) -> Self:
        """What a loss leaves of the copies of a group that is noticed so many seconds later."""
        snapshots: float | None = None
        gone, locked = set[str](), dict[str, float]()
        for copy in group.copies:
            lost, until = copy.lost_with(loss), copy.immutable if copy.locked(loss) else math.inf
            if copy.name == SNAPSHOTS:
                snapshots = None if lost is not None else until
            elif lost is not None:
                gone.add(copy.target)
            elif until < math.inf:
                locked[copy.target] = until
        return cls(
            frozenset(gone), tuple(locked.items()), snapshots, unnoticed, "cartridge" in loss.spec.strikes,
            loss.spec.what == "one-file",
        )  # fmt: skip

    def remaining(self, site: PlannedSite, arrivals: Arrivals) -> Remaining:
        """The save sets that it leaves."""
        return Remaining(
            site, arrivals, self.gone, dict(self.locked), self.unnoticed, self.unreadable, logged=not self.one_file
        )


@dataclass
class History:
    """What the copies of a site offer in the last weeks of a plan."""

    site: PlannedSite
    last: date
    arrivals: Arrivals
    images: dict[str, tuple[list[float], list[list[float]]]] = field(
        default_factory=dict[str, tuple[list[float], list[list[float]]]]
    )
    known: dict[tuple[str, tuple[str, ...], Left], Spread] = field(
        default_factory=dict[tuple[str, tuple[str, ...], Left], Spread]
    )

    @classmethod
    def of(cls, site: PlannedSite, last: date, play: Play | None = None) -> Self:
        """That of a site until a day, whose last nights are simulated as far as they decide."""
        days = [*Ledger(site).days(last)]
        return cls(site, last, Arrivals.before(site, days, play, PERIOD + NIGHTS))

    @cached_property
    def end(self) -> float:
        """Seconds from the start of the site to the end of the period."""
        return self.seconds(moment(self.last, time(), self.site.zone))

    @cached_property
    def begin(self) -> float:
        """Seconds from the start of the site to the begin of the period."""
        first = max(self.site.start, self.last - timedelta(days=PERIOD))
        return self.seconds(moment(first, time(), self.site.zone))

    def seconds(self, at: datetime) -> float:
        """Seconds from the start of the site to a moment."""
        return self.site.seconds(at)

    def at(self, seconds: float) -> datetime:
        """The moment so many seconds after the start of the site."""
        return (self.site.begin.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(self.site.zone)

    def lost(self, group: Group, loss: Loss) -> Spread:
        """The data that a group loses, over all moments of a loss and all times until it is noticed."""
        spreads = (self.spread(group, Left.of(group, loss, delay)) for delay in loss.delays)
        return Spread(tuple(piece for spread in spreads for piece in spread.pieces))

    def spread(self, group: Group, left: Left) -> Spread:
        """The data that a group loses by what is left after a loss, over all moments at which it may strike."""
        key = (group.policy, group.names, left)
        if key not in self.known:
            tracks = [self._snapshots(group, left), self._backups(group, left)]
            self.known[key] = spread_of(tracks, (self.begin, self.end), left.unnoticed, works=not left.one_file)
        return self.known[key]

    def _backups(self, group: Group, left: Left) -> Track:
        """What backups and second copies offer."""
        policy, site = group.policy, self.site
        remaining, points = left.remaining(site, self.arrivals), Points.of(site, policy)
        logs = site.file.spec.policies[policy].logs
        after = self.last + timedelta(days=math.ceil(left.unnoticed / 86_400.0) + 1)
        runs = [*site.saved(policy, after)]
        begins = self._between(self._changes(group, left, runs))
        found: list[Source | None] = []
        following = iter(runs)
        run = next(following, None)
        for begin, end in zip(begins, [*begins[1:], self.end], strict=True):
            now = self.at((begin + end) / 2.0 + left.unnoticed)
            while run is not None and run.time <= now:
                points.run(run)
                points.expire(run.time)
                run = next(following, None)
            best = remaining.newest(policy, points, group.names, now)
            if best is None:
                found.append(None)
                continue
            every = (logs.every.si, best.delay) if logs is not None and best.logs else None
            found.append(Source(best.links[-1].copy, self.seconds(best.point.time), len(best.links), every))
        return Track(tuple(begins), tuple(found))

    def _changes(self, group: Group, left: Left, runs: list[Due]) -> Iterator[float]:
        """Moments of a strike at which what backups offer may change."""
        copies = [copy for copy in group.copies if copy.name != SNAPSHOTS]
        locks = dict(left.locked).values()
        for since in self.site.unreadable_of(group.policy).values():
            yield self.seconds(since) - left.unnoticed
        for run in runs:
            at = self.seconds(run.time)
            yield from (at, at - left.unnoticed, *(at + lock - left.unnoticed for lock in locks))
            for copy in copies:
                took = self.arrivals.took(group.policy, copy.name, run.time, group.names)
                if took is not None:
                    yield from (at + took, at + took - left.unnoticed)

    def _snapshots(self, group: Group, left: Left) -> Track:
        """What snapshots offer: each is there as soon as it is made."""
        if left.snapshots is None or self.site.file.spec.policies[group.policy].snapshots is None:
            return Track((), ())
        made, kept = self._images(group.policy)
        locked, unnoticed = left.snapshots, left.unnoticed
        expiry = [locked - unnoticed] if locked < math.inf else []
        begins = self._between(at + later for at in made for later in (0.0, -unnoticed, *expiry))
        found: list[Source | None] = []
        for begin, end in zip(begins, [*begins[1:], self.end], strict=True):
            strike = (begin + end) / 2.0
            there = kept[bisect_right(made, strike + unnoticed) - 1]
            i = bisect_right(there, strike) - 1
            usable = i >= 0 and strike + unnoticed - there[i] < locked
            found.append(Source(SNAPSHOTS, there[i]) if usable else None)
        return Track(tuple(begins), tuple(found))

    def _images(self, policy: str) -> tuple[list[float], list[list[float]]]:
        """When the snapshots of a policy are made, and after each of them when those were made that are kept."""
        given = self.site.file.spec.policies[policy].snapshots
        if given is None:
            return [], []
        if policy not in self.images:
            series = Series(given.retention.made())
            first = self.seconds(moment(self.site.start, time(), self.site.zone))
            number = math.floor((self.end + LATEST - first) / given.every.si) + 1
            made, kept = [first + i * given.every.si for i in range(number)], list[list[float]]()
            for at in made:
                series.add(self.at(at), Level.FULL)
                series.expire(self.at(at))
                kept.append([made[i] for i in sorted(series.kept)])
            self.images[policy] = made, kept
        return self.images[policy]

    def _between(self, moments: Iterator[float]) -> list[float]:
        """The begin of the period, and the moments in it, in order."""
        begin, end = self.begin, self.end
        return [begin, *sorted({at for at in moments if begin < at < end})]
