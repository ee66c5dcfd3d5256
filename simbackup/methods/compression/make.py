"""Compression from its spec."""

from __future__ import annotations

from simbackup.catalogue import NO_REDUCTION, Reduction
from simbackup.methods.compression.spec import CompressionSpec
from simbackup.parameters import parameters_of
from simbackup.schema.quantity import si_or


def reduction_of(said: CompressionSpec | None, ratio: float) -> Reduction:
    """How data of a ratio are compressed; none where the file says nothing."""
    if said is None:
        return NO_REDUCTION
    return parameters_of(Reduction, said, ratio=ratio, threads=int(si_or(said.threads, 1.0)))
