"""Which parts of a volume have changed since a snapshot: ranges in sequence, and places drawn at random."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from simbackup.devices.space import ExtentSet

SPENT = 1e-3
"""First touches for each update below which practically everything has been touched."""


@dataclass(slots=True)
class Scatter:
    """Random updates of some data, and the expected number of granules (chunks, regions) that they have touched.

    Of N granules that n updates hit at random, N (1 - exp(-n / N)) have been touched on average; an update of k
    granules hits k times.

    >>> scatter = Scatter(((1.0, 1000.0),), hits=1.0)
    >>> scatter.update(1000.0)
    >>> round(scatter.touched), round(scatter.fresh(), 3)
    (632, 0.368)
    """

    classes: tuple[tuple[float, float], ...]
    """Parts of the data: the share (0 to 1) of the updates that goes to each, and its granules."""
    hits: float
    """Granules that an update touches."""
    updates: float = 0.0
    """Updates so far."""

    @property
    def touched(self) -> float:
        """Expected number of granules that were touched so far."""
        return self._after(self.updates)

    def fresh(self, updates: float = 0.0) -> float:
        """Granules that an update touches first: now, or on average over the next `updates`."""
        if updates > 0.0:
            return (self._after(self.updates + updates) - self.touched) / updates
        rates = (share * self.hits * math.exp(-share * self.hits * self.updates / n) for share, n in self.classes)
        return sum(rates)

    def step(self, change: float) -> float:
        """Number of updates until first touches in the most active part have changed by a share."""
        now = self.fresh()
        if now <= SPENT * self.hits:
            return math.inf
        alive = [
            n / (share * self.hits)
            for share, n in self.classes
            if share * self.hits * math.exp(-share * self.hits * self.updates / n) > change * now
        ]
        return change * min(alive, default=math.inf)

    def update(self, updates: float) -> None:
        """Count further updates."""
        self.updates += updates

    def _after(self, updates: float) -> float:
        return sum(n * -math.expm1(-share * self.hits * updates / n) for share, n in self.classes)


@dataclass(frozen=True, slots=True)
class Spread:
    """Where updates go."""

    size: float
    """Bytes of an update."""
    working_set: float
    """Bytes of the data that are updated."""
    hot_data: float = 1.0
    """Share (0 to 1) of the working set that is hot."""
    hot_updates: float = 1.0
    """Share (0 to 1) of the updates that go there."""
    begin: float = 0.0
    """Byte of the volume at which the data begin."""
    extent: float = math.inf
    """Bytes of the data."""

    def over(self, granule: float) -> Scatter:
        """These updates, counted in granules."""
        hits = max(self.size / granule, 1.0)
        whole = max(self.working_set / granule, 1.0)
        if self.hot_data >= 1.0:
            return Scatter(((1.0, whole),), hits)
        hot, cold = self.hot_data * whole, (1.0 - self.hot_data) * whole
        return Scatter(((self.hot_updates, hot), (1.0 - self.hot_updates, cold)), hits)


@dataclass(slots=True)
class Changes:
    """The granules of a volume that have changed: runs written in sequence, and random updates of users.

    Runs and random updates, and those of several users, are counted as if they did not overlap, up to the whole volume.
    """

    granule: float
    """Bytes of a granule."""
    size: float = math.inf
    """Bytes of the volume."""
    runs: ExtentSet = field(default_factory=ExtentSet)
    """Ranges that were written in sequence."""
    scattered: dict[str, Scatter] = field(default_factory=dict[str, Scatter])
    """Random updates of each user workload, by name."""
    spreads: dict[str, Spread] = field(default_factory=dict[str, Spread])
    """Where these go."""

    @property
    def total(self) -> float:
        """Bytes in changed granules, at most the whole volume."""
        scattered = self.granule * sum(scatter.touched for scatter in self.scattered.values())
        return min(self.runs.total + scattered, max(self.size, self.runs.total))

    @property
    def piece(self) -> float:
        """Mean bytes of a run of neighbouring granules that users have hit; one granule if they hit none.

        What one update touches lies together. Where a share f of all granules has changed, so has the next one behind
        such a piece with probability f, so that runs are 1 / (1 - f) times as long.

        >>> changes = Changes(4096.0, 4096e6)
        >>> changes.scatter("users", Spread(8192.0, 4096e6)).update(1e6)
        >>> round(changes.piece / 4096.0 / math.exp(2.0), 9)  # two granules each; exp(-2) of them are left
        2.0
        """
        touched = self.granule * sum(scatter.touched for scatter in self.scattered.values())
        pieces = sum(scatter.touched / scatter.hits for scatter in self.scattered.values())
        if not pieces:
            return self.granule
        others = 1.0 - touched / self.size
        return min(touched / pieces / others, touched) if others > 0.0 else touched

    def scatter(self, users: str, spread: Spread) -> Scatter:
        """The random updates of some users."""
        if users not in self.scattered:
            self.scattered[users] = spread.over(self.granule)
            self.spreads[users] = spread
        return self.scattered[users]

    def take(self, later: Changes) -> None:
        """Add everything that changed later."""
        for begin, end in later.runs.ranges:
            self.runs.add(begin, end)
        for users, scatter in later.scattered.items():
            if users in self.scattered:
                self.scattered[users].update(scatter.updates)
            else:
                self.scattered[users] = scatter
                self.spreads[users] = later.spreads[users]

    def pieces(self, begin: float, size: float) -> list[tuple[float, float]]:
        """The changes in a range of the volume, as bytes and the size of their pieces; together at most the range.

        A run is one piece; so is what an update touches. Updates are spread evenly over the data of their users.
        """
        end, found = begin + size, list[tuple[float, float]]()
        for first, last in self.runs.ranges:
            if (inside := min(last, end) - max(first, begin)) > 0.0:
                found.append((inside, inside))
        for users, scatter in self.scattered.items():
            spread = self.spreads[users]
            extent = min(spread.extent, max(self.size - spread.begin, 0.0))
            inside = min(end, spread.begin + extent) - max(begin, spread.begin)
            if inside > 0.0 and scatter.touched > 0.0:
                touched = scatter.touched * self.granule * inside / extent
                found.append((touched, min(scatter.hits * self.granule, touched)))
        scale = size / max(sum(part for part, _ in found), size)
        return [(part * scale, min(piece, part * scale)) for part, piece in found]

    def add(self, begin: float, size: float) -> None:
        """Add a run of bytes that was written; whole granules count."""
        first = begin // self.granule * self.granule
        self.runs.add(first, -(-(begin + size) // self.granule) * self.granule)
