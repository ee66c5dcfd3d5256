"""A host: processor cores, reading with read-ahead, and a page cache for each device that it writes to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.devices.host.page_cache import DirtyLimits, PageCache
from simbackup.devices.network.live import travelling
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region, Store, bus, returning
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.late import Late, late
from simbackup.parameters import parameters_of
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.devices.host.spec import HostSpec
    from simbackup.system import System


@dataclass(frozen=True, slots=True)
class Machine(Late):
    """The hardware of a host, and how its operating system caches files.

    Costs of programs are stated for the reference core. Fields are those of `HostSheet`, in SI units.
    """

    cores: float
    copy_rate: float
    dirty_limit: float
    """Bytes of unwritten data for one device above which writers wait."""
    dirty_background: float
    """Bytes of unwritten data for one device above which write-back begins."""
    read_ahead: float | None = None
    looks_ahead: bool = False
    dirty_expire: float = math.inf
    write_behind: float = 0.0
    memory: float = 0.0
    speed: float = 1.0


class Host:
    """A computer that runs jobs; a virtual machine computes on the cores of the host below it."""

    def __init__(self, network: FlowNetwork, name: str, machine: Machine, below: Host | None = None) -> None:
        self.network = network
        self.name = name
        self.machine = machine
        self.below = below
        self.cpu = Link(f"{name}.cores", machine.cores, pooled=True)
        self.copy_rate = machine.copy_rate
        self.speed: float = machine.speed if below is None else below.speed
        self.caches: dict[str, PageCache] = {}
        self.suspended: float | None = None
        self.image: tuple[str, float] | None = None
        self.places: dict[str, float] = {}

    def seconds(self, reference: float) -> float:
        """Seconds that one core of this host takes for work that takes the reference core so many seconds."""
        return reference / self.speed

    def working(self, shape: FlowShape, seconds: float) -> FlowShape:
        """The shape when each unit also takes some seconds of one core, in parallel with all else."""
        shape = shape.plus({self.cpu: seconds})
        return shape if self.below is None else self.below.working(shape, seconds)

    def on_threads(self, shape: FlowShape, seconds: float, threads: float = 1.0, activity: str = "") -> FlowShape:
        """The shape when some threads also spend seconds of a core on each unit, in parallel with all else.

        Without seconds it is unchanged. A worker that works alone has one thread.
        """
        if seconds <= 0.0:
            return shape
        return self.working(shape, seconds).at_most(threads / seconds, self.cpu.name, activity, alone=1.0 / seconds)

    def then(self, shape: FlowShape, seconds: float, activity: str = "") -> FlowShape:
        """The shape when each unit also takes some seconds of one core, in series with what it takes already."""
        shape = shape.after(seconds, self.cpu, activity)
        return shape if self.below is None else self.below.working(shape, seconds)

    def cache(self, store: Store) -> PageCache:
        """The page cache in front of a device; each device is written back at its own pace."""
        if store.name not in self.caches:
            name = f"{self.name}.page_cache.{store.name}"
            machine = self.machine
            limits = late(
                DirtyLimits, limit=machine.dirty_limit, background=machine.dirty_background,
                expire=machine.dirty_expire, run=lambda: machine.write_behind,
            )  # fmt: skip
            self.caches[store.name] = PageCache(self.network, name, limits)
        return self.caches[store.name]

    def reading(
        self,
        region: Region,
        each: float | None = None,
        cached: float = 0.0,
        request: float | None = None,
        *,
        ahead: bool = False,
    ) -> FlowShape:
        """How a byte of a file that a program reads in sequence loads device and core.

        `each` are core seconds a byte, those of one copy unless given; `cached` is the share in memory. A host that
        reads ahead fetches a window, or the bytes of a larger `request` of the program; another host those of one
        request at a time, if the program says how many. A program that reads `ahead` asks for the next window when it
        begins to work on one, also where its host does not.
        """
        store, copy, machine = region.store, 1.0 / self.copy_rate if each is None else each, self.machine
        window = self.window(store, request)
        shape = self.working(region.streaming("read", window or 0.0).part(1.0 - cached), copy)
        if window is None or cached >= 1.0:  # the next windows are asked for while the program works on the last
            return shape.cycle({(self.cpu.name, ""): copy})
        window, path, cold = min(window, region.size), bus(store, "read"), 1.0 - cached
        turn = store.switchover(region.begin, region.begin, window)
        read = store.continued(region.begin, window).latency + returning(region, window).latency
        fetched = {(store.name, Activity.READ): cold * read / window, **travelling(path, cold / window)}
        shape = shape.cycle({**fetched, (self.cpu.name, ""): copy})
        if machine.looks_ahead or ahead:  # a window is always on the way, while the program works
            early = 1.0 if ahead else 1.0 - store.jumps  # what begins a piece elsewhere, nobody asks for before
            return shape.asking_early({part: early * seconds for part, seconds in fetched.items()}, early, copy)
        place = shape.places.get(store.link)
        if place is not None and (store.fetches or turn.latency > 0.0):
            # the disks of one window turn, not all of the device; what has been read ahead waits for none of them
            part = math.inf if store.fetches else turn.busy / turn.latency
            shape = shape._replace(places=shape.places | {store.link: place._replace(share=part)})
        return shape._replace(workers=1)  # one window at a time, in the queues of others

    @property
    def overlaps(self) -> bool:
        """Whether the next bytes of a file are requested while a program works on those before."""
        return self.machine.looks_ahead or self.machine.read_ahead is None

    def waits(self, request: float | None = None, *, ahead: bool = False) -> bool:
        """Whether a program requests bytes from another place only when it has worked on those that it has.

        It does not if it reads `ahead`, or if neither its requests nor the read-ahead of its host is known.
        """
        return not ahead and (request is not None or self.machine.read_ahead is not None)

    def window(self, store: Store, request: float | None = None) -> float | None:
        """Bytes that are fetched at once for a sequential reader; None if it never waits.

        A program may make larger requests, of `request` bytes.
        """
        if self.machine.read_ahead is None:
            return request
        return max(self.machine.read_ahead, store.ahead, request or 0.0)

    def copying(self, region: Region) -> FlowShape:
        """How each byte of a file that a program reads sequentially and writes loads device and core."""
        return self.then(self.reading(region), 1.0 / self.copy_rate)


def make(system: System, name: str, host: HostSpec) -> Host:
    """The host, on the cores of the host that it lies within."""
    machine = parameters_of(
        Machine, host, dirty_limit=lambda: host.memory.si * host.dirty_limit.si,
        dirty_background=lambda: host.memory.si * host.dirty_background.si, speed=lambda: host.core_speed,
    )  # fmt: skip
    below = system.hosts[host.within] if host.within is not None else None
    return Host(system.network, f"hosts.{name}", machine, below)
