"""Block devices (`Store`), devices over them (`Over`), their parts (`Region`), and requests of users amid streams."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from simbackup.devices.network.live import Network, opposite
from simbackup.devices.shape import FlowShape
from simbackup.engine.limit import Spot
from simbackup.engine.link import Link
from simbackup.equations.disk_turns import Visited, returns
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow


class Waiters(NamedTuple):
    """What those users who wait for each request have requested from a device now; zero for others."""

    held: float = 0.0
    """Share (0 to 1) of the device that they use while they wait."""
    number: float = 0.0
    """Their requests there, on average."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Users who make requests to random places of a part of a device."""

    begin: float
    """Byte of the device at which this part begins."""
    size: float
    """Bytes of this part."""
    request: float
    """Mean bytes of a request."""
    waits: bool
    """Whether each user waits for the answer before the next request."""
    asked: Callable[[], float]
    """Seconds of the device for one transaction of each user, or for all transactions of a second."""
    used: Callable[[], float]
    """Share (0 to 1) of the device that they use now."""
    flow: Callable[[], Flow]
    """Their flow now."""
    asking: Callable[[], Waiters]
    """What waiting users have requested now."""


def visits(region: Region, direction: Direction, stream: float, window: float = 0.0) -> Visited | None:
    """A stream that takes `stream` seconds for each byte, and the users whose requests draw one of its disks away.

    None without users, or without an arm. Of the stream, `window` bytes are requested, or written out, at once. A
    request of users costs them what it does after another of theirs. The stream pays for the longer seek to the first
    of them, for the seek back, and for half a revolution until it continues. Users in the same place are a third of
    that place away on average.
    """
    store = region.store
    if not store.visitors or math.isinf(run := store.run(direction, window)):
        return None
    used = others = back = 0.0
    middle = region.begin + region.size / 2.0
    for visitor in store.visitors.values():
        held = visitor.used()
        small = min(visitor.request, visitor.size, region.size)
        each = store.scattered("read", visitor.begin, visitor.size, small).busy
        requests = held / each
        away = max(abs(visitor.begin + visitor.size / 2.0 - middle), (visitor.size + region.size) / 6.0)
        head = middle + away if middle + away <= store.size else max(middle - away, 0.0)
        there = min(middle, store.size - small)
        way = store.request("read", head, there, small).busy - store.continued(there, small).busy
        way += store.request("read", there, min(head, store.size - small), small).busy - each
        used, others, back = used + held, others + requests, back + requests * max(way, 0.0)
    if others <= 0.0:
        return None
    return Visited(stream * store.width, back / others * store.arms, run, others / store.arms, used)


def lost_to_visitors(region: Region, stream: float, window: float = 0.0) -> float:
    """Seconds of a device for each byte that a reader loses by returning from users.

    The reader takes `stream` seconds for each byte, and requests `window` bytes at once. Of several streams, each loses
    no more than this and its switchovers (`DiskTurns`).
    """
    visited = visits(region, "read", stream, window)
    return returns(visited) / region.store.width if visited is not None else 0.0


Direction = Literal["read", "write"]


class Service(NamedTuple):
    """The time of one request."""

    latency: float
    """Seconds until it is done."""
    busy: float
    """Seconds of the device's time."""


