"""Backup of a database by its own server, and its restore: a closed loop of buffers between readers and writers."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.components.network import Network, travel_time
from simbackup.components.shape import FlowShape
from simbackup.jobs.catalogue import Extent, SaveSet
from simbackup.jobs.job import Moved, Steps
from simbackup.jobs.rounds import Round, visits
from simbackup.jobs.system import DataSet, JobFailedError, System

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
class Loop:
    """The buffers of one backup: how many, their bytes, and whether what they hold is compressed."""

    buffers: int
    size: float
    compress: bool

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
    loop: Loop
    method: str = "database_native"

    def run(self, system: System, job: str) -> Steps:
        """Take the buffers, and read all volumes at once; those that are left go on when a smaller one is done."""
        parts = [system.data[name] for name in self.data]
        size = sum(part.size for part in parts)
        ratio = _ratio(parts) if self.loop.compress else 1.0
        _take_memory(self.engine, self.loop)
        saved = SaveSet(job, self.data[0], self.method, self.files[0].to or "", size, len(parts), ratio, system.env.now)
        before = dict(system.used)
        for file in self.files:
            if file.to is not None:
                each = size / ratio / len(self.files)
                try:
                    position = system.reserve(file.to, each)
                except JobFailedError:
                    system.used = before  # a backup without room for one file keeps none of the others
                    raise
                saved.extents.append(Extent(saved.done, size / len(self.files), file.to, position))
        for phase, amount in _phases(parts):
            shape = _round(system, self, phase, ratio, write=True)
            yield from _turn(system, (job, "back up"), self, shape, amount)
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
    loop: Loop
    method: str = "restore"

    def run(self, system: System, job: str) -> Steps:
        """Take the buffers, and write all volumes at once."""
        saved = system.last(self.backup)
        if any(file.to is None for file in self.files):
            raise JobFailedError(f"'{self.backup}' went to nul, which keeps nothing")
        parts = [system.data[name] for name in self.data]
        _take_memory(self.engine, self.loop)
        with ExitStack() as closed:
            for name in self.data:
                closed.enter_context(system.shut_out(name))
            for phase, amount in _phases(parts):
                shape = _round(system, self, phase, saved.compression, write=False)
                yield from _turn(system, (job, "restore"), self, shape, amount)
        return Moved(sum(part.size for part in parts), float(len(parts)))


Native = NativeBackup | NativeRestore


def _take_memory(engine: Engine, loop: Loop) -> None:
    """Fail if the buffers are more than the memory that there is for them."""
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


def _round(system: System, job: Native, parts: Sequence[DataSet], ratio: float, *, write: bool) -> FlowShape:
    """How a byte of the database loads all that it crosses on its way round the loop."""
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
    shape = _taking_turns(system, job, parts, shape, 1.0 + 1.0 / ratio)
    if job.loop.compress:
        cpu = job.engine.compress_cpu if write else job.engine.expand_cpu
        shape = host.working(shape, host.seconds(cpu))
    return shape


def _taking_turns(system: System, job: Native, parts: Sequence[DataSet], shape: FlowShape, moved: float) -> FlowShape:
    """The shape when a device that holds volumes as well as files, or several of either, turns between them."""
    places = [part.volume.region.part(part.begin, part.size) for part in parts]
    places += [system.volumes[file.to].region for file in job.files if file.to is not None]
    for store in {place.store.link: place.store for place in places}.values():
        here = [place.begin for place in places if place.store.link is store.link]
        if len(here) > 1:
            share = moved * len(here) / len(places)
            lost = store.turn(min(here), max(here), job.loop.size).busy / job.loop.size
            shape = shape.plus({store.link: share * lost})
    return shape


def _turn(system: System, doing: tuple[str, str], native: Native, shape: FlowShape, amount: float) -> Wait:
    """Let the buffers go round until so many bytes have passed."""
    job, activity = doing
    host, loop, ways = system.hosts[native.host], native.loop, _ways(system, native)
    requests = 1.0 + any(file.to is not None for file in native.files)
    going = Round(
        job=job,
        shape=shape,
        buffers=loop.buffers * loop.sets(native.engine),
        size=loop.size,
        latency=requests * native.engine.request_latency + sum(map(_mean_travel, ways)),
        host=host,
        compressors=min(float(len(native.files)), host.machine.cores),
        visits=visits(ways),
    )
    flow = shape.start(system.network, job, activity, amount, law=going.law)
    with system.standing(flow, going):
        yield flow.done
    system.account(job, flow)


def _ways(system: System, job: Native) -> list[list[list[Network]]]:
    """The networks on the way to each volume, and on the way to each file."""
    volumes = [list(system.data[name].volume.region.store.path) for name in job.data]
    kept = [file for file in job.files if file.to is not None]
    files = [
        [*(system.networks[name] for name in file.networks), *system.volumes[file.to or ""].region.store.path]
        for file in kept
    ]
    return [volumes, files]


def _mean_travel(ways: list[list[Network]]) -> float:
    """Seconds that a request is on its way and back, in the mean over some ways."""
    return sum(map(travel_time, ways)) / len(ways) if ways else 0.0
