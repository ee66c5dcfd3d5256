"""How updates fragment data on a redirect-on-write volume, and what reading the fragments costs."""

from __future__ import annotations

from dataclasses import dataclass, field

from simbackup.devices.changes import Scatter, Spread
from simbackup.devices.over import Over
from simbackup.devices.store import Direction, Service, Store
from simbackup.equations import fragmentation as equations
from simbackup.late import Late

STEPS = 60
"""Number of halvings that find a number of updates."""


@dataclass(frozen=True, slots=True)
class Redirect(Late):
    """Parameters of a redirect-on-write volume.

    Fields are those of `RedirectVolumeSheet`, in SI units.
    """

    block: float
    run: float
    request: float
    write_latency: float
    read_ahead: float | None = None
    free_run: float | None = None


@dataclass(slots=True)
class Aged:
    """Data that were written in sequence, and the updates that have moved parts of them since."""

    begin: float
    """Byte of the device at which they begin."""
    size: float
    """Bytes."""
    unit: float
    """Bytes that an update moves."""
    scatter: Scatter
    """The updates."""
    seen: float = 0.0

    @property
    def updated(self) -> float:
        """Expected share (0 to 1) of the data that updates have moved."""
        return min(self.scatter.touched * self.unit / self.size, 1.0)

    def rewrite(self, share: float) -> None:
        """Put a share of the data in sequence again, and set the number of updates to what is still moved."""
        left, low, high = (1.0 - share) * self.scatter.touched, 0.0, self.scatter.updates
        for _ in range(STEPS):
            middle = (low + high) / 2.0
            self.scatter.updates = middle
            low, high = (middle, high) if self.scatter.touched < left else (low, middle)
        self.scatter.updates = low


@dataclass(slots=True)
class Fragments:
    """All fragmented data of a volume; positions are those on the device."""

    block: float
    """Bytes of a block."""
    aged: dict[str, Aged] = field(default_factory=dict[str, Aged])
    """The data of each user workload, by name."""

    def of(self, users: str, begin: float, size: float, spread: Spread) -> Aged:
        """The data that some users' updates move, added when first needed."""
        if users not in self.aged:
            unit = max(spread.size, self.block)
            self.aged[users] = Aged(begin, size, unit, spread.over(unit))
        return self.aged[users]

    def breaks(self, begin: float, size: float) -> float:
        """Mean breaks in sequence per byte of a range.

        The updates of several users, and those before the beginning, break the same order independently of each other.
        """
        whole = 1.0
        for aged in self.aged.values():
            share = max(min(begin + size, aged.begin + aged.size) - max(begin, aged.begin), 0.0) / size
            whole *= 1.0 - share * equations.broken_share(aged.updated) * self.block / aged.unit
        return (1.0 - whole) / self.block

    def rewrite(self, begin: float, size: float) -> None:
        """Note that a range was written in sequence."""
        for aged in self.aged.values():
            share = max(min(begin + size, aged.begin + aged.size) - max(begin, aged.begin), 0.0) / aged.size
            if share > 0.0:
                aged.rewrite(share)


