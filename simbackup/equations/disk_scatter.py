"""Seeks between random places in a part of a disk."""

from __future__ import annotations

import math

from simbackup.equations.disk import MEAN_SEEK_SHARE, DiskParameters, seek_time


def waiting_seek_time(disk: DiskParameters, span: float, waiting: float) -> float:
    """Mean seconds of a seek when several requests wait at random places of a span, served in one direction.

    Just ahead of the arm, requests have come for the longest time since it was there: of n that wait, `2 n / D` are on
    each unit of a span D there, so that the next is `D / 2 n` away (C-LOOK: Worthington, Ganger and Patt, "Scheduling
    Algorithms for Modern Disk Drives", SIGMETRICS 1994). Never longer than `scattered_seek_time`, that of one. Range:
    a new request at a random place for each that is served; the mean distance for the mean seek, which is up to 11 %
    shorter for distances of an exponential distribution.

    Parameters
    ----------
    disk
        The drive.
    span
        Share of the stroke that the places take, 0 to 1.
    waiting
        Requests that wait at the disk, one or more.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 128 * 1024)
    >>> [round(waiting_seek_time(disk, 1.0, waiting), 6) for waiting in (1, 2, 8, 32)]
    [0.005287, 0.004584, 0.002592, 0.001596]

    """
    alone = scattered_seek_time(disk, span)
    return min(alone, seek_time(disk, span / (2.0 * waiting))) if waiting > 1.0 else alone


def scattered_seek_time(disk: DiskParameters, span: float) -> float:
    """Mean seconds of a seek between two places drawn at random within a span of cylinders.

    The distance `D u` has the density `2 (1 - u)`; the mean is that of `seek_time` over it, exact for that curve:
    with `a` the share at which its regimes meet, `t_1 (2 a - a^2) + k sqrt(3 D) (4/3 a^1.5 - 4/5 a^2.5)` below and
    `t_avg (1 - a)^2 + m (D (1/3 - a^2 + 2/3 a^3) - (1 - a)^2 / 3)` above. A seek over the mean distance takes up to
    8 % longer where the curve is a square root, because the mean of a root is less than the root of the mean. Range:
    places spread evenly over the cylinders of the span.

    Parameters
    ----------
    disk
        The drive.
    span
        Share of the stroke that the places take, 0 to 1.

    Raises
    ------
    ValueError
        If the span is not a share.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 128 * 1024)
    >>> scattered_seek_time(disk, 0.0), round(scattered_seek_time(disk, 0.3), 6), round(scattered_seek_time(disk, 1), 6)
    (0.0, 0.002927, 0.005287)

    """
    if span <= 0.0:
        return seek_time(disk, span)
    seek_time(disk, span)  # refuses what is no share
    a = min(1.0, MEAN_SEEK_SHARE / span)
    rise = disk.average_seek - disk.track_to_track_seek
    near = disk.track_to_track_seek * (2.0 * a - a * a)
    near += rise * math.sqrt(span / MEAN_SEEK_SHARE) * (4.0 / 3.0 * a**1.5 - 4.0 / 5.0 * a**2.5)
    slope = (disk.full_stroke_seek - disk.average_seek) / (1.0 - MEAN_SEEK_SHARE)
    beyond = (1.0 - a) ** 2
    far = disk.average_seek * beyond
    far += slope * (span * (1.0 / 3.0 - a * a + 2.0 / 3.0 * a**3) - MEAN_SEEK_SHARE * beyond)
    return near + far
