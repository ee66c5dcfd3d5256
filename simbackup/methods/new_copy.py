"""Enters a new save set, or a further copy of one, in the catalogue."""

from __future__ import annotations

from simbackup.catalogue import NO_REDUCTION, Copy, Extent, Reduction, SaveSet
from simbackup.devices.library import Library
from simbackup.devices.object_store.live import ObjectStore
from simbackup.late import changed
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
