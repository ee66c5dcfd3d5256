"""The work of an array's disks for writes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.equations.raid import DEDICATED, SCHEMES, Level, check_extent, data_disks


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
        If the size is negative, the unit not positive, or the level cannot be formed of so many disks.

    Examples
    --------
    >>> write_operations("5", 5, 64 * 1024, 64 * 1024).operations
    4
    >>> write_operations("5", 5, 256 * 1024, 64 * 1024)
    DiskWork(reads=0, writes=5, bytes_read=0.0, bytes_written=327680.0)

    """
    check_extent(size, stripe_unit)
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
    check_extent(size, stripe_unit)
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
    check_extent(size, stripe_unit)
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
    check_extent(size, stripe_unit)
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
