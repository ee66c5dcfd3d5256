# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Axes of time: on the clock where the scenario says times of day, else from the start of the run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from simbackup import units
from simbackup.plots import style
from simbackup.results.shown import on_the_clock

if TYPE_CHECKING:
    from simbackup.results.result import Result

MINUTE, HOUR, DAY = 60, 3_600, 86_400
STEPS = (
    60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, DAY, 2 * DAY, 7 * DAY, 28 * DAY, 364 * DAY,
)  # fmt: skip
"""Seconds between two marks."""
MOST = 9
"""Most marks of an axis."""


def name_times(axis: Axes, result: Result, scale: style.Scale) -> None:
    """Name the axis of time, whose numbers are in the unit of a scale; on the clock, mark it as clocks show it."""
    if not on_the_clock(result):
        axis.set_xlabel(f"time, {scale.name}")
        return
    low, high = (end * scale.size for end in axis.get_xlim())
    step = next((step for step in STEPS if (high - low) / step <= MOST), STEPS[-1])
    times = range(math.ceil(low / step) * step, math.floor(high) + 1, step)
    axis.set_xticks([time / scale.size for time in times], [shown(time, step) for time in times])
    axis.set_xlabel("time of day" if step < DAY else "day")
    axis.set_xlim(low / scale.size, high / scale.size)


def shown(time: int, step: int = 1) -> str:
    r"""A time after midnight of the first day, as clocks show it; at later midnights also the day.

    >>> shown(72_000), shown(86_400), shown(100_800), shown(3 * 86_400, 86_400)
    ('20:00', '00:00\nday 2', '04:00', 'day 4')
    """
    if step >= DAY:
        return f"day {time // DAY + 1}"
    clock, _, day = units.show_clock(time).partition(" ")
    return f"{clock}\n{day}" if day and time % DAY == 0 else clock
