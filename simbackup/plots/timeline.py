# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Charts of the jobs: when each ran, what it did, whether it finished within its window, and where its time went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from simbackup import palette, units
from simbackup.errors import ResultError, choices
from simbackup.palette import PAPER
from simbackup.plots import style
from simbackup.plots.fills import Bar, Fill, below, draw_bars, legend_patches, look, stacked
from simbackup.plots.style import name_times
from simbackup.results.causes import Cause, split
from simbackup.results.figures import any_of, greatest_of_each, series, templates
from simbackup.results.rows import whole
from simbackup.trace.trace import Span

if TYPE_CHECKING:
    from simbackup.results.result import Result


MANY = 20_000
"""Most runs of jobs that a timeline shows: more bars hide each other."""
FEWER_LABELS = 60
"""Jobs above which not each has its name beside the axis."""
ROW, TALLEST = 0.3, 9.0
"""Height of one job's row and of the tallest picture, inches."""
Rows = list[tuple["JobRow", dict[str, Any]]]
"""Runs of jobs, each with the place at which it stands."""
FOLDED = 8
"""Rows that many jobs of a fleet take together."""
THICK = 0.72
"""Share of a row that its bar takes."""
ENDS = {"failed": ("X", palette.RED), "skipped": ("X", palette.GREY), "late": ("D", palette.SAND)}
"""Mark and colour of jobs that failed, were skipped, or were late."""


def timeline(result: Result) -> style.Chart:
    """Gantt chart of all jobs, in the order of their first start; the runs of one job share a row.

    Many jobs of a fleet share a band, in which each has a thin row, so that it shows how far they spread.

    Raises
    ------
    ResultError
        There are more than `MANY` runs.
    """
    if len(result.trace.jobs) > MANY:
        runs = f"{result.record.scenario} has {len(result.trace.jobs):,} runs of jobs"
        raise ResultError(f"{runs}, more than a timeline can show; choose another picture, such as utilisation")
    whole(result, "a timeline of each job")
    bands, rows = _bands(result)
    height = sum(band.height for band in bands)
    scale = style.scale_of(_last(result))
    with style.in_style():
        drawn = style.picture(9.2, min(max(1.3 + ROW * height, 1.8), TALLEST))
        axis = drawn.add_subplot()
        windows = _draw_windows(axis, rows, scale)
        seen = _draw_jobs(axis, result, rows, scale)
        marks = [*legend_patches(seen), *windows, *_draw_ends(axis, rows, scale), *_draw_failures(axis, result, scale)]
        style_rows(axis, [band.name for band in bands], _last(result) / scale.size, [band.middle for band in bands])
        axis.set_ylim(height - 0.4, -0.6)
        axis.set_xlim(left=first_start(result) / scale.size)
        name_times(axis, result, scale)
        axis.set_title(style.titled_beside(result.record.title, [style.clipped(band.name) for band in bands]))
        below(drawn, marks)
    return drawn


class Band(NamedTuple):
    """Rows of the chart with one name beside them: of one job, or of many jobs of a fleet; heights in rows."""

    name: str
    middle: float
    height: float


class JobRow(NamedTuple):
    """Where a job stands: its middle from the top, and the height that is its own, in rows."""

    middle: float
    height: float


def _bands(result: Result) -> tuple[list[Band], Rows]:
    """The bands of the chart from the top, and each run of a job with its place."""
    fleet = templates(result.record.fleets)
    jobs: dict[str, list[str]] = {}
    runs: dict[str, int] = {}
    for row in result.job_rows:
        name = series(row["job"])
        runs[name] = runs.get(name, 0) + 1
        own = jobs.setdefault(fleet.get(f"jobs.{name}", name), [])
        if name not in own:
            own.append(name)
    bands: list[Band] = []
    places: dict[str, JobRow] = {}
    top = -0.5
    for key, own in jobs.items():
        height = float(min(len(own), FOLDED))
        for i, name in enumerate(own):
            places[name] = JobRow(top + height * (i + 0.5) / len(own), height / len(own))
        name = any_of(key.rpartition(".jobs.")[2])
        every = sum(each == key for each in fleet.values())
        count = f" ({runs[own[0]]:,} runs)" if runs[own[0]] > 1 else ""
        if len(own) > 1:
            count = f" ({len(own):,} of {every:,} jobs)" if every > len(own) else f" ({len(own):,} jobs)"
        bands.append(Band(f"{style.clipped(name, 24)}{count}" if count else name, top + height / 2, height))
        top += height
    return bands, [(places[series(row["job"])], row) for row in result.job_rows]


