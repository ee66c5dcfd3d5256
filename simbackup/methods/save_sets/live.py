"""Work on save sets: copies to cartridges, objects or disks of any host, synthetic full backups and merges."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simbackup.catalogue import Copy, Extent, Reduction, SaveSet, job_of
from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import Dirty, VolumeRange
from simbackup.devices.library import Drive, DriveLoad, Library
from simbackup.devices.network.live import Network, command_travel
from simbackup.devices.object_store.live import Objects, ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.engine.limit import Use
from simbackup.late import Late, changed, late
from simbackup.methods.copies import OnTape, begun, carried, in_one_piece
from simbackup.methods.file_backup.backup import objects_of
from simbackup.methods.file_backup.disk import fetching, lying, seek
from simbackup.methods.file_backup.portion import scattered_writes
from simbackup.methods.file_backup.receivers import Crossing, OntoTape, TapeWriter, handing_over, readied, staged
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.reduction.live import given_back
from simbackup.methods.tape_reader import Cartridges, Pass, TapeReader, scaled, slower
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare, tool_of
from simbackup.schema.capability import MediaLibrary, ObjectTarget
from simbackup.schema.job import Copying
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

if TYPE_CHECKING:
    from simbackup.methods.save_sets.spec import ConsolidateSpec, CopySaveSetSpec
    from simbackup.scenario.spec import Spec

Send = Callable[[FlowShape, float, float, Use | None], Process]
"""Sends bytes of a save set: how each is read, where they begin in it, how many they are, and what slows reading."""


@dataclass(frozen=True, slots=True)
class FromTape:
    """A copy of a save set that is on tape.

    Runs that are interleaved on tape are read together, and stay interleaved.
    """

    host: str
    """The host that copies."""
    lies: Copy
    """The copy that is read."""
    back: tuple[str, ...]
    """The links from the library to the host."""
    there: tuple[str, ...]
    """The links from the host to the target."""
    tool: Tool
    """The program."""
    connections: int = 1
    """Network connections."""

    def to_tape(self, system: System, saved: SaveSet, copy: Copy, streams: int, pool: str | None) -> Process:
        """Copy cartridges, each with a drive that reads it and one that writes; the longest first."""
        on = self._reader.cartridges(0.0, saved.size)
        names = sorted(on, key=lambda name: -sum(run.size for run in on[name])) if streams > 1 else list(on)
        pairs = [self._pair(system, copy, (names, on), pool) for _ in range(min(streams, len(names)))]
        yield from side_by_side(system, pairs)
        copy.extents.sort(key=lambda extent: extent.begin)

    def to(self, system: System, saved: SaveSet, copy: Copy, send: Send) -> Process:
        """Read one cartridge after the other, and send what each pass brings to a disk or objects."""
        on = self._reader.cartridges(0.0, saved.size)

        def taken(drive: Drive, each: Pass) -> Process:
            shape, stream = self._reading(system, drive, each)
            law = scaled(drive.law(stream), copy.compression)
            yield from send(shape, each[0].begin, sum(run.size for run in each), law)

        yield from self._reader.in_turn(system, copy.job, (list(on), on), taken)

    @property
    def _reader(self) -> TapeReader:
        return TapeReader(self.lies, self.back, self.tool, self.connections)

    def _pair(self, system: System, copy: Copy, runs: tuple[list[str], Cartridges], pool: str | None) -> Process:
        """Read one cartridge after the other in a drive, while another one writes."""
        library, (names, on) = system.of(Library)[self.lies.target], runs
        to, away = system.of(Library)[copy.target], command_travel(self._networks(system, self.there), reading=False)
        needs = 2 if to is library else 1
        stay = self.tool.unload_after
        writing = OntoTape(system, copy.job, copy, pool, self.tool.block, stay, 0.0, away, needs=needs)
        library.need(needs)
        turn: Any = system.pairs.request()
        with system.clock.span(copy.job, library.name, Activity.WAIT_FOR_DRIVE):
            yield from system.clock.wait(copy.job, turn)
        reading = None
        try:
            try:
                reading = yield from library.take_drive(copy.job, needs=needs)
                yield from writing.open()
            finally:
                system.pairs.release(turn)
            while names:
                name = names.pop(0)
                if any(each.in_use and each.name == name for each in library.cartridges):
                    yield from writing.put_away()  # who uses it may need the one that is written
                reading = yield from self._reader.load(library, copy.job, reading, name)
                for each in self._reader.passes(on[name]):
                    yield from library.locate(copy.job, reading, each[0].position)
                    yield from self._pass(system, copy, reading, writing, each)
                yield from library.release(copy.job, reading, stay)
            yield from writing.put_away()
        finally:
            if reading is not None:
                library.give_drive(reading)
            writing.close()

    def _pass(self, system: System, copy: Copy, reading: Drive, writing: OntoTape, each: Pass) -> Process:
        """Copy what is read in one pass, on one cartridge after the other."""
        total, done, wide = sum(run.size for run in each), 0.0, self._reader.width(each)
        while done < total * (1.0 - 1e-9):
            yield from readied(system, [writing])
            size = writing.room(done, total - done)
            shape, read = self._reading(system, reading, each)
            shape = self._sent(system, shape, 1.0 / copy.reduction.stored).in_parallel_with(writing.crossing[0])
            law = slower(reading.law(read), writing.law)
            flow = system.bounded(copy.job, shape).start(system.network, copy.job, Activity.COPY, size, law=law)
            yield flow.done
            system.account(copy.job, flow)
            for run in each:
                part = run.size / total
                writing.note(run.begin + done * part, size * part, 1.0 / part)
            writing.moved(size)
            done += size
            reading.position = each[0].position + wide * done / total

    def _reading(self, system: System, drive: Drive, each: Pass) -> tuple[FlowShape, DriveLoad]:
        """How a byte of the save set that is read in a pass loads the drive, and the host that copies it."""
        host, stored = system.hosts[self.host], self.lies.reduction.stored
        stream = self._reader.stream(system, each)
        worker = (host, self.tool.copying(host, copies=1.0) / stored)
        return self._reader.reading(system, drive, stream, worker), stream

    def _sent(self, system: System, shape: FlowShape, share: float) -> FlowShape:
        """The shape of bytes that go on to the target, too."""
        return shape.over(self._networks(system, self.there), share, self.connections)._replace(sent=share)

    @staticmethod
    def _networks(system: System, names: Sequence[str]) -> list[Network]:
        return [system.networks[name] for name in names]


@dataclass(frozen=True, slots=True)
class CopySaveSet(Late):
    """A copy of the newest save set of a backup to another device.

    Its files are not walked again: the save set is read in sequence, and written like a backup. A save set that is
    already on the target is not copied again.
    """

    backup: str
    """The job whose newest save set is copied."""
    server: str
    """The host that reads it, and that copies it to tape or objects."""
    to: str
    """The target device."""
    host: str
    """The host of the target."""
    networks: tuple[str, ...]
    """The links from `server` to the target."""
    tool: Tool = NO_TOOL
    """The program."""
    streams: int = 1
    """Parts that are written to tape at once."""
    pool: str | None = None
    """The pool of the cartridges."""
    connections: int = 1
    """Network connections of each stream."""
    object_size: float | None = None
    """Bytes of an object that is written; None for one of each file, or one for an image."""
    new_chunks: bool = False
    """Whether only the chunks that are new to the target are copied, between stores that deduplicate. They are read in
    the order in which they came; the lists of chunks, some thousandths of the save set, are left out.
    """
    back: tuple[str, ...] = ()
    """The links from the tape library or object store that has the save set to `server`."""
    objects_of: float | None = None
    """Bytes of an object that is read, if its job states them."""
    copied_by: str | None = None
    """The job whose copy is read; None for the backup itself."""
    new_to_target: float | None = None
    """Bytes of the save set for each byte that is new to the target; None for those at the backup's store."""
    method: str = "copy_save_set"

    def expected(self, system: System) -> float:
        """Bytes of the newest save set."""
        return self._source(system)[0].size

    def run(self, system: System, job: str) -> Steps:
        """Look the save set up, copy it, and enter the copy in the catalogue."""
        saved, lies = self._source(system)
        if self._is_there(system, saved, lies, job):
            system.trace.note(system.env.now, job, f"has nothing to do: the newest save set is already on '{self.to}'")
            return Moved(0.0, 0.0)
        how = self._reduction(lies)
        data, networks = system.data[saved.data], [system.networks[name] for name in self.networks]
        yield from prepare(system, job, data, self.tool, 0.0)
        copy = begun(system, job, self.to, saved, how, time=system.env.now)
        pending: list[Dirty] = []
        if self.to in system.of(Library):
            yield from self._to_tape(system, saved, lies, copy, networks)
        else:
            send = self._sending(system, saved, copy, networks, pending)
            yield from self._sent(system, (saved, lies, copy), send, pending)
        saved.copies.append(copy)
        return Moved(saved.size, float(saved.files))

    def _sent(self, system: System, what: tuple[SaveSet, Copy, Copy], send: Send, pending: list[Dirty]) -> Process:
        """Read the save set, and send it to a disk or an object store; done when all is there."""
        saved, lies, copy = what
        if lies.target in system.of(Library):
            yield from self._from_tape(lies).to(system, saved, copy, send)
            yield from system.written_back(copy.job, pending)
            return
        yield from self._first_bytes(system, saved, lies, copy)
        server = system.hosts[self.server]
        way = (server, server if self.to in system.of(ObjectStore) else system.hosts[self.host])
        for begin, part, piece in pieces(saved, lies):
            yield from send(self._read(system, part, (piece, copy), way), begin, part.size, None)
            yield from system.written_back(copy.job, pending)
            pending.clear()

    def _first_bytes(self, system: System, saved: SaveSet, lies: Copy, copy: Copy) -> Process:
        """Wait until the first bytes come: from a disk that seeks, or an archive that fetches its objects."""
        if lies.target in system.of(ObjectStore):
            number = self._objects_read(saved, lies).number
            yield from system.of(ObjectStore)[lies.target].retrieve(system.clock, copy.job, number)
        else:
            _, first, piece = pieces(saved, lies)[0]
            yield from seek(system, copy.job, lying(system, piece, 0.0, first.size), ())

    def _sending(
        self, system: System, saved: SaveSet, copy: Copy, networks: list[Network], pending: list[Dirty]
    ) -> Send:
        """How the save set goes to a disk or an object store; what a disk has still to write is pending."""
        less, job = copy.compression, copy.job
        if self.to in system.of(ObjectStore):
            store, objects = system.of(ObjectStore)[self.to], self._objects(saved, copy)

            def put(shape: FlowShape, begin: float, size: float, law: Use | None) -> Process:
                del begin
                shape = shape.times(less)
                shape = store.carrying(shape, "write", objects, networks, self.connections, drawn=system.drawn(job))
                yield from system.transfer(job, system.bounded(job, shape), Activity.COPY, size / less, law=law)

            return put
        position = system.reserve(self.to, saved.size / less)
        copy.extents.append(Extent(0.0, saved.size, self.to, position))

        def write(shape: FlowShape, begin: float, size: float, law: Use | None) -> Process:
            if networks:
                shape = shape.over(networks, 1.0 / less, self.connections)
            shape = shape.times(less)._replace(sent=1.0)
            place = VolumeRange(system.of(Volume)[self.to], position + begin / less, size / less)
            pending.append((yield from system.write(job, self.host, place, shape, Activity.COPY, law=law)))

        return write

    def _source(self, system: System) -> tuple[SaveSet, Copy]:
        """The newest save set that has the copy to be read, and that copy."""
        saved, lies = system.saved(self.backup, self.copied_by or self.backup)
        return saved, in_one_piece(saved, lies)

    def _from_tape(self, lies: Copy) -> FromTape:
        return FromTape(self.server, lies, self.back, self.networks, self.tool, self.connections)

    def _objects_read(self, saved: SaveSet, lies: Copy) -> Objects:
        """The objects of the copy that is read."""
        return objects_of(saved.size / lies.fetched, saved.files, saved.method, self.objects_of, self.tool)

    def _asked(self, system: System, job: str, saved: SaveSet, lies: Copy) -> FlowShape:
        """How a byte of a save set in an object store loads that, the way from there, and the host that copies it."""
        host, networks = system.hosts[self.server], [system.networks[name] for name in self.back]
        shape = host.then(FlowShape(), self.tool.copying(host, copies=1.0))  # for each byte that is sent
        store, objects = system.of(ObjectStore)[lies.target], self._objects_read(saved, lies)
        shape = store.carrying(shape, "read", objects, networks, self.connections, drawn=system.drawn(job))
        return shape.times(1.0 / lies.fetched)

    def _is_there(self, system: System, saved: SaveSet, lies: Copy, job: str) -> bool:
        """Whether there is nothing to do, because the target has the save set.

        If it copies within one library, or copies what another job copied, only its own copy counts. In a library, only
        cartridges of its own pool count.
        """
        if lies.target == self.to or self.copied_by is not None:
            return saved.copy_by(job_of(job)) is not None
        there = [copy for copy in saved.copies if copy.target == self.to]
        if not there or self.to not in system.of(Library):
            return bool(there)
        own = {cartridge.name for cartridge in system.of(Library)[self.to].cartridges if cartridge.pool == self.pool}
        return any(extent.medium in own for copy in there for extent in copy.extents)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the copy in its place, as if made at a time."""
        saved, lies = self._source(system)
        copy = begun(system, job, self.to, saved, self._reduction(lies), time=time)
        if self.to in system.of(Library):
            OnTape(saved.size, streams=self.streams, pool=self.pool).place(system, copy)
        elif self.to not in system.of(ObjectStore):
            position = system.reserve(self.to, saved.size / copy.compression)
            copy.extents.append(Extent(0.0, saved.size, self.to, position))
        saved.copies.append(copy)

    def _reduction(self, lies: Copy) -> Reduction:
        """How the copy is reduced."""
        if not self.new_chunks:
            return carried(lies.reduction)
        return lies.reduction if self.new_to_target is None else changed(lies.reduction, repeated=self.new_to_target)

    def _objects(self, saved: SaveSet, copy: Copy) -> Objects:
        """The objects of the copy."""
        size = saved.size / copy.compression
        return objects_of(size, saved.files, saved.method, self.object_size, self.tool)

    def _to_tape(self, system: System, saved: SaveSet, lies: Copy, copy: Copy, networks: list[Network]) -> Process:
        """Write the save set as a backup to tape does, read as by a restore from disk."""
        if lies.target in system.of(Library):
            yield from self._from_tape(lies).to_tape(system, saved, copy, self.streams, self.pool)
            return
        yield from self._first_bytes(system, saved, lies, copy)
        server, (*_, last) = system.hosts[self.server], pieces(saved, lies)
        away = command_travel(networks, reading=False)
        for at, part, piece in pieces(saved, lies):

            def shape(crossing: Crossing, begin: float, size: float, at: float = at, piece: Copy = piece) -> FlowShape:
                there, share = piece.fetched, 1.0 / copy.reduction.stored
                towards = (crossing[0].over(networks, share, self.connections if networks else 1), crossing[1])
                if piece.target in system.of(ObjectStore):
                    found = self._asked(system, copy.job, saved, piece)
                    found = found.plus(towards[0].demands, towards[0].moves, towards[0].places)
                    return system.bounded(copy.job, handing_over(found, towards, (networks, share), self.tool))
                source = lying(system, piece, begin - at, size)
                found = staged((server, source, there), towards, (networks, share), self.tool)
                return system.bounded(copy.job, given_back(found, system, piece.extents[0].medium, piece.reduction))

            tool = self.tool if at == last[0] else changed(self.tool, unload_after=math.inf)
            writer = TapeWriter(part.size, shape, tool, self.streams, self.pool, begin=at, away=away)
            yield from writer.write(system, copy)

    def _read(self, system: System, saved: SaveSet, copies: tuple[Copy, Copy], way: tuple[Host, Host]) -> FlowShape:
        """What a byte of the save set loads on the disk that has it and on its `way` through a host.

        `copies` are the copy that is read, and the new one, whose bytes the host copies.
        """
        lies, copy = copies
        if lies.target in system.of(ObjectStore):
            return self._asked(system, copy.job, saved, lies)
        place, there = lies.extents[0], copy.compression if self.new_chunks else lies.fetched
        each = self.tool.copying(way[1]) * there / copy.compression
        if self.new_chunks:
            source = system.of(Volume)[place.medium].region.part(place.position, saved.size / lies.compression)
        else:
            source = lying(system, lies, 0.0, saved.size)
        shape = fetching(way, source, each, self.tool).times(1.0 / there)
        return shape if self.new_chunks else given_back(shape, system, place.medium, lies.reduction)


def pieces(saved: SaveSet, lies: Copy) -> list[tuple[float, SaveSet, Copy]]:
    """The parts of a save set on one disk each: the byte at which each begins, and the part as a save set and copy."""
    if len({extent.medium for extent in lies.extents}) <= 1:
        return [(0.0, saved, lies)]
    found: list[tuple[float, SaveSet, Copy]] = []
    for extent in lies.extents:
        begin, size, at = extent.begin, extent.size, extent.position
        if found and found[-1][2].target == extent.medium:
            begin, before, piece = found.pop()
            size, at = size + before.size, piece.extents[0].position
        piece = replace(lies, target=extent.medium, extents=[Extent(0.0, size, extent.medium, at)])
        found.append((begin, replace(saved, size=size), piece))
    return found


@dataclass(frozen=True, slots=True)
class Consolidation:
    """A synthetic full backup or a merge, on a disk of a host.

    Older save sets are assumed to be on the disk before the newest one, and are read in sequence. A synthetic full
    backup is written behind all of them. A merge writes into the full backup, each run where the one is that it
    replaces. A store that deduplicates has all chunks already, so that only its lists change. The result has the
    compression of the newest save set, but not its deduplication ratio, which says nothing of the chunks of others.
    """

    backup: str
    """The backup job."""
    by: str
    """The job that wrote the newest save set there: the backup, or one that copies it."""
    on: str
    """The volume."""
    host: str
    """The host of the volume."""
    full: bool
    """Whether it makes a synthetic full backup; otherwise it merges."""
    size: float | None = None
    """Bytes of save sets that are read and written; None for those of the data (full) or of the newest save set
    (merge).
    """
    tool: Tool = NO_TOOL
    """The program."""
    method: str = "consolidate"

    def expected(self, system: System) -> float:
        """Bytes of save sets that it reads and writes."""
        saved, lies = system.saved(self.backup, self.by)
        if self.size is not None:
            return self.size
        if lies.reduction.together is not None:
            return 0.0
        return system.data[saved.data].size if self.full else saved.size

    def run(self, system: System, job: str) -> Steps:
        """Look the newest save set up, read and write, and enter a new full backup in the catalogue."""
        saved, lies = system.saved(self.backup, self.by)
        in_one_piece(saved, lies)
        data, host, volume = system.data[saved.data], system.hosts[self.host], system.of(Volume)[self.on]
        moved, stored, time = self.expected(system), lies.fetched, system.env.now
        size, there = moved / stored, lies.extents[0].position
        before = max(min(there, volume.region.size - size) - size, 0.0)
        position = system.reserve(self.on, size) if self.full else before
        yield from prepare(system, job, data, self.tool, 0.0)
        beside = FlowShape() if self.full else self._scattered(volume, saved, data, (there, stored))
        if size > 0.0:
            source = volume.region.part(before, size)
            yield from seek(system, job, source, ())
            shape = fetching((host, host), source, self.tool.copying(host), self.tool)
            place = VolumeRange(volume, position, size, beside)
            yield from system.write_through(job, self.host, place, shape, Activity.COPY)
        if self.full:
            begin = max(position + size - data.size / stored, 0.0)
            how = changed(lies.reduction, repeated=1.0)
            copy = Copy(lies.job, self.on, stored, time, [Extent(0.0, data.size, self.on, begin)], how)
            made = SaveSet(saved.job, saved.data, saved.method, data.size, float(data.files), time, [copy])
            system.catalogue.add(made)
        return Moved(moved, 0.0)

    def _scattered(self, volume: Volume, saved: SaveSet, data: DataSet, lies: tuple[float, float]) -> FlowShape:
        """What each byte of a merge loads in addition to sequential access, as its runs replace others in place.

        The full backup ends where the newest save set begins; `lies` is this place, and the bytes of a save set for
        each byte on the disk. In a file-level backup, a run is a file.
        """
        share, (there, stored) = saved.size / data.size, lies
        run = data.run if saved.method == "image" else saved.size / max(saved.files, 1.0)
        whole = min(data.size / stored, volume.region.size)
        return scattered_writes(volume, (max(there - whole, 0.0), whole), share, min(run, saved.size) / stored)


def make(job: CopySaveSetSpec, spec: Spec) -> CopySaveSet:
    """The copy, by the host that copies."""
    saved, server = spec.jobs[job.save_set], job.copying_host(spec)
    by, source = job.read_job(spec), job.source(spec)
    away = isinstance(spec.devices[source], MediaLibrary | ObjectTarget)
    back = spec.way_from(server, source) if away else None
    way, tool = spec.way_to(server, job.to) or (), tool_of(getattr(saved, "tool", None))
    return late(
        CopySaveSet, backup=job.save_set, server=server, to=job.to, host=spec.owner_of(job.to) or "", networks=way,
        tool=tool, streams=lambda: int(job.streams.si), pool=lambda: job.pool,
        connections=lambda: int(job.connections.si) if job.connections else 1,
        new_chunks=job.new_chunks, back=back or (),
        object_size=lambda: job.object_size.si if job.object_size else None, copied_by=job.copied_by,
        objects_of=lambda: size.si if (size := getattr(by, "object_size", None)) else None,
        new_to_target=lambda: job.new_to_target(spec),
    )  # fmt: skip


def make_consolidation(job: ConsolidateSpec, spec: Spec) -> Consolidation:
    """The work, at the host that owns the disk."""
    by = spec.jobs[job.save_set]
    backup = by.save_set if isinstance(by, Copying) else job.save_set
    on, tool = str(getattr(by, "to", "")), tool_of(getattr(spec.jobs[backup], "tool", None))
    size = job.size.si if job.size is not None else None
    return Consolidation(backup, job.save_set, on, spec.owner_of(on) or "", job.into == "full", size, tool)
