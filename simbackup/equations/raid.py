"""Disk operations and bytes that each RAID level needs for reads and writes, with all disks and with one missing.

Levels 0, 1, 4 and 5 follow Patterson, Gibson and Katz, "A Case for Redundant Arrays of Inexpensive Disks (RAID)",
SIGMOD 1988; level 6 Chen et al., "RAID: High-Performance, Reliable Secondary Storage", ACM Computing Surveys 26(2),
1994; `dp` is the row-diagonal parity of Corbett et al., FAST 2004, which counts like level 6 here.

What a missing disk held is reconstructed from the others: Muntz and Lui, "Performance Analysis of Disk Arrays Under
Failure", VLDB 1990, for parity that is spread over all disks. Which disk of a request is missing differs from stripe
to stripe, so there are several cases, each with its share of all requests. All remaining disks are assumed to bear the
same load; where parity rotates in one order, neighbours of the missing disk bear some per cent more.
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

    Examples
    --------
    >>> stripe_members_touched(200_000, 65_536, 7), stripe_members_touched(1e9, 65_536, 7)
    (4, 7)

    """
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

    Examples
    --------
    >>> expected_maximum_latency(1, 0.006), expected_maximum_latency(5, 0.006)
    (0.003, 0.005)

    """
    return revolution * disks_touched / (disks_touched + 1)


@dataclass(frozen=True, slots=True)
class DiskWork:
    """The work of a group's disks for one write.

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

    def __add__(self, other: DiskWork) -> DiskWork:
        """Return the work of both."""
        reads, writes = self.reads + other.reads, self.writes + other.writes
        return DiskWork(reads, writes, self.bytes_read + other.bytes_read, self.bytes_written + other.bytes_written)


def write_operations(level: Level, disks: int, size: float, stripe_unit: float) -> DiskWork:
    """Disk operations and bytes of a write of any size that begins on a stripe boundary.

    Whole stripes are written without reading. The remainder is written with parity by read-modify-write (read the old
    data and parity) or by reconstruct-write (read the rest of the stripe), whichever takes fewer operations, or fewer
    bytes if equal (Chen et al. 1994). A mirror is not striped, so a write to it is one operation for each copy.
    Controllers that join neighbouring stripes issue fewer, larger operations.

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
        If the level cannot be formed of so many disks.

    Examples
    --------
    >>> write_operations("5", 5, 64 * 1024, 64 * 1024).operations
    4
    >>> write_operations("5", 5, 256 * 1024, 64 * 1024)
    DiskWork(reads=0, writes=5, bytes_read=0.0, bytes_written=327680.0)

    """
    data = data_disks(level, disks)
    if level == "1":
        return DiskWork(0, disks if size else 0, 0.0, float(disks * size))
    stripes, rest = divmod(size, stripe_unit * data)
    whole = DiskWork(0, int(stripes) * disks, 0.0, float(stripes * stripe_unit * disks))
    parity = SCHEMES[level].parity_disks
    if not parity:
        copies = disks // data
        return whole + DiskWork(0, copies * math.ceil(rest / stripe_unit), 0.0, float(copies * rest))
    return whole + partial_stripe_write(data, parity, rest, stripe_unit) if rest else whole


def rewritten_disks(level: Level, disks: int, size: float, stripe_unit: float) -> int:
    """Disks that read a part of a stripe before they write it, in a write as in `write_operations`.

    The sectors that such a disk has read return under its head one revolution later, and no sooner: the disk is busy
    for a seek, half a revolution, a whole one, and the transfer (Chen et al. 1994, section 3.1). In a
    read-modify-write, all disks that are written read first; in a reconstruct-write, only one whose unit is partly new
    does.

    The arguments are those of `write_operations`.

    Examples
    --------
    >>> [rewritten_disks(level, 8, 4096, 65536) for level in ("5", "6", "10")]
    [2, 3, 0]
    >>> rewritten_disks("5", 5, 256 * 1024, 65536), rewritten_disks("5", 5, 160 * 1024, 65536)
    (0, 1)

    """
    data, parity = data_disks(level, disks), SCHEMES[level].parity_disks
    rest = size % (stripe_unit * data)
    if not parity or not rest:
        return 0
    return partly_rewritten(data, parity, rest, stripe_unit)