class RedirectStore(Over):
    """A volume as its readers and writers see it: reads go to the blocks, writes go to free places in runs.

    It takes no time itself: all requests go to the device below, one for each fragment.
    """

    def __init__(self, below: Store, parameters: Redirect, begin: float, size: float) -> None:
        super().__init__(below)
        self.parameters = parameters
        self.begin = begin
        self.room = size
        self.fragments = Fragments(parameters.block)

    def _hop(self) -> Service:
        """The time of a seek to a block elsewhere on the volume, without its transfer in one piece with others.

        Both places are drawn at random.
        """
        block, there = self.parameters.block, self.begin + max(self.room - self.parameters.block, 0.0) / 2.0
        one = self.below.scattered("read", self.begin, self.room, block)
        each = self.below.stream("read", there, block) * block
        return Service(max(one.latency - each, 0.0), max(one.busy - each / self.below.sides(there, block), 0.0))

    def _disks(self) -> int:
        """Requests that the device below serves at once: latency of one divided by its time on the device."""
        one = self.below.request("read", self.begin, self.begin, self.parameters.block)
        return max(round(one.latency / one.busy), 1)

    def _breaks(self, position: float, size: float) -> float:
        """Expected number of fragments that begin inside a range."""
        return self.fragments.breaks(position, size) * max(size - self.parameters.block, 0.0)

    def _ahead(self, size: float) -> float:
        """Bytes that are requested from the disks at once when a client requests `size` bytes in sequence."""
        return min(max(size, self.parameters.read_ahead or 0.0), self.room)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of the device's time for each byte of a sequential stream: its transfer, and a hop at each break.

        A stream of writes fills one piece of free space after the other; the allocator takes one that is near.
        """
        each = self.below.stream(direction, position, size)
        if direction == "write":
            return each + self._skip(position)
        return each + self.fragments.breaks(position, size) * self._hop().busy

    def sides(self, position: float, size: float) -> float:
        """Streams that the device below reads at once; between fragments, each goes to any of its disks."""
        sides = self.below.sides(position, size)
        hop = self.fragments.breaks(position, size) * self._hop().busy
        return (
            sides
            if not hop
            else self.stream("read", position, size) / (self.below.stream("read", position, size) / sides + hop)
        )

    def _skip(self, position: float) -> float:
        """Seconds of the device's time, for each byte of a long write, to go on to the next piece of free space.

        Between two pieces lies as much that is in use, so that the arms of the disks that hold one pass over a piece.
        """
        piece = self.parameters.free_run
        if piece is None or piece >= self.room / 2.0:
            return 0.0
        here = min(position, self.begin + self.room - 2.0 * piece)
        one = self.below.request("read", here, here + piece, piece)
        return max(one.busy / piece - self.below.stream("read", here + piece, piece), 0.0)

    def alone(self, position: float, size: float) -> float:
        """Greatest rate of one reader: one window after the other, all fragments of each requested at once."""
        if not self.fragments.breaks(position, size):
            return self.below.alone(position, size)
        window = min(self._ahead(self.parameters.request), size)
        breaks = self.fragments.breaks(position, size) * window
        rate = 1.0 / self.below.stream("read", position, window)
        return window / equations.fetch_time(window, breaks, self._disks(), self._hop().latency, rate)

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """The time of a request: a read goes to each fragment, a write is safe before it goes to disk in a run."""
        if direction == "write":
            whole = max(size, self.parameters.block)
            each = self.below.stream("write", self.begin, whole) + self._hop().busy / self.parameters.run
            return Service(self.parameters.write_latency, whole * each)
        one, breaks = self.below.request(direction, head, position, size), self._breaks(position, size)
        return self._fetched(one, breaks)

    def scattered(
        self, direction: Direction, begin: float, extent: float, size: float, waiting: float = 1.0
    ) -> Service:
        """The time of a request at a random place of an extent."""
        if direction == "write":
            return self.request(direction, begin, begin, size)
        return self._fetched(self.below.scattered(direction, begin, extent, size, waiting), self._breaks(begin, size))

    def continued(self, position: float, size: float) -> Service:
        """The time of a read that continues the one before: its part of everything that is requested at once."""
        ahead = max(min(self._ahead(size), self.size - position), size)
        share = size / ahead
        one = self._fetched(self.below.continued(position, ahead), self.fragments.breaks(position, ahead) * ahead)
        return Service(one.latency * share, one.busy * share)

    def _fetched(self, one: Service, breaks: float) -> Service:
        """The time of a contiguous read with so many breaks in it."""
        if not breaks:
            return one
        hop = self._hop()
        queue = equations.longest_queue(breaks, self._disks())
        return Service(one.latency + queue * hop.latency, one.busy + breaks * hop.busy)

    def append(self, position: float, size: float) -> Service:
        """The time of a write, which never misses its place, as any free place will do."""
        return self.request("write", position, position, size)
