"""The time that a disk loses when streams take turns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from simbackup.equations.disk import MEAN_SEEK_SHARE, DiskParameters, rotational_latency, seek_time


def turn_time(disk: DiskParameters, distance_share: float = MEAN_SEEK_SHARE) -> float:
    """Seconds that a disk loses when it moves from one stream to another: a seek, half a revolution, the overhead.

    Parameters
    ----------
    disk
        The drive.
    distance_share
        Mean seek between two streams as a share of the stroke; a third for streams anywhere on the disk.

    Raises
    ------
    ValueError
        If the distance is not a share.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 128 * 1024)
    >>> round(turn_time(disk), 6)
    0.0085

    """
    return seek_time(disk, distance_share) + rotational_latency(disk) + disk.command_overhead


def sweep_turn_time(disk: DiskParameters, cylinders: Sequence[float]) -> float:
    """Mean seconds of a turn when the arm sweeps over streams in one direction and then returns to the first.

    That is the order of one-way elevators (Worthington, Ganger and Patt, "Scheduling Algorithms for Modern Disk
    Drives", SIGMETRICS 1994, C-LOOK). Two streams make two seeks of the same distance. Range: streams that stay in
    place while the arm sweeps; streams that advance at the same pace keep their distances.

    Parameters
    ----------
    disk
        The drive.
    cylinders
        Where each stream is, as a share of the stroke; at least one.

    Raises
    ------
    ValueError
        If a place lies outside the stroke.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 128 * 1024)
    >>> round(sweep_turn_time(disk, [0.0, 1.0]), 6), round(sweep_turn_time(disk, [0.0, 1.0, 1 / 3]), 6)
    (0.0153, 0.0119)

    """
    order = sorted(cylinders)
    distances = [after - before for before, after in pairwise(order)] + [order[-1] - order[0]]
    return sum([turn_time(disk, distance) for distance in distances]) / len(distances)


def turn_size(disk: DiskParameters, run: float, stripe_unit: float = 0.0, data_disks: int = 1) -> float:
    """Bytes of a stream that a disk transfers before it moves to another stream.

    The largest of what the drive's own cache holds of a stream, one stripe unit, and the disk's part of what the host
    or controller has in flight for the stream: `max(segment, unit, run / n)`. Range: all of these are requested before
    the arm leaves; drives that stop reading ahead when another request arrives have a smaller segment.

    Parameters
    ----------
    disk
        The drive.
    run
        Bytes that the host or the controller requests, or writes out, at once.
    stripe_unit
        Bytes on one disk of an array before the next disk follows.
    data_disks
        Disks of an array over which the stream spreads.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 128 * 1024)
    >>> turn_size(disk, 4 * 2**20), turn_size(disk, 4 * 2**20, 64 * 1024, 64)
    (4194304.0, 131072)

    """
    return max(disk.stream_turn, stripe_unit, run / data_disks)


def interrupted_share(others: float, apart: float) -> float:
    """Share of the requests of a stream before which the arm has been at the place of a request of somebody else.

    `1 - exp(-rate s)`: requests that come by themselves (a Poisson process) and find a disk in order of arrival are
    served before the next request of the stream if they came since its last one began. Range: a stream that asks for
    its next request when one is done, or has some waiting; schedulers that let a stream go on for a while return to it
    less often.

    Parameters
    ----------
    others
        Requests per second of everybody else.
    apart
        Seconds from the beginning of one request of the stream to that of the next while nobody comes between.

    Examples
    --------
    >>> interrupted_share(0.0, 1.0), round(interrupted_share(100.0, 0.001), 4), interrupted_share(1e6, 1.0)
    (0.0, 0.0952, 1.0)

    """
    return -math.expm1(-others * apart)
