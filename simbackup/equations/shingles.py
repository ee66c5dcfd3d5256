"""Disks with shingled tracks: how long data take to leave their media cache for the bands to which they belong."""

from __future__ import annotations

PASSES = 3.0
"""Passes over a band all of whose data are new: they are read from the cache, and the band is read and written."""


def cleaning_factor(share: float, run: float, band: float) -> float:
    """How many times as long a byte takes to leave the cache as it would if all of its band were new.

    A band is read and written as a whole, whatever share `f` of it is new, and the new data are read from the cache:
    `2 + f` passes over a band for `f` bands of new data, so `(2 / f + 1) / 3`, with `f = max(s, r / b)`. Aghayev and
    Desnoyers, "Skylight: A Window on Shingled Disk Operation", FAST 2015, for cleaning by reading, merging and writing
    bands. Range: runs in the order of their addresses, so that those of one band are in the cache together; runs that
    come in any order leave fewer of them together. Seeks are left out, some hundredths of the time for a band.

    Parameters
    ----------
    share
        Share of the place whose data are new.
    run
        Bytes that are new in one piece.
    band
        Bytes of a band.

    >>> cleaning_factor(1.0, 1e6, 30e6), cleaning_factor(0.1, 1e6, 30e6), round(cleaning_factor(0.0, 1e6, 30e6), 6)
    (1.0, 7.0, 20.333333)
    """
    new = min(max(share, run / band), 1.0)
    return (2.0 / new + 1.0) / PASSES