def largest_write(level: Level, disks: int, size: float, stripe_unit: float) -> float:
    """Bytes that the most loaded disk takes in a write as in `write_operations`.

    Whole stripes are spread evenly; of the remainder, a disk has one unit at most. A mirror is not striped.

    The arguments are those of `write_operations`.

    Examples
    --------
    >>> largest_write("5", 5, 4096, 65536), largest_write("5", 5, 655360, 65536), largest_write("1", 2, 655360, 65536)
    (4096.0, 196608.0, 655360.0)

    """
    if level == "1":
        return float(size)
    stripes, rest = divmod(size, stripe_unit * data_disks(level, disks))
    return float(stripes * stripe_unit + min(rest, stripe_unit))


def parity_disk_work(level: Level, disks: int, size: float, stripe_unit: float) -> DiskWork:
    """Operations and bytes of a dedicated parity disk, for a write as in `write_operations`.

    Every small write to a group uses this disk, twice if parity is read first: at level 4, this disk limits small
    writes, not the number of data disks (Patterson, Gibson and Katz 1988). None for levels without such a disk.

    The arguments are those of `write_operations`.

    Examples
    --------
    >>> parity_disk_work("4", 8, 4096, 65536)
    DiskWork(reads=1, writes=1, bytes_read=4096.0, bytes_written=4096.0)
    >>> parity_disk_work("4", 5, 262144, 65536), parity_disk_work("5", 5, 4096, 65536).operations
    (DiskWork(reads=0, writes=1, bytes_read=0.0, bytes_written=65536.0), 0)

    """
    if level not in DEDICATED:
        return DiskWork(0, 0, 0.0, 0.0)
    data, parity = data_disks(level, disks), SCHEMES[level].parity_disks
    stripes, rest = divmod(size, stripe_unit * data)
    whole = DiskWork(0, int(stripes), 0.0, float(stripes * stripe_unit))
    if not rest:
        return whole
    width = float(min(rest, stripe_unit))
    modifies = partial_stripe_write(data, parity, rest, stripe_unit) == _modify(parity, rest, stripe_unit)
    return whole + (DiskWork(1, 1, width, width) if modifies else DiskWork(0, 1, 0.0, width))


