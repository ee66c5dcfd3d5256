"""Block devices as all others see them: the time that requests and streams take, and regions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

from simbackup.devices.network.live import Network, opposite
from simbackup.devices.shape import FlowShape
from simbackup.devices.visitors import Visitor, lost_to_visitors, visits
from simbackup.engine.limit import Spot
from simbackup.engine.link import Link
from simbackup.equations.disk_turns import returns
from simbackup.trace.activity import Activity

Direction = Literal["read", "write"]


class Service(NamedTuple):
    """What one request takes: seconds until it is done, and seconds of the device's time."""

    latency: float
    busy: float


class Store(Protocol):
    """A block device."""

    @property
    def name(self) -> str:
        """Its address, such as `devices.sdb`."""
        ...

    @property
    def size(self) -> float:
        """Bytes that it holds."""
        ...

    @property
    def link(self) -> Link:
        """Its time as a resource: one second each second."""
        ...

    path: tuple[Network, ...]
    """The buses from the host that owns it to the device, in the direction in which data are written."""

    @property
    def ahead(self) -> float:
        """Bytes that a host which reads ahead of programs reads ahead of them here, if its own window is smaller."""
        ...

    @property
    def passed(self) -> float:
        """Bytes behind a read that pass its heads, or are read ahead, before it moves on to a place behind them."""
        ...

    @property
    def fetches(self) -> bool:
        """Whether it reads ahead of a reader while that works on what came before, who waits for no way of its arms."""
        ...

    @property
    def stripe(self) -> float:
        """Bytes that parity joins, so that writes to a part of them read others; none where no write reads."""
        ...

    @property
    def jumps(self) -> float:
        """Share of the requests of a reader in sequence that go to places of their own: turns cost no more."""
        ...

    @property
    def gathers(self) -> float:
        """Bytes of writes that a cache gathers before they go to its disks; none where each goes there by itself."""
        ...

    def sides(self, position: float, size: float) -> float:
        """Streams that it reads at once, each as fast as one by itself: one, or as many as it has copies of all data.

        A controller may allow less than all copies give.
        """
        ...

    def run(self, direction: Direction, window: float) -> float:
        """Bytes of a stream that one of its disks moves before it goes elsewhere; without end where no arm moves.

        So many bytes are asked for, or written out, at once.
        """
        ...

    @property
    def width(self) -> int:
        """Disks that move a stream at the same time, each its part."""
        ...

    @property
    def arms(self) -> int:
        """Disks over which small reads spread, each of which goes to one of them."""
        ...

    @property
    def visitors(self) -> dict[str, Visitor]:
        """Users by name, from whose places the arms have to come back to streams."""
        ...

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds for each byte of a sequential stream over `size` bytes at a position, which then has the device.

        Of several `sides`, a reader has one.
        """
        ...

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What a request for `size` bytes at a position takes when the last one ended at `head`."""
        ...

    def scattered(self, direction: Direction, begin: float, extent: float, size: float) -> Service:
        """What a request takes at a random place of an extent when the last one was at another random place of it."""
        ...

    def continued(self, position: float, size: float) -> Service:
        """What one read takes that goes on where the last one ended; the disks have read ahead themselves."""
        ...

    def append(self, position: float, size: float) -> Service:
        """What one write takes that begins where the last one ended and was made after that one was on disk."""
        ...

    def alone(self, position: float, size: float) -> float:
        """Greatest rate at which one reader gets `size` bytes in sequence, however much others leave."""
        ...

    def rewriting(self, share: float, run: float) -> Mapping[Link, float]:
        """What a byte asks of links beside itself where a share of a place is written, in runs of so many bytes."""
        ...

    def turn(self, here: float, there: float, size: float, *, back: bool = False, writing: int = 0) -> Service:
        """What requests of `size` lose each, on average, by following one of another stream on the device.

        That is the way from there; and the way `back`, if the request there does not count it. So many streams are
        `writing` there, this one among them; none where it reads.
        """
        ...

    def spread(self, size: float, *, writes: bool) -> int:
        """Disks over which a request is spread, each with a queue of its own; it is done when the last of them is."""
        ...


