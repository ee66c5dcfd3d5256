"""How save sets come back, from whatever device: where their bytes go, and what they load there."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import simpy

from simbackup.catalogue import SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.host.page_cache import Dirty, VolumeRange
from simbackup.devices.shape import FlowShape
from simbackup.engine.limit import Law
from simbackup.late import Late, changed
from simbackup.methods.file_backup.portion import applied
from simbackup.methods.making import FilesMade, beside
from simbackup.methods.selection import Piece, Selection, wanted
from simbackup.methods.share.live import Share, making
from simbackup.methods.tool.live import NO_TOOL, Tool
from simbackup.system import System


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
        """Where bytes of a save set go: less of it may fit there than it has."""
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
