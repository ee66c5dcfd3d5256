"""Restore from tape: which cartridges are mounted, what is located, and who reads together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import simpy

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.host.page_cache import Dirty, VolumeRange
from simbackup.devices.library import Drive, DriveLoad, JointReading, Library
from simbackup.devices.network.live import NEAR, command_travel, commanded
from simbackup.devices.shape import FlowShape
from simbackup.engine.limit import Law
from simbackup.late import Late, changed
from simbackup.methods.file_backup.portion import applied
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.making import NONE, FilesMade, beside
from simbackup.methods.reduction.live import expanded
from simbackup.methods.selection import Piece, Selection, passed_over, wanted
from simbackup.methods.share.live import Share, making
from simbackup.methods.tape_reader import Pass, end_of, passes, width
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


class Wanted(NamedTuple):
    """What comes back of a save set."""

    files: float
    """Files."""
    pieces: Sequence[Piece]
    """Where their bytes are in it."""
    total: float
    """Bytes of all of them."""
    made: FilesMade
    """The costs of the files that are made of them."""
    beside: FlowShape
    """What each byte loads on disks in addition to its own write."""


@dataclass(frozen=True, slots=True)
class WayBack(Late):
    """How a save set comes back to the place of a data set."""

    host: str
    """The host of the data set."""
    to: str
    """The data set."""
    server: str
    """The host of the device that has the save set; empty for a service."""
    networks: tuple[str, ...]
    """The links from that device to the host that writes."""
    selection: Selection | None
    """The files that are wanted; None for all."""
    tool: Tool = NO_TOOL
    """The program."""
    workers: int = 1
    """Workers of each stream that create files."""
    connections: int = 1
    """Network connections of each stream."""
    streams: int = 1
    """Parts that are restored at once, from tape on as many drives."""
    object_size: float | None = None
    """Bytes of an object, if the backup states them."""
    share: Share | None = None
    """The share over which files are written; None to write them locally."""
    kept: bool = True
    """Whether data are written; otherwise they are only read."""

    @property
    def runs(self) -> str:
        """The host that writes."""
        return self.share.host if self.share else self.host

    @property
    def copies(self) -> float:
        """Copies in memory of each byte from a disk: into the buffer of the program, and into the page cache."""
        return 2.0 if self.kept else 1.0

    @property
    def unkept(self) -> Self:
        """The same for bytes that are only read to reach others."""
        return changed(self, kept=False)

    def wanted(self, system: System, job: str, saved: SaveSet, *, by_file: bool, selects: bool = True) -> Wanted:
        """What comes back: files or an image, from which it `selects`, or which it can only restore as a whole."""
        files, pieces = wanted(saved, self.selection if selects else None)
        total, target = sum(size for _, size in pieces), system.data[self.to]
        if self.selection is not None and not selects:
            system.trace.note(system.env.now, job, "ignores 'select': an image can only be restored as a whole")
        made = self.tool.made(files / total if self.kept and by_file else 0.0)
        return Wanted(files, pieces, total, made, beside(target, made) if by_file else applied(saved, target))

    def shut_out(self, system: System) -> AbstractContextManager[None]:
        """Keep users from the data meanwhile, if these are overwritten."""
        return system.shut_out(self.to) if self.kept else nullcontext()

    def take(
        self, system: System, job: str, place: VolumeRange, fill: FlowShape, activity: str, *, law: Law | None = None
    ) -> Generator[simpy.Event, Any, list[Dirty]]:
        """Receive the bytes of a range of the volume, and record that; returns writes that may not be on disk yet."""
        if self.kept:
            return [(yield from system.write(job, self.host, place, fill, activity, law=law))]
        yield from system.transfer(job, system.bounded(job, fill), activity, place.size, law=law)
        return []

    def place(self, target: DataSet, begin: float, size: float, beside: FlowShape) -> VolumeRange:
        """The range of the target from `begin` on; it begins earlier if its end would lie beyond that of the target."""
        return VolumeRange(target.volume, target.begin + min(begin, max(target.size - size, 0.0)), size, beside)

    def making(self, system: System, shape: FlowShape, target: DataSet, made: FilesMade) -> FlowShape:
        """The shape of bytes of which its workers make files."""
        shape = making(shape, system, (system.hosts[self.runs], self.share), target, made)
        return shape._replace(workers=self.workers) if made.per_byte else shape

    def served(self, system: System, shape: FlowShape, handled: tuple[float, float]) -> FlowShape:
        """The shape of bytes that another host sends."""
        if self.server in {"", self.runs}:
            return shape
        return self.tool.serving(shape, system.hosts[self.server], handled)


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """The state of a running restore."""

    system: System
    job: str
    """The address of its job."""
    copy: Copy
    """The copy that it reads."""
    made: FilesMade
    """The costs of the files that it creates."""
    pending: list[Dirty]
    """Writes that may not be on disk yet."""
    beside: FlowShape
    """What each byte loads on disks in addition to its own write."""
    passed_over: Sequence[Piece] = ()
    """Pieces of the save set that are read without being wanted."""

    def passes(self, extent: Extent) -> bool:
        """Whether a run is only read to reach the next wanted file."""
        middle = extent.begin + extent.size / 2.0
        before = bisect_right(self.passed_over, middle, key=lambda piece: piece[0])
        return before > 0 and middle < sum(self.passed_over[before - 1])


@dataclass(frozen=True, slots=True)
class _Wants:
    """What a restore wants from a cartridge."""

    restore: TapeRestore
    it: _UnderWay
    """Its state."""
    runs: list[Extent]
    """The runs that it wants; `spread` counts bytes of tape for each byte of the save set."""
    errors: list[JobFailedError] = field(default_factory=list[JobFailedError])
    """Why it failed; empty if it did not."""
    ends: list[float] = field(default_factory=list[float])
    """When its runs were read, in seconds."""

    def read(self, drive: Drive, run: Extent, share: float) -> Process:
        """Read a run; a failure is this restore's own, and the others go on."""
        try:
            yield from self.restore.read(self.it, drive, run, share)
        except JobFailedError as error:
            self.errors.append(error)
        self.ends.append(self.it.system.env.now)

    def wait(self, library: Library, since: float) -> None:
        """Record that it waited for others, from the end of its own runs in a pass that began at `since` until now."""
        begin, now = max([since, *self.ends]), library.clock.env.now
        if begin < now:
            library.clock.trace.span(begin, now, self.it.job, library.name, Activity.WAIT_FOR_DRIVE)

    def settle(self) -> None:
        """Fail if something went wrong."""
        if self.errors:
            raise self.errors[0]


