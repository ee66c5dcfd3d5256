"""What a site's copies offer at each moment of a period, and how much data losses cost that strike at any of these.

The pieces of time in which copies offer the same are integrated exactly.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from simbackup.planning.available import NIGHTS, Arrivals, Remaining
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

ROUNDING, TINY = 1e-12, 1e-300
"""Shares and seconds that are lost to rounding."""
NEARLY = 1e-9
"""Share of all moments by which sums over many pieces may differ by rounding."""


class Source(NamedTuple):
    """From what a system comes back: the copy, when it was made, and from how many save sets.

    Times are seconds from the start of the site. With `logs`, these are seconds between two backups of logs, and those
    that the longest takes.
    """

    copy: str
    made: float
    chain: int = 1
    logs: tuple[float, float] | None = None

    def lost(self, begin: float, end: float) -> list[tuple[float, float, float]]:
        """How much data, in seconds of work, a loss costs if it strikes between two moments: evenly spread pieces.

        Each is how long it lasts, and the least and the most that is lost. A backup of logs of every `T` seconds that
        takes `d` leaves evenly between `d` and `d + T`.

        >>> Source("pool", 0.0).lost(10.0, 30.0)
        [(20.0, 10.0, 30.0)]
        >>> Source("pool", 0.0, logs=(6.0, 2.0)).lost(4.0, 30.0)
        [(4.0, 4.0, 8.0), (22.0, 2.0, 8.0)]
        """
        if self.logs is None:
            return [(end - begin, begin - self.made, end - self.made)]
        every, takes = self.logs
        first = min(max(self.made + every + takes, begin), end)
        pieces = [(first - begin, begin - self.made, first - self.made), (end - first, takes, takes + every)]
        return [piece for piece in pieces if piece[0] > 0.0]


class Piece(NamedTuple):
    """A share of all moments, in which evenly between some seconds of data are lost; and from what they come back.

    `begin` is the first of these moments; they last as long as the `weight` says. Without a source all is lost.
    """

    begin: float
    weight: float
    low: float
    high: float
    source: Source | None
    unnoticed: float = 0.0
    """Seconds until it is noticed."""

    @property
    def middle(self) -> float:
        """The moment in its middle."""
        return self.begin + self.weight / 2.0


@dataclass(frozen=True)
class Spread:
    """The seconds of data that a loss costs over all moments at which it may strike."""

    pieces: tuple[Piece, ...]

    @cached_property
    def _left(self) -> NDArray[np.float64]:
        """Shares of all moments, and the least and the most that is lost, of the pieces at which not all is lost."""
        left = [(one.weight / self.whole, one.low, one.high) for one in self.pieces if one.source is not None]
        return np.array(left).reshape(-1, 3).T

    @cached_property
    def whole(self) -> float:
        """Seconds of all moments."""
        return math.fsum(piece.weight for piece in self.pieces)

    @cached_property
    def everything(self) -> float:
        """The share of moments at which all is lost."""
        return math.fsum(piece.weight for piece in self.pieces if piece.source is None) / self.whole

    @cached_property
    def mean(self) -> float:
        """The mean over the moments at which not all is lost; without end if there are none."""
        shares, low, high = self._left
        return float(np.sum(shares * (low + high)) / np.sum(shares) / 2.0) if len(shares) else math.inf

    @property
    def most(self) -> float:
        """The most that is lost."""
        return max(piece.high for piece in self.pieces)

    def below(self, seconds: float) -> float:
        """The share of moments at which no more than this is lost."""
        shares, low, high = self._left
        inside = np.clip((seconds - low) / np.maximum(high - low, TINY), 0.0, 1.0)
        return float(np.sum(shares * np.where(high <= seconds, 1.0, inside)))

    def quantile(self, share: float) -> float:
        """Seconds that are not exceeded at a share of all moments; without end if all is lost at more of the others.

        >>> made = Source("pool", 0.0)
        >>> spread = Spread((Piece(0.0, 10.0, 0.0, 10.0, made), Piece(10.0, 10.0, 5.0, 5.0, made)))
        >>> spread.quantile(0.25), spread.quantile(0.6), spread.mean
        (5.0, 5.0, 5.0)
        """
        if share > 1.0 - self.everything + ROUNDING:
            return math.inf
        _, lows, highs = self._left
        ends = [float(end) for end in np.unique(np.concatenate([lows, highs]))]
        i = min(bisect_left(ends, share - ROUNDING, key=self.below), len(ends) - 1)
        if i == 0:
            return ends[0]
        low, high = ends[i - 1], ends[i]
        before, after = self.below(low), self._before(high)
        if after <= share:  # a jump: a share of moments with exactly so much
            return high
        return low + (high - low) * max(share - before, 0.0) / (after - before)

    def _before(self, seconds: float) -> float:
        """The share of moments at which less than this is lost."""
        shares, low, high = self._left
        return self.below(seconds) - float(np.sum(shares[(low == seconds) & (high == seconds)]))

    def no_more_than(self, other: Spread) -> bool:
        """Whether it is nowhere more probable than with another to lose more than any amount.

        >>> made = Source("pool", 0.0)
        >>> one, other = (Spread((Piece(0.0, 10.0, low, low + 10.0, made),)) for low in (0.0, 2.0))
        >>> one.no_more_than(other), other.no_more_than(one)
        (True, False)
        """
        if self.everything > other.everything + ROUNDING:
            return False
        left = [one for one in (*self.pieces, *other.pieces) if one.source is not None]
        ends = {end for one in left for end in (one.low, one.high)}
        return all(
            self.below(end) >= other.below(end) - NEARLY and self._before(end) >= other._before(end) - NEARLY
            for end in ends
        )

    @cached_property
    def copies(self) -> dict[str, float]:
        """The copies from which the data come back, with the share of moments of each, the most usual first."""
        found: dict[str, list[float]] = {}
        for piece in self.pieces:
            if piece.source is not None:
                found.setdefault(piece.source.copy, []).append(piece.weight)
        shares = {name: math.fsum(weights) / self.whole for name, weights in found.items()}
        return dict(sorted(shares.items(), key=lambda each: -each[1]))

    def at(self, share: float) -> Piece:
        """The piece within a share of all moments, in the order of the lengths of chains and the ages of save sets.

        Pieces at which all is lost count only if there are no others.
        """
        left = sorted(
            (one for one in self.pieces if one.source is not None),
            key=lambda one: (one.source.chain if one.source else 0, one.high, one.begin),
        )
        passed, whole = 0.0, math.fsum(one.weight for one in left)
        for one in left:
            passed += one.weight
            if passed >= share * whole * (1.0 - 1e-12):
                return one
        return self.pieces[0]


def struck_by(each: Iterable[tuple[float, Spread | None]]) -> Spread:
    """The data lost whenever one of several losses strikes them, by how often each does and what it costs."""
    return Spread(tuple(
        piece._replace(weight=often * piece.weight / spread.whole)
        for often, spread in each if spread is not None for piece in spread.pieces if often > 0.0
    ))  # fmt: skip


class Track(NamedTuple):
    """What a kind of copy offers over time: from each moment on a source, or nothing."""

    begins: tuple[float, ...]
    sources: tuple[Source | None, ...]

    def at(self, moment: float) -> Source | None:
        """What it offers at a moment."""
        i = bisect_right(self.begins, moment) - 1
        return self.sources[i] if i >= 0 else None


def spread_of(tracks: Sequence[Track], period: tuple[float, float], unnoticed: float, *, works: bool) -> Spread:
    """The data lost by a strike at any moment of a period, from the best of what several kinds of copies offer.

    Parameters
    ----------
    tracks
        What each kind of copy offers.
    period
        The first and the last moment.
    unnoticed
        Seconds until it is noticed.
    works
        Whether users go on working until then: what they do is lost, too.
    """
    begin, end = period
    more = unnoticed if works else 0.0
    ends = sorted({begin, end, *(at for track in tracks for at in track.begins if begin < at < end)})
    best: list[tuple[float, Source | None]] = []
    for low, high in pairwise(ends):
        middle = (low + high) / 2.0
        offered = [source for track in tracks if (source := track.at(middle)) is not None]
        means = [math.fsum(w * (least + most) for w, least, most in each.lost(low, high)) for each in offered]
        found = offered[means.index(min(means))] if offered else None
        if not best or best[-1][1] != found:
            best.append((low, found))
    pieces: list[Piece] = []
    for (low, source), high in zip(best, [*(at for at, _ in best[1:]), end], strict=True):
        if source is None:
            pieces.append(Piece(low, high - low, math.inf, math.inf, None, unnoticed))
            continue
        at = low
        for weight, least, most in source.lost(low, high):
            pieces.append(Piece(at, weight, least + more, most + more, source, unnoticed))
            at += weight
    return Spread(tuple(pieces))


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
