"""The time that a disk loses when streams take turns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from simbackup.equations.disk import MEAN_SEEK_SHARE, DiskParameters, rotational_latency, seek_time

STEPS = 200
EXACT = 1e-9
"""Most steps of an approach, and the step at which it ends."""


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


def interrupted(readers: int, writers: int, copies: float, *, writes: bool) -> float:
    """Share of the runs of a stream before which the arm was at another one, on disks that hold copies of all data.

    Each of c copies has R / c of R readers, and all W writers. So a reader finds `max(R / c - 1, 0) + W` others there,
    and a writer `R / c + W - 1`, of whom one is enough. While there are only readers, c of them have a copy each and no
    turns, and from 2 c on, all turn. Linux md sends a read to the disk whose head is nearest, ZFS to the one with the
    shortest queue or the nearest place, and controllers do one or the other. Range: readers who change the copy when
    theirs is busy. If each of 3 keeps to one of 2, they move up to half more together, but not equally much; one that
    keeps to a copy beside a writer is up to three eighths slower, as the writer is then.

    Parameters
    ----------
    readers, writers
        Streams of each kind; with one copy, any two of them turn.
    copies
        Copies of all data, each on disks of its own.
    writes
        Whether the stream writes.

    Examples
    --------
    >>> [interrupted(readers, 0, 2.0, writes=False) for readers in (2, 3, 4)]
    [0.0, 0.5, 1.0]
    >>> interrupted(1, 1, 2.0, writes=False), interrupted(1, 1, 2.0, writes=True), interrupted(2, 0, 1.0, writes=False)
    (1.0, 0.5, 1.0)

    """
    others = readers / copies + writers - 1.0 if writes else max(readers / copies - 1.0, 0.0) + writers
    return min(others, 1.0)


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


class Visited(NamedTuple):
    """A stream, and others whose requests draw the device away from it.

    Seconds of the device for each byte of the stream without others, and for one return to it; bytes that a disk moves
    before it goes elsewhere; requests per second of the others, and the share of the device's time that they take.
    """

    stream: float
    back: float
    run: float
    rate: float
    used: float


def returns(visited: Visited) -> float:
    """Seconds per byte that a stream loses because a disk has to come back to it after requests of others.

    `p b / L` with L the bytes that the disk moves before it goes elsewhere, b a return, and p the share of runs before
    which others came. All are served in order of arrival, and a run is asked for when the one before is done: others
    come before it if they came during that one, which is longer if it had waited itself. A chain of two states gives
    `p = 1 - a / (1 - c + a)`, with c the probability that nobody comes during a run of L s seconds, and a that nobody
    does during one that waited for k users of u seconds and came back: `exp(-r (L s + b + k u))`. Of k, the mean is
    taken. Range: against the simulation of all requests, streams are up to 4 % too slow while others take half of the
    disk, and up to 15 % while they take two thirds; schedulers that let a stream go on for a while come back to it less
    often. For several streams, see `returns_among`.

    Parameters
    ----------
    visited
        The stream and the others.

    Examples
    --------
    >>> lost = returns(Visited(1e-8, 0.01, 1e6, 1.0, 0.01))  # each of them makes the disk return, once a second
    >>> round(lost * 0.99 / (1e-8 + lost), 3), returns(Visited(1e-8, 0.01, 1e6, 0.0, 0.0))
    (0.01, 0.0)

    """
    stream, back, run, rate, used = visited
    if rate <= 0.0 or used >= 1.0:
        return back / run if rate > 0.0 else 0.0
    own, each, share = run * stream, used / rate, 0.0
    free = math.exp(-rate * own)
    for _ in range(STEPS):
        came = rate * (own + share * back) / (1.0 - used)
        number = max(came / share, 1.0) if share > 0.0 else 1.0
        after = math.exp(-rate * (own + back + number * each))
        found = 1.0 - after / (1.0 - free + after)
        settled = abs(found - share) <= EXACT
        share = found
        if settled:
            break
    return share * back / run


def returns_among(visited: Visited, turn: float, run: float) -> float:
    """Seconds per byte that a stream loses by turns and returns among several, besides its returns while alone.

    Before each run, the disk was at another stream or at a request of others: it loses a turn or a return, never both.
    So the turn is part of each run, and a return costs what it takes longer. Range: that of `returns`; streams that
    take turns after each run.

    Parameters
    ----------
    visited
        The stream and the others.
    turn
        Seconds of the device that a run loses after one of another stream.
    run
        Bytes that a disk moves of each of several streams before it goes to the next.

    Examples
    --------
    >>> returns_among(Visited(1e-8, 0.01, 1e6, 0.0, 0.0), 0.01, 1e6)  # a turn for each run
    1e-08
    >>> visited = Visited(1e-8, 0.01, 1e6, 20.0, 0.2)  # a return takes as long as a turn: each run loses one of them
    >>> round((returns(visited) + returns_among(visited, 0.01, 1e6)) * 1e6, 6)
    0.01

    """
    stream, back, _, rate, used = visited
    each = turn / run
    both = each + returns(Visited(stream + each, back - turn, run, rate, used))
    return max(both - returns(visited), 0.0)