@dataclass(frozen=True, slots=True)
class TapeRestore(WayBack):
    """A restore from tape, of a save set or of some of its files, to the place of a data set."""

    def bring_back(self, system: System, job: str, saved: SaveSet, copy: Copy) -> Steps:
        """Divide the cartridges among the drives, and wait until all data are on disk, if the program does."""
        target = system.data[self.to]
        by_file = saved.method == "file_level"
        files, pieces, total, made, extra = self.wanted(system, job, saved, by_file=by_file)
        over = passed_over(saved, pieces, self.tool.restore_reads) if self.selection is not None else []
        runs = [extent for begin, size in sorted([*pieces, *over]) for extent in copy.locate(begin, size)]
        yield from prepare(system, job, target, self.tool, files)
        pending: list[Dirty] = []
        on_medium: dict[str, list[Extent]] = {}
        for extent in runs:
            on_medium.setdefault(extent.medium, []).append(extent)
        cartridges = list(on_medium)
        streams = min(self.streams, len(cartridges))
        if streams > 1:  # the longest first, so that all drives end at about the same time
            cartridges.sort(key=lambda name: -sum(run.size for run in on_medium[name]))
        under_way = _UnderWay(system, job, copy, made, pending, extra, over)
        parts = [self._part(under_way, (cartridges, on_medium)) for _ in range(streams)]
        with self.shut_out(system):
            yield from side_by_side(system, parts)
            yield from system.written_back(job, self.tool.awaited(pending))
        return Moved(total, float(files))

    def _part(self, it: _UnderWay, runs: tuple[list[str], dict[str, list[Extent]]]) -> Process:
        """Mount one cartridge after the other, locate what is wanted on it, and transfer it.

        If another restore is about to read the cartridge, and the runs of both are interleaved, it reads for both.
        """
        library = it.system.of(Library)[it.copy.target]
        by_name = {cartridge.name: cartridge for cartridge in library.cartridges}
        cartridges, on_medium = runs
        drive: Drive | None = None
        try:
            while cartridges:
                medium = by_name[cartridges.pop(0)]
                own = [run._replace(spread=run.spread / it.copy.compression) for run in on_medium[medium.name]]
                lies = [(run.position, end_of(run, 1.0)) for run in own]
                wants = _Wants(self, it, own)
                others = library.readings.join(medium, wants, lies, it.copy)
                if others is not None:
                    if drive is not None:  # those who wait for one with the others may need it
                        library.give_drive(drive)
                        drive = None
                    yield from self._along(it, others, wants)
                    continue
                reading = library.readings.begin(medium, wants, lies, it.copy)
                try:
                    drive = drive or (yield from library.take_drive(it.job, medium))
                    yield from library.reserve(it.job, medium, drive)
                    drive = yield from library.mount(it.job, drive, medium)
                except JobFailedError as error:
                    self._abandoned(library.readings.close(medium, reading), reading, error)
                    raise
                yield from self._together(library, drive, library.readings.close(medium, reading), reading)
                yield from library.release(it.job, drive, self.tool.unload_after)
                wants.settle()
        finally:
            if drive is not None:
                library.give_drive(drive)

    def _along(self, it: _UnderWay, others: JointReading[_Wants], wants: _Wants) -> Process:
        """Wait while another restore mounts the cartridge, and reads for both."""
        with it.system.clock.span(it.job, it.system.of(Library)[it.copy.target].name, Activity.WAIT_FOR_DRIVE):
            yield others.ready
        yield others.done
        wants.settle()

    @staticmethod
    def _abandoned(joined: list[_Wants], reading: JointReading[_Wants], error: JobFailedError) -> None:
        """Let all restores fail that wanted to read a cartridge together."""
        for each in joined:
            each.errors.append(error)
        reading.ready.succeed()
        reading.done.succeed()

    def _together(self, library: Library, drive: Drive, joined: list[_Wants], reading: JointReading[_Wants]) -> Process:
        """Read what several restores want, in passes over the tape; each pass reads all runs that it meets."""
        reading.ready.succeed()
        # the cartridge is known here: in the place of its name each run says whose it is
        runs = [run._replace(medium=str(i)) for i, each in enumerate(joined) for run in each.runs]
        for each in passes(runs, 1.0):
            wanted = [(joined[int(run.medium)], run) for run in each]
            since = library.clock.env.now
            yield from self._pass(library, drive, [(who, run) for who, run in wanted if not who.errors], each)
            for who in joined:
                who.wait(library, since)
        reading.done.succeed()

    def _pass(self, library: Library, drive: Drive, wanted: list[tuple[_Wants, Extent]], runs: Pass) -> Process:
        """Read some runs in one pass over the tape; each is a flow, with a rate in proportion to its bytes."""
        if not wanted:
            return
        begin, long, total = runs[0].position, width(runs, 1.0), sum(run.size for run in runs)
        (first, _), clock = wanted[0], library.clock
        since = clock.env.now
        yield from library.locate(first.it.job, drive, begin)
        for job in dict.fromkeys(who.it.job for who, _ in wanted):
            if job != first.it.job and clock.env.now > since:
                clock.trace.span(since, clock.env.now, job, drive.name, Activity.LOCATE)
        parts = [
            who.read(drive, run._replace(spread=long * who.it.copy.compression / total), run.size / total)
            for who, run in wanted
        ]
        yield from side_by_side(first.it.system, parts)
        drive.position = begin + long

    def read(self, it: _UnderWay, drive: Drive, extent: Extent, share: float) -> Process:
        """Read one run, a `share` of what a pass reads, from tape into the page cache of the host."""
        system, copy, passes = it.system, it.copy, it.passes(extent)
        made, way = (NONE, self.unkept) if passes else (it.made, self)
        host, target = system.hosts[self.runs], system.data[self.to]
        how, ratio = copy.reduction, copy.reduction.stored
        networks = [system.networks[name] for name in self.networks]
        stream = DriveLoad(
            copy.compression / ratio, self.tool.block, reading=True, spread=extent.spread / ratio, shares=share < 1.0,
            away=command_travel(networks, reading=True),
        )  # fmt: skip
        cost = self.tool.restore_cpu
        each = 1.0 / host.copy_rate if cost is None else host.seconds(cost)
        near = stream._replace(away=NEAR) if self.tool.alternates else stream
        fill = host.then(drive.crossing(near), each)
        if networks:
            fill = fill.over(networks, 1.0 / how.sent, self.connections)
        if self.tool.alternates:  # it waits for what it reads, and then writes it
            fill = fill.after(drive.waits(stream) / ratio, drive.link.name, Activity.READ)
            far = commanded(networks)
            fill = self.tool.sending(fill, networks, loaded=True, share=1.0 / how.sent, travelled=far)
        fill = expanded(fill, host, None, how)
        fill = self.making(system, self.served(system, fill, how.handled()), target, made)
        place = self.place(target, extent.begin, extent.size, it.beside)
        fill = fill._replace(weight=share, sent=1.0 / how.sent)
        law = drive.law(stream)
        activity = Activity.READ if passes else Activity.TRANSFER
        it.pending.extend((yield from way.take(system, it.job, place, fill, activity, law=law)))
