"""From keys to numbers: how a save set is compressed and deduplicated."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from simbackup.catalogue import NO_REDUCTION, Reduction
from simbackup.equations.change import Change
from simbackup.equations.reduction import (
    came_with,
    containers_read,
    cost_of_coding,
    piece,
    ratio_of_rest,
    touched_chunks,
)
from simbackup.late import changed
from simbackup.methods.reduction.spec import CompressionSpec, DeduplicationSpec
from simbackup.parameters import parameters_of
from simbackup.schema.quantity import Quantity, si_or

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec


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


def reduction_of(
    said: CompressionSpec | None,
    chunks: DeduplicationSpec | None,
    data: DataSpec,
    changes: Callable[[], Changed | None] = lambda: None,
    *,
    whole: bool = True,
    overlapped: bool = False,
) -> Reduction:
    """How data, which have changed in some way, are compressed and deduplicated; not at all if the file says nothing.

    A compressor that does not say so is `overlapped` or not as the method has it.
    """
    how = NO_REDUCTION
    if said is not None:
        ratio, hard = cache(lambda: data.compression.si), cache(lambda: data.incompressible.si)

        def coding(each: Quantity, coded: Quantity, passed: Quantity | None = None) -> float:
            costs, most = (each.si, coded.si), said.hardest.si
            soft = cost_of_coding(*costs, ratio_of_rest(ratio(), hard()), most)
            if hard() <= 0.0:
                return soft
            return hard() * si_or(passed, cost_of_coding(*costs, 1.0, most)) + (1.0 - hard()) * soft

        how = parameters_of(
            Reduction,
            said,
            ratio=ratio,
            compress_cpu=lambda: coding(said.compress_cpu, said.compress_coded_cpu, said.compress_hard_cpu),
            expand_cpu=lambda: coding(said.expand_cpu, said.expand_coded_cpu),
            threads=lambda: said.threads.si,
            expanders=lambda: int(said.expand_threads.si),
            overlapped=lambda: overlapped if said.overlapped is None else said.overlapped,
        )
    if chunks is None:
        return how
    repeated, lies = cache(lambda: new_of(chunks, changes)), cache(lambda: lying(chunks, changes(), whole=whole))
    found = parameters_of(
        Reduction, chunks, repeated=repeated, together=lambda: lies().together, read=lambda: lies().read,
        cutters=lambda: int(chunks.threads.si), asked=lambda: chunks.together.si,
        index_reads=lambda: chunks.index_reads.si / chunks.chunk.si if chunks.chunk else 0.0,
        compress_cpu=lambda: how.compress_cpu / repeated(),
        at=lambda: chunks.at if said is None else max(chunks.at, how.at),  # the same, by the checks
    )  # fmt: skip
    return changed(found, **{name: lambda name=name: getattr(how, name) for name in OF_COMPRESSION})


OF_COMPRESSION = ("ratio", "expand_cpu", "scaling", "measured_at", "threads", "expanders", "overlapped")
"""What deduplication leaves to the compressor."""
