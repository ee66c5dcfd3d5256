"""New and existing save sets in the catalogue: their copies, as yet empty or where jobs would have written them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from simbackup.catalogue import NO_REDUCTION, Copy, Extent, Reduction, SaveSet
from simbackup.devices.library import LEAST_ROOM, Cartridge, Library, no_room
from simbackup.devices.object_store.live import ObjectStore
from simbackup.late import changed
from simbackup.methods.job import Steps
from simbackup.system import JobFailedError, System


def begun(system: System, job: str, to: str, saved: SaveSet, reduction: Reduction, *, time: float) -> Copy:
    """A new copy of a save set on a device, as yet without extents, except in an object store."""
    if to in system.of(Library):
        if reduction is NO_REDUCTION:  # the drive compresses
            own = system.data[saved.data].compression if saved.shrinks is None else saved.shrinks
            return Copy(job, to, own, time)
        return Copy(job, to, reduction.stored, time, reduction=changed(reduction, at="client"))
    objects = [Extent(0.0, saved.size, to, 0.0)] if to in system.of(ObjectStore) else []
    return Copy(job, to, reduction.stored, time, objects, reduction)


def enter(system: System, saved: SaveSet, place: Extent, reduction: Reduction) -> None:
    """Enter a save set with its first copy, which is one extent on a disk or in an object store."""
    saved.copies.append(Copy(saved.job, place.medium, reduction.stored, saved.time, [place], reduction))
    system.catalogue.add(saved)


def carried(reduction: Reduction) -> Reduction:
    """The reduction that a save set keeps when it is read and copied.

    A device that compresses by itself returns it expanded; what was deduplicated is written in one piece.
    """
    if reduction is NO_REDUCTION:
        return reduction
    whole = changed(reduction, repeated=1.0, cut_cpu=0.0, join_cpu=0.0, cutters=1, together=None, at_once=1.0)
    return whole if reduction.at in {"client", "server"} and whole.ratio > 1.0 else NO_REDUCTION


def in_one_piece(saved: SaveSet, lies: Copy) -> Copy:
    """The copy of a save set, to be read in sequence; fails if later save sets were written into it."""
    if lies.undone:
        raise JobFailedError(f"later backups were written into the save set of '{saved.job}' on '{lies.target}'")
    return lies


def shared(reduction: Reduction) -> Reduction:
    """What the client of a backup does for all copies that are written at once; the rest is only for the first.

    >>> shared(Reduction(2.0, "client", repeated=3.0)).stored, shared(Reduction(2.0, "server")).stored
    (2.0, 1.0)
    """
    return carried(reduction) if reduction.at == "client" else NO_REDUCTION


@runtime_checkable
class Placing(Protocol):
    """Work whose save set may exist already."""

    @property
    def method(self) -> str:
        """The method, as the trade names it."""
        ...

    def place(self, system: System, job: str, time: float) -> None:
        """Enter the save set in the catalogue, as made by a job at a time (seconds); fails if there is no space."""
        ...


@dataclass(slots=True)
class Existing:
    """A job that is not simulated, because what it saves exists at the start; without space for that, it fails."""

    work: Placing
    """The work whose save set exists."""
    reasons: list[str] = field(default_factory=list[str])
    """Why there was no space."""

    @property
    def method(self) -> str:
        """The method of the job."""
        return self.work.method

    def run(self, system: System, job: str) -> Steps:
        """Fail, as there was no space."""
        del system, job
        raise JobFailedError(self.reasons[0])
        yield  # a generator, as the work of every job is

    def placed(self, system: System, job: str, time: float) -> bool:
        """Whether there was space for the save set."""
        try:
            self.work.place(system, job, time)
        except JobFailedError as error:
            self.reasons.append(str(error))
        return not self.reasons


@dataclass(frozen=True, slots=True)
class OnTape:
    """How a save set was written to tape."""

    size: float
    """Bytes of it."""
    begin: float = 0.0
    """Byte of the save set at which they begin."""
    streams: int = 1
    """Equal parts."""
    pool: str | None = None
    """The pool; None in a library without pools."""
    multiplexing: int = 1
    """Greatest number of streams on a drive."""

    def place(self, system: System, copy: Copy) -> None:
        """Put it on cartridges, separate ones for each drive, from the beginning of the save set on."""
        taken: list[Cartridge] = []
        try:
            for first in range(0, self.streams, self.multiplexing):
                self._one_drive(system, copy, range(first, min(first + self.multiplexing, self.streams)), taken)
        finally:
            for cartridge in taken:
                cartridge.in_use = False
        copy.extents.sort(key=lambda extent: extent.begin)

    def _one_drive(self, system: System, copy: Copy, streams: range, taken: list[Cartridge]) -> None:
        """Put the interleaved streams of one drive on one cartridge after the other."""
        library, each, done = system.of(Library)[copy.target], self.size / self.streams, 0.0
        while each - done > LEAST_ROOM:
            cartridge = library.scratch(self.pool)
            if cartridge is None:
                raise JobFailedError(no_room(library.name, self.pool))
            cartridge.in_use, cartridge.new = True, False
            taken.append(cartridge)
            spread = float(len(streams))
            came = min(each - done, cartridge.room * copy.compression / spread)
            for stream in streams:
                begin = self.begin + stream * each + done
                copy.extents.append(Extent(begin, came, cartridge.name, cartridge.end, spread))
            cartridge.end = min(cartridge.end + came * spread / copy.compression, cartridge.capacity)
            done += came
