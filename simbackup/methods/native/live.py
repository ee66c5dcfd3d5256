"""Backup of a database by its own server, and its restore: closed loops of buffers between readers and writers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simbackup.catalogue import Copy, Extent, Reduction, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host
from simbackup.devices.library import Drive, Library
from simbackup.devices.object_store.live import ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.engine.link import Link
from simbackup.equations.buffers import default_buffers
from simbackup.late import Late
from simbackup.methods.database.live import DatabaseRestore, replaying
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.native.sides import Coding, End, Side, Sides
from simbackup.methods.native.turns import SteadyLoop, lost_in_turns, settled, shared
from simbackup.methods.tape_reader import Pass, TapeReader
from simbackup.methods.tool.live import NO_TOOL
from simbackup.parameters import parameters_of
from simbackup.schema.capability import Sink
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

if TYPE_CHECKING:
    from simbackup.methods.native.spec import NativeBackupSpec
    from simbackup.methods.restore.spec import RestoreSpec
    from simbackup.scenario.spec import Spec

To = Callable[[str, str], tuple[str, ...] | None]
"""The links between a host and a device, in one direction."""


@dataclass(frozen=True, slots=True)
class Engine(Late):
    """The costs of a database server's own backup engine.

    Processor time is in seconds of the reference core. Fields are those of `BackupEngineSheet`, in SI units.
    """

    request_latency: float
    compress_cpu: float
    expand_cpu: float
    buffer_sets: int
    memory_limit: float
    compress_threads: float | None = None
    fills_files: bool = False


@dataclass(frozen=True, slots=True)
class BufferLoop:
    """The buffers of one backup, which circulate between readers and writers."""

    buffers: int
    """Buffers in a set."""
    of_one_file: int
    """Buffers that a backup to a single file would have."""
    size: float
    """Bytes of a buffer."""
    compress: bool
    """Whether the backup is compressed."""

    def sets(self, engine: Engine) -> int:
        """Number of sets of buffers."""
        return engine.buffer_sets if self.compress else 1


@dataclass(frozen=True, slots=True)
class File:
    """A backup file."""

    to: str | None
    """The volume or object store that takes it; None for NUL."""
    networks: tuple[str, ...]
    """The links between the host and this device."""


@dataclass(frozen=True, slots=True)
class NativeBackup:
    """A full backup of all data sets of a database to several files at once."""

    host: str
    data: tuple[str, ...]
    files: tuple[File, ...]
    engine: Engine
    loop: BufferLoop
    method: str = "database_native"

    def run(self, system: System, job: str) -> Steps:
        """Take the buffers, and read all volumes at once; when a smaller one is done, the others continue."""
        parts = [system.data[name] for name in self.data]
        _take_memory(self.engine, self.loop)
        saved = self._begun(system, job, system.env.now)
        yield from _run_loop(system, (job, Activity.BACK_UP), self, parts, saved.copies[0])
        system.catalogue.add(saved)
        return Moved(saved.size, float(len(parts)), buffers=self.loop.buffers)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the files in their places, as if written at a time; `nul` keeps none."""
        system.catalogue.add(self._begun(system, job, time))

    def _begun(self, system: System, job: str, time: float) -> SaveSet:
        """The save set, with space reserved for all of its files or for none."""
        parts = [system.data[name] for name in self.data]
        size = sum(part.size for part in parts)
        ratio = _ratio(parts) if self.loop.compress else 1.0
        copy = Copy(job, self.files[0].to or "", ratio, time, reduction=Reduction(ratio))
        before = dict(system.used)
        for file in self.files:
            if file.to is not None:
                try:
                    objects = file.to in system.of(ObjectStore)  # which always have space
                    position = 0.0 if objects else system.reserve(file.to, size / ratio / len(self.files))
                except JobFailedError:
                    system.used = before
                    raise
                copy.extents.append(Extent(copy.done, size / len(self.files), file.to, position))
        return SaveSet(job, self.data[0], self.method, size, len(parts), time, [copy], shrinks=_ratio(parts))


