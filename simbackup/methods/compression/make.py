"""Compression from its spec."""

from __future__ import annotations

from dataclasses import replace

from simbackup.catalogue import NO_REDUCTION, Reduction
from simbackup.equations.coding import cost_of_coding
from simbackup.methods.compression.spec import CompressionSpec
from simbackup.methods.deduplication.make import Chunks
from simbackup.methods.deduplication.spec import DeduplicationSpec
from simbackup.parameters import parameters_of
from simbackup.schema.quantity import si_or


def reduction_of(
    said: CompressionSpec | None,
    chunks: DeduplicationSpec | None,
    ratio: float,
    lies: Chunks | None = None,
    *,
    overlapped: bool = False,
) -> Reduction:
    """How data of a ratio are compressed and deduplicated, and how they lie; not at all where the file says nothing.

    A compressor that does not say so is `overlapped` or not as the method has it.
    """
    how = NO_REDUCTION
    if said is not None:
        hardest = si_or(said.hardest, 1.0)
        how = parameters_of(
            Reduction,
            said,
            ratio=ratio,
            compress_cpu=cost_of_coding(said.compress_cpu.si, si_or(said.compress_coded_cpu, 0.0), ratio, hardest),
            expand_cpu=cost_of_coding(said.expand_cpu.si, si_or(said.expand_coded_cpu, 0.0), ratio, hardest),
            threads=si_or(said.threads, 1.0),
            expanders=int(si_or(said.expand_threads, 1.0)),
            overlapped=overlapped if said.overlapped is None else said.overlapped,
        )
    if chunks is None or lies is None:
        return how
    repeated, index_reads = lies.ratio, si_or(chunks.index_reads, 0.0)
    return replace(
        how, at=chunks.at, compress_cpu=how.compress_cpu / repeated, repeated=repeated, cut_cpu=chunks.cut_cpu.si,
        join_cpu=chunks.join_cpu.si, cutters=int(si_or(chunks.threads, 1.0)),
        together=lies.together, read=lies.read, at_once=si_or(chunks.at_once, 1.0), asked=chunks.together.si,
        ingest=chunks.ingest.si if chunks.ingest is not None else None,
        stream_ingest=chunks.stream_ingest.si if chunks.stream_ingest is not None else None,
        restore_rate=chunks.restore_rate.si if chunks.restore_rate is not None else None,
        stream_restore_rate=chunks.stream_restore_rate.si if chunks.stream_restore_rate is not None else None,
        index_reads=index_reads / chunks.chunk.si if chunks.chunk is not None else 0.0,
    )  # fmt: skip
