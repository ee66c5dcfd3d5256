"""Work of an array's disks for one request, with all disks and with one disk of a group missing.

What the missing disk held is reconstructed from the others: Muntz and Lui, "Performance Analysis of Disk Arrays Under
Failure", VLDB 1990, for parity that is spread over all disks. Which disk of a request is missing differs from stripe
to stripe, so there are several cases, each with its share of all requests. All remaining disks are assumed to bear the
same load; where parity rotates in one order, neighbours of the missing disk bear some per cent more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.equations.raid import SCHEMES, Level, check_extent, data_disks, stripe_members_touched
from simbackup.equations.raid_work import (
    DiskWork,
    partial_stripe_write,
    partly_rewritten,
    rewritten_disks,
    write_operations,
)


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
        If the size is negative, the unit not positive, or the level cannot be formed of so many disks.

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
    """Cases of a write as in `raid_work.write_operations`.

    If a disk that the write touches is missing, its new content goes into the parity, which is computed from all other
    disks. If another data disk is missing, parity is read and modified. If a parity disk is missing, there is one
    parity fewer.

    The arguments are those of `read_cases`.

    Examples
    --------
    >>> [(round(c.share, 3), c.work.operations) for c in write_cases("5", 8, 4096, 65536, missing=True)]
    [(0.125, 7), (0.75, 4), (0.125, 1)]

    """
    check_extent(size, stripe_unit)
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
