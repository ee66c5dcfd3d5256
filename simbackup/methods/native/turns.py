"""What the disks of a native backup lose by turning between its volumes and files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from simbackup.devices.store import Region
from simbackup.engine.link import Link
from simbackup.equations.elevator import visits
from simbackup.methods.native.buffer_loop import SteadyLoop
from simbackup.methods.native.sides import End

STEPS, SWEEPS = 50, 5
EXACT = 1e-4
"""Most steps of an approach, most rounds over devices, and the share of a number of buffers at which both end."""


class _Place(NamedTuple):
    """A place on a device: where it is, requests there for each buffer, their bytes, and whether they are writes."""

    region: Region
    share: float
    size: float
    writes: bool
    file: bool


def shared(volumes: Sequence[End], files: Sequence[End]) -> list[Link]:
    """The devices that have several places."""
    links = [end.region.store.link for end in (*volumes, *files) if end.region is not None]
    return list(dict.fromkeys(link for link in links if links.count(link) > 1))


def lost_in_turns(
    volumes: Sequence[End],
    files: Sequence[End],
    size: float,
    each: float,
    waiting: Mapping[Link, float],
    *,
    backup: bool,
) -> dict[Link, float]:
    """Seconds that each device with several places loses for a byte, by turning from one to another.

    So many buffers wait there, or are served, while the device works (`equations/elevator.py`). A buffer of some size
    is as likely to go to any of the volumes, and to any of the files, which take `each` bytes for a byte of the
    database. Volumes are read in a backup, and files written.
    """
    lost = dict[Link, float]()
    for link in shared(volumes, files):
        here = [
            _Place(end.region, 1.0 / len(ends), size * part, writes=writes, file=ends is files)
            for ends, part, writes in ((volumes, 1.0, not backup), (files, each, backup))
            for end in ends
            if end.region is not None and end.region.store.link is link
        ]
        here.sort(key=lambda place: place.region.begin)
        seconds = _turned(here, waiting[link])
        if seconds > 0.0:
            lost[link] = seconds / sum(place.share * place.size for place in here)
    return lost


def settled(loop: Callable[[Mapping[Link, float]], SteadyLoop], devices: Sequence[Link]) -> SteadyLoop:
    """The loop with as many buffers at some devices as the turns leave there: longer turns let more wait, for fewer.

    Others are left out. With several devices, each is settled beside the others until none moves.
    """
    waiting = dict.fromkeys(devices, 1.0)
    for _ in range(SWEEPS if len(devices) > 1 else 1):
        before = dict(waiting)
        for link in devices:
            waiting[link] = _settled_at(loop, waiting, link)
        if all(abs(waiting[link] - number) <= EXACT * number for link, number in before.items()):
            break
    return loop(waiting)


def _settled_at(loop: Callable[[Mapping[Link, float]], SteadyLoop], beside: Mapping[Link, float], link: Link) -> float:
    """Buffers at a device that leave as many there, by false position of logarithms (the Illinois algorithm)."""

    def more(logarithm: float) -> float:
        """By how much more wait than so many, as logarithms."""
        return math.log(max(loop({**beside, link: math.exp(logarithm)}).busy_with(link), 1.0)) - logarithm

    low, high = 0.0, math.log(2.0 * loop(beside).buffers)
    above, below = more(low), more(high)
    if above <= 0.0 or below >= 0.0:
        return math.exp(low if above <= 0.0 else high)
    kept = 0
    for _ in range(STEPS):
        middle = (low * below - high * above) / (below - above)
        found = more(middle)
        if abs(found) <= EXACT or high - low <= EXACT:
            return math.exp(middle)
        if found > 0.0:
            low, above, below = middle, found, below / 2.0 if kept > 0 else below
            kept = 1
        else:
            high, below, above = middle, found, above / 2.0 if kept < 0 else above
            kept = -1
    return math.exp((low + high) / 2.0)


def _turned(here: Sequence[_Place], waiting: float) -> float:
    """Seconds that all places of a device lose for each buffer that goes round."""
    total, writers = sum(place.share for place in here), sum(place.writes for place in here)
    shares = [place.share / total for place in here]
    spread = sum(place.share / total * place.region.store.spread(place.size, writes=place.writes) for place in here)
    seconds = 0.0
    for place, visit in zip(here, visits(_following(here), shares, waiting, round(spread)), strict=True):
        store, begin, run = place.region.store, place.region.begin, visit.requests
        writing = writers if place.writes else 0
        for other, came in zip(here, visit.came_from, strict=True):
            if came > 0.0:
                turn = store.switchover(begin, other.region.begin, place.size * run, writing=writing)
                seconds += place.share / run * came * turn.busy
    return seconds


def _following(here: Sequence[_Place]) -> list[list[float]]:
    """Probabilities of the place of a buffer's next request on the device, after one at each place.

    What was read from a volume goes to a file, of which a share lies here; what was written is read again from a
    volume, of which a share lies here, too.
    """
    volumes = sum(place.share for place in here if not place.file)
    files = sum(place.share for place in here if place.file)
    next_read = volumes / (1.0 - (1.0 - volumes) * (1.0 - files))  # the next one here, of a buffer that is empty

    def after(file: bool) -> tuple[float, float]:
        """Probabilities that the next is a volume, and that it is a file."""
        read = next_read if file else (1.0 - files) * next_read
        return read, 1.0 - read

    found: list[list[float]] = []
    for place in here:
        read, written = after(place.file)
        found.append([
            written * other.share / files if other.file else read * other.share / volumes for other in here
        ])  # fmt: skip
    return found
