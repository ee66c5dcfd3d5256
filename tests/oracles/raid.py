"""Equations of raid that only tests need."""

from __future__ import annotations

import math
from itertools import product

from simbackup.equations.raid import SCHEMES, Level, data_disks


def read_operations(level: Level) -> int:
    """Disk operations of a read within one stripe unit: one at every level while no disk is lost.

    Parameters
    ----------
    level
        RAID level.

    Examples
    --------
    >>> read_operations("6")
    1

    """
    return SCHEMES[level].small_read


def small_write_operations(level: Level) -> int:
    """Disk operations of a write within one stripe unit.

    A mirror of two writes twice. With parity, the old data and each old parity are read and the new ones
    written: `2 (1 + p)` (Patterson, Gibson and Katz 1988; Chen et al. 1994). Holds without a write-back cache
    that gathers stripes; small groups can do with fewer, see `write_operations`.

    Parameters
    ----------
    level
        RAID level; 1 is a mirror of two.

    Examples
    --------
    >>> [small_write_operations(level) for level in ("0", "1", "10", "4", "5", "6", "dp")]
    [1, 2, 2, 4, 4, 6, 6]

    """
    return SCHEMES[level].small_write


def full_stripe_write_expansion(level: Level, disks: int) -> float:
    """Bytes written to the disks per byte of data when whole stripes are written.

    Parameters
    ----------
    level
        RAID level.
    disks
        Disks in the group.

    Raises
    ------
    ValueError
        If the level cannot be formed of so many disks.

    Examples
    --------
    >>> full_stripe_write_expansion("5", 5), full_stripe_write_expansion("10", 8)
    (1.25, 2.0)

    """
    return disks / data_disks(level, disks)


def rewrite(disks: int, phases: int = 60) -> tuple[float, float]:
    """Revolutions until a read-modify-write on several disks is done, and until each of these is free, in the mean.

    Every phase of every disk is tried: each reads when its sector comes by, the writes wait for the last of the reads,
    and each disk writes when its sector comes by the next time.

    >>> [round(value, 2) for value in rewrite(2)]
    [1.67, 1.5]
    """
    done = free = 0.0
    for case in product(range(phases), repeat=disks):
        reads = [(phase + 0.5) / phases for phase in case]
        writes = [read + math.ceil(max(reads) - read or 1.0) for read in reads]
        done += max(writes)
        free += sum(writes) / disks
    return done / phases**disks, free / phases**disks
