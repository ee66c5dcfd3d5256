"""Compression and deduplication from their specs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from simbackup.catalogue import NO_REDUCTION, Reduction
from simbackup.equations.coding import cost_of_coding, ratio_of_rest
from simbackup.late import changed
from simbackup.methods.compression.spec import CompressionSpec
from simbackup.methods.deduplication.make import Changed, lying, new_of
from simbackup.methods.deduplication.spec import DeduplicationSpec
from simbackup.parameters import parameters_of
from simbackup.schema.quantity import Quantity, si_or

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec


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
