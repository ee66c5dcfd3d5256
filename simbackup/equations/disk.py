"""Times of a rotating disk: zoned media rate, seek, rotation, seeks among random places, and shingled tracks.

Positions are byte addresses from the outermost track inwards, as disks number their blocks. A device without
moving parts is the same record with seeks of zero and an infinite rotation speed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

MEAN_SEEK_SHARE = 1 / 3
"""Mean distance between two independent, uniformly chosen cylinders, as a share of the full stroke."""

MEAN_LATENCY_SHARE = 1 / 2
"""Mean rotation until a uniformly placed sector arrives, as a share of a revolution."""

PASSES = 3.0
"""Passes over a shingled band all of whose data are new: they are read from the cache, the band is read and written."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class DiskParameters:
    """Figures of one disk drive, as its datasheet gives them.

    Parameters
    ----------
    capacity
        Bytes.
    rotation_speed
        Revolutions per second; infinite for a device that does not rotate.
    track_to_track_seek, average_seek, full_stroke_seek
        Seconds, settling included; each no less than the one before.
    outer_rate, inner_rate
        Sustained media rates at the first and the last byte, bytes per second.
    command_overhead
        Seconds of controller and bus time per request.
    stream_turn
        Bytes moved for one sequential stream before the next has its turn (read-ahead or write-behind size).

    """

    capacity: float
    rotation_speed: float
    track_to_track_seek: float
    average_seek: float
    full_stroke_seek: float
    outer_rate: float
    inner_rate: float
    command_overhead: float
    stream_turn: float


def rate_at(disk: DiskParameters, position: float) -> float:
    """Media rate at a byte position, in bytes per second.

    Tracks are evenly spaced and hold bits at one linear density, so the rate falls linearly over the
    cylinders from outer `r_o` to inner `r_i`; capacity is its integral. In terms of `x = position /
    capacity` that is `r(x) = sqrt(r_o^2 - x (r_o^2 - r_i^2))`. Zones make the true curve a staircase around
    this one: Ruemmler and Wilkes, "An Introduction to Disk Drive Modeling", IEEE Computer 27(3), 1994.

    Parameters
    ----------
    disk
        The drive.
    position
        Bytes from the start, 0 to the capacity.

    Raises
    ------
    ValueError
        If the position lies outside the disk.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 166.7, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 1e6)
    >>> rate_at(disk, 0), rate_at(disk, 18.2e9)
    (40000000.0, 25000000.0)

    """
    share = _share(disk, position)
    return math.sqrt(disk.outer_rate**2 * (1 - share) + disk.inner_rate**2 * share)


def cylinder(disk: DiskParameters, position: float) -> float:
    """Position of a byte as a share of the stroke: 0 at the outer edge, 1 at the inner.

    The inverse of the integral behind `rate_at`: `c = (r_o - r(x)) / (r_o - r_i)`, written without the difference of
    rates, so a disk with a single rate needs no special case.

    Parameters
    ----------
    disk
        The drive.
    position
        Bytes from the start, 0 to the capacity.

    Raises
    ------
    ValueError
        If the position lies outside the disk.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 166.7, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 1e6)
    >>> round(cylinder(disk, 9.1e9), 3)  # the outer half of the bytes takes less than half of the stroke
    0.443

    """
    rate = rate_at(disk, position)
    return _share(disk, position) * (disk.outer_rate + disk.inner_rate) / (disk.outer_rate + rate)


