"""How much of a save set is new to a store, and in what pieces it lies there."""

from __future__ import annotations

from typing import NamedTuple

from simbackup.equations.change import Change
from simbackup.equations.deduplication import came_with, containers_read, piece, touched_chunks
from simbackup.methods.deduplication.spec import DeduplicationSpec
from simbackup.schema.quantity import si_or


class Chunks(NamedTuple):
    """Bytes of a save set for each that is new to the store, and bytes of it that lie together there.

    For these a restore reads so many bytes, where others lie between them; itself alone if None.
    """

    ratio: float
    together: float
    read: float | None = None


class Changed(NamedTuple):
    """How data have changed: in time, in runs of so many bytes; and the shares that are sent, and that differ."""

    change: Change
    run: float
    sent: float
    share: float


def chunks_of(said: DeduplicationSpec, changed: Changed | None, *, whole: bool) -> Chunks:
    """The chunks of a save set: of a whole backup, which others went before, or of one above another.

    Where no ratio is stated, those are new in which something has changed, of what is sent. What is new lies in the
    order in which it came, so that a first backup has few pieces; what the store had already lies in pieces that are
    `together`.
    """
    ratio, together = si_or(said.ratio, si_or(said.within, 1.0)), said.together.si
    if changed is None:
        return Chunks(ratio, piece(together, [1.0 / ratio]))
    chunk = said.chunk.si if said.chunk is not None else 0.0
    if said.ratio is None:
        ratio = new_since(said, changed)
    if whole and said.last is not None:
        parts = came_with(changed.change, said.last.si, int(si_or(said.generations, 1.0)))
        run = max(changed.run, chunk)
        if said.container is not None:
            brought = [parts[0]] * (len(parts) - 1) + [1.0]
            held, each = containers_read(parts, brought, run, said.container.si), said.container.si
            return Chunks(ratio, each / max(held, 1.0), each)
        return Chunks(ratio, min(together, piece(run, parts)))
    return Chunks(ratio, piece(together, [1.0 / ratio]))


def new_since(said: DeduplicationSpec, changed: Changed) -> float:
    """Bytes of a save set for each that is new to a store, where those are new in which something has changed."""
    chunk = said.chunk.si if said.chunk is not None else 0.0
    new = min(touched_chunks(changed.share, changed.run, chunk), changed.sent)
    return si_or(said.within, 1.0) * changed.sent / new
