"""Disk operations and bytes that each RAID level needs for reads and writes.

Levels 0, 1, 4 and 5 follow Patterson, Gibson and Katz, "A Case for Redundant Arrays of Inexpensive Disks (RAID)",
SIGMOD 1988; level 6 Chen et al., "RAID: High-Performance, Reliable Secondary Storage", ACM Computing Surveys 26(2),
1994; `dp` is the row-diagonal parity of Corbett et al., FAST 2004, which counts like level 6 here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Level = Literal["0", "1", "10", "4", "5", "6", "dp"]
"""Names of the RAID levels; `10` stripes over mirrors of two, `1` mirrors over all its disks."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """What a level needs: its least number of disks, operations of a small read and a small write, parity disks."""

    minimum_disks: int
    small_read: int
    small_write: int
    parity_disks: int


SCHEMES: dict[Level, Scheme] = {
    "0": Scheme(minimum_disks=1, small_read=1, small_write=1, parity_disks=0),
    "1": Scheme(minimum_disks=2, small_read=1, small_write=2, parity_disks=0),
    "10": Scheme(minimum_disks=4, small_read=1, small_write=2, parity_disks=0),
    "4": Scheme(minimum_disks=3, small_read=1, small_write=4, parity_disks=1),
    "5": Scheme(minimum_disks=3, small_read=1, small_write=4, parity_disks=1),
    "6": Scheme(minimum_disks=4, small_read=1, small_write=6, parity_disks=2),
    "dp": Scheme(minimum_disks=3, small_read=1, small_write=6, parity_disks=2),
}
"""What each level needs."""

_MIRROR_COPIES = 2
DEDICATED: frozenset[Level] = frozenset({"4", "dp"})
"""Levels whose parity lies on disks of its own."""


def minimum_disks(level: Level) -> int:
    """Smallest number of disks that form a group of this level; a single disk is a stripe of one.

    Parameters
    ----------
    level
        RAID level.

    Examples
    --------
    >>> minimum_disks("5"), minimum_disks("10")
    (3, 4)

    """
    return SCHEMES[level].minimum_disks


def tolerance(level: Level, disks: int) -> int:
    """Disks of a group that may be missing, wherever they are, before it loses data.

    Parameters
    ----------
    level
        RAID level.
    disks
        Disks in the group.

    Examples
    --------
    >>> tolerance("0", 4), tolerance("1", 3), tolerance("10", 8), tolerance("5", 8), tolerance("6", 8)
    (0, 2, 1, 1, 2)

    """
    if level == "1":
        return disks - 1
    return 1 if level == "10" else SCHEMES[level].parity_disks


def data_disks(level: Level, disks: int) -> int:
    """Disks' worth of user data in a group.

    Parameters
    ----------
    level
        RAID level.
    disks
        Disks in the group, parity and copies included, spares not.

    Raises
    ------
    ValueError
        If the level needs more disks, or level 10 gets an odd number.

    Examples
    --------
    >>> data_disks("5", 8), data_disks("dp", 16), data_disks("10", 8), data_disks("1", 2)
    (7, 14, 4, 1)

    """
    scheme = SCHEMES[level]
    if disks < scheme.minimum_disks:
        raise ValueError(f"RAID {level} needs at least {scheme.minimum_disks} disks, not {disks}")
    if level == "1":
        return 1
    if level == "10":
        if disks % _MIRROR_COPIES:
            raise ValueError(f"RAID 10 needs an even number of disks, not {disks}")
        return disks // _MIRROR_COPIES
    return disks - scheme.parity_disks


def usable_capacity(level: Level, disks: int, disk_capacity: float) -> float:
    """Bytes of user data that a group holds.

    Parameters
    ----------
    level
        RAID level.
    disks
        Disks in the group.
    disk_capacity
        Bytes of the smallest disk.

    Raises
    ------
    ValueError
        If the level cannot be formed from so many disks.

    Examples
    --------
    >>> usable_capacity("5", 8, 250e9)
    1750000000000.0

    """
    return data_disks(level, disks) * disk_capacity


def reading_disks(level: Level, disks: int) -> int:
    """Disks of a group that share small reads: all except dedicated parity disks.

    Levels 4 and `dp` have parity disks of their own; levels 5 and 6 spread parity over all disks (Patterson, Gibson and
    Katz 1988).

    Parameters
    ----------
    level
        RAID level.
    disks
        Disks in the group.

    Examples
    --------
    >>> reading_disks("4", 8), reading_disks("dp", 8), reading_disks("5", 8), reading_disks("10", 8)
    (7, 6, 8, 8)

    """
    return data_disks(level, disks) if level in DEDICATED else disks


def stripe_members_touched(size: float, stripe_unit: float, data_disks: int) -> int:
    """Disks that an access from the start of a stripe unit touches.

    Parameters
    ----------
    size
        Bytes.
    stripe_unit
        Bytes on one disk before the next disk follows.
    data_disks
        Disks' worth of data in the group.

    Raises
    ------
    ValueError
        If the size is negative or the unit not positive.

    Examples
    --------
    >>> stripe_members_touched(200_000, 65_536, 7), stripe_members_touched(1e9, 65_536, 7)
    (4, 7)

    """
    check_extent(size, stripe_unit)
    return min(math.ceil(size / stripe_unit), data_disks)


def expected_maximum_latency(disks_touched: int, revolution: float) -> float:
    """Mean seconds until the slowest of several unsynchronised disks has its sector under the head.

    The mean of the greatest of n independent delays, uniform over a revolution: `n / (n + 1)` revolutions.

    Parameters
    ----------
    disks_touched
        Disks that must all arrive.
    revolution
        Seconds.

    Raises
    ------
    ValueError
        If the number of disks is negative.

    Examples
    --------
    >>> expected_maximum_latency(1, 0.006), expected_maximum_latency(5, 0.006)
    (0.003, 0.005)

    """
    if disks_touched < 0:
        raise ValueError(f"the number of disks touched must not be negative: {disks_touched}")
    return revolution * disks_touched / (disks_touched + 1)


def check_extent(size: float, stripe_unit: float) -> None:
    """Raise ValueError unless a number of bytes and a stripe unit are possible."""
    if size < 0 or stripe_unit <= 0:
        raise ValueError(f"need size >= 0 and stripe_unit > 0, not {size} and {stripe_unit}")
