"""Disk operations and bytes that each RAID level spends on reads and writes.

Levels 0, 1, 4 and 5 follow Patterson, Gibson and Katz, "A Case for Redundant Arrays of Inexpensive Disks
(RAID)", SIGMOD 1988; level 6 Chen et al., "RAID: High-Performance, Reliable Secondary Storage", ACM
Computing Surveys 26(2), 1994; `dp` is the row-diagonal parity of Corbett et al., FAST 2004, level 6 in all
that is counted here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Level = Literal["0", "1", "10", "4", "5", "6", "dp"]
"""Names of the RAID levels; `10` stripes over mirrors of two, `1` mirrors over all its disks."""


@dataclass(frozen=True, slots=True)
class _Scheme:
    minimum_disks: int
    small_read: int
    small_write: int
    parity_disks: int


_SCHEMES: dict[Level, _Scheme] = {
    "0": _Scheme(minimum_disks=1, small_read=1, small_write=1, parity_disks=0),
    "1": _Scheme(minimum_disks=2, small_read=1, small_write=2, parity_disks=0),
    "10": _Scheme(minimum_disks=4, small_read=1, small_write=2, parity_disks=0),
    "4": _Scheme(minimum_disks=3, small_read=1, small_write=4, parity_disks=1),
    "5": _Scheme(minimum_disks=3, small_read=1, small_write=4, parity_disks=1),
    "6": _Scheme(minimum_disks=4, small_read=1, small_write=6, parity_disks=2),
    "dp": _Scheme(minimum_disks=3, small_read=1, small_write=6, parity_disks=2),
}

_MIRROR_COPIES = 2
_DEDICATED: frozenset[Level] = frozenset({"4", "dp"})
"""Levels whose parity lies on disks of its own."""


@dataclass(frozen=True, slots=True)
class DiskWork:
    """What one write to a group asks of its disks.

    Parameters
    ----------
    reads, writes
        Disk operations, one for each stripe unit touched.
    bytes_read, bytes_written
        Bytes moved from and to the disks.

    """

    reads: int
    writes: int
    bytes_read: float
    bytes_written: float

    @property
    def operations(self) -> int:
        """Disk operations in all."""
        return self.reads + self.writes

    @property
    def bytes_moved(self) -> float:
        """Bytes moved between disks and controller in all."""
        return self.bytes_read + self.bytes_written


def minimum_disks(level: Level) -> int:
    """Least number of disks that form a group of this level; one disk alone is a stripe of one.

    Parameters
    ----------
    level
        RAID level.

    Examples
    --------
    >>> minimum_disks("5"), minimum_disks("10")
    (3, 4)

    """
    return _SCHEMES[level].minimum_disks


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
    scheme = _SCHEMES[level]
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
        If the level cannot be formed of so many disks.

    Examples
    --------
    >>> usable_capacity("5", 8, 250e9)
    1750000000000.0

    """
    return data_disks(level, disks) * disk_capacity


def write_operations(level: Level, disks: int, size: float, stripe_unit: float) -> DiskWork:
    """Disk operations and bytes of a write of any size that begins on a stripe boundary.

    Whole stripes are written without reading. What is left over is written with parity by read-modify-write
    (read the old data and parity) or by reconstruct-write (read the rest of the stripe), whichever takes
    fewer operations, or fewer bytes if equal (Chen et al. 1994). A mirror is not striped, so a write to it
    is one operation for each copy. Controllers that join neighbouring stripes issue fewer, larger
    operations.

    Parameters
    ----------
    level
        RAID level.
    disks
        Disks in the group.
    size
        Bytes of data.
    stripe_unit
        Bytes on one disk before the next disk follows.

    Raises
    ------
    ValueError
        If the size is negative, the unit not positive, or the level cannot be formed of so many disks.

    Examples
    --------
    >>> write_operations("5", 5, 64 * 1024, 64 * 1024).operations
    4
    >>> write_operations("5", 5, 256 * 1024, 64 * 1024)
    DiskWork(reads=0, writes=5, bytes_read=0.0, bytes_written=327680.0)

    """
    _check_extent(size, stripe_unit)
    data = data_disks(level, disks)
    if level == "1":
        return DiskWork(0, disks if size else 0, 0.0, float(disks * size))
    stripes, rest = divmod(size, stripe_unit * data)
    whole = DiskWork(0, int(stripes) * disks, 0.0, float(stripes * stripe_unit * disks))
    parity = _SCHEMES[level].parity_disks
    if not parity:
        copies = disks // data
        return _sum(whole, DiskWork(0, copies * math.ceil(rest / stripe_unit), 0.0, float(copies * rest)))
    return _sum(whole, _partial_stripe_write(data, parity, rest, stripe_unit)) if rest else whole


