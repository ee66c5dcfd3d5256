"""Compression from its spec."""

from __future__ import annotations

from dataclasses import replace

from simbackup.catalogue import NO_REDUCTION, Reduction
from simbackup.methods.compression.spec import CompressionSpec
from simbackup.methods.deduplication.spec import DeduplicationSpec
from simbackup.parameters import parameters_of
from simbackup.schema.quantity import si_or


def reduction_of(said: CompressionSpec | None, chunks: DeduplicationSpec | None, ratio: float) -> Reduction:
    """How data of a ratio are compressed and deduplicated; not at all where the file says nothing."""
    how = NO_REDUCTION
    if said is not None:
        how = parameters_of(
            Reduction,
            said,
            ratio=ratio,
            threads=int(si_or(said.threads, 1.0)),
            expanders=int(si_or(said.expand_threads, 1.0)),
        )
    if chunks is None:
        return how
    repeated = chunks.ratio.si
    return replace(
        how, at=chunks.at, compress_cpu=how.compress_cpu / repeated, repeated=repeated, cut_cpu=chunks.cut_cpu.si,
        join_cpu=chunks.join_cpu.si, cutters=int(si_or(chunks.threads, 1.0)),
        together=chunks.together.si, at_once=si_or(chunks.at_once, 1.0),
    )  # fmt: skip
