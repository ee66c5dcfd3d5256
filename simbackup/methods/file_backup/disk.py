"""Backup to disks of any host, block by block or file by file, and restores from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simbackup.catalogue import NO_REDUCTION, Copy, Extent, Reduction, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.chunks import ChunkStore
from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import Dirty, VolumeRange
from simbackup.devices.network.live import Network, travel_time
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region
from simbackup.devices.volume.live import Volume
from simbackup.late import Late
from simbackup.methods.compression.live import compressed, expanded
from simbackup.methods.deduplication.live import given_back, ingested
from simbackup.methods.file_backup.arriving import Arrival
from simbackup.methods.file_backup.blocks import asked_blocks
from simbackup.methods.file_backup.mounted import MountedImage, mounted
from simbackup.methods.file_backup.portion import Portion, applied, changed, portion
from simbackup.methods.file_backup.walk import walking
from simbackup.methods.file_backup.walkers import walkers
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.making import NONE, FilesMade, beside
from simbackup.methods.new_copy import enter
from simbackup.methods.selection import Piece, Selection, gathered, passed_over, wanted
from simbackup.methods.share.live import Share, making
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import Attempt, BackupSource, JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


@dataclass(frozen=True, slots=True)
class DiskBackup(Late):
    """A backup of a data set, or of a frozen image of it, to a volume of any host."""

    host: str
    """The host that reads."""
    data: str
    """The data set."""
    to: str
    """The volume."""
    server: str
    """The host of the volume; empty for a service."""
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
        """Start the program, and look at all files first if it `walks_first`: to count them, or to map inodes.

        The look costs what a walk costs that finds nothing to save. What it reads is not taken to stay in memory.
        """
        data = system.data[self.data]
        yield from prepare(system, job, data, self.tool, part.files)
        if self.method != "file_level" or not self.tool.walks_first:
            return
        region, who = self._whole(system).region, walkers(system, self.tool, self.workers, self.share)
        walk = walking(system.hosts[self.host], data, region, who, 0.0)  # of which a byte is all files
        flow = walk.times(1.0 / data.files).start(system.network, job, Activity.WALK, float(data.files))
        yield flow.done
        system.account(job, flow)

    def expected(self, system: System) -> float:
        """Bytes that it saves."""
        return self.part(system.data[self.data]).size

    def run(self, system: System, job: str) -> Steps:
        """Prepare, read blocks or files, and wait until the save set is on disk; then enter the catalogue."""
        data = system.data[self.data]
        time = system.env.now
        part = self.begin(system, data)
        stored = self.reduction.stored
        if job not in system.attempts:  # another attempt writes to the same place
            system.attempts[job] = Attempt(system.reserve(self.to, part.size / stored))
        attempt = system.attempts[job]
        position, each = attempt.position, part.size / stored / self.streams
        before = [attempt.stored(position + number * each, each) for number in range(self.streams)]
        yield from self.start(system, job, part)

        def stream(number: int) -> Process:
            there = before[number] if self.tool.resumes else 0.0
            if there > 0.0:
                yield from self.read_again(system, job, there * stored, number)
            shape = self.arriving(system, job, part, number).times(stored)
            place = VolumeRange(system.of(Volume)[self.to], position + number * each + there, each - there)
            yield from system.write_through(job, self.server, place, shape, Activity.SAVE)

        yield from side_by_side(system, [stream(number) for number in range(self.streams)])
        del system.attempts[job]
        self.enter(system, job, part, time, Extent(0.0, part.size, self.to, position))
        return Moved(part.size, part.files)

    def read_again(self, system: System, job: str, size: float, number: int = 0) -> Process:
        """Read and compare what an earlier attempt has stored of one stream."""
        client, server = system.hosts[self.host], system.hosts.get(self.server)
        shape = compressed(self.reading(system, system.data[self.data], 1.0, number), client, server, self.reduction)
        flow = shape.start(system.network, job, Activity.READ, size)
        yield flow.done
        system.account(job, flow)

    def arriving(self, system: System, job: str, part: Portion, number: int = 0) -> FlowShape:
        """What a byte of one of its streams loads until it is in the memory of the target's host."""
        shape = self.serving(system, self.going(system, system.data[self.data], number=number), part)
        return ingested(shape, system, job, self.to, self.reduction)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the save set where it would have been written at a time."""
        part = self.part(system.data[self.data])
        position = system.reserve(self.to, part.size / self.reduction.stored)
        self.enter(system, job, part, time, Extent(0.0, part.size, self.to, position))

    def enter(self, system: System, job: str, part: Portion, time: float, place: Extent) -> None:
        """Enter a save set, stored in one extent, in the catalogue."""
        saved = SaveSet(job, self.data, self.method, part.size, part.files, time, level=self.level)
        enter(system, saved, place, self.reduction)

    def going(self, system: System, data: DataSet, copies: float = 2.0, number: int = 0) -> FlowShape:
        """What a byte of one of its streams loads on its way to the target's host."""
        server = system.hosts.get(self.server)
        shape = compressed(self.reading(system, data, copies, number), system.hosts[self.host], server, self.reduction)
        networks = [system.networks[name] for name in self.networks]
        connections = self.connections if networks else 1
        return self.tool.sending(shape, networks, connections, share=1.0 / self.reduction.sent)

    def serving(self, system: System, shape: FlowShape, part: Portion) -> FlowShape:
        """The shape when the host of the target also receives the bytes; a service has no host."""
        if self.server in {"", self.host}:
            return shape
        files = part.files / part.size if self.method == "file_level" and part.size > 0.0 else 0.0
        return self.tool.serving(shape, system.hosts[self.server], files, self.reduction.handled())

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
class ReadsLikeDisk:
    """A backup that reads like one to disk, and does something else with the bytes."""

    backup: DiskBackup
    """What it reads, and how."""

    @property
    def method(self) -> str:
        """How it reads."""
        return self.backup.method

    def expected(self, system: System) -> float:
        """Bytes that it saves."""
        return self.backup.expected(system)