def reading_disks(level: Level, disks: int) -> int:
    """Disks of a group over which small reads spread: all, but for disks that hold nothing but parity.

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
    return data_disks(level, disks) if level in _DEDICATED else disks


def parity_disk_work(level: Level, disks: int, size: float, stripe_unit: float) -> DiskWork:
    """Operations and bytes of one disk that holds nothing but parity, for a write as in `write_operations`.

    Every small write of a group comes by this disk, twice if parity is read first: at level 4 it, and not the number of
    data disks, bounds them (Patterson, Gibson and Katz 1988). None for levels without such a disk.

    Parameters
    ----------
    level
        RAID level.
    disks
        Disks in the group.
    size
        Bytes of data.
    stripe_unit
        Bytes on one disk before the next disk follows.

    Examples
    --------
    >>> parity_disk_work("4", 8, 4096, 65536)
    DiskWork(reads=1, writes=1, bytes_read=4096.0, bytes_written=4096.0)
    >>> parity_disk_work("4", 5, 262144, 65536), parity_disk_work("5", 5, 4096, 65536).operations
    (DiskWork(reads=0, writes=1, bytes_read=0.0, bytes_written=65536.0), 0)

    """
    _check_extent(size, stripe_unit)
    if level not in _DEDICATED:
        return DiskWork(0, 0, 0.0, 0.0)
    data, parity = data_disks(level, disks), _SCHEMES[level].parity_disks
    stripes, rest = divmod(size, stripe_unit * data)
    whole = DiskWork(0, int(stripes), 0.0, float(stripes * stripe_unit))
    if not rest:
        return whole
    width = float(min(rest, stripe_unit))
    modifies = _partial_stripe_write(data, parity, rest, stripe_unit) == _modify(parity, rest, stripe_unit)
    return _sum(whole, DiskWork(1, 1, width, width) if modifies else DiskWork(0, 1, 0.0, width))


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
    _check_extent(size, stripe_unit)
    return min(math.ceil(size / stripe_unit), data_disks)


def expected_maximum_latency(disks_touched: int, revolution: float) -> float:
    """Seconds until the slowest of several unsynchronised disks has its sector under the head.

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
        raise ValueError(f"the number of disks touched is not negative: {disks_touched}")
    return revolution * disks_touched / (disks_touched + 1)


def _partial_stripe_write(data: int, parity: int, rest: float, stripe_unit: float) -> DiskWork:
    width = min(rest, stripe_unit)
    modify = _modify(parity, rest, stripe_unit)
    # A last unit that is only partly new must still be read for the parity over its old part.
    unread = int(rest // width)
    reconstruct = DiskWork(data - unread, modify.writes, float(data * width - rest), modify.bytes_written)
    return min(modify, reconstruct, key=lambda work: (work.operations, work.bytes_moved))


def _modify(parity: int, rest: float, stripe_unit: float) -> DiskWork:
    """Read-modify-write of a part of a stripe."""
    touched = math.ceil(rest / stripe_unit)
    # Parity changes only over the bytes of a unit that the data cover.
    width = min(rest, stripe_unit)
    size = float(rest + parity * width)
    return DiskWork(touched + parity, touched + parity, size, size)


def _sum(one: DiskWork, other: DiskWork) -> DiskWork:
    return DiskWork(
        one.reads + other.reads,
        one.writes + other.writes,
        one.bytes_read + other.bytes_read,
        one.bytes_written + other.bytes_written,
    )


def _check_extent(size: float, stripe_unit: float) -> None:
    if size < 0 or stripe_unit <= 0:
        raise ValueError(f"need size >= 0 and stripe_unit > 0, not {size} and {stripe_unit}")
