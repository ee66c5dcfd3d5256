"""Seeks between random places in a part of a disk."""

from __future__ import annotations

import math

from simbackup.equations.disk import MEAN_SEEK_SHARE, DiskParameters, seek_time


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
