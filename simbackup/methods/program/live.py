"""A program at work: phase by phase, the groups of each as flows that buffers join."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.catalogue import Copy, Extent, Reduction, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.host.page_cache import LEAST, Dirty, VolumeRange
from simbackup.devices.shape import FlowShape
from simbackup.engine.buffer import Buffer
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Segment
from simbackup.equations.change import differs
from simbackup.late import Late, changed
from simbackup.methods.file_backup.portion import portion
from simbackup.methods.job import Moved, Steps
from simbackup.methods.making import FilesMade, beside
from simbackup.methods.new_copy import enter
from simbackup.methods.program.lowering import Context, Group, Lowered, Room, Written, lowered
from simbackup.methods.program.portions import FILES, Portions
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity

LEAST_BUFFER = 0.002
"""Share of all items of a group that its buffer holds at least.

What a smaller one holds matters to the time of a phase by less than that. But where two groups share a core, and one
that waits for room leaves it to the other, a buffer of few items would fill and empty thousands of times, each with a
solution.
"""
Wait = Generator[simpy.Event, Any, None]


@dataclass(frozen=True, slots=True)
class Program(Late):
    """An operation of a program: its phases with their groups of workers, and what of the data passes through them.

    Without `since`, all data pass; a share of what has changed since then is `new`, which shrinks by a `ratio`. If it
    `reads` the newest save set of a job, that passes. What a device `keeps` of it is a save set of blocks or files.
    """

    data: str
    phases: Mapping[str, tuple[Group, ...]]
    start: float
    ratio: float
    since: float | None
    new: float | None
    codec: Reduction
    reads: str = ""
    keeps: str = ""
    saved_as: str = "file_level"
    method: str = "program"

    def run(self, system: System, job: str) -> Steps:
        """Start, and do one phase after the other; done, and in the catalogue, when all that is awaited is on disk."""
        data, time = system.data[self.data], system.env.now
        read = system.saved(self.reads) if self.reads else None
        portions = _portions_of(*read) if read is not None else self.portions(data)
        context = Context(system, job, data, portions, self.codec, read, self._room(system, portions))
        with system.clock.span(job, f"data.{self.data}", Activity.START):
            yield system.env.timeout(self.start)
        pending = list[Dirty]()
        for groups in self.phases.values():
            found = [lowered(context, group) for group in groups if context.portions.items(group.of, group.item) > 0.0]
            if found := [group for group in found if group.takes_time]:
                yield from _Phase(context, found, self._left_in_memory(), pending).run()
        yield from system.written_back(job, pending)
        if self.keeps:
            self._enter(system, job, time, context.room, portions)
        return Moved(portions.bytes["changed"], portions.files["changed"])

    def place(self, system: System, job: str, time: float) -> None:
        """Put the save set in its place, as if written at a time."""
        portions = self.portions(system.data[self.data])
        self._enter(system, job, time, self._room(system, portions), portions)

    def _left_in_memory(self) -> frozenset[str]:
        """The data sets whose files it makes and never flushes: the last of them go to disk behind it.

        Whoever writes into a database, an image or a save set has it flushed.
        """
        steps = [step for groups in self.phases.values() for group in groups for step in group.steps if step.data]
        flushed = {step.data for step in steps if step.do == "flush"}
        return frozenset(step.data for step in steps if step.do == "create") - flushed

    def _room(self, system: System, portions: Portions) -> Room | None:
        """The place of its save set on a disk; None if it leaves none there."""
        if self.keeps not in system.volumes:
            return None
        steps = [step for groups in self.phases.values() for group in groups for step in group.steps]
        written = [step for step in steps if step.do == "write" and step.device == self.keeps and not step.data]
        size = sum(portions.bytes[step.of] * step.bytes / step.every for step in written if step.streams)
        size = size or portions.bytes["stored"]
        return Room(self.keeps, system.reserve(self.keeps, size), size)

    def _enter(self, system: System, job: str, time: float, room: Room | None, portions: Portions) -> None:
        """Enter its save set into the catalogue."""
        size, files = portions.bytes["changed"], portions.files["changed"]
        saved = SaveSet(job, self.data, self.saved_as, size, files, time)
        saved.level = "full" if self.since is None else "incremental"
        repeated = size / portions.bytes["new"] if portions.bytes["new"] > 0.0 else 1.0
        how = changed(self.codec, ratio=self.ratio, repeated=repeated)
        enter(system, saved, Extent(0.0, size, self.keeps, room.begin if room is not None else 0.0), how)

    def portions(self, data: DataSet) -> Portions:
        """How much of the data counts as all, changed, new and stored."""
        part, new = portion(data, self.since, by_file=True), self.new
        if new is None and self.since is not None and data.change is not None:
            new = min(differs(data.change, self.since) / part.share, 1.0)
        fresh = part.size * (1.0 if new is None else new)
        left = {"all": data.size, "unchanged": data.size - part.size}
        sizes = left | {"changed": part.size, "new": fresh, "stored": fresh / self.ratio}
        files = {"all": float(data.files), "unchanged": data.files - part.files}
        return Portions(sizes, dict.fromkeys(sizes, part.files) | files)


def _portions_of(saved: SaveSet, copy: Copy) -> Portions:
    """All of a save set, as it is stored by a copy."""
    sizes = {"all": saved.size, "unchanged": 0.0, "changed": saved.size, "new": saved.size}
    files = dict.fromkeys(("all", "changed", "new", "stored"), float(saved.files)) | {"unchanged": 0.0}
    return Portions(sizes | {"stored": saved.size / copy.fetched}, files)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a group's items that some of its workers take: its shape for each item, and which items these are."""

    shape: FlowShape
    begin: float
    items: float


