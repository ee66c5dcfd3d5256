"""Save sets on disks: where, how they are read, also in chunks, and images that a server mounts for their files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from simbackup.catalogue import Copy
from simbackup.data.live import DataSet, Files
from simbackup.devices.host.live import Host
from simbackup.devices.network.live import Network, travel_time
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Over, Region, Service, Store, bus
from simbackup.devices.volume.live import Volume
from simbackup.equations import files as equations
from simbackup.methods.job import passing
from simbackup.methods.tool.live import Tool
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


class ChunkStore(Over):
    """A device with a deduplicated store: a sequential reader seeks after each piece.

    The pieces of a save set have `together` bytes on average, and the next one may be anywhere in the store. For each
    piece `read` bytes are read, as for a container, or only the piece. `at_once` pieces are requested at a time, so
    that a reader waits for the device no longer than it works, or for its part of the latency of one piece. Writes
    continue where the last one ended.

    Readers request `asked` bytes at a time, a piece unless stated. No other reader comes between these, and a piece
    costs the same wherever the arm comes from.
    """

    def __init__(
        self,
        below: Store,
        extent: tuple[float, float],
        together: float,
        read: float | None = None,
        *,
        at_once: float = 1.0,
        asked: float = math.inf,
    ) -> None:
        super().__init__(below)
        self.begin, self.extent = extent
        self.together = together
        self.read = max(read or 0.0, together)
        self.at_once = at_once
        self.asked = asked

    @property
    def jumps(self) -> float:
        """Share (0 to 1) of the requests that begin a piece."""
        return min(self.asked / min(self.together, self.extent), 1.0)

    def _piece(self) -> Service:
        """The time of one piece."""
        size = min(self.read, self.extent)
        one = self.below.scattered("read", self.begin, max(self.extent, size), size)
        return Service(max(one.latency / self.at_once, one.busy), one.busy)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of the device's time for each byte: those of its piece when it is read."""
        if direction == "write":
            return self.below.stream(direction, position, size)
        return self._piece().busy / min(self.together, self.extent)

    def sides(self, position: float, size: float) -> float:
        """One: requests for pieces go to any disk."""
        del position, size
        return 1.0

    def alone(self, position: float, size: float) -> float:
        """Greatest rate of one reader, bytes a second: one piece after the other."""
        del position, size
        return min(self.together, self.extent) / self._piece().latency

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """The time of a request; a read seeks to each piece."""
        if direction == "write":
            return self.below.request(direction, head, position, size)
        return self.continued(position, size)

    def scattered(
        self, direction: Direction, begin: float, extent: float, size: float, waiting: float = 1.0
    ) -> Service:
        """The time of a request at a random place."""
        if direction == "write":
            return self.below.scattered(direction, begin, extent, size, waiting)
        return self.continued(begin, size)

    def continued(self, position: float, size: float) -> Service:
        """The time of a read that continues the one before: that of its part of the pieces."""
        del position
        one, pieces = self._piece(), size / min(self.together, self.extent)
        return Service(one.latency * pieces, one.busy * pieces)


def lying(system: System, copy: Copy, begin: float, size: float) -> Region:
    """The region of a part of a copy on its device."""
    lies, there, whole = copy.extents[0], copy.compression, system.of(Volume)[copy.extents[0].medium].region
    how, used = copy.reduction, system.used.get(lies.medium, whole.size)
    if how.together is None:
        return whole.part(lies.position + begin / there, size / there)
    used = min(max(used, lies.size / copy.fetched), whole.size)  # what was there before holds the rest of its chunks
    extent = (whole.begin, used)
    chunks = ChunkStore(whole.store, extent, how.together, how.read, at_once=how.at_once, asked=how.asked)
    return Region(chunks, whole.begin, min(size / copy.fetched, used))


def fetching(way: tuple[Host, Host], source: Region, copy: float, tool: Tool) -> FlowShape:
    """What a byte of a save set on a disk loads on its `way`: the server that has the disk, and the host that copies.

    `copy` are core seconds for each byte of the host; a server that is another host reads on meanwhile.
    """
    server, host = way
    if host is server:
        return host.reading(source, copy, request=tool.request)
    read = server.reading(source, request=tool.request)
    return host.then(read, copy) if tool.alternates else read.in_parallel_with(host.then(FlowShape(), copy))


def seek(system: System, job: str, source: Region, networks: Sequence[Network], number: float = 1.0) -> Process:
    """Wait until the first bytes of `number` pieces have come, one piece after the other, and record it."""
    yield from passing(system, job, source.store.name, Activity.SEEK, number * _way_there(source, networks))


def _way_there(source: Region, networks: Sequence[Network]) -> float:
    """Seconds until the first byte of a piece arrives: the server's disk seeks, and the request travels."""
    store, away = source.store, travel_time((*networks, *source.store.path))
    first = store.request("read", 0.0, min(source.begin, store.size - 1.0), 1.0)
    return first.latency + away


class MountedImage(NamedTuple):
    """An image of a data set on a disk, whose file system a server has mounted.

    A file is found by positioned reads of directories and records, and its data are in runs, as on the disk of the data
    set. Nothing of it is in memory, as the image has just been mounted.
    """

    server: Host
    """The server."""
    data: DataSet
    """The data set that was saved."""
    files: Files
    """The costs of its file system."""
    region: Region
    """Where the image is."""

    def mount(self, system: System, job: str, seconds: float) -> Process:
        """Mount the image, and unmount it again."""
        yield from passing(system, job, self.region.store.name, Activity.MOUNT, seconds)

    def find(self, system: System, job: str, number: float) -> Process:
        """Read the directories and records of so many files, one file after the other, and open them."""
        files, store = self.files, self.region.store
        record = max(min(files.record, self.region.size), 1.0)
        read = store.scattered("read", self.region.begin, self.region.size, record).latency
        yield from passing(
            system,
            job,
            store.name,
            Activity.WALK,
            number * files.reads_per_file * (read + travel_time(bus(store, "read"))),
        )
        yield from passing(
            system,
            job,
            self.server.cpu.name,
            Activity.OPEN,
            number * (self.server.seconds(files.cpu_per_file) + files.open_time),
        )

    def runs(self, size: float) -> float:
        """Mean contiguous runs of the data of a file of so many bytes."""
        outside, apart = equations.outside_record(size, self.files.resident), self.data.scattered
        if outside <= 0.0:
            return 0.0
        return 1.0 - apart + apart * equations.positioned_reads(outside, self.files.fragment, 0.0)


def mounted(system: System, server: Host, name: str, region: Region) -> MountedImage | None:
    """The mounted image of a data set in a region; None if the data set has no file system."""
    data = system.data[name]
    return None if data.filesystem is None else MountedImage(server, data, data.filesystem, region)