@dataclass(frozen=True, slots=True)
class NativeRestore:
    """A restore of such a backup: its files are read, expanded if they are compressed, and written back."""

    host: str
    """The host of the database."""
    backup: str
    """The job whose newest save set is restored."""
    data: tuple[str, ...]
    """The data sets that are written."""
    files: tuple[File, ...]
    """The backup files."""
    engine: Engine
    loop: BufferLoop
    replay: DatabaseRestore | None = None
    """How to replay logs afterwards; None to replay none."""
    copied_by: str | None = None
    """The job whose copy is read; None for the backup itself."""
    method: str = "restore"

    def run(self, system: System, job: str) -> Steps:
        """Fill new files with zeros, take the buffers and write all volumes at once, and then replay the logs since."""
        full, copy = system.saved(self.backup, self.copied_by)
        if any(file.to is None for file in self.files):
            raise JobFailedError(f"'{self.backup}' went to nul, which keeps nothing")
        parts = [system.data[name] for name in self.data]
        _take_memory(self.engine, self.loop)
        for store in dict.fromkeys(file.to for file in self.files if file.to in system.of(ObjectStore)):
            objects = sum(file.to == store for file in self.files)
            yield from system.of(ObjectStore)[store or ""].retrieve(system.clock, job, float(objects))
        with ExitStack() as closed:
            for name in self.data:
                closed.enter_context(system.shut_out(name))
            if self.engine.fills_files:
                zeros = [system.transfer(job, _written(part), Activity.WRITE, part.size) for part in parts]
                yield from side_by_side(system, zeros)
            if copy.target in system.of(Library):
                host = system.hosts[self.host]
                seconds = host.seconds(self.engine.expand_cpu) if self.loop.compress else 0.0
                yield from from_tape(system, job, parts, (copy, self.files[0].networks), (host, seconds))
            else:
                yield from _run_loop(system, (job, Activity.RESTORE), self, parts, copy)
            moved = sum(part.size for part in parts)
            if self.replay is not None:
                moved += yield from self.replay.replayed(system, job, full, copy.target)
        return Moved(moved, float(len(parts)))


Native = NativeBackup | NativeRestore


def _take_memory(engine: Engine, loop: BufferLoop) -> None:
    """Fail if the buffers exceed the memory for them."""
    needed = loop.buffers * loop.size * loop.sets(engine)
    if needed > engine.memory_limit:
        sets = f", {loop.sets(engine)} sets of them" if loop.sets(engine) > 1 else ""
        raise JobFailedError(
            f"out of memory: {loop.buffers} buffers of {loop.size / 2**20:g} MiB{sets} are {needed / 2**20:,.0f} MiB, "
            f"and there are {engine.memory_limit / 2**20:,.0f} MiB"
        )


def _ratio(parts: Sequence[DataSet]) -> float:
    """Compression ratio of all parts together: bytes before divided by bytes after."""
    return sum(part.size for part in parts) / sum(part.size / part.compression for part in parts)


def _phases(parts: Sequence[DataSet]) -> list[tuple[list[DataSet], float]]:
    """Which volumes are read at once, and the bytes of each such phase: all until the smallest is done, and so on."""
    left, done = sorted(parts, key=lambda part: part.size), 0.0
    phases: list[tuple[list[DataSet], float]] = []
    while left:
        step = left[0].size - done
        if step > 0.0:
            phases.append((list(left), step * len(left)))
            done = left[0].size
        left = left[1:]
    return phases


def _run_loop(system: System, doing: tuple[str, str], native: Native, parts: Sequence[DataSet], copy: Copy) -> Process:
    """Run the loop of buffers until all files have passed it, as a flow for each phase."""
    serial = system.serial_share(doing[0]) if len(native.files) > 1 else 0.0
    for phase, amount in _phases(parts):
        yield from _steady(system, doing, native, (phase, amount, serial), copy)


def _steady(
    system: System, doing: tuple[str, str], native: Native, phase: tuple[list[DataSet], float, float], copy: Copy
) -> Process:
    """Run the loop over some parts at its mean rate; a share of the bytes with one file alone."""
    (job, activity), (parts, amount, serial) = doing, phase

    def going(it: Native) -> tuple[SteadyLoop, FlowShape]:
        sides, joined = _sides(system, it, parts, copy), it.loop.sets(it.engine) > 1
        loop = SteadyLoop(job, sides, it.loop.buffers, it.loop.size, joined=joined)
        return loop, system.bounded(job, sides.shape()._replace(sent=1.0 / copy.compression))

    loop, shape = going(native)
    flow = shape._replace(serial_share=0.0).start(system.network, job, activity, amount, law=loop.law)
    with ExitStack() as standing:
        standing.enter_context(system.standing(flow, loop))

        def by_one() -> None:
            alone, its_shape = going(_by_one_file(native))
            flow.law = alone.law
            standing.enter_context(system.standing(flow, alone))
            its_shape.change(system.network, flow)

        if serial > 0.0:
            system.network.add_phase(flow, (1.0 - serial) * amount, by_one)
        yield flow.done
    system.account(job, flow)


def _by_one_file(native: Native) -> Native:
    """The same work with only one of its files, and the buffers for a single file."""
    return replace(native, files=native.files[:1], loop=replace(native.loop, buffers=native.loop.of_one_file))


