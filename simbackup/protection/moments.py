"""How much data a loss costs, over all moments at which it may strike: pieces of time, integrated exactly."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple


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
        """Seconds of data that are lost with a strike from one moment to another: evenly spread pieces.

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


class Spread(NamedTuple):
    """The seconds of data that a loss costs over all moments at which it may strike."""

    pieces: tuple[Piece, ...]

    @property
    def whole(self) -> float:
        """Seconds of all moments."""
        return math.fsum(piece.weight for piece in self.pieces)

    @property
    def everything(self) -> float:
        """The share of moments at which all is lost."""
        return math.fsum(piece.weight for piece in self.pieces if piece.source is None) / self.whole

    @property
    def mean(self) -> float:
        """The mean over the moments at which not all is lost; without end if there are none."""
        left = [piece for piece in self.pieces if piece.source is not None]
        if not left:
            return math.inf
        return math.fsum(one.weight * (one.low + one.high) / 2.0 for one in left) / math.fsum(p.weight for p in left)

    @property
    def most(self) -> float:
        """The most that is lost."""
        return max(piece.high for piece in self.pieces)

    def below(self, seconds: float) -> float:
        """The share of moments at which no more than this is lost."""

        def share(piece: Piece) -> float:
            if piece.high <= seconds:
                return 1.0
            return (seconds - piece.low) / (piece.high - piece.low) if piece.low < seconds else 0.0

        return math.fsum(piece.weight * share(piece) for piece in self.pieces if piece.source) / self.whole

    def quantile(self, share: float) -> float:
        """Seconds that are not exceeded at a share of all moments; without end if all is lost at more of the others.

        >>> made = Source("pool", 0.0)
        >>> spread = Spread((Piece(0.0, 10.0, 0.0, 10.0, made), Piece(10.0, 10.0, 5.0, 5.0, made)))
        >>> spread.quantile(0.25), spread.quantile(0.6), spread.mean
        (5.0, 5.0, 5.0)
        """
        if share > 1.0 - self.everything + 1e-12:
            return math.inf
        ends = sorted({end for piece in self.pieces if piece.source for end in (piece.low, piece.high)})
        i = next((i for i, end in enumerate(ends) if self.below(end) >= share - 1e-12), len(ends) - 1)
        if i == 0:
            return ends[0]
        low, high = ends[i - 1], ends[i]
        before, after = self.below(low), self._before(high)
        if after <= share:  # a jump: a share of moments with exactly so much
            return high
        return low + (high - low) * max(share - before, 0.0) / (after - before)

    def _before(self, seconds: float) -> float:
        """The share of moments at which less than this is lost."""
        jump = (one.weight for one in self.pieces if one.source and one.low == one.high == seconds)
        return self.below(seconds) - math.fsum(jump) / self.whole

    def copies(self) -> dict[str, float]:
        """The copies from which the data come back, with the share of moments of each, the most usual first."""
        found: dict[str, float] = {}
        for piece in self.pieces:
            if piece.source is not None:
                name = piece.source.copy
                found[name] = found.get(name, 0.0) + piece.weight / self.whole
        return dict(sorted(found.items(), key=lambda each: -each[1]))

    def at(self, share: float) -> float | None:
        """A moment at which a share of all other moments needs no longer chain, and none from an older save set.

        None where all is lost at every moment.
        """
        left = sorted(
            (one for one in self.pieces if one.source is not None),
            key=lambda one: (one.source.chain if one.source else 0, one.high, one.begin),
        )
        passed, whole = 0.0, math.fsum(one.weight for one in left)
        for one in left:
            passed += one.weight
            if passed >= share * whole * (1.0 - 1e-12):
                return one.begin + one.weight / 2.0
        return None


class Track(NamedTuple):
    """What a kind of copy offers over time: from each moment on a source, or nothing."""

    begins: tuple[float, ...]
    sources: tuple[Source | None, ...]

    def at(self, moment: float) -> Source | None:
        """What it offers at a moment."""
        i = bisect_right(self.begins, moment) - 1
        return self.sources[i] if i >= 0 else None


def spread_of(tracks: Sequence[Track], begin: float, end: float, unnoticed: float) -> Spread:
    """The data lost by a strike at any moment of a period, from the best of what several kinds of copies offer.

    What is written while nobody notices is lost as well, and is added.
    """
    ends = sorted({begin, end, *(at for track in tracks for at in track.begins if begin < at < end)})
    pieces: list[Piece] = []
    for low, high in pairwise(ends):
        middle = (low + high) / 2.0
        offered = [source for track in tracks if (source := track.at(middle)) is not None]
        if not offered:
            pieces.append(Piece(low, high - low, math.inf, math.inf, None))
            continue
        best = min(offered, key=lambda source: _typical(source.lost(low, high)))
        at = low
        for weight, least, most in best.lost(low, high):
            pieces.append(Piece(at, weight, least + unnoticed, most + unnoticed, best))
            at += weight
    return Spread(tuple(pieces))


def _typical(pieces: Iterable[tuple[float, float, float]]) -> float:
    """The mean of pieces, without their durations' sum, by which sources for the same time compare."""
    return math.fsum(weight * (low + high) for weight, low, high in pieces)
