# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (methods of matplotlib leave their settings untyped)
"""How many of very many jobs ran at once, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from simbackup import palette
from simbackup.plots import style
from simbackup.plots.style import name_times
from simbackup.results.figures import series, templates

if TYPE_CHECKING:
    from simbackup.results.result import Result

Row = Mapping[str, Any]
Numbers = NDArray[np.float64]
MANY = 20_000
"""Runs of jobs from which on they are counted: so many bars hide each other."""
MOST = 6
"""Most groups of jobs that have axes of their own."""
BINS = 600
"""Pieces of a time axis."""
HEIGHT, TALLEST = 2.6, 9.0
"""Height of axes and of the tallest picture, inches."""
ENDS = {"failed": palette.RED, "skipped": palette.GREY, "late": palette.SAND}
"""Colours of runs that did not end well, or were late."""


class CountedJobs(NamedTuple):
    """Runs that are counted together, under a name."""

    name: str
    rows: list[Row]


def concurrency(result: Result) -> style.Chart:
    """How many jobs ran at once, for each template of a fleet and each other job; of many, those that took longest."""
    jobs = sorted((job.data for job in result.trace.jobs), key=lambda job: job["start"])
    groups = grouped(jobs, templates(result.record.fleets))
    last = max((row["end"] for row in jobs), default=0.0)
    bad = [row for row in jobs if row["status"] in ENDS]
    heights = [HEIGHT] * len(groups) + ([0.8] if bad else [])
    with style.in_style():
        drawn = style.picture(9.2, min(1.2 + sum(heights), TALLEST))
        axes = drawn.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for axis, group in zip(axes, groups, strict=False):
            axis.set_title(_counted(group), fontsize=style.SMALL)
            _draw_time(axis, group.rows, last)
        if bad:
            _draw_bad(axes[-1], bad, last)
            style.share_edge(drawn, axes[-1])
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


def _draw_time(axis: Axes, rows: Sequence[Row], last: float) -> None:
    """The mean number of runs over time."""
    scale, edges = style.scale_of(last), np.linspace(0.0, last, BINS + 1)
    counted = at_once(rows, edges)
    axis.stairs(counted, edges / scale.size, fill=True, color=palette.BLUE, alpha=0.6, gid="runs")
    axis.set_ylim(0.0, max(counted.max() * 1.05, 1e-9))
    axis.set_ylabel("at once", fontsize=style.SMALLER)
    axis.tick_params(axis="y", labelsize=style.SMALLER)


def _draw_bad(axis: Axes, bad: Sequence[Row], last: float) -> None:
    """How many of the runs due in each piece of the time failed, were skipped or were late."""
    edges = np.linspace(0.0, last, BINS // 6 + 1)
    shown = edges / style.scale_of(last).size
    below = np.zeros(len(edges) - 1)
    for status, colour in ENDS.items():
        counted = np.histogram([row["due"] for row in bad if row["status"] == status], edges)[0]
        if counted.any():
            axis.stairs(below + counted, shown, baseline=below, fill=True, color=colour, label=status, gid=status)
            below += counted
    axis.set_ylim(0.0, max(float(below.max()), 1.0) * 1.05)
    axis.set_ylabel("runs", fontsize=style.SMALLER)
    axis.tick_params(axis="y", labelsize=style.SMALLER)