def _sides(system: System, job: Native, parts: Sequence[DataSet], copy: Copy) -> Sides:
    """Where the buffers are filled and emptied, in a backup of some parts or in their restore."""
    backup, extents = (
        isinstance(job, NativeBackup),
        iter(_of_files(copy, sum(file.to is not None for file in job.files))),
    )
    volumes = tuple(End(part.volume.region.part(part.begin, part.size)) for part in parts)
    files = list[End]()
    for file in job.files:
        region, networks = None, tuple(system.networks[name] for name in file.networks)
        lies = next(extents) if file.to is not None else None
        if file.to in system.of(Volume) and lies is not None:
            region = system.of(Volume)[file.to].region.part(lies.position, lies.size / copy.compression)
        files.append(End(region, networks, system.of(ObjectStore).get(file.to or "")))
    size, each, request = job.loop.size, 1.0 / copy.compression, job.engine.request_latency
    coding = _coding(system.hosts[job.host], job, backup=backup)

    def sides(turns: Mapping[Link, float]) -> Sides:
        there = Side(volumes, "read" if backup else "write", 1.0, request, size, turns)
        kept = Side(tuple(files), "write" if backup else "read", each, request, size, turns)
        return Sides(there, coding, kept) if backup else Sides(kept, coding, there)

    def loop(waiting: Mapping[Link, float]) -> SteadyLoop:
        """The loop when so many buffers wait at devices that have several places."""
        turns = lost_in_turns(volumes, files, size, each, waiting, backup=backup)
        return SteadyLoop("", sides(turns), job.loop.buffers, size, joined=job.loop.sets(job.engine) > 1)

    return settled(loop, shared(volumes, files)).sides


def _of_files(copy: Copy, many: int) -> list[Extent]:
    """The extent of each file in a copy: one of its own, or a part of a single one."""
    if len(copy.extents) >= many:
        return copy.extents[:many]
    (whole,), each = copy.extents, copy.extents[0].size / many
    return [
        Extent(i * each, each, whole.medium, whole.position + i * each / copy.compression) for i in range(many)
    ]  # fmt: skip


def _coding(host: Host, job: Native, *, backup: bool) -> Coding | None:
    """The threads that compress or expand; None where nothing is compressed, or that takes no time."""
    seconds = host.seconds(job.engine.compress_cpu if backup else job.engine.expand_cpu)
    if not job.loop.compress or seconds <= 0.0:
        return None
    threads = min(job.engine.compress_threads or host.machine.cores, host.machine.cores)
    return Coding(host, seconds, max(int(threads), 1))


def from_tape(
    system: System, job: str, parts: Sequence[DataSet], read: tuple[Copy, tuple[str, ...]], expands: tuple[Host, float]
) -> Process:
    """Read a copy over networks, one cartridge after the other, and write all parts in proportion to their bytes.

    A host `expands` what was compressed, some core seconds for each byte, on all its cores. Buffers are filled while
    others are emptied, beside the cache of the operating system.
    """
    (copy, networks), (host, seconds) = read, expands
    size = sum(part.size for part in parts)
    reader = TapeReader(copy, networks, NO_TOOL)
    on = reader.cartridges(0.0, size)

    def taken(drive: Drive, each: Pass) -> Process:
        stream = reader.stream(system, each)
        shape = reader.reading(system, drive, stream, (host, 0.0))
        shape = host.on_threads(shape, seconds, host.machine.cores)
        for part in parts:
            there = _written(part).part(part.size / size)
            shape = shape.plus(there.demands, there.moves, there.places)
        shape = system.bounded(job, shape._replace(sent=1.0 / copy.compression))
        amount = sum(run.size for run in each)
        yield from system.transfer(job, shape, Activity.RESTORE, amount, law=drive.law(stream))

    yield from reader.in_turn(system, job, (list(on), on), taken)


def _written(part: DataSet) -> FlowShape:
    """How a byte of a part of the database loads its device."""
    return part.volume.region.part(part.begin, part.size).streaming("write")


def make(job: NativeBackupSpec, spec: Spec) -> NativeBackup:
    """The backup."""
    host = spec.host_of(job.data[0])
    engine = parameters_of(Engine, job.engine)
    return NativeBackup(host, job.data, _files(job, spec, host, spec.way_to), engine, _loop(job))


def restore(job: RestoreSpec, saved: NativeBackupSpec, spec: Spec) -> NativeRestore:
    """The restore, with the rounds of the backup."""
    host = spec.host_of(saved.data[0])
    engine, loop = parameters_of(Engine, saved.engine), _loop(saved)
    files, replay = _files(saved, spec, host, spec.way_from), replaying(job, saved.data[0], spec)
    if job.copied_by not in {None, job.restore}:
        device = spec.read_by(job)
        files = (File(device, spec.way_from(host, device) or ()),) * len(files)
    return NativeRestore(host, job.restore, saved.data, files, engine, loop, replay, job.copied_by)


def _files(job: NativeBackupSpec, spec: Spec, host: str, way: To) -> tuple[File, ...]:
    """The volumes of the backup files, and the way there or back."""
    sinks = {to for to in job.to if isinstance(spec.devices[to], Sink)}
    return tuple(File(None, ()) if to in sinks else File(to, way(host, to) or ()) for to in job.to)


def _loop(job: NativeBackupSpec) -> BufferLoop:
    def buffers(files: int) -> int:
        if job.buffers is not None:
            return int(job.buffers.si)
        return default_buffers(files, len(job.data), int(job.engine.io_depth.si))

    size = (job.transfer_size or job.engine.transfer_size).si
    return BufferLoop(buffers(len(job.to)), buffers(1), size, job.compress)
