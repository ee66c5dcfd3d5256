"""Reading a multiplexed cartridge: which interleaved streams one pass over the tape returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from simbackup.catalogue import Extent
from simbackup.devices.library import LEAST_ROOM

Pass = list[Extent]
"""Runs that are read at once, between two places of a cartridge."""


def passes(runs: Sequence[Extent], compression: float, *, together: bool) -> list[Pass]:
    """The passes over one cartridge that read some runs of a save set, in order.

    The tape is cut wherever a run begins or ends. The blocks of the runs on a piece of tape are spread evenly over it,
    so each run has its share of the piece. Runs that do not lie interleaved stay as they are.

    Parameters
    ----------
    runs
        What is wanted from the cartridge.
    compression
        Bytes of the save set for each byte on the tape.
    together
        Whether runs that lie interleaved are read in one pass; else each is read by itself.

    >>> both = [Extent(0.0, 60.0, "c1", 0.0, 2.0), Extent(60.0, 30.0, "c1", 0.0, 2.0)]
    >>> [[round(run.size) for run in each] for each in passes(both, 1.0, together=True)]
    [[30, 30], [30]]
    """
    ordered = sorted(runs, key=lambda run: run.position)
    ends = [end_of(run, compression) for run in ordered]
    apart = all(end <= run.position + LEAST_ROOM for end, run in zip(ends, ordered[1:], strict=False))
    if apart or not together:
        return [[run] for run in runs]
    cuts = _cuts([*(run.position for run in ordered), *ends])
    found: list[Pass] = []
    under: list[Extent] = []
    left = list(reversed(ordered))
    for low, high in pairwise(cuts):
        while left and left[-1].position <= low + LEAST_ROOM:
            under.append(left.pop())
        under = [run for run in under if end_of(run, compression) > low + LEAST_ROOM]
        if under:
            found.append([_between(run, low, high, compression) for run in under])
    return found


def width(each: Pass, compression: float) -> float:
    """Bytes of tape that a pass moves over."""
    return end_of(each[0], compression) - each[0].position


def end_of(run: Extent, compression: float) -> float:
    """Where a run ends on the tape."""
    return run.position + run.size * run.spread / compression


def _cuts(places: Iterable[float]) -> list[float]:
    """The places in order; those that differ only by rounding count once."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place > found[-1] + LEAST_ROOM:
            found.append(place)
    return found


def _between(run: Extent, low: float, high: float, compression: float) -> Extent:
    """The part of a run between two places of the tape, which cut it or are its ends but for rounding."""
    long = run.size * run.spread / compression
    begin, end = max((low - run.position) / long, 0.0), min((high - run.position) / long, 1.0)
    begin = 0.0 if begin * long <= LEAST_ROOM else begin
    end = 1.0 if (1.0 - end) * long <= LEAST_ROOM else end
    return run._replace(begin=run.begin + begin * run.size, size=(end - begin) * run.size, position=low)
