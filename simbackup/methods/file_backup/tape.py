"""Backup to a tape library: blocks in sequence or file by file, on one drive or on several at once."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.catalogue import NO_REDUCTION, Copy, Reduction, SaveSet
from simbackup.devices.network.live import command_travel
from simbackup.devices.shape import FlowShape
from simbackup.late import Late
from simbackup.methods.compression.live import compressed
from simbackup.methods.existing import OnTape
from simbackup.methods.file_backup.blocks import asked_blocks
from simbackup.methods.file_backup.first_walk import first_walk
from simbackup.methods.file_backup.portion import Portion, changed, portion
from simbackup.methods.file_backup.staging import Crossing, handing_over
from simbackup.methods.file_backup.tape_writer import TapeWriter, marks
from simbackup.methods.file_backup.walk import walking
from simbackup.methods.file_backup.walkers import walkers
from simbackup.methods.job import Moved, Steps
from simbackup.methods.share.live import Share
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import System


@dataclass(frozen=True, slots=True)
class TapeBackup(Late):
    """A backup of a data set, or of a frozen image of it, to cartridges of a pool."""

    host: str
    """The host that reads."""
    data: str
    """The data set."""
    library: str
    """The tape library."""
    networks: tuple[str, ...]
    """The links to the library."""
    method: str
    """`image` or `file_level`."""
    tool: Tool = NO_TOOL
    """The program."""
    source: str | None = None
    """The frozen image that is read; None for the data themselves."""
    streams: int = 1
    """Equal parts that are saved at once."""
    pool: str | None = None
    """The pool; None in a library without pools."""
    multiplexing: int = 1
    """Greatest number of streams on a drive."""
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
    server: str | None = None
    """The host of the library, if that is another; None otherwise."""
    reduction: Reduction = NO_REDUCTION
    """How programs compress the save set before the drive does."""

    def expected(self, system: System) -> float:
        """Bytes that it saves."""
        return self.part(system).size

    def part(self, system: System) -> Portion:
        """How much of the data set it saves."""
        return portion(system.data[self.data], self.since, by_file=self.method == "file_level")

    def run(self, system: System, job: str) -> Steps:
        """Prepare, save all parts at once, then enter the catalogue."""
        data = system.data[self.data]
        copy = Copy(job, self.library, data.compression, system.env.now, reduction=self.reduction)
        part = self.part(system)
        yield from prepare(system, job, data, self.tool, part.files)
        yield from first_walk(system, job, self)
        writer = TapeWriter(
            part.size,
            lambda crossing, begin, size: system.bounded(
                job, self.arriving(system, crossing, part, (begin / part.size, size / part.size))
            ),
            self.tool, self.streams, self.pool, self.multiplexing,
            marks(self.tool, data, self.method, part.size, part.files),
            away=command_travel([system.networks[name] for name in self.networks], reading=False),
        )  # fmt: skip
        yield from writer.write(system, copy)
        self._enter(system, part, copy)
        return Moved(part.size, part.files)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the save set on cartridges, as if written at a time."""
        data = system.data[self.data]
        part = self.part(system)
        copy = Copy(job, self.library, data.compression, time, reduction=self.reduction)
        OnTape(part.size, 0.0, self.streams, self.pool, self.multiplexing).place(system, copy)
        self._enter(system, part, copy)

    def _enter(self, system: System, part: Portion, copy: Copy) -> None:
        """Enter a save set with its copy on tape into the catalogue."""
        saved = SaveSet(copy.job, self.data, self.method, part.size, part.files, copy.time, [copy], self.level)
        system.catalogue.add(saved)

    def arriving(self, system: System, crossing: Crossing, part: Portion, where: tuple[float, float]) -> FlowShape:
        """What a byte of a part of the save set loads on disk, host, networks, and the drive that it crosses.

        `where` is the share of the save set at which the part begins, and its size as a share: streams read different
        places.
        """
        host, data = system.hosts[self.host], system.data[self.data]
        whole = system.origin(data, self.source, mounted=True)
        origin = whole.between(*where)
        copy = self.tool.copying(host, copies=1.0)
        how, networks = self.reduction, [system.networks[name] for name in self.networks]
        towards = crossing[0]
        if networks:
            towards = towards.over(networks, 1.0 / how.sent, self.connections, self.tool.window)
        if self.method == "image" and self.share is not None:
            shape = asked_blocks(system, host, origin, data, part, tool=self.tool, copy=copy, share=self.share)
        elif self.method == "image" and part.whole and not part.searched(self.tool):
            tool = self.tool
            shape = host.reading(origin.region, copy, origin.cached, tool.request, ahead=tool.reads_ahead)
        elif self.method == "image":
            shape = host.then(changed(host, origin, data, part.share, self.tool), copy)
        else:
            who = walkers(system, self.tool, self.workers, self.share)
            shape = host.working(walking(host, data, origin.region, who, part.share, whole=whole.region), copy)
        shape = compressed(shape, host, None, how)
        if self.server is not None:
            files = part.files / part.size if self.method == "file_level" and part.size > 0.0 else 0.0
            shape = self.tool.serving(shape, system.hosts[self.server], files, how.handled())
        shape = shape.plus(towards.demands, towards.moves, towards.places)
        if self.method == "image" or data.filesystem is None:
            shape = origin.found(shape, None, 1.0 if part.whole else 0.0)
        else:
            shape = origin.found(shape, host.machine, 1.0 - data.scattered)
        return handing_over(shape, (towards, crossing[1]), (networks, 1.0 / how.sent), self.tool)