def partial_stripe_write(data: int, parity: int, rest: float, stripe_unit: float) -> DiskWork:
    """Work of a write of less than a stripe, by read-modify-write or by reconstruct-write (see `write_operations`).

    Parameters
    ----------
    data, parity
        Data and parity disks of a stripe; without parity, nothing is read.
    rest
        Bytes, more than 0 and less than a stripe.
    stripe_unit
        Bytes on one disk before the next disk follows.

    Examples
    --------
    >>> [partial_stripe_write(4, parity, 4096, 65536).operations for parity in (0, 1, 2)]
    [1, 4, 6]

    """
    if not parity:
        return DiskWork(0, math.ceil(rest / stripe_unit), 0.0, float(rest))
    width = min(rest, stripe_unit)
    modify = _modify(parity, rest, stripe_unit)
    # A last unit that is only partly new must still be read for the parity over its old part.
    unread = int(rest // width)
    reconstruct = DiskWork(data - unread, modify.writes, float(data * width - rest), modify.bytes_written)
    return min(modify, reconstruct, key=lambda work: (work.operations, work.bytes_moved))


def partly_rewritten(data: int, parity: int, rest: float, stripe_unit: float) -> int:
    """Disks that read a part before they write it, in a write as in `partial_stripe_write`.

    The arguments are those of `partial_stripe_write`.

    Examples
    --------
    >>> [partly_rewritten(6, parity, 4096, 65536) for parity in (0, 1, 2)]
    [0, 2, 3]

    """
    if not parity:
        return 0
    modify = _modify(parity, rest, stripe_unit)
    if partial_stripe_write(data, parity, rest, stripe_unit) == modify:
        return modify.writes
    return math.ceil(rest / stripe_unit) - int(rest // min(rest, stripe_unit))


def _modify(parity: int, rest: float, stripe_unit: float) -> DiskWork:
    """Read-modify-write of a part of a stripe."""
    touched = math.ceil(rest / stripe_unit)
    # Parity changes only over the bytes of a unit that the data cover.
    width = min(rest, stripe_unit)
    size = float(rest + parity * width)
    return DiskWork(touched + parity, touched + parity, size, size)


@dataclass(frozen=True, slots=True)
class Case:
    """The work of a group's disks for a share of all requests.

    Parameters
    ----------
    share
        Share of all requests.
    work
        Operations and bytes of all disks.
    again
        Disks that read a part of a stripe before they write it.

    """

    share: float
    work: DiskWork
    again: int = 0


def read_cases(level: Level, disks: int, size: float, stripe_unit: float, *, missing: bool) -> tuple[Case, ...]:
    """Cases of a read that begins on a stripe boundary.

    Where a unit is missing, as many units as a stripe has data disks are read instead: at level 5, all that remain. A
    mirror is read from the remaining disk.

    Parameters
    ----------
    level
        RAID level; with a missing disk 1, 10, 5 or 6.
    disks
        Disks of the group, the missing one included.
    size
        Bytes.
    stripe_unit
        Bytes on one disk before the next disk follows.
    missing
        Whether one of the disks is missing.

    Raises
    ------
    ValueError
        If the level cannot be formed of so many disks.

    Examples
    --------
    >>> [(round(case.share, 3), case.work.reads) for case in read_cases("5", 8, 4096, 65536, missing=True)]
    [(0.875, 1), (0.125, 7)]

    """
    data = data_disks(level, disks)
    touched = 1 if level == "1" else stripe_members_touched(size, stripe_unit, data)
    whole = Case(1.0, DiskWork(touched, 0, float(size), 0.0))
    if not missing or not SCHEMES[level].parity_disks or not size:
        return (whole,)
    lost = touched / disks
    rebuilt = DiskWork(data, 0, float(size / touched * data), 0.0)
    return (Case(1.0 - lost, whole.work), Case(lost, rebuilt))


def write_cases(level: Level, disks: int, size: float, stripe_unit: float, *, missing: bool) -> tuple[Case, ...]:
    """Cases of a write as in `write_operations`.

    If a disk that the write touches is missing, its new content goes into the parity, which is computed from all other
    disks. If another data disk is missing, parity is read and modified. If a parity disk is missing, there is one
    parity fewer.

    The arguments are those of `read_cases`.

    Examples
    --------
    >>> [(round(c.share, 3), c.work.operations) for c in write_cases("5", 8, 4096, 65536, missing=True)]
    [(0.125, 7), (0.75, 4), (0.125, 1)]

    """
    healthy = write_operations(level, disks, size, stripe_unit)
    if not missing or not size:
        return (Case(1.0, healthy, rewritten_disks(level, disks, size, stripe_unit)),)
    data, parity = data_disks(level, disks), SCHEMES[level].parity_disks
    if not parity:  # copies that are missing are not written
        writes, (each, more) = healthy.writes, divmod(healthy.writes, disks)
        lost = ((each, 1.0 - more / disks), (each + 1, more / disks))  # some disks have one write more than others
        return tuple(
            Case(share, DiskWork(0, writes - n, 0.0, healthy.bytes_written * (writes - n) / writes))
            for n, share in lost
            if share
        )
    stripes, rest = divmod(size, stripe_unit * data)
    whole = DiskWork(0, int(stripes) * (disks - 1), 0.0, float(stripes * stripe_unit * (disks - 1)))
    if not rest:
        return (Case(1.0, whole),)
    touched, width = math.ceil(rest / stripe_unit), min(rest, stripe_unit)
    partly = touched - int(rest // width)
    gone = DiskWork(data - touched + partly, touched - 1 + parity, float(data * width - rest),
                    float(rest - rest / touched + parity * width))  # fmt: skip
    fewer = partial_stripe_write(data, parity - 1, rest, stripe_unit)
    both = DiskWork(touched + parity, touched + parity, *(2 * [float(rest + parity * width)]))
    cases = (
        Case(touched / disks, whole + gone, partly),
        Case((data - touched) / disks, whole + both, both.writes),
        Case(parity / disks, whole + fewer, partly_rewritten(data, parity - 1, rest, stripe_unit)),
    )
    return tuple(case for case in cases if case.share)
