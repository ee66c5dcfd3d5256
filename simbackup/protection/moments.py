"""How much data a loss costs, over all moments at which it may strike: pieces of time, integrated exactly."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
