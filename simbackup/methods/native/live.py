"""Backup of a database by its own server, and its restore: a closed loop of buffers between readers and writers."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.network.live import Network, travel_time
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Region, bus
from simbackup.engine.activity import Activity
from simbackup.engine.link import Link
from simbackup.methods.job import Moved, Steps
from simbackup.methods.native.buffer_loop import SteadyLoop, visits
from simbackup.methods.native.transfers import Draws, Leg, Services, Stop, Transfers, Ways
from simbackup.system import JobFailedError, System

DIRECTIONS: tuple[tuple[Direction, Direction], ...] = (("write", "read"), ("read", "write"))
"""How volumes and files are used, in a restore and in a backup."""
Wait = Generator[simpy.Event, Any, None]


@dataclass(frozen=True, slots=True)
class Engine:
    """Seconds of a request besides the device, reference core seconds a byte, sets of buffers, bytes of memory."""

    request_latency: float
    compress_cpu: float
    expand_cpu: float
    buffer_sets: int
    memory_limit: float


@dataclass(frozen=True, slots=True)
class BufferLoop:
    """The buffers of one backup: how many, their bytes, and whether what they hold is compressed.

    They are in the steady state, as an equation, or simulated one by one with services of some kind.
    """

    buffers: int
    size: float
    compress: bool
    services: Services | None = None

    def sets(self, engine: Engine) -> int:
        """Sets of so many buffers."""
        return engine.buffer_sets if self.compress else 1


@dataclass(frozen=True, slots=True)
class File:
    """A backup file: the volume that takes it, none for NUL, and the way there."""

    to: str | None
    networks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NativeBackup:
    """A full backup of all data sets of a database onto some files at once."""

    host: str
    data: tuple[str, ...]
    files: tuple[File, ...]
    engine: Engine
    loop: BufferLoop
    method: str = "database_native"

    def run(self, system: System, job: str) -> Steps:
        """Take the buffers, and read all volumes at once; those that are left go on when a smaller one is done."""
        parts = [system.data[name] for name in self.data]
        size = sum(part.size for part in parts)
        ratio = _ratio(parts) if self.loop.compress else 1.0
        _take_memory(self.engine, self.loop)
        copy = Copy(job, self.files[0].to or "", ratio, system.env.now)
        saved = SaveSet(job, self.data[0], self.method, size, len(parts), copy.time, [copy])
        before = dict(system.used)
        for file in self.files:
            if file.to is not None:
                each = size / ratio / len(self.files)
                try:
                    position = system.reserve(file.to, each)
                except JobFailedError:
                    system.used = before  # a backup without room for one file keeps none of the others
                    raise
                copy.extents.append(Extent(copy.done, size / len(self.files), file.to, position))
        yield from _turns(system, (job, Activity.BACK_UP), self, parts, ratio)
        system.catalogue.save_sets.append(saved)
        return Moved(size, float(len(parts)), buffers=self.loop.buffers)


@dataclass(frozen=True, slots=True)
class NativeRestore:
    """A restore of such a backup: its files are read, expanded where they were compressed, and written back."""

    host: str
    backup: str
    data: tuple[str, ...]
    files: tuple[File, ...]
    engine: Engine
    loop: BufferLoop
    method: str = "restore"

    def run(self, system: System, job: str) -> Steps:
        """Take the buffers, and write all volumes at once."""
        _, copy = system.saved(self.backup)
        if any(file.to is None for file in self.files):
            raise JobFailedError(f"'{self.backup}' went to nul, which keeps nothing")
        parts = [system.data[name] for name in self.data]
        _take_memory(self.engine, self.loop)
        with ExitStack() as closed:
            for name in self.data:
                closed.enter_context(system.shut_out(name))
            yield from _turns(system, (job, Activity.RESTORE), self, parts, copy.compression)
        return Moved(sum(part.size for part in parts), float(len(parts)))


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
    """Bytes before over bytes after compression, of all parts together."""
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


def _turns(system: System, doing: tuple[str, str], native: Native, parts: Sequence[DataSet], ratio: float) -> Wait:
    """Run the loop until all parts have passed: phase by phase in the steady state, or one by one."""
    write, loop = isinstance(native, NativeBackup), native.loop
    if loop.services is None:
        for phase, amount in _phases(parts):
            shape = _loop_shape(system, native, phase, ratio, write=write)
            yield from _turn(system, doing, native, shape, amount)
        return
    job, activity = doing
    draws = Draws(system.seed, job, loop.services)
    going = Transfers(system, draws, loop.size, parts, lambda left: _legs(system, native, left, ratio, write=write))
    yield from going.run(loop.buffers * loop.sets(native.engine), activity, files_first=not write)


def _loop_shape(system: System, job: Native, parts: Sequence[DataSet], ratio: float, *, write: bool) -> FlowShape:
    """What a byte of the database loads on its way round the loop."""
    shape = FlowShape(sequential=False)  # what the device loses between its requests is in the loop's own queues
    host = system.hosts[job.host]
    for part in parts:
        region = part.volume.region.part(part.begin, part.size)
        there = region.streaming("read" if write else "write").part(1.0 / len(parts))
        shape = shape.plus(there.demands, there.moves)
    for file in job.files:
        if file.to is None:
            continue
        share = 1.0 / ratio / len(job.files)
        there = system.volumes[file.to].region.streaming("write" if write else "read").part(share)
        shape = shape.plus(there.demands, there.moves).over([system.networks[name] for name in file.networks], share)
    shape = _taking_turns(system, job, parts, shape, ratio)
    if job.loop.compress:
        cpu = job.engine.compress_cpu if write else job.engine.expand_cpu
        shape = host.working(shape, host.seconds(cpu))
    return shape


def _taking_turns(system: System, job: Native, parts: Sequence[DataSet], shape: FlowShape, ratio: float) -> FlowShape:
    """The shape when a device that holds volumes as well as files, or several of either, turns between them."""
    places = _places(system, job, parts)
    moved = [1.0 / len(parts)] * len(parts) + [1.0 / ratio / len(job.files)] * (len(places) - len(parts))
    for link, lost in _lost_in_turns(system, job, parts).items():
        here = sum(size for place, size in zip(places, moved, strict=True) if place.store.link is link)
        shape = shape.plus({link: here * lost})
    return shape


def _lost_in_turns(system: System, job: Native, parts: Sequence[DataSet]) -> dict[Link, float]:
    """Seconds that each device with several places loses for a byte, by turning between them after each buffer."""
    places, lost = _places(system, job, parts), dict[Link, float]()
    for store in {place.store.link: place.store for place in places}.values():
        here = [place.begin for place in places if place.store.link is store.link]
        if len(here) > 1:
            lost[store.link] = store.turn(min(here), max(here), job.loop.size).busy / job.loop.size
    return lost


def _places(system: System, job: Native, parts: Sequence[DataSet]) -> list[Region]:
    """The regions of the volumes and of the files."""
    places = [part.volume.region.part(part.begin, part.size) for part in parts]
    return places + [system.volumes[file.to].region for file in job.files if file.to is not None]


def _turn(system: System, doing: tuple[str, str], native: Native, shape: FlowShape, amount: float) -> Wait:
    """Run the loop until so many bytes have passed."""
    job, activity = doing
    host, loop, ways = system.hosts[native.host], native.loop, _ways(system, native)
    requests = 1.0 + any(file.to is not None for file in native.files)
    travel = sum(sum(map(travel_time, way)) / len(way) for way in ways if way)
    going = SteadyLoop(
        job=job,
        shape=shape,
        buffers=loop.buffers * loop.sets(native.engine),
        size=loop.size,
        latency=requests * native.engine.request_latency + travel,
        host=host,
        compressors=min(float(len(native.files)), host.machine.cores),
        visits=visits(ways),
    )
    with system.standing(flow := shape.start(system.network, job, activity, amount, law=going.law), going):
        yield flow.done
    system.account(job, flow)


def _ways(system: System, job: Native) -> list[list[list[Network]]]:
    """The networks on the way to each volume, and on the way to each file."""
    here, there = DIRECTIONS[isinstance(job, NativeBackup)]
    volumes = [list(bus(system.data[name].volume.region.store, here)) for name in job.data]
    files = [
        [*(system.networks[name] for name in file.networks), *bus(system.volumes[file.to].region.store, there)]
        for file in job.files
        if file.to is not None
    ]
    return [volumes, files]


def _legs(system: System, job: Native, parts: Sequence[DataSet], ratio: float, *, write: bool) -> Ways:
    """How a buffer comes to each volume and to each file, for a byte of the database on each centre."""
    lost, wires = _lost_in_turns(system, job, parts), dict[Link, int]()
    latency, volumes, files = job.engine.request_latency, list[Leg](), list[Leg]()
    here, there = DIRECTIONS[write]
    for part in parts:
        region = part.volume.region.part(part.begin, part.size)
        device = _device(region, here, 1.0, lost)
        way = _wires(bus(region.store, here), 1.0, wires)
        stops = (device, *way) if write else (*way, device)
        volumes.append(Leg(f"data.{part.name}", latency + travel_time(region.store.path), stops))
    for i, file in enumerate(job.files):
        stops, away = _coding(system, job, i, write=write), 0.0
        if file.to is not None:
            region = system.volumes[file.to].region
            networks = [*(system.networks[name] for name in file.networks), *bus(region.store, there)]
            device = _device(region, there, 1.0 / ratio, lost)
            way, away = _wires(networks, 1.0 / ratio, wires), latency + travel_time(networks)
            # compressed buffers wait for their writer, read ones for the decompressor
            stops = (*stops, *way, device) if write else (device, *reversed(way), *stops)
        files.append(Leg(f"files.{i + 1}", away, stops))
    return Ways(volumes, files)


def _device(region: Region, direction: Direction, share: float, lost: Mapping[Link, float]) -> Stop:
    """The device of a leg, for so many bytes, with what it loses in turning."""
    link, shape = region.store.link, region.streaming(direction)
    demand, moved = shape.demands[link] + lost.get(link, 0.0), shape.moves[link]
    loads = FlowShape({link: demand * share}, {link: moved * share}, sequential=False)
    return Stop(link, 0, direction, loads)


def _wires(networks: Sequence[Network], share: float, taken: dict[Link, int]) -> list[Stop]:
    """The networks of a leg, for so many bytes; each leg keeps to one wire, the next that was not taken."""
    stops: list[Stop] = []
    for network in networks:
        wire = taken[network.link] = taken.get(network.link, -1) + 1
        loads = FlowShape(sequential=False).over([network], share)
        stops.append(Stop(network.link, wire % network.wires, Activity.TRANSFER, loads, network))
    return stops


def _coding(system: System, job: Native, file: int, *, write: bool) -> tuple[Stop, ...]:
    """The compressor of a file, a core of the host; none where nothing is compressed."""
    host = system.hosts[job.host]
    seconds = host.seconds(job.engine.compress_cpu if write else job.engine.expand_cpu)
    if not job.loop.compress or seconds <= 0.0:
        return ()
    shape = host.working(FlowShape(sequential=False), seconds).at_most(1.0 / seconds, host.cpu.name)
    return (Stop(host.cpu, file, Activity.COMPRESS if write else Activity.EXPAND, shape),)
