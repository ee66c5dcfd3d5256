"""Packs overlapping time spans into as few rows as possible, for timelines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class LaneBar(NamedTuple):
    """A stretch of time in whole microseconds, and what it is shown with."""

    start: int
    end: int
    name: str
    cause: str
    job: str


def lanes(stretches: Sequence[LaneBar]) -> list[list[LaneBar]]:
    """The stretches on as few lanes as can be, each lane in order of time and without overlap.

    A stretch goes on the free lane that ended last, preferably one of its own cause, so that the steps of one of
    several parallel streams stay together.

    >>> a, b, c = (LaneBar(*times, "read", "disk", "job") for times in ((0, 4), (0, 2), (2, 4)))
    >>> [len(lane) for lane in lanes([a, b, c])]
    [1, 2]
    """
    found: list[list[LaneBar]] = []
    for stretch in sorted(stretches, key=lambda s: (s.start, -s.end)):
        free = [lane for lane in found if lane[-1].end <= stretch.start]
        if free:
            best = max(free, key=lambda lane: (lane[-1].cause == stretch.cause, lane[-1].end))
            best.append(stretch)
        else:
            found.append([stretch])
    return found