class FlatStore(ABC):
    """Base of a block device that serves all addresses alike: it has no arm to move.

    A kind of its own has `name`, `size`, `link` and `path` as every `Store`, and says what a request takes and what a
    byte of a stream takes.
    """

    @abstractmethod
    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream."""

    @abstractmethod
    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What one request takes."""

    def scattered(self, direction: Direction, begin: float, extent: float, size: float) -> Service:
        """What a request takes at a random place of an extent: what any takes."""
        del extent
        return self.request(direction, begin, begin, size)

    @property
    def ahead(self) -> float:
        """Nothing of its own."""
        return 0.0

    @property
    def passed(self) -> float:
        """None: it has no heads, and reads what it is asked for."""
        return 0.0

    @property
    def fetches(self) -> bool:
        """No: it reads what it is asked for."""
        return False

    @property
    def gathers(self) -> float:
        """None: each write goes to its place."""
        return 0.0

    @property
    def stripe(self) -> float:
        """None: no parity."""
        return 0.0

    @property
    def jumps(self) -> float:
        """None: what is read in sequence lies in sequence."""
        return 0.0

    def sides(self, position: float, size: float) -> float:
        """One: a stream reads from all copies at once."""
        del position, size
        return 1.0

    def run(self, direction: Direction, window: float) -> float:
        """Without end: no arm moves."""
        del direction, window
        return math.inf

    @property
    def width(self) -> int:
        """One: no arm moves."""
        return 1

    @property
    def arms(self) -> int:
        """One, which never moves."""
        return 1

    @cached_property
    def visitors(self) -> dict[str, Visitor]:
        """Its users by name; whoever comes, no arm comes back."""
        return {}

    def continued(self, position: float, size: float) -> Service:
        """What the next read of a sequence takes."""
        return self.request("read", position, position, size)

    def append(self, position: float, size: float) -> Service:
        """What a write takes; no place is missed."""
        return self.request("write", position, position, size)

    def alone(self, position: float, size: float) -> float:
        """No bound of its own: the next bytes are on their way before they are asked for."""
        del position, size
        return math.inf

    def rewriting(self, share: float, run: float) -> Mapping[Link, float]:
        """Nothing: what is written goes to its place by itself."""
        del share, run
        return {}

    def turn(self, here: float, there: float, size: float, *, back: bool = False, writing: int = 0) -> Service:
        """Nothing is lost between two streams."""
        del here, there, size, back, writing
        return Service(0.0, 0.0)

    def spread(self, size: float, *, writes: bool) -> int:
        """One: no arm moves."""
        del size, writes
        return 1


def bus(store: Store, direction: Direction) -> tuple[Network, ...]:
    """The buses that a device reads or writes over."""
    return store.path if direction == "write" else opposite(store.path)


@dataclass(frozen=True, slots=True)
class Region:
    """A contiguous part of a device: a whole disk, a logical volume, a copy area, a data set."""

    store: Store
    begin: float
    size: float

    def part(self, begin: float, size: float) -> Region:
        """A part of the region, counted from its beginning."""
        return Region(self.store, self.begin + begin, size)

    def streaming(self, direction: Direction, window: float = 0.0) -> FlowShape:
        """How a byte of sequential reading or writing of the region loads its device and the buses before it.

        So many bytes are asked for, or written out, at once.
        """
        demand = self.store.stream(direction, self.begin, self.size)
        visited = visits(self, direction, demand, window)
        place = Spot(self.begin + self.size / 2.0, window, writes=direction == "write", visited=visited)
        demand += returns(visited) / self.store.width if visited is not None else 0.0
        sides = self.store.sides(self.begin, self.size) if direction == "read" else 1.0
        shape = FlowShape({self.store.link: demand / sides}, {self.store.link: 1.0}, {self.store.link: place})
        shape = shape.through(bus(self.store, direction))
        if direction == "write":
            return shape
        shape = shape._replace(sequential=1.0 - self.store.jumps)
        if sides > 1.0:
            shape = shape.at_most(1.0 / demand, self.store.name, Activity.READ)
        alone = self.store.alone(self.begin, self.size)
        if math.isinf(alone):
            return shape
        # one request after the other, each at a few of the disks: it meets those of other readers in their queues
        return shape.cycle({(self.store.name, Activity.READ): 1.0 / alone})._replace(workers=1)


def returning(region: Region, size: float) -> Service:
    """What a read of so many bytes in sequence takes longer on average, as its disks were at users' places before."""
    store = region.store
    busy = size * lost_to_visitors(region, store.stream("read", region.begin, region.size), size)
    if busy <= 0.0 or store.fetches:
        return Service(0.0, max(busy, 0.0))
    turn = store.turn(region.begin, region.begin, size)
    return Service(busy * turn.latency / turn.busy if turn.busy > 0.0 else 0.0, busy)
