"""From keys to numbers: the deduplication ratio, and the fragmentation of a save set in the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from simbackup.equations.change import Change
from simbackup.equations.deduplication import came_with, containers_read, piece, touched_chunks
from simbackup.methods.deduplication.spec import DeduplicationSpec


class Lying(NamedTuple):
    """How a save set is stored in pieces."""

    together: float
    """Mean bytes of a piece."""
    read: float | None = None
    """Bytes that a restore reads for each piece; None for only the piece."""


class Changed(NamedTuple):
    """How data have changed since the last backup."""

    change: Change
    """How they change over time."""
    run: float
    """Mean bytes of a run of changes."""
    sent: float
    """Share (0 to 1) of the data that is sent."""
    share: float
    """Share (0 to 1) of the data that differs."""


def new_of(said: DeduplicationSpec, changes: Callable[[], Changed | None]) -> float:
    """Bytes of a save set for each byte that is new to the store: as stated, or as follows from the changes."""
    if said.ratio is not None:
        return said.ratio.si
    changed = changes()
    return said.within.si if changed is None else new_since(said, changed)


def lying(said: DeduplicationSpec, changed: Changed | None, *, whole: bool) -> Lying:
    """How a save set is stored: that of a `whole` backup which follows others, or of one based on another.

    New data are stored in the order in which they came, so that a first backup has few pieces; what the store had
    already is in pieces of `together` bytes.
    """
    if changed is None or not whole or said.last is None:
        return Lying(piece(said.together.si, [1.0 / new_of(said, lambda: changed)]))
    parts = came_with(changed.change, said.last.si, int(said.generations.si))
    run = max(changed.run, _chunk(said))
    if said.container is not None:
        brought = [parts[0]] * (len(parts) - 1) + [1.0]
        held, each = containers_read(parts, brought, run, said.container.si), said.container.si
        return Lying(each / max(held, 1.0), each)
    return Lying(min(said.together.si, piece(run, parts)))


def _chunk(said: DeduplicationSpec) -> float:
    return said.chunk.si if said.chunk is not None else 0.0


def new_since(said: DeduplicationSpec, changed: Changed) -> float:
    """Bytes of a save set for each byte that is new to a store: chunks in which something has changed are new."""
    new = min(touched_chunks(changed.share, changed.run, _chunk(said)), changed.sent)
    return said.within.si * changed.sent / new