def seek_time(disk: DiskParameters, distance_share: float) -> float:
    """Seconds that the arm takes to move a distance, given as a share of the full stroke.

    Short seeks are spent accelerating and braking, so their time grows with the square root of the distance;
    long seeks coast, so theirs grows linearly (Ruemmler and Wilkes, "An Introduction to Disk Drive Modeling",
    IEEE Computer 27(3), 1994). A datasheet gives three points, enough for this form when the regimes meet at
    the average seek, d = 1/3: `t_1 + (t_avg - t_1) sqrt(3 d)` up to there, then the straight line to the full
    stroke. That is continuous and monotone for any datasheet whose seeks rise. Against the HP 97560 curve of
    that article, whose regimes meet at d = 0.195, it is within 3 % (with that curve's intercept as `t_1`).

    Parameters
    ----------
    disk
        The drive.
    distance_share
        0 (no seek, no time) to 1 (full stroke).

    Raises
    ------
    ValueError
        If the distance is not a share.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 166.7, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 1e6)
    >>> seek_time(disk, 0), round(seek_time(disk, 1 / 3), 6), round(seek_time(disk, 1), 6)
    (0.0, 0.0052, 0.012)

    """
    if not 0 <= distance_share <= 1 + _ROUNDING:
        raise ValueError(f"a seek distance must be a share of the stroke, not {distance_share}")
    if distance_share == 0:
        return 0.0
    if distance_share <= MEAN_SEEK_SHARE:
        rise = disk.average_seek - disk.track_to_track_seek
        return disk.track_to_track_seek + rise * math.sqrt(distance_share / MEAN_SEEK_SHARE)
    rise = disk.full_stroke_seek - disk.average_seek
    return disk.average_seek + rise * (distance_share - MEAN_SEEK_SHARE) / (1 - MEAN_SEEK_SHARE)


def rotational_latency(disk: DiskParameters) -> float:
    """Seconds until a uniformly placed sector arrives under the head: half a revolution.

    Parameters
    ----------
    disk
        The drive.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 1e6)
    >>> round(rotational_latency(disk), 6)
    0.003

    """
    return MEAN_LATENCY_SHARE / disk.rotation_speed


def positioning_time(disk: DiskParameters, from_position: float, to_position: float) -> float:
    """Seconds before a transfer at another place can start: the seek, half a revolution, the command overhead.

    Continuing with the next byte of a stream needs no positioning; the caller decides whether it is needed.

    Parameters
    ----------
    disk
        The drive.
    from_position, to_position
        Bytes from the start, 0 to the capacity.

    Raises
    ------
    ValueError
        If a position lies outside the disk.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 1e6)
    >>> round(positioning_time(disk, 0, 18.2e9), 6)
    0.0153

    """
    distance = abs(cylinder(disk, to_position) - cylinder(disk, from_position))
    return seek_time(disk, distance) + rotational_latency(disk) + disk.command_overhead


def transfer_time(disk: DiskParameters, position: float, size: float) -> float:
    """Seconds that an extent takes to pass under the heads.

    The integral of `dx / r(x)` over the extent, exact for any length. Because the rate is linear in the cylinder, the
    result is the size divided by the arithmetic mean of the rates at both ends.

    Parameters
    ----------
    disk
        The drive.
    position
        First byte of the extent.
    size
        Bytes; the extent must end within the disk.

    Raises
    ------
    ValueError
        If the extent does not lie within the disk.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 166.7, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 1e6)
    >>> transfer_time(disk, 0, 18.2e9)  # the whole disk at (40 + 25) / 2 MB/s
    560.0

    """
    if size < 0:
        raise ValueError(f"the size of an extent must not be negative: {size}")
    return 2 * size / (rate_at(disk, position) + rate_at(disk, position + size))


def request_time(disk: DiskParameters, from_position: float, to_position: float, size: float) -> float:
    """Seconds of one request: the positioning and the transfer.

    Parameters
    ----------
    disk
        The drive.
    from_position
        Where the previous request left the head, bytes.
    to_position
        First byte of this request.
    size
        Bytes.

    Raises
    ------
    ValueError
        If a position or the extent lies outside the disk.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 1e6)
    >>> round(request_time(disk, 18.2e9, 0, 8192), 6)
    0.015505

    """
    return positioning_time(disk, from_position, to_position) + transfer_time(disk, to_position, size)


def _share(disk: DiskParameters, position: float) -> float:
    share = position / disk.capacity
    # Sums of positions and sizes may pass the last byte by a rounding error, never by more.
    if not 0 <= share <= 1 + _ROUNDING:
        raise ValueError(f"byte {position} is outside a disk of {disk.capacity} bytes")
    return min(share, 1.0)


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