@dataclass(frozen=True, slots=True)
class DiskRestore(Late):
    """A restore from a disk of any host to the place of a data set.

    Files can be selected from a file-level backup, and from an image that the program mounts on the disk; otherwise an
    image is restored as a whole.
    """

    host: str
    """The host of the data set."""
    to: str
    """The data set."""
    server: str
    """The host of the disk."""
    networks: tuple[str, ...]
    """The links between the two hosts."""
    selection: Selection | None
    """The files that are wanted; None for all."""
    tool: Tool = NO_TOOL
    """The program."""
    workers: int = 1
    """Workers of each stream that create files."""
    connections: int = 1
    """Network connections of each stream."""
    streams: int = 1
    """Parts that are restored at once."""
    share: Share | None = None
    """The share over which files are written; None to write them locally."""
    kept: bool = True
    """Whether data are written; otherwise they are only read."""

    @property
    def _arrival(self) -> Arrival:
        return Arrival(self.host, self.to, self.kept)

    def bring_back(self, system: System, job: str, saved: SaveSet, copy: Copy) -> Steps:
        """Read the wanted files at the server, send them, and write them; done when they are on disk, or in memory."""
        target, image = system.data[self.to], self._mounted(system, saved, copy)
        by_file = saved.method == "file_level" or image is not None
        files, pieces = wanted(saved, self.selection if by_file else None)
        total = sum(size for _, size in pieces)
        if self.selection is not None and not by_file:
            system.trace.note(system.env.now, job, "ignores 'select': an image can only be restored as a whole")
        made = self.tool.made(files / total if self.kept and by_file else 0.0)
        yield from prepare(system, job, target, self.tool, files)
        if image is not None:
            yield from image.mount(system, job, self.tool.mount_time)
        networks = [system.networks[name] for name in self.networks]
        extra = beside(target, made) if by_file else applied(saved, target)
        pending: list[Dirty] = []
        whole = image is None and copy.reduction.ratio > 1.0  # it expands from the beginning on, and only there
        over = passed_over(saved, pieces, self.tool.restore_reads) if whole else []

        def stream(parts: Sequence[Piece], arrival: Arrival = self._arrival, made: FilesMade = made) -> Process:
            for begin, size, number in gathered(parts):
                source, runs = lying(system, copy, begin, size), float(number)
                if image is not None:
                    each = files * size / total  # files that lie together are found one by one, too
                    yield from image.find(system, job, each)
                    runs = each * image.runs(total / files)
                yield from seek(system, job, source, networks, 0.0 if over else runs)
                shape = self._copying(system, source, target, made, copy.reduction)
                shape = given_back(shape, system, copy.extents[0].medium, copy.reduction)
                connections = self.connections if networks else 1
                shape = self.tool.sending(shape, networks, connections, share=1.0 / copy.reduction.returned)
                there = target.begin + min(begin, max(target.size - size, 0.0))
                place = VolumeRange(target.volume, there, size, extra)
                activity = Activity.RESTORE if arrival.kept == self.kept else Activity.READ
                pending.extend((yield from arrival.take(system, job, place, shape, activity)))

        with self._arrival.shut_out(system):
            if over:
                yield from stream(over, self._arrival.unkept, NONE)
            yield from side_by_side(system, [stream(parts) for parts in self._streams(pieces)])
            yield from system.written_back(job, self.tool.awaited(pending))
        return Moved(total, float(files))

    def _mounted(self, system: System, saved: SaveSet, copy: Copy) -> MountedImage | None:
        """The image from which selected files are taken; None unless the program mounts it."""
        if self.selection is None or saved.method != "image" or not self.tool.mounts_images:
            return None
        return mounted(system, system.hosts[self.server], saved.data, lying(system, copy, 0.0, saved.size))

    def _streams(self, pieces: Sequence[tuple[float, float]]) -> list[Sequence[tuple[float, float]]]:
        """The pieces of each stream: an equal part of each, or some of them whole."""
        if len(pieces) > 1 or (self.selection is not None and self.selection.files < self.streams):
            return [pieces[number :: self.streams] for number in range(self.streams)]
        return [
            [(begin + number * size / self.streams, size / self.streams) for begin, size in pieces]
            for number in range(self.streams)
        ]

    def _copying(self, system: System, source: Region, target: DataSet, made: FilesMade, how: Reduction) -> FlowShape:
        """What a restored byte loads: disk and cores of the server, and in parallel those of another host."""
        host, server = system.hosts[self.share.host if self.share else self.host], system.hosts[self.server]
        copy, maker = self.tool.restoring(host, self._arrival.copies), (host, self.share)
        if server is host:
            read = host.reading(source, copy * how.fetched, request=self.tool.request).times(1.0 / how.fetched)
            shape = making(expanded(read, host, host, how), system, maker, target, made)
        else:
            read = server.reading(source, request=self.tool.request).times(1.0 / how.fetched)
            read = expanded(read, None, server, how)
            read = self.tool.serving(read, server, made.per_byte, how.handled(written=False))
            turns = self.tool.alternates
            taken = expanded(host.then(read if turns else FlowShape(), copy), host, None, how)
            taken = making(taken, system, maker, target, made)
            # the requests of whoever makes files, or else those of whoever reads, meet others in queues
            both = taken.in_parallel_with(read) if made.per_byte else read.in_parallel_with(taken)
            shape = taken if turns else both
        if not made.per_byte:
            return shape
        return shape._replace(workers=self.workers)


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
    with system.clock.span(job, source.store.name, Activity.SEEK):
        yield system.env.timeout(number * _way_there(source, networks))


def _way_there(source: Region, networks: Sequence[Network]) -> float:
    """Seconds until the first byte of a piece arrives: the server's disk seeks, and the request travels."""
    store, away = source.store, travel_time((*networks, *source.store.path))
    first = store.request("read", 0.0, min(source.begin, store.size - 1.0), 1.0)
    return first.latency + away
