"""Drives that stop and start on one host, buffer by buffer, as an oracle for how they share it."""

import random
from dataclasses import dataclass

EMPTY = 1e-9
"""Share of a buffer below which it is empty, or above which it is full."""


@dataclass(frozen=True, slots=True)
class Drives:
    """Equal drives: their number, bytes a second that a tape takes, bytes of a buffer, seconds of a stop."""

    count: int
    rate: float
    buffer: float
    stop: float


@dataclass(slots=True, eq=False)
class _Drive:
    level: float
    weight: float = 1.0
    starts: float | None = None
    filling: float = 0.0


def bytes_per_s(drives: Drives, host: float, seconds: float, *, every: float = 0.5, seed: int = 0) -> float:
    """Mean bytes a second of one of some drives that a host serves in unequal portions.

    The host shares its rate among the drives that take bytes, by weights drawn anew (exponentially) now and then.
    Without that, drives with equal buffers would all run empty and stop together for ever.
    """
    draw = random.Random(seed)  # noqa: S311
    all_of_them = [_Drive(draw.random() * drives.buffer) for _ in range(drives.count)]
    now, again, moved = 0.0, 0.0, 0.0
    while now < seconds:
        if now >= again:
            again = now + every
            for one in all_of_them:
                one.weight = draw.expovariate(1.0)
        _share(all_of_them, drives, host)
        step = min(_next(one, drives, now) for one in all_of_them)
        step = max(min(step, again - now), EMPTY)
        for one in all_of_them:
            one.level = min(max(one.level + _net(one, drives) * step, 0.0), drives.buffer)
            moved += one.filling * step
        now += step
        for one in all_of_them:
            if one.starts is not None and now >= one.starts - EMPTY:
                one.starts = None
            elif one.starts is None and one.level <= EMPTY * drives.buffer and one.filling < drives.rate:
                one.starts = now + drives.stop
    return moved / now / drives.count


def _full(one: _Drive, drives: Drives) -> bool:
    return one.level >= drives.buffer * (1.0 - EMPTY)


def _net(one: _Drive, drives: Drives) -> float:
    return one.filling - (drives.rate if one.starts is None else 0.0)


def _next(one: _Drive, drives: Drives, now: float) -> float:
    """Seconds until its buffer is full or empty, or it starts again."""
    net = _net(one, drives)
    times = [one.starts - now] if one.starts is not None else []
    if net > 0.0 and not _full(one, drives):
        times.append((drives.buffer - one.level) / net)
    if net < 0.0 and one.level > 0.0:
        times.append(one.level / -net)
    return min((time for time in times if time > EMPTY), default=1.0)


def _share(all_of_them: list[_Drive], drives: Drives, host: float) -> None:
    """Give each drive its part of the host; one with a full buffer takes no more than its tape does."""
    left, waiting = host, list[_Drive]()
    for one in all_of_them:
        one.filling = 0.0
        if one.starts is None or not _full(one, drives):
            waiting.append(one)
    while waiting:
        total = sum(one.weight for one in waiting)
        sated = [one for one in waiting if _full(one, drives) and drives.rate < left * one.weight / total]
        for one in sated or waiting:
            one.filling = drives.rate if sated else left * one.weight / total
        left -= drives.rate * len(sated)
        waiting = [one for one in waiting if one not in sated] if sated else []
