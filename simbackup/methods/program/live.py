"""A program at work: phase by phase, the groups of each as flows that buffers join."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from simbackup.catalogue import Copy, Extent, Reduction, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.host.page_cache import Dirty, VolumeRange
from simbackup.devices.network.live import command_travel
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.engine.buffer import Buffer
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Segment
from simbackup.equations.buffers import serial_part
from simbackup.equations.change import differs
from simbackup.equations.files import directories_with
from simbackup.late import Late, changed
from simbackup.methods.copies import OnTape, enter
from simbackup.methods.file_backup.portion import portion
from simbackup.methods.file_backup.receivers import Crossing, TapeWriter, handing_over
from simbackup.methods.job import Moved, Steps, passing
from simbackup.methods.making import FilesMade, beside
from simbackup.methods.program.lowering import (
    Context,
    Group,
    Lowered,
    Room,
    Running,
    TapeTarget,
    Taping,
    Written,
    lowered,
    repeated,
)
from simbackup.methods.program.sheet import FILES, Portions
from simbackup.methods.tool.live import Tool
from simbackup.system import Attempt, JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

LEAST_BUFFER = 0.002
"""Share of all items of a group that its buffer holds at least.

What a smaller one holds matters to the time of a phase by less than that. But where two groups share a core, and one
that waits for room leaves it to the other, a buffer of few items would fill and empty thousands of times, each with a
solution.
"""
NEW = frozenset({"new", "stored"})
"""What of the data a program takes that sends only what its target does not have."""


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
    runs: Running
    reads: str = ""
    copied_by: str | None = None
    keeps: str = ""
    tape: TapeTarget | None = None
    saved_as: str = "file_level"
    resumes: bool = False
    method: str = "program"

    def run(self, system: System, job: str) -> Steps:
        """Start, and do one phase after the other; done, and in the catalogue, when all that is awaited is on disk."""
        data, time = system.data[self.data], system.env.now
        read = system.saved(self.reads, self.copied_by) if self.reads else None
        portions = _portions_of(*read, data) if read is not None else self.portions(data)
        room, tape = self._room(system, portions), self._taping(system, job, portions)
        attempt = system.attempts.setdefault(job, Attempt()) if self.resumes and tape is None else Attempt()
        left = portions.without(attempt.finished, new=self._sends_new)
        context = Context(system, job, data, left, self.codec, self.runs, read, room, tape)
        yield from passing(system, job, f"data.{self.data}", Activity.START, self.start)
        pending = list[Dirty]()
        for groups in self.phases.values():
            found = [lowered(context, group) for group in groups if context.portions.items(group.of, group.item) > 0.0]
            if found := [group for group in found if group.takes_time]:
                phase = _Phase(context, found, self._left_in_memory(), pending)
                try:
                    yield from phase.run()
                except JobFailedError:
                    if groups[-1].of in self._sent:
                        attempt.finished += (1.0 - attempt.finished) * phase.finished
                    raise
        yield from system.written_back(job, pending)
        system.attempts.pop(job, None)
        if self.keeps:
            self._enter(system, self._saved(job, time, portions), portions, context.room, tape)
        return Moved(portions.bytes["changed"], portions.files["changed"])

    @property
    def _sends_new(self) -> bool:
        """Whether it sends only what is new to its target, and not all that has changed."""
        return any(groups[-1].of in NEW for groups in self.phases.values() if groups)

    @property
    def _sent(self) -> frozenset[str]:
        """What of the data its last groups take that send something."""
        return NEW if self._sends_new else frozenset({"changed"})

    def place(self, system: System, job: str, time: float) -> None:
        """Put the save set in its place, as if written at a time."""
        portions = self.portions(system.data[self.data])
        tape = self._taping(system, job, portions)
        if tape is not None:
            how = tape.how
            OnTape(tape.size, 0.0, how.streams, how.pool, how.multiplexing).place(system, tape.copy)
        self._enter(system, self._saved(job, time, portions), portions, self._room(system, portions), tape)

    def _taping(self, system: System, job: str, portions: Portions) -> Taping | None:
        """What it writes to tape; None if its target is no library."""
        if self.tape is None:
            return None
        how = self._reduction(portions)
        own = system.data[self.data].compression * how.repeated  # the drive compresses what is left
        copy = Copy(job, self.tape.library, own, system.env.now, reduction=how)
        return Taping(copy, portions.bytes["changed"], self.tape)

    def _reduction(self, portions: Portions) -> Reduction:
        """How its save set is reduced."""
        size, new = portions.bytes["changed"], portions.bytes["new"]
        repeated = size / new if new > 0.0 else 1.0
        return self.codec if self.ratio == repeated == 1.0 else changed(self.codec, ratio=self.ratio, repeated=repeated)

    def _left_in_memory(self) -> frozenset[str]:
        """The data sets whose files it makes and never flushes: the last of them go to disk behind it.

        Whoever writes into a database, an image or a save set has it flushed.
        """
        steps = [step for groups in self.phases.values() for group in groups for step in group.steps if step.data]
        flushed = {step.data for step in steps if step.do == "flush"}
        return frozenset(step.data for step in steps if step.do == "create") - flushed

    def _room(self, system: System, portions: Portions) -> Room | None:
        """The place of its save set on a disk; None if it leaves none there."""
        if self.keeps not in system.of(Volume):
            return None
        size = 0.0
        for group in (group for groups in self.phases.values() for group in groups):
            for step in group.steps:
                if step.fills_cache and step.device == self.keeps and not step.data:
                    times, moved = repeated(portions, group, step)
                    size += times * moved / step.every
        size = size or portions.bytes["stored"]
        return Room(self.keeps, system.reserve(self.keeps, size), size)

    def _saved(self, job: str, time: float, portions: Portions) -> SaveSet:
        """Its save set, without a copy."""
        size, files = portions.bytes["changed"], portions.files["changed"]
        level = "full" if self.since is None else "incremental"
        return SaveSet(job, self.data, self.saved_as, size, files, time, level=level)

    def _enter(
        self, system: System, saved: SaveSet, portions: Portions, room: Room | None, tape: Taping | None
    ) -> None:
        """Enter its save set into the catalogue, with the copy on tape, or with one in one piece."""
        if tape is not None:
            saved.copies.append(tape.copy)
            system.catalogue.add(saved)
            return
        place = Extent(0.0, saved.size, self.keeps, room.begin if room is not None else 0.0)
        enter(system, saved, place, self._reduction(portions))

    def portions(self, data: DataSet) -> Portions:
        """How much of the data counts as all, changed, new and stored."""
        part, new = portion(data, self.since, by_file=True), self.new
        if new is None and self.since is not None and data.change is not None:
            new = min(differs(data.change, self.since) / part.share, 1.0)
        fresh = part.size * (1.0 if new is None else new)
        left = {"all": data.size, "unchanged": data.size - part.size}
        sizes = left | {"changed": part.size, "new": fresh, "stored": fresh / self.ratio}
        files = {"all": float(data.files), "unchanged": data.files - part.files}
        whole = max(data.files * data.directories_per_file, 1.0)
        there = directories_with(data.files, part.files / data.files, whole)
        directories = dict.fromkeys(sizes, there) | {"all": whole, "unchanged": whole - there}
        return Portions(sizes, dict.fromkeys(sizes, part.files) | files, directories)


def _portions_of(saved: SaveSet, copy: Copy, data: DataSet) -> Portions:
    """All of a save set, as it is stored by a copy, with the directories of its files in the data."""
    there = saved.size
    sizes = {"all": there, "unchanged": 0.0, "changed": there, "new": there, "stored": there / copy.fetched}
    whole = max(data.files * data.directories_per_file, 1.0)
    files, directories = float(saved.files), directories_with(data.files, min(saved.files / data.files, 1.0), whole)
    return Portions(sizes, *(dict.fromkeys(sizes, each) | {"unchanged": 0.0} for each in (files, directories)))


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
    ends: list[Flow] = field(default_factory=list[Flow])
    """The flows of the last group, once they have begun."""

    @property
    def finished(self) -> float:
        """The share of the items of the last group that are done."""
        whole = math.fsum(flow.amount for flow in self.ends)
        return math.fsum(flow.completed for flow in self.ends) / whole if whole else 0.0

    def run(self) -> Process:
        """Start a flow for each group, and one for a largest item, join them by buffers, and wait for them all."""
        system = self.context.system
        flows = [[] if group.taped else self._started(group) for group in self.groups]
        self.ends.extend(flows[-1])
        buffers = [self._joined(here, flows) for here in range(len(flows) - 1)]
        last = self.groups[-1]
        if last.taped:
            try:
                yield from self._onto_tape(last, buffers[-1] if buffers else None)
            except JobFailedError as error:
                for flow in (flow for some in flows for flow in some if flow.active):
                    system.network.fail(flow, str(error))
                raise
        yield system.env.all_of([flow.done for some in flows for flow in some])
        if not last.taped:
            self._account(flows)

    def _onto_tape(self, group: Lowered, buffer: Buffer | None) -> Process:
        """Let a group write what comes to it on tape, cartridge by cartridge; each byte of the save set is a unit.

        Its workers hand over a block, wait until the drive has taken it, and go on.
        """
        context, tape = self.context, self.context.tape
        if tape is None:
            return  # the checks exclude it
        system, how = context.system, tape.how
        each, stored = group.items / tape.size, tape.copy.reduction.stored
        passed = group.taped * each * stored  # of each byte that a drive counts
        networks, tool = [system.networks[name] for name in how.networks], Tool(alternates=True, block=how.block)

        def shape(crossing: Crossing, begin: float, size: float) -> FlowShape:
            del begin, size  # wherever it lies
            towards, waits = crossing[0].times(passed), crossing[1] * passed
            towards = towards.over(networks, passed / stored)._replace(sent=1.0)
            own = group.shape.times(each)
            both = own.plus(towards.demands, towards.moves, towards.places).within(towards.parallel)
            both = handing_over(both, (towards, waits), (networks, passed / stored), tool)
            return system.bounded(context.job, both)._replace(
                serial_share=self._serial_part(group) if both.shared_out else 0.0
            )

        def begun(flow: Flow) -> None:
            if buffer is not None:
                buffer.drain(flow, bytes_per_unit=self.groups[-2].items / tape.size)

        writer = TapeWriter(
            tape.size, shape, tool, how.streams, how.pool, how.multiplexing,
            away=command_travel(networks, reading=False), begun=begun, before=self._before(group, buffer),
        )  # fmt: skip
        yield from writer.write(system, tape.copy)

    def _before(self, group: Lowered, buffer: Buffer | None) -> tuple[float, float]:
        """Bytes a second that groups bring to each of the parts of one on tape, and bytes that wait for it."""
        tape = self.context.tape
        if buffer is None or tape is None:
            return math.inf, 0.0
        comes = [tape.size / each.items * each.fastest for each in self.groups if each is not group]
        waiting = self._buffered(self.groups[-2]) * tape.size / self.groups[-2].items
        return min(comes) / tape.how.streams, waiting / tape.how.streams

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
        shape = shape._replace(serial_share=self._serial_part(group) if shape.shared_out else 0.0)
        workers, largest = shape.workers, self.context.data.largest
        if group.group.item != FILES or workers == 1 or largest <= 0.0:
            return [_Part(shape, 0.0, group.items)]
        alone, one = largest * group.items, shape._replace(workers=1, serial_share=0.0)
        if largest >= 1.0:
            return [_Part(one, 0.0, group.items)]
        others = shape._replace(workers=workers - 1, weight=shape.weight * (workers - 1))
        return [_Part(others, alone, group.items - alone), _Part(one, 0.0, alone)]

    def _serial_part(self, group: Lowered) -> float:
        """The share of the items of a group that one of its workers takes while all go at its pace.

        There is one only in the group that takes longest with its share; the others catch up meanwhile.
        """
        share, slowest = self.context.system.serial_share(self.context.job), max(map(self._seconds, self.groups))
        times = [(self._seconds(each), each.items / each.shape.by_one.limited()[0].rate) for each in self.groups]
        longest = max(times, key=lambda found: (1.0 - share) * found[0] + share * max(found))
        return serial_part(share, *longest, slowest) if self.groups[times.index(longest)] is group else 0.0

    def _seconds(self, group: Lowered) -> float:
        """Seconds of a group with all its workers, if it never waits for others, but shares what it uses with them."""
        shared = [
            math.fsum(each.items * each.shape.demands.get(link, 0.0) for each in self.groups) / link.capacity
            for link, demand in group.shape.demands.items()
            if demand > 0.0 and link.capacity > 0.0
        ]
        return max(group.items / group.shape.limited()[0].rate, *shared, 0.0)

    def _joined_by_one(self, group: Lowered, flows: Sequence[Flow]) -> Process:
        """Let the worker of the largest file help the others when it is done."""
        others, largest = flows
        yield largest.done
        if others.active and others.phase_change is None:
            group.shape.go_on(self.context.system.network, others)

    def _joined(self, here: int, flows: Sequence[Sequence[Flow]]) -> Buffer:
        """A buffer between a group and the next one, in items of the first."""
        system, (one, other) = self.context.system, self.groups[here : here + 2]
        each, size = one.items / other.items, self._buffered(one)
        name = f"{self.context.job}.{one.group.name}"
        buffer = Buffer(system.network, max(size, each, 1.0, LEAST_BUFFER * one.items), name)
        for flow in flows[here]:
            buffer.fill(flow)
        for flow in flows[here + 1]:
            buffer.drain(flow, bytes_per_unit=each)
        return buffer

    @staticmethod
    def _buffered(group: Lowered) -> float:
        """Items of a group that wait for the next one at most."""
        size, in_bytes = group.group.buffer
        return size / group.shape.sent if in_bytes else size

    def _room(self, group: Lowered, to: Written) -> VolumeRange:
        """Where all that a group writes to a device goes: into the data, or behind what is there."""
        system, total = self.context.system, to.size * group.items
        if to.data:
            data = system.data[to.data]
            made = beside(data, FilesMade(group.made / to.size))
            return VolumeRange(data.volume, data.begin, total, made.plus(to.beside.demands, to.beside.moves))
        room = self.context.room
        own = room is not None and room.device == to.device
        begin = room.give(total) if room is not None and own else system.reserve(to.device, total)
        return VolumeRange(system.of(Volume)[to.device], begin, total, to.beside)

    def _write(self, flow: Flow, part: _Part, to: Written, place: VolumeRange) -> None:
        """Let a flow fill the cache before its device with the bytes of each item."""
        system, job = self.context.system, self.context.job
        here = place._replace(begin=place.begin + part.begin * to.size, size=part.items * to.size)
        system.fits(here)
        dirty = system.fill(job, to.host, here, flow, to.size)
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