def first_start(result: Result) -> float:
    """Seconds after which the first job starts, and the chart begins."""
    start = min((row["start"] for row in result.job_rows), default=0.0)
    return start if start < result.end else 0.0


def style_rows(axis: Axes, names: list[str], end: float, middles: Sequence[float] | None = None) -> None:
    """Name the rows of a chart, the first on top, as many as can be read; `middles` says where they are."""
    step = -(-len(names) // FEWER_LABELS) if names else 1
    size = style.SMALL if len(names) <= FEWER_LABELS // 2 else 7.0
    places = list(middles or range(len(names)))
    axis.set_yticks(places[::step], [style.clipped(name) for name in names[::step]], fontsize=size)
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
    for place, row in rows:
        own = sorted(spans.get(f"jobs.{row['job']}", []), key=lambda span: (span.start, span.end))
        for span, bar in zip(own, stacked(own, place.middle, THICK * place.height), strict=True):
            bars.setdefault(look(span.cause, span.activity), []).append(bar)
            seen[span.cause, span.activity] = None
    draw_bars(axis, bars, scale)
    return list(seen)


def _draw_windows(axis: Axes, rows: Rows, scale: style.Scale) -> list[Patch]:
    """A pale band behind each job that has a window, from when it was due to the end of the window."""
    corners = [
        [
            (x / scale.size, place.middle + side * place.height)
            for x, side in ((due, -0.5), (end, -0.5), (end, 0.5), (due, 0.5))
        ]
        for place, row in rows
        if "window" in row
        for due, end in [(row["due"], row["due"] + row["window"])]
    ]
    if not corners:
        return []
    thin = any(place.height < 1.0 for place, _ in rows)
    axis.add_collection(
        PolyCollection(
            corners, facecolors=palette.BAND, edgecolors=palette.SKY, linewidths=0.0 if thin else 0.5, gid="windows",
            zorder=0.5,
        )
    )  # fmt: skip
    return [Patch(facecolor=palette.BAND, edgecolor=palette.SKY, linewidth=0.5, label="window")]


def _draw_failures(axis: Axes, result: Result, scale: style.Scale) -> list[Line2D]:
    """A line at each time at which a part failed."""
    times = [event.time for event in result.trace.events if event.data.get("failure") and event.time <= _last(result)]
    for time in times:
        axis.axvline(time / scale.size, color=palette.RED, linewidth=0.9, linestyle="--", gid="failures", zorder=3)
    return [Line2D([], [], color=palette.RED, linewidth=0.9, linestyle="--", label="failure")] if times else []


def _draw_ends(axis: Axes, rows: Rows, scale: style.Scale) -> list[Line2D]:
    """A mark at the end of each job that failed, was skipped, or was late."""
    marks: list[Line2D] = []
    for status, (mark, colour) in ENDS.items():
        ends = [(row["end"] / scale.size, place.middle) for place, row in rows if row["status"] == status]
        if ends:
            axis.plot(
                [x for x, _ in ends], [y for _, y in ends], mark, color=colour, markeredgecolor=palette.DARK,
                markeredgewidth=0.6, label=status, clip_on=False, zorder=4,
            )  # fmt: skip
            marks.append(
                Line2D([], [], marker=mark, color=colour, markeredgecolor=palette.DARK, linestyle="", label=status)
            )
    return marks


MOST = 30
"""Most bars: of more, each stands for all runs of a job or of a fleet's jobs; of still more, the longest are shown."""
MOST_LETTERS = 34
"""Letters beside a bar."""
LETTER = 0.011
"""Share of the longest bar that a letter takes."""
MIDDLING = 0.55
"""Brightness (0 to 1) of a colour below which text on it is white."""


def causes(result: Result, job: str | None = None) -> style.Chart:
    """Stacked bars of the seconds of each job, or of one, by cause.

    Raises
    ------
    ResultError
        There is no such job.
    """
    names = [str(row["job"]) for row in result.job_rows]
    if job is not None and job not in names:
        raise ResultError(f"the result has no job '{job}'; {choices(job, names)}")
    every = _slowest(result) if job is None else {job: 1}
    alike = _most(result, every)
    parts = {name: split(result, name) for name in alike}
    names = [_named(name, count) for name, count in alike.items()]
    longest = max([sum(seconds.values()) for seconds in parts.values()], default=0.0)
    scale = style.scale_of(longest)
    with style.in_style():
        drawn = style.picture(9.2, min(max(1.3 + ROW * len(names), 1.8), TALLEST))
        axis = drawn.add_subplot()
        for y, causes_of_one in enumerate(parts.values()):
            _draw(axis, y, causes_of_one, scale, longest, label=len(names) <= TALLEST / ROW)
        style_rows(axis, names, 1.12 * longest / scale.size)
        axis.set(xlabel=f"elapsed, {scale.name}", title=style.titled_beside(result.record.title, names))
        if len(every) > len(alike):
            drawn.supxlabel(f"the {len(alike)} longest of {len(every)}", fontsize=style.SMALLER)
        below(drawn, legend_patches(cause for some in parts.values() for cause in some))
    return drawn


def _slowest(result: Result) -> dict[str, int]:
    """The runs of jobs that are shown, with how many each represents: the slowest of a fleet's jobs."""
    took = {f"jobs.{row['job']}": float(row["elapsed"]) for row in result.job_rows}
    alike = greatest_of_each(result.record.fleets, took)
    if len(alike) <= MOST:
        return {address.removeprefix("jobs."): count for address, count in alike.items()}
    template = templates(result.record.fleets)
    together: dict[str, list[str]] = {}
    for address in took:
        name = series(address)
        together.setdefault(template.get(name, name), []).append(address)
    return {max(own, key=took.__getitem__).removeprefix("jobs."): len(own) for own in together.values()}


def _most(result: Result, every: Mapping[str, int]) -> dict[str, int]:
    """Those that took longest, in their order."""
    longest = set(sorted(every, key=lambda job: -result.row_of[job]["elapsed"])[:MOST])
    return {job: count for job, count in every.items() if job in longest}


def _named(job: str, count: int) -> str:
    """What stands beside a bar."""
    slowest = f", slowest of {count:,}" if count > 1 else ""
    return style.clipped(job, MOST_LETTERS - len(slowest)) + slowest


def _draw(axis: Axes, y: int, parts: dict[Cause, float], scale: style.Scale, longest: float, *, label: bool) -> None:
    """One bar; parts are as wide as their seconds, and named where there is room."""
    left = 0.0
    for (address, activity), seconds in parts.items():
        one = look(address, activity)
        width = seconds / scale.size
        ink = palette.GREY if one.colour == PAPER else "white"
        axis.barh(
            y, width, left=left, height=THICK, color=one.colour, hatch=one.hatch, edgecolor=ink, linewidth=0.4,
            gid=f"{address} {activity}",
        )  # fmt: skip
        if label and not one.hatch and seconds > longest * LETTER * (len(activity) + 2):
            red, green, blue = to_rgb(one.colour)
            white = 0.3 * red + 0.59 * green + 0.11 * blue < MIDDLING
            axis.text(
                left + width / 2, y, activity, ha="center", va="center", fontsize=7.5,
                color="white" if white else palette.DARK, gid="name",
            )  # fmt: skip
        left += width
    if label:
        axis.annotate(
            units.show_short(sum(parts.values()), "s", 3),
            (left, y),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=style.SMALLER,
        )
