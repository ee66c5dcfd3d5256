"""Backup to a tape library: blocks in sequence or file by file, on one drive or on several at once."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.catalogue import Copy, SaveSet
from simbackup.devices.network.live import command_travel
from simbackup.devices.shape import FlowShape
from simbackup.methods.compression.live import compressed
from simbackup.methods.existing import OnTape
from simbackup.methods.file_backup.disk import ReadsLikeDisk
from simbackup.methods.file_backup.portion import Portion
from simbackup.methods.file_backup.staging import Crossing, handing_over
from simbackup.methods.file_backup.tape_writer import TapeWriter, marks
from simbackup.methods.job import Moved, Steps
from simbackup.system import System


@dataclass(frozen=True, slots=True)
class TapeBackup(ReadsLikeDisk):
    """A backup that reads like one to disk, and writes to cartridges of a pool."""

    pool: str | None = None
    """The pool; None in a library without pools."""
    multiplexing: int = 1
    """Greatest number of streams on a drive."""

    def run(self, system: System, job: str) -> Steps:
        """Prepare, save all parts at once, then enter the catalogue."""
        it, data = self.backup, system.data[self.backup.data]
        part = it.begin(system, data)
        copy = Copy(job, it.to, data.compression, system.env.now, reduction=it.reduction)
        yield from it.start(system, job, part)
        writer = TapeWriter(
            part.size,
            lambda crossing, begin, size: system.bounded(
                job, self.arriving(system, crossing, part, (begin / part.size, size / part.size))
            ),
            it.tool, it.streams, self.pool, self.multiplexing,
            marks(it.tool, data, it.method, part.size, part.files),
            away=command_travel([system.networks[name] for name in it.networks], reading=False),
        )  # fmt: skip
        yield from writer.write(system, copy)
        self._enter(system, part, copy)
        return Moved(part.size, part.files)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the save set on cartridges, as if written at a time."""
        it, data = self.backup, system.data[self.backup.data]
        part = it.part(data)
        copy = Copy(job, it.to, data.compression, time, reduction=it.reduction)
        OnTape(part.size, 0.0, it.streams, self.pool, self.multiplexing).place(system, copy)
        self._enter(system, part, copy)

    def _enter(self, system: System, part: Portion, copy: Copy) -> None:
        """Enter a save set with its copy on tape into the catalogue."""
        it = self.backup
        saved = SaveSet(copy.job, it.data, it.method, part.size, part.files, copy.time, [copy], it.level)
        system.catalogue.add(saved)

    def arriving(self, system: System, crossing: Crossing, part: Portion, where: tuple[float, float]) -> FlowShape:
        """What a byte of a part of the save set loads on disk, host, networks, and the drive that it crosses.

        `where` is the share of the save set at which the part begins, and its size as a share: streams read different
        places.
        """
        it, (towards, waits) = self.backup, crossing
        host, data, how = system.hosts[it.host], system.data[it.data], it.reduction
        networks = [system.networks[name] for name in it.networks]
        origin = system.origin(data, it.source, mounted=True).between(*where)
        if networks:
            towards = towards.over(networks, 1.0 / how.sent, it.connections, it.tool.window)
        shape = compressed(it.taken(system, origin, 1.0, buffered=True), host, None, how)
        shape = it.serving(system, shape, part).plus(towards.demands, towards.moves, towards.places)
        if it.method == "image" or data.filesystem is None:
            shape = origin.found(shape, None, 1.0 if part.whole else 0.0)
        else:
            shape = origin.found(shape, host.machine, 1.0 - data.scattered)
        return handing_over(shape, (towards, waits), (networks, 1.0 / how.sent), it.tool)
