"""A host: processor cores, reading with read-ahead, and a page cache for each device that it writes to."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.components.page_cache import PageCache
from simbackup.components.shape import FlowShape
from simbackup.components.storage import Region, Store
from simbackup.engine.flows import FlowNetwork, Link
from simbackup.equations.read_ahead import read_ahead_rate


@dataclass(frozen=True, slots=True)
class Machine:
    """A host's cores, bytes a second of one core, bytes of unwritten data, and bytes of a read-ahead window."""

    cores: float
    copy_rate: float
    dirty_limit: float
    dirty_background: float
    read_ahead: float | None = None


class Host:
    """A computer that runs jobs."""

    def __init__(self, network: FlowNetwork, name: str, machine: Machine) -> None:
        self.network = network
        self.name = name
        self.machine = machine
        self.cpu = Link(f"{name}.cores", machine.cores)
        self.copy_rate = machine.copy_rate
        self.caches: dict[str, PageCache] = {}

    def cache(self, store: Store) -> PageCache:
        """The page cache in front of a device; each device's write-back goes its own pace."""
        if store.name not in self.caches:
            name = f"{self.name}.page_cache.{store.name}"
            limits = (self.machine.dirty_limit, self.machine.dirty_background)
            self.caches[store.name] = PageCache(self.network, name, *limits)
        return self.caches[store.name]

    def reading(self, region: Region) -> FlowShape:
        """How a byte of a file that a program reads in sequence loads device and core."""
        store, copy = region.store, 1.0 / self.copy_rate
        shape = region.streaming("read").plus({self.cpu: copy})
        window = self.machine.read_ahead
        if window is None:  # the next windows are asked for while the program works on the last
            return shape.at_most(self.copy_rate, self.cpu.name)
        away = sum(network.latency for network in store.path)
        latency = store.continued(region.begin, window).latency + away
        return shape.at_most(read_ahead_rate(window, latency, self.copy_rate), store.name)

    def copying(self, region: Region) -> FlowShape:
        """How a byte of a file that a program reads and writes loads device and core."""
        return self.reading(region).after(1.0 / self.copy_rate, self.cpu)
