# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (methods of matplotlib leave their settings untyped)
"""How many of very many jobs ran at once: for each day and time of day, or over time where there are few days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, PowerNorm
from numpy.typing import NDArray

from simbackup import palette
from simbackup.plots import style
from simbackup.plots.style import DAY, HOUR, MINUTE, name_times
from simbackup.results.figures import series, templates
from simbackup.results.shown import on_the_clock

if TYPE_CHECKING:
    from simbackup.results.result import Result

Row = Mapping[str, Any]
Numbers = NDArray[np.float64]
MANY = 20_000
"""Runs of jobs from which on they are counted: so many bars hide each other."""
MOST = 6
"""Most groups of jobs that have axes of their own."""
FEW_DAYS = 4
"""Days up to which the horizontal axis is time."""
BINS = 600
"""Pieces of a time axis."""
STEP = 10 * MINUTE
"""Seconds in which jobs are counted together in a picture of days."""
HEIGHT, TALLEST = 2.6, 9.0
"""Height of axes and of the tallest picture, inches."""
COLOURS = LinearSegmentedColormap.from_list("jobs", ["#ffffff", palette.SKY, palette.BLUE])
ENDS = {"failed": palette.RED, "skipped": palette.GREY, "late": palette.SAND}
"""Colours of runs that did not end well, or were late."""


class CountedJobs(NamedTuple):
    """Runs that are counted together, under a name."""

    name: str
    rows: list[Row]


class DayColumns(NamedTuple):
    """Days as columns: the first, counted from 0, how many, and where each begins, in seconds after midnight."""

    first: int
    number: int
    begin: float

    def edges(self, step: float) -> Numbers:
        """The ends of all pieces of so many seconds."""
        pieces = np.arange(round(self.number * DAY / step) + 1, dtype=np.float64)
        return np.asarray(self.begin + self.first * DAY + step * pieces, np.float64)


def concurrency(result: Result) -> style.Chart:
    """How many jobs ran at once, for each template of a fleet and each other job; of many, those that took longest.

    Over more than a few days, each day is a column, and the time of day goes down, so that a night stands in one piece.
    """
    jobs = sorted((job.data for job in result.trace.jobs), key=lambda job: job["start"])
    groups = grouped(jobs, templates(result.record.fleets))
    last = max((row["end"] for row in jobs), default=0.0)
    bad = [row for row in jobs if row["status"] in ENDS]
    days = _days(jobs, last) if last > FEW_DAYS * DAY else None
    heights = [HEIGHT] * len(groups) + ([0.8] if bad else [])
    with style.in_style():
        drawn = style.picture(9.2, min(1.2 + sum(heights), TALLEST))
        axes = drawn.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for axis, group in zip(axes, groups, strict=False):
            axis.set_title(_counted(group), fontsize=style.SMALL)
            if days:
                _draw_days(drawn, axis, group.rows, days, clock=on_the_clock(result))
            else:
                _draw_time(axis, group.rows, last)
        if bad:
            _draw_bad(axes[-1], bad, last, days)
            style.share_edge(drawn, axes[-1])
        if days:
            axes[-1].set_xlabel("day on which the night begins" if days.begin else "day")
        else:
            scale = style.scale_of(last)
            axes[-1].set_xlim(0.0, last / scale.size)
            name_times(axes[-1], result, scale)
        drawn.suptitle(style.titled(f"{result.record.title}: jobs at once", 7.0), x=0.01, ha="left", fontsize=11)
    return drawn


def grouped(jobs: Sequence[Row], fleet: Mapping[str, str]) -> list[CountedJobs]:
    """The runs by the template of their fleet or their job; the groups beyond the longest as one."""
    found: dict[str, list[Row]] = {}
    names: dict[str, str] = {}
    for row in jobs:
        name = series(row["job"])
        if name not in names:
            names[name] = fleet.get(f"jobs.{name}", name).rpartition(".jobs.")[2]
        found.setdefault(names[name], []).append(row)
    took = {name: sum(row["elapsed"] for row in rows) for name, rows in found.items()}
    most = sorted(took, key=lambda name: -took[name])[: MOST if len(took) <= MOST else MOST - 1]
    shown = [CountedJobs(name, rows) for name, rows in found.items() if name in most]
    rest = [row for name, rows in found.items() if name not in most for row in rows]
    return [*shown, *([CountedJobs(f"{len(found) - len(shown)} others", rest)] if rest else [])]


def _counted(group: CountedJobs) -> str:
    jobs = len({series(row["job"]) for row in group.rows})
    runs = f"{len(group.rows):,} runs" if len(group.rows) != jobs else ""
    return ", ".join(filter(None, [f"{style.clipped(group.name, 40)}: {jobs:,} job{'s'[: jobs != 1]}", runs]))


def at_once(rows: Sequence[Row], edges: Numbers) -> Numbers:
    """How many runs there are on average between each two of some times, in seconds.

    >>> at_once([{"start": 0.0, "end": 10.0}, {"start": 5.0, "end": 10.0}], np.array([0.0, 5.0, 10.0])).tolist()
    [1.0, 2.0]
    """
    starts = np.array([row["start"] for row in rows], np.float64)
    ends = np.array([row["end"] for row in rows], np.float64)
    return np.diff(_since(starts, edges) - _since(ends, edges)) / np.diff(edges)


def _since(instants: Numbers, times: Numbers) -> Numbers:
    """At each of some times, the seconds since all the instants before it, together."""
    ordered = np.sort(instants)
    behind = np.concatenate(([0.0], np.cumsum(ordered)))
    number = np.searchsorted(ordered, times)
    return number * times - behind[number]


def _days(rows: Sequence[Row], last: float) -> DayColumns:
    """The days from the first start on; cut at noon, unless more goes on around noon than around midnight."""
    middles = np.array([(row["start"] + row["end"]) / 2.0 % DAY for row in rows])
    by_night = (np.abs(middles - DAY / 2) < DAY / 4).sum() <= len(rows) / 2
    begin = DAY / 2 if by_night else 0.0
    first = int((min(row["start"] for row in rows) - begin) // DAY)
    return DayColumns(first, int((last - begin) // DAY) + 1 - first, begin)


def _draw_days(drawn: style.Chart, axis: Axes, rows: Sequence[Row], days: DayColumns, *, clock: bool) -> None:
    """One column for each day, with the mean number of runs in each ten minutes of it."""
    counted = at_once(rows, days.edges(STEP)).reshape(days.number, DAY // STEP).T
    image = axis.imshow(
        counted, aspect="auto", origin="upper", interpolation="nearest", cmap=COLOURS, gid="days",
        extent=(days.first + 0.5, days.first + days.number + 0.5, DAY / HOUR, 0.0),
        norm=PowerNorm(0.5, 0.0, max(counted.max(), 1e-9)),
    )  # fmt: skip
    hours = list(range(0, DAY // HOUR + 1, 6))
    axis.set_yticks(hours, [_hour(days.begin / HOUR + hour, clock=clock) for hour in hours], fontsize=style.SMALLER)
    if not clock:
        axis.set_ylabel("hour of the day", fontsize=style.SMALLER)
    for end in _ends_of_windows(rows):
        axis.axhline(
            (end - days.begin) % DAY / HOUR, color=palette.RED, linewidth=0.8, linestyle="--", gid="end of windows"
        )
    bar = drawn.colorbar(image, ax=axis, pad=0.01, aspect=12)
    bar.ax.tick_params(labelsize=style.SMALLER)
    bar.set_label("at once, mean of 10 min", fontsize=style.SMALLER)


def _hour(hour: float, *, clock: bool) -> str:
    return f"{int(hour) % 24:02}:00" if clock else f"{int(hour) % 24} h"


def _ends_of_windows(rows: Sequence[Row]) -> list[float]:
    """When the windows end, in seconds after midnight, if that is the same each day."""
    ends = {round((row["due"] + row["window"]) % DAY) for row in rows if "window" in row}
    return sorted(ends) if len(ends) <= 2 else []  # noqa: PLR2004 (more lines say nothing)


def _draw_time(axis: Axes, rows: Sequence[Row], last: float) -> None:
    """The mean number of runs over time."""
    scale, edges = style.scale_of(last), np.linspace(0.0, last, BINS + 1)
    counted = at_once(rows, edges)
    axis.stairs(counted, edges / scale.size, fill=True, color=palette.BLUE, alpha=0.6, gid="runs")
    axis.set_ylim(0.0, max(counted.max() * 1.05, 1e-9))
    axis.set_ylabel("at once", fontsize=style.SMALLER)
    axis.tick_params(axis="y", labelsize=style.SMALLER)


def _draw_bad(axis: Axes, bad: Sequence[Row], last: float, days: DayColumns | None) -> None:
    """How many of the runs due on each day, or in each piece of the time, failed, were skipped or were late."""
    edges = days.edges(DAY) if days else np.linspace(0.0, last, BINS // 6 + 1)
    shown = (edges - days.begin) / DAY + 0.5 if days else edges / style.scale_of(last).size
    below = np.zeros(len(edges) - 1)
    for status, colour in ENDS.items():
        counted = np.histogram([row["due"] for row in bad if row["status"] == status], edges)[0]
        if counted.any():
            axis.stairs(below + counted, shown, baseline=below, fill=True, color=colour, label=status, gid=status)
            below += counted
    axis.set_ylim(0.0, max(float(below.max()), 1.0) * 1.05)
    axis.set_ylabel("runs", fontsize=style.SMALLER)
    axis.tick_params(axis="y", labelsize=style.SMALLER)