@dataclass(frozen=True, slots=True)
class _Phase:
    """The groups of a phase, which work at the same time, and what waits to be written behind them.

    Nobody waits for what is left in memory of some data sets.
    """

    context: Context
    groups: Sequence[Lowered]
    in_memory: frozenset[str]
    pending: list[Dirty]

    def run(self) -> Wait:
        """Start a flow for each group, and one for a largest item, join them by buffers, and wait for them all."""
        system = self.context.system
        flows = [self._started(group) for group in self.groups]
        for here, there in zip(range(len(flows)), range(1, len(flows)), strict=False):
            self._join(here, there, flows)
        yield system.env.all_of([flow.done for some in flows for flow in some])
        self._account(flows)

    def _started(self, group: Lowered) -> list[Flow]:
        """The flows of a group."""
        system, job, network = self.context.system, self.context.job, self.context.system.network
        places = [(to, self._room(group, to)) for to in group.written if to.size > 0.0]
        flows = list[Flow]()
        for part in self._parts(group):
            flow = part.shape.start(network, job, group.group.name, part.items)
            for to, place in places:
                self._write(flow, part, to, place)
            flows.append(flow)
        if len(flows) > 1:
            system.env.process(self._joined_by_one(group, flows))
        return flows

    def _parts(self, group: Lowered) -> list[_Part]:
        """The items of a group: all for all workers, or the largest file for one and the rest for the others."""
        system, job = self.context.system, self.context.job
        last = group is self.groups[-1]
        shape = system.bounded(job, group.shape) if last else group.shape
        shape = shape._replace(alone=system.serial_share(job) if shape.shared_out else 0.0)
        workers, largest = shape.workers, self.context.data.largest
        if group.group.item != FILES or workers == 1 or not 0.0 < largest < 1.0:
            return [_Part(shape, 0.0, group.items)]
        alone = largest * group.items
        others = shape._replace(workers=workers - 1, share=shape.share * (workers - 1))
        return [
            _Part(others, alone, group.items - alone),
            _Part(shape._replace(workers=1, alone=0.0), 0.0, alone),
        ]

    def _joined_by_one(self, group: Lowered, flows: Sequence[Flow]) -> Wait:
        """Let the worker of the largest file help the others when it is done."""
        others, largest = flows
        yield largest.done
        if others.active and others.split is None:
            group.shape.go_on(self.context.system.network, others)

    def _join(self, here: int, there: int, flows: Sequence[Sequence[Flow]]) -> None:
        """A buffer between two groups, in items of the first."""
        system, (one, other) = self.context.system, (self.groups[here], self.groups[there])
        each, (size, in_bytes) = one.items / other.items, one.group.buffer
        size = size / one.shape.sent if in_bytes else size
        name = f"{self.context.job}.{one.group.name}"
        buffer = Buffer(system.network, max(size, each, 1.0, LEAST_BUFFER * one.items), name)
        for flow in flows[here]:
            buffer.fill(flow)
        for flow in flows[there]:
            buffer.drain(flow, bytes_per_unit=each)

    def _room(self, group: Lowered, to: Written) -> VolumeRange:
        """Where all that a group writes to a device goes: into the data, or behind what is there."""
        system, total = self.context.system, to.size * group.items
        if to.data:
            data = system.data[to.data]
            return VolumeRange(data.volume, data.begin, total, beside(data, FilesMade(group.made / to.size)))
        room = self.context.room
        own = room is not None and room.device == to.device
        begin = room.give(total) if room is not None and own else system.reserve(to.device, total)
        return VolumeRange(system.volumes[to.device], begin, total)

    def _write(self, flow: Flow, part: _Part, to: Written, place: VolumeRange) -> None:
        """Let a flow fill the cache before its device with the bytes of each item."""
        system, job = self.context.system, self.context.job
        here = place._replace(begin=place.begin + part.begin * to.size, size=part.items * to.size)
        if place.volume.fits(here.begin, here.size) < min(LEAST, here.size):
            raise JobFailedError(f"no space left on '{place.volume.name}'")
        place.volume.expect(here.begin, here.size)
        dirty = system.hosts[to.host].cache(place.volume.region.store).take(job, here, flow, to.size)
        system.note_dirty(dirty.on_disk)
        if to.data not in self.in_memory:
            self.pending.append(dirty)

    def _account(self, flows: Sequence[Sequence[Flow]]) -> None:
        """Record what limited the phase, under the name of the group that set the pace.

        The last group works from the beginning of the phase to its end, and all go at one pace. Of a group whose
        largest file takes longer than all others together, that one does.
        """
        longest = [max(some, key=lambda flow: flow.segments[-1].end if flow.segments else 0.0) for some in flows]

        def leader(segment: Segment) -> Flow:
            return longest[max(range(len(flows)), key=lambda n: _limited(self.groups[n], segment))]

        last = longest[-1]
        self.context.system.account(self.context.job, last, leader)


def _limited(group: Lowered, segment: Segment) -> tuple[int, float]:
    """How much of what limits a phase is of a group: parts of its cycle, and what it demands of a full link."""
    parts = sum(part in group.shape.parts for part in segment.parts)
    loads = {link.name: demand * group.items for link, demand in group.shape.demands.items()}
    return parts, loads.get(segment.cause, 0.0)
