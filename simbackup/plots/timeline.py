# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Gantt chart of the jobs: when each ran, what it did, and whether it finished within its window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from simbackup import palette
from simbackup.engine.trace import Span
from simbackup.plots import style
from simbackup.plots.fills import Bar, Fill, below, draw_bars, legend_patches, look, stacked
from simbackup.results.fleet_figures import series

if TYPE_CHECKING:
    from simbackup.results.result import Result

FEWER_LABELS = 60
"""Jobs above which not each has its name beside the axis."""
ROW, TALLEST = 0.3, 9.0
"""Height of one job's row and of the tallest picture, inches."""
Rows = list[tuple[int, dict[str, Any]]]
"""Runs of jobs, each with the row in which it stands, from the top."""
THICK = 0.72
"""Share of a row that its bar takes."""
ENDS = {"failed": ("X", palette.RED), "skipped": ("X", palette.GREY), "late": ("D", palette.SAND)}
"""Mark and colour of jobs that failed, were skipped, or were late."""


def timeline(result: Result) -> style.Chart:
    """Gantt chart of all jobs, in the order of their first start; the runs of one job share a row."""
    runs: dict[str, int] = {}
    places: list[int] = []
    jobs = result.job_rows
    for row in jobs:
        name = series(row["job"])
        runs[name] = runs.get(name, 0) + 1
        places.append(list(runs).index(name))
    rows = list(zip(places, jobs, strict=True))
    scale = style.scale_of(_last(result))
    with style.in_style():
        drawn = style.picture(9.2, min(max(1.3 + ROW * len(runs), 1.8), TALLEST))
        axis = drawn.add_subplot()
        windows = _draw_windows(axis, rows, scale)
        seen = _draw_jobs(axis, result, rows, scale)
        marks = [*legend_patches(seen), *windows, *_draw_ends(axis, rows, scale)]
        names = [name if count == 1 else f"{style.clipped(name, 24)} ({count} runs)" for name, count in runs.items()]
        style_rows(axis, names, _last(result) / scale.size)
        axis.set_xlim(left=first_start(result) / scale.size)
        axis.set(xlabel=f"time, {scale.name}", title=style.titled(result.record.title, 8.0))
        below(drawn, marks)
    return drawn


def first_start(result: Result) -> float:
    """Seconds after which the first job starts, and the chart begins."""
    start = min((row["start"] for row in result.job_rows), default=0.0)
    return start if start < result.end else 0.0


def style_rows(axis: Axes, names: list[str], end: float) -> None:
    """Name the rows of a chart, every one or as many as can be read, the first on top."""
    step = -(-len(names) // FEWER_LABELS) if names else 1
    size = style.SMALL if len(names) <= FEWER_LABELS // 2 else 7.0
    axis.set_yticks(range(0, len(names), step), [style.clipped(name) for name in names[::step]], fontsize=size)
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.set_xlim(0, end * 1.02 or 1.0)
    axis.grid(axis="x", color=palette.PALE, linewidth=0.6)


def _last(result: Result) -> float:
    """Seconds until the last job has ended and the last window has closed."""
    ends = [float(row["end"]) for row in result.job_rows]
    return max([*ends, *(row["due"] + row["window"] for row in result.job_rows if "window" in row)], default=0.0)


def _draw_jobs(axis: Axes, result: Result, rows: Rows, scale: style.Scale) -> list[tuple[str, str]]:
    """The bars of all jobs; what was seen, by cause and activity."""
    spans: dict[str, list[Span]] = {}
    for span in result.trace.spans:
        spans.setdefault(span.job, []).append(span)
    bars: dict[Fill, list[Bar]] = {}
    seen: dict[tuple[str, str], None] = {}
    for y, row in rows:
        own = sorted(spans.get(f"jobs.{row['job']}", []), key=lambda span: (span.start, span.end))
        for span, bar in zip(own, stacked(own, y, THICK), strict=True):
            bars.setdefault(look(span.cause, span.activity), []).append(bar)
            seen[span.cause, span.activity] = None
    draw_bars(axis, bars, scale)
    return list(seen)


def _draw_windows(axis: Axes, rows: Rows, scale: style.Scale) -> list[Patch]:
    """A pale band behind each job that has a window, from when it was due to the end of the window."""
    corners = [
        [(x / scale.size, y + side) for x, side in ((due, -0.5), (end, -0.5), (end, 0.5), (due, 0.5))]
        for y, row in rows
        if "window" in row
        for due, end in [(row["due"], row["due"] + row["window"])]
    ]
    if not corners:
        return []
    axis.add_collection(
        PolyCollection(
            corners, facecolors=palette.BAND, edgecolors=palette.SKY, linewidths=0.5, gid="windows", zorder=0.5
        )
    )
    return [Patch(facecolor=palette.BAND, edgecolor=palette.SKY, linewidth=0.5, label="window")]


def _draw_ends(axis: Axes, rows: Rows, scale: style.Scale) -> list[Line2D]:
    """A mark at the end of each job that failed, was skipped, or was late."""
    marks: list[Line2D] = []
    for status, (mark, colour) in ENDS.items():
        ends = [(row["end"] / scale.size, y) for y, row in rows if row["status"] == status]
        if ends:
            axis.plot(
                [x for x, _ in ends], [y for _, y in ends], mark, color=colour, markeredgecolor=palette.DARK,
                markeredgewidth=0.6, label=status, clip_on=False, zorder=4,
            )  # fmt: skip
            marks.append(
                Line2D([], [], marker=mark, color=colour, markeredgecolor=palette.DARK, linestyle="", label=status)
            )
    return marks
