"""How a backup reads a data set, block by block or file by file, here or over a share, and sends what it has read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simbackup.catalogue import NO_REDUCTION, Copy, Reduction, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.network.live import Network
from simbackup.devices.shape import FlowShape
from simbackup.late import Late
from simbackup.methods.file_backup.portion import Portion, asked_blocks, changed, portion
from simbackup.methods.file_backup.walk import walkers, walking
from simbackup.methods.reduction.live import compressed, ingested
from simbackup.methods.share.live import Share
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import BackupSource, JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


@dataclass(frozen=True, slots=True)
class Reader(Late):
    """What a backup reads, a data set or a frozen image of it, and how bytes come to the host of its target."""

    host: str
    """The host that reads."""
    data: str
    """The data set."""
    to: str
    """The target: a volume, library, object store or `nul`."""
    server: str
    """The host of the target; empty for a service."""
    networks: tuple[str, ...]
    """The links between the two hosts."""
    method: str
    """`image` or `file_level`."""
    tool: Tool = NO_TOOL
    """The program."""
    source: str | None = None
    """The frozen image that is read; None for the data themselves."""
    workers: int = 1
    """Workers of each stream that walk files."""
    share: Share | None = None
    """The share over which files are read; None to read them locally."""
    connections: int = 1
    """Network connections of each stream."""
    since: float | None = None
    """Seconds since the save set on which it is based; None to save everything."""
    level: str = "full"
    """The level."""
    reduction: Reduction = NO_REDUCTION
    """How the save set is deduplicated and compressed."""
    streams: int = 1
    """Equal parts that are saved at once."""

    def part(self, data: DataSet) -> Portion:
        """How much of a data set it saves."""
        return portion(data, self.since, by_file=self.method == "file_level")

    def begin(self, system: System, data: DataSet) -> Portion:
        """How much it saves; raises `JobFailedError` if the host is suspended or the frozen image is gone."""
        if system.hosts[self.host].suspended is not None:
            raise JobFailedError(f"'{self.host}' is suspended")
        system.require_image(self.source)
        return self.part(data)

    def start(self, system: System, job: str, part: Portion) -> Process:
        """Start the program, with its messages about each file."""
        yield from prepare(system, job, system.data[self.data], self.tool, part.files)

    def expected(self, system: System) -> float:
        """Bytes that it saves."""
        return self.part(system.data[self.data]).size

    def read_again(self, system: System, job: str, size: float, number: int = 0) -> Process:
        """Read again what an earlier attempt has stored of one stream, to compare it."""
        client, server = system.hosts[self.host], system.hosts.get(self.server)
        shape = compressed(self.reading(system, system.data[self.data], 1.0, number), client, server, self.reduction)
        yield from system.transfer(job, shape, Activity.READ, size)

    def arriving(self, system: System, job: str, number: int = 0) -> FlowShape:
        """What a byte of one of its streams loads until it is in the memory of the target's host."""
        shape = self.serving(system, self.going(system, system.data[self.data], number=number))
        return ingested(shape, system, job, self.to, self.reduction)

    def saved(self, job: str, part: Portion, time: float, copies: Sequence[Copy] = ()) -> SaveSet:
        """A save set of a part of the data."""
        return SaveSet(job, self.data, self.method, part.size, part.files, time, [*copies], self.level)

    def marks(self, system: System, part: Portion) -> float:
        """Tape marks for each byte of a save set: some for each file that the program sees.

        The image of a file system is one file. Files without a file system, such as those of a database on raw volumes,
        are saved one by one.
        """
        one = self.method == "image" and system.data[self.data].filesystem is not None
        return self.tool.file_marks * (1.0 if one else part.files) / part.size

    def networks_of(self, system: System) -> list[Network]:
        """The links that its bytes cross."""
        return [system.networks[name] for name in self.networks]

    def going(self, system: System, data: DataSet, copies: float = 2.0, number: int = 0) -> FlowShape:
        """What a byte of one of its streams loads on its way to the target's host."""
        server = system.hosts.get(self.server)
        shape = compressed(self.reading(system, data, copies, number), system.hosts[self.host], server, self.reduction)
        networks = self.networks_of(system)
        connections = self.connections if networks else 1
        return self.tool.sending(shape, networks, connections, share=1.0 / self.reduction.sent)

    def serving(self, system: System, shape: FlowShape) -> FlowShape:
        """The shape when the host of the target also receives the bytes; a service has no host."""
        if self.server in {"", self.host}:
            return shape
        return self.tool.serving(shape, system.hosts[self.server], self.reduction.handled())

    def reading(self, system: System, data: DataSet, copies: float = 2.0, number: int = 0) -> FlowShape:
        """What a byte of one of its streams loads on the device, and on the host, which copies it `copies` times."""
        part, machine = self.part(data), system.hosts[self.host].machine
        origin = self._whole(system).one_of(self.streams, number)
        shape = self.taken(system, origin, copies)
        if self.method != "image":
            return origin.found(shape, machine, 1.0 - data.scattered)
        return origin.found(shape, machine, 1.0 if part.whole and not self._searched(part) else 0.0)

    def taken(self, system: System, origin: BackupSource, copies: float, *, buffered: bool = False) -> FlowShape:
        """What a byte of a part of the data loads before it is sent, without what finding it costs an image.

        A worker that walks files copies each in series with reading it, unless a buffer is behind it.
        """
        host, data, tool, share = system.hosts[self.host], system.data[self.data], self.tool, self.share
        copy, part = tool.copying(host, copies), self.part(data)
        if self.method != "image":
            who, whole = walkers(system, tool, self.workers, share), self._whole(system).region
            walk = walking(host, data, origin.region, who, part.share, whole=whole)
            return host.working(walk, copy) if buffered else host.then(walk, copy)
        if share is not None:
            return asked_blocks(system, host, origin, data, part, tool=tool, copy=copy, share=share)
        if part.whole and not part.searched(tool):
            return host.reading(origin.region, copy, origin.cached, tool.request, ahead=tool.reads_ahead)
        return host.then(changed(host, origin, data, part.share, tool), copy)

    def _whole(self, system: System) -> BackupSource:
        """The data that it reads, or the frozen image of them."""
        return system.origin(system.data[self.data], self.source, mounted=True)

    def _searched(self, part: Portion) -> bool:
        """Whether it reads all blocks by itself to find those that have changed."""
        return self.share is None and part.searched(self.tool)


@dataclass(frozen=True, slots=True)
class Reads:
    """A backup, which does something with the bytes that it reads."""

    reader: Reader
    """What it reads, and how."""

    @property
    def method(self) -> str:
        """How it reads."""
        return self.reader.method

    def expected(self, system: System) -> float:
        """Bytes that it saves."""
        return self.reader.expected(system)