class Store(ABC):
    """A block device.

    A device states its `name`, `size` and `link`, and the time of a request and of a byte of a stream. What else it is
    asked is answered here for one that serves all addresses alike, because it has no arm.
    """

    name: str
    """Its address, such as `devices.sdb`."""
    size: float
    """Bytes that it holds."""
    link: Link
    """Its time as a resource, of which there is one second each second."""
    _buses: tuple[Network, ...] = ()
    _behind: tuple[Network, ...] = ()
    """Networks of its own behind the buses."""

    @property
    def path(self) -> tuple[Network, ...]:
        """The buses from the host that owns it to the device, in the direction in which data are written."""
        return (*self._buses, *self._behind)

    @path.setter
    def path(self, buses: tuple[Network, ...]) -> None:
        self._buses = buses

    @property
    def ahead(self) -> float:
        """Least number of bytes that a host which reads ahead reads ahead on this device, beyond its window."""
        return 0.0

    @property
    def passed(self) -> float:
        """Longest gap, in bytes, behind a read that the device passes over, or reads ahead, instead of seeking."""
        return 0.0

    @property
    def fetches(self) -> bool:
        """Whether it reads ahead while a reader works on earlier bytes, so that readers do not wait for its arms."""
        return False

    @property
    def stripe(self) -> float:
        """Bytes of a stripe with parity: a write to a part of it reads the rest; 0 if no write reads."""
        return 0.0

    @property
    def jumps(self) -> float:
        """Share (0 to 1) of the requests of a sequential reader that seek anyway, so that switchovers cost no more."""
        return 0.0

    @property
    def gathers(self) -> float:
        """Bytes of writes that a cache gathers before they go to the disks; 0 if each write goes to them at once."""
        return 0.0

    def sides(self, position: float, size: float) -> float:
        """Streams that it reads at once, each as fast as one by itself: one, or as many as it has copies of all data.

        A controller may allow less than all copies give.
        """
        return 1.0

    def run(self, direction: Direction, window: float) -> float:
        """Bytes of a stream that one of its disks moves before its arm goes elsewhere; infinite without an arm.

        `window` is the number of bytes that are requested, or written out, at once.
        """
        return math.inf

    @property
    def width(self) -> int:
        """Number of disks that move a stream at the same time, each a part of it."""
        return 1

    @property
    def arms(self) -> int:
        """Number of disks over which small reads spread, each of which uses one disk."""
        return 1

    @cached_property
    def visitors(self) -> dict[str, Visitor]:
        """Workloads with random requests on it, by name; its arms have to return from them to streams."""
        return {}

    @abstractmethod
    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds for each byte of a sequential stream over `size` bytes at a position, which then has the device.

        Of several `sides`, a reader has one.
        """

    @abstractmethod
    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """The time of a request for `size` bytes at a position when the last one ended at `head`."""

    def scattered(
        self, direction: Direction, begin: float, extent: float, size: float, waiting: float = 1.0
    ) -> Service:
        """The time of a request at a random place of an extent when the last one was at another random place of it.

        If several `waiting` requests of the same work are there, an arm serves the nearest ahead of it: a request
        occupies the device for less time, and one alone takes as long as ever.
        """
        return self.request(direction, begin, begin, size)

    def continued(self, position: float, size: float) -> Service:
        """The time of a read that continues the one before; the disks have read ahead."""
        return self.request("read", position, position, size)

    def append(self, position: float, size: float) -> Service:
        """The time of a write that continues the one before, and was made when that was on disk."""
        return self.request("write", position, position, size)

    def alone(self, position: float, size: float) -> float:
        """Greatest rate, bytes a second, of a single sequential reader of `size` bytes; infinite without a limit."""
        return math.inf

    def switchover(self, here: float, there: float, size: float, *, back: bool = False, writing: int = 0) -> Service:
        """Mean loss of a request of `size` bytes that follows one of another stream on the device.

        That is the seek from there; and the seek `back`, if the request there does not count it. `writing` is the
        number of streams that write there, including this one; 0 if it reads.
        """
        return Service(0.0, 0.0)

    def spread(self, size: float, *, writes: bool) -> int:
        """Number of disks over which a request is spread, each with a queue; it is done when the last of them is."""
        return 1


def bus(store: Store, direction: Direction) -> tuple[Network, ...]:
    """The buses that a device reads or writes over."""
    return store.path if direction == "write" else opposite(store.path)


@dataclass(frozen=True, slots=True)
class Region:
    """A contiguous part of a device: a whole disk, a logical volume, a copy area, a data set."""

    store: Store
    """The device."""
    begin: float
    """Byte of the device at which it begins."""
    size: float
    """Bytes."""

    def part(self, begin: float, size: float) -> Region:
        """A part of the region, counted from its beginning."""
        return Region(self.store, self.begin + begin, size)

    def streaming(self, direction: Direction, window: float = 0.0) -> FlowShape:
        """What each byte of sequential reading or writing of the region loads on its device and the buses to it.

        `window` is the number of bytes that are requested, or written out, at once.
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
    """Mean further time of a sequential read of so many bytes because users had moved the arms away."""
    store = region.store
    busy = size * lost_to_visitors(region, store.stream("read", region.begin, region.size), size)
    if busy <= 0.0 or store.fetches:
        return Service(0.0, max(busy, 0.0))
    turn = store.switchover(region.begin, region.begin, size)
    return Service(busy * turn.latency / turn.busy if turn.busy > 0.0 else 0.0, busy)


if TYPE_CHECKING:
    Base = Store
else:
    Base = object  # so that what is not said here is asked of the device below


class Over(Base):
    """A device with another path (other buses) or layout (deduplicated, redirected); all else is that of the one below.

    A volume of one host on an array of another host, or on one that no host owns, is reached over the links between the
    two.
    """

    def __init__(self, below: Store, path: tuple[Network, ...] | None = None) -> None:
        self.below = below
        self.path = below.path if path is None else path

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return getattr(object.__getattribute__(self, "below"), name)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of the device's time for each byte of a sequential stream."""
        return self.below.stream(direction, position, size)

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What a request takes."""
        return self.below.request(direction, head, position, size)
