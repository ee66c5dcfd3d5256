# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Where each job's elapsed time went: one stacked bar a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from simbackup import palette, units
from simbackup.errors import ResultError, choices
from simbackup.palette import PAPER
from simbackup.plots import style
from simbackup.plots.fills import below, legend_patches, look
from simbackup.plots.timeline import ROW, TALLEST, style_rows
from simbackup.results.causes import Cause, split
from simbackup.results.figures import greatest_of_each, series, templates

if TYPE_CHECKING:
    from simbackup.results.result import Result

THICK = 0.68
"""Share of a row that its bar takes."""
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
