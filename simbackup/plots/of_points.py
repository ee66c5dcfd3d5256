# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""The picture of restore points: a calendar with a cell for each backup, in the colour of its level, and its chains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from simbackup.palette import BLUE, DARK, ORANGE, PURPLE, SKY, TEAL
from simbackup.planning.restore_points import LogLine, PolicyPoints, StoredPoint
from simbackup.planning.windows import called
from simbackup.plots import style
from simbackup.plots.of_plan import CELL, MARGIN, SIDES, WEEK, WEEKS, calendar_axis, first_of
from simbackup.plots.style import Chart
from simbackup.policies.levels import Level
from simbackup.text import for_plot

COLOURS = {
    Level.FULL: BLUE, Level.SYNTHETIC: TEAL, Level.DIFFERENTIAL: ORANGE, Level.CUMULATIVE: PURPLE,
    Level.INCREMENTAL: SKY,
}  # fmt: skip
EDGE = 0.1
"""Part of a cell that is left free on each side."""
RAILS = {Level.DIFFERENTIAL: 0.24, Level.CUMULATIVE: 0.37}
"""Where in a cell the line from its base runs for levels that leave out points in between; otherwise in the middle."""
MIDDLE = 0.5
PALE = 0.35
"""How much of its colour a save set has that only a chain holds."""
BETWEEN = 0.62
"""Inches between the calendars of two years or targets."""


class Cell(NamedTuple):
    """A backup in the calendar: its date, its level, and the point that is left of it, None if it is gone."""

    day: date
    level: Level
    point: StoredPoint | None


def calendar_of_points(found: PolicyPoints, lines: Sequence[LogLine], now: datetime, title: str) -> Chart:
    """Each backup of a policy up to a moment, and its copies: filled if a rule keeps it, pale if only a chain holds it.

    What has expired and is freed, or was merged, is hollow. Lines lead from each point to its base.

    Parameters
    ----------
    found
        The restore points at the moment.
    lines
        What happened on each date until then.
    now
        The moment.
    title
        What the picture is called.
    """
    targets = {line.copy: line.target for line in lines if line.policy == found.policy}
    cells = {copy: list(_cells(found, lines, copy)) for copy in targets}
    first = min((line.date for line in lines), default=now.date())
    years = range(first.year, now.year + 1)
    width, panels = WEEKS * CELL + SIDES, max(len(cells), 1) * len(years)
    with style.in_style():
        drawn = style.picture(width, panels * (WEEK * CELL + BETWEEN) + MARGIN)
        axes = iter(drawn.subplots(panels, 1, squeeze=False)[:, 0])
        for copy, every in cells.items():
            count = sum(point.restorable for point in found.points if point.copy == copy)
            for year in years:
                axis = next(axes)
                calendar_axis(axis, year)
                _year(axis, year, every)
                if year == years[0]:
                    axis.set_title(for_plot(f"{targets[copy]}: {count} restore points"))
        named = f"{title}: restore points of {found.policy} ({called(found.systems)}) on {now.date()}"
        drawn.suptitle(style.titled(named, width), x=0.01, ha="left")
        levels = {cell.level for every in cells.values() for cell in every}
        drawn.legend(handles=list(_legend(levels)), loc="outside lower center", ncols=4, fontsize=style.SMALLER)
    return drawn


def _cells(found: PolicyPoints, lines: Sequence[LogLine], copy: str) -> Iterator[Cell]:
    there = {point.time: point for point in found.points if point.copy == copy}
    for line in lines:
        if line.policy == found.policy and line.copy == copy and line.made is not None:
            point = None if line.of is None else there.get(line.of)
            yield Cell(line.date, line.made if point is None else point.level, point)


def _year(axis: Axes, year: int, cells: Sequence[Cell]) -> None:
    """The backups of a year, and the lines to their bases."""
    first = first_of(year)
    boxes, faces, edges = list[Rectangle](), list[tuple[str, float]](), list[str]()
    for cell in cells:
        if cell.day.year == year:
            x, y = _at(cell.day, first)
            boxes.append(Rectangle((x + EDGE, y + EDGE), 1.0 - 2.0 * EDGE, 1.0 - 2.0 * EDGE))
            kept = cell.point is not None and bool(cell.point.rules)
            faces.append((COLOURS[cell.level], 1.0 if kept else PALE if cell.point is not None else 0.0))
            edges.append(COLOURS[cell.level])
    axis.add_collection(PatchCollection(boxes, facecolors=faces, edgecolors=edges, linewidths=0.8))
    days = {cell.point.time: cell.day for cell in cells if cell.point is not None}
    lines = [line for cell in cells if cell.point is not None for line in _to_base(cell.point, days, year, first)]
    axis.add_collection(LineCollection(lines, colors=DARK, linewidths=0.8))


def _to_base(
    point: StoredPoint, days: Mapping[datetime, date], year: int, first: date
) -> Iterator[list[tuple[float, float]]]:
    """The line from a point to its base: down the columns of weeks, as far as they are in a year."""
    if len(point.chain) < 2:  # noqa: PLR2004 (a full backup has no base)
        return
    day, base = (days.get(time, time.date()) for time in (point.time, point.chain[-2][1]))
    rail = RAILS.get(point.level, MIDDLE)
    (x0, y0), (x1, y1) = _at(base, first), _at(day, first)
    for x in range(x0, x1 + 1):
        top = y0 + MIDDLE if x == x0 else 0.0
        bottom = y1 + MIDDLE if x == x1 else float(WEEK)
        if 0 <= x < WEEKS and (first + timedelta(weeks=x, days=WEEK - 1)).year >= year:
            yield [(x + rail, top), (x + rail, bottom)]
    if day.year == year:
        yield [(x1 + rail, y1 + MIDDLE), (x1 + MIDDLE, y1 + MIDDLE)]
    if base.year == year:
        yield [(x0 + rail, y0 + MIDDLE), (x0 + MIDDLE, y0 + MIDDLE)]


def _at(day: date, first: date) -> tuple[int, int]:
    """The column and the row of a day."""
    since = (day - first).days
    return since // WEEK, since % WEEK


def _legend(levels: set[Level]) -> Iterator[Patch | Line2D]:
    for level, colour in COLOURS.items():
        if level in levels:
            yield Patch(facecolor=colour, edgecolor=colour, label=level.value.replace("_", " "))
    colour = COLOURS[Level.INCREMENTAL if Level.INCREMENTAL in levels else Level.FULL]
    yield Patch(facecolor=(colour, PALE), edgecolor=colour, label="held only by its chain")
    yield Patch(facecolor="none", edgecolor=colour, label="expired or merged")
    yield Line2D([], [], color=DARK, linewidth=0.8, label="needs")
