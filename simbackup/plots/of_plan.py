# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""The pictures of a plan: capacity over time, nights as a calendar, restore points, systems back after a restore."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib.dates as mdates
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from simbackup.palette import BAND, BLUE, DARK, GREY, MOSS, ORANGE, PURPLE, RED, SAND, SKY, TEAL
from simbackup.planning.windows import called
from simbackup.plots import style
from simbackup.plots.style import Chart
from simbackup.policies.levels import Level
from simbackup.text import for_plot
from simbackup.units import show_short

if TYPE_CHECKING:
    from simbackup.planning.plan import Plan
    from simbackup.planning.recovery import Recovery
    from simbackup.planning.restore_points import LogLine, PolicyPoints, StoredPoint


TERABYTE = 1e12
WIDTH, ROW, MARGIN = 9.0, 2.0, 0.8
"""Inches of a picture, of each target in it, and of its margins."""
BROAD = 4.0
"""Points of a line that another one may cover."""
LEAST_DATES, MOST_DATES = 2, 5  # with 3, no step of months or days fits 25 to 35 months, or 85 to 90 days
"""Dates along an axis: as many as also a telephone has room for."""
CELL = 0.17
"""Inches of a day in a calendar."""
SIDES = 1.2
"""Inches beside a calendar."""
WEEK, WEEKS = 7, 54
"""Days of a week, and weeks that a year can touch."""
NONE, SHORT, LONG, FULL, MISSED = range(5)
"""What a night was: without a backup, up to half of its window, more of it, nearly all of it, or beyond."""
HALF, NEARLY = 0.5, 0.85
COLOURS = (BAND, MOSS, SAND, ORANGE, RED)
NAMES = ("no backup", "up to half of the window", "more than half", "more than 85 %", "missed")
BACK_WIDTH, BACK_HEIGHT = 7.0, 3.6
"""Inches of a picture."""
PERCENT = 100.0
NAMED = 12
"""Most systems that are named beside the curve."""


class PlanPlots:
    """Pictures of a plan. Each call gives a new figure of matplotlib."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def capacity(self) -> Chart:
        """What each target holds over time, with what it can hold; cartridges of tape in use and bought."""
        plan = self._plan
        targets = plan.site.targets
        days = [_number(day.day) for day in plan.days]
        with style.in_style():
            drawn = style.picture(WIDTH, ROW * len(targets) + MARGIN)
            axes = drawn.subplots(len(targets), 1, sharex=True, squeeze=False)[:, 0]
            for axis, (name, target) in zip(axes, targets.items(), strict=True):
                stocks = [day.stocks[name] for day in plan.days]
                axis.set_title(for_plot(name))
                if target.tape:
                    axis.step(days, [stock.bought for stock in stocks], color=GREY, linewidth=BROAD, label="bought")
                    axis.step(days, [stock.cartridges for stock in stocks], color=BLUE, label="in use")
                    axis.set_ylabel("cartridges")
                    axis.yaxis.set_major_locator(MaxNLocator(integer=True))
                    axis.legend(loc="lower right", fontsize=style.SMALLER)
                else:
                    axis.fill_between(
                        days, [stock.peak / TERABYTE for stock in stocks], color=BLUE, alpha=0.85, linewidth=0
                    )
                    axis.set_ylabel("TB")
                    _limit(axis, days[0], target.capacity, next((x.date for x in plan.full if x.what == name), None))
                axis.set_ylim(bottom=0)
                dates = mdates.AutoDateLocator(minticks=LEAST_DATES, maxticks=MOST_DATES)
                axis.xaxis.set_major_locator(dates)
                axis.xaxis.set_major_formatter(mdates.AutoDateFormatter(dates))
            drawn.suptitle(style.titled(plan.site.file.spec.title, WIDTH), x=0.01, ha="left")
        return drawn

    def calendar(self) -> Chart:
        """Nights as a calendar of weeks, coloured by how much of the window the longest backup takes."""
        plan = self._plan
        kinds = {day.day: NONE for day in plan.days} | nights(plan)
        years = range(plan.site.start.year, plan.until.year + 1)
        width = WEEKS * CELL + SIDES
        with style.in_style():
            drawn = style.picture(width, len(years) * (WEEK * CELL + ROW / 4) + MARGIN)
            axes = drawn.subplots(len(years), 1, squeeze=False)[:, 0]
            for axis, year in zip(axes, years, strict=True):
                _year(axis, year, kinds)
            drawn.suptitle(
                style.titled(f"{plan.site.file.spec.title}: how much of its window each night takes", width), x=0.01,
                ha="left",
            )  # fmt: skip
            for colour, name in zip(COLOURS, NAMES, strict=True):
                axes[0].fill_between([], [], color=colour, label=name)
            style.share_edge(drawn, axes[0], columns=len(NAMES))
        return drawn


KINDS = ("capacity", "calendar")
"""Names of the pictures of a plan."""


def _number(day: date) -> float:
    """A day as matplotlib counts them."""
    found: Any = mdates.date2num(day)
    return float(found)


def _limit(axis: Axes, left: float, capacity: float, full: date | None) -> None:
    """The line of what a pool can hold, and the date from which it cannot."""
    if math.isfinite(capacity):
        axis.axhline(capacity / TERABYTE, color=RED, linewidth=1.2)
        axis.text(
            left, capacity / TERABYTE, f"{capacity / TERABYTE:.0f} TB", color=RED, va="bottom", fontsize=style.SMALL
        )
    if full is not None:
        at = _number(full)
        axis.axvline(at, color=DARK, linewidth=1, linestyle=":")
        axis.annotate(f"full on {full}", (at, 0), (4, 6), textcoords="offset points", fontsize=style.SMALL,
                      bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5})  # fmt: skip


def _year(axis: Axes, year: int, kinds: dict[date, int]) -> None:
    """The nights of a year."""
    first = first_of(year)
    table = np.full((WEEK, WEEKS), np.nan)
    for night, kind in kinds.items():
        if night.year == year:
            since = (night - first).days
            table[since % WEEK, since // WEEK] = kind
    bounds = BoundaryNorm([i - 0.5 for i in range(len(COLOURS) + 1)], len(COLOURS))
    axis.pcolormesh(table, cmap=ListedColormap(COLOURS), norm=bounds, edgecolors="white", linewidth=0.6)
    calendar_axis(axis, year)


def first_of(year: int) -> date:
    """The Monday with which the calendar of a year begins."""
    return date(year, 1, 1) - timedelta(days=date(year, 1, 1).weekday())


def calendar_axis(axis: Axes, year: int) -> None:
    """Let an axis have a column for each week of a year, and a row for each day of the week."""
    first = first_of(year)
    axis.set_xlim(0, WEEKS)
    axis.set_ylim(WEEK, 0)
    axis.set_yticks([i + 0.5 for i in range(WEEK)], ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"), fontsize=style.SMALLER)
    months = [date(year, month, 1) for month in range(1, 13)]
    axis.set_xticks([(day - first).days / WEEK for day in months], [f"{day:%Y-%m}" for day in months],
                    fontsize=style.SMALLER, ha="left")  # fmt: skip


def nights(plan: Plan) -> dict[date, int]:
    """What each night with backups was, by its worst backup or copy."""
    found: dict[date, int] = {}
    for verdict in plan.verdicts:
        share = 0.0 if verdict.window is None else verdict.elapsed / verdict.window
        kind = MISSED if not verdict.met else FULL if share > NEARLY else LONG if share > HALF else SHORT
        found[verdict.night] = max(found.get(verdict.night, NONE), kind)
    return found


class RecoveryPlots:
    """Pictures of a restore. Each call gives a new figure of matplotlib."""

    def __init__(self, recovery: Recovery) -> None:
        self._recovery = recovery

    def restore(self) -> Chart:
        """The share of systems that are back over the time from the loss."""
        found = self._recovery
        backs = found.back()
        longest = max((at for at, _ in backs), default=0.0)
        unit = style.scale_of(longest)
        lost = f" after the loss of {found.lost}" if found.lost else ""
        with style.in_style():
            drawn = style.picture(BACK_WIDTH, BACK_HEIGHT)
            axis = drawn.subplots()
            times = [0.0, *(at / unit.size for at, _ in backs)]
            axis.step(times, [0.0, *(PERCENT * share for _, share in backs)], where="post", color=BLUE, linewidth=2)
            for share in (0.5, 0.9, 1.0):
                at = found.until(share)
                axis.axhline(PERCENT * share, color=GREY, linewidth=0.7, linestyle=":")
                if at <= longest:
                    axis.annotate(show_short(at, "s", 3), (at / unit.size, PERCENT * share), (-4, 3),
                                  textcoords="offset points", ha="right", fontsize=style.SMALL, color=DARK)  # fmt: skip
            if len(backs) <= NAMED:
                ends = sorted((one.back, one.system) for one in found.systems if not one.reason)
                for i, (at, name) in enumerate(ends):
                    axis.annotate(for_plot(name), (at / unit.size, PERCENT * i / len(found.systems)), (4, 2),
                                  textcoords="offset points", fontsize=style.SMALLER, color=DARK)  # fmt: skip
            axis.set_xlim(left=0.0)
            axis.set_ylim(0.0, PERCENT * 1.04)
            axis.set_xlabel(f"time from the loss, {unit.name}")
            axis.set_ylabel("systems back, %")
            drawn.suptitle(
                style.titled(f"Restore of {found.what} at {found.when}{lost}", BACK_WIDTH), x=0.01, ha="left"
            )
        return drawn


OF_LEVELS = {
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
                _points_of_year(axis, year, every)
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


def _points_of_year(axis: Axes, year: int, cells: Sequence[Cell]) -> None:
    """The backups of a year, and the lines to their bases."""
    first = first_of(year)
    boxes, faces, edges = list[Rectangle](), list[tuple[str, float]](), list[str]()
    for cell in cells:
        if cell.day.year == year:
            x, y = _cell_of(cell.day, first)
            boxes.append(Rectangle((x + EDGE, y + EDGE), 1.0 - 2.0 * EDGE, 1.0 - 2.0 * EDGE))
            kept = cell.point is not None and bool(cell.point.rules)
            faces.append((OF_LEVELS[cell.level], 1.0 if kept else PALE if cell.point is not None else 0.0))
            edges.append(OF_LEVELS[cell.level])
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
    (x0, y0), (x1, y1) = _cell_of(base, first), _cell_of(day, first)
    for x in range(x0, x1 + 1):
        top = y0 + MIDDLE if x == x0 else 0.0
        bottom = y1 + MIDDLE if x == x1 else float(WEEK)
        if 0 <= x < WEEKS and (first + timedelta(weeks=x, days=WEEK - 1)).year >= year:
            yield [(x + rail, top), (x + rail, bottom)]
    if day.year == year:
        yield [(x1 + rail, y1 + MIDDLE), (x1 + MIDDLE, y1 + MIDDLE)]
    if base.year == year:
        yield [(x0 + rail, y0 + MIDDLE), (x0 + MIDDLE, y0 + MIDDLE)]


def _cell_of(day: date, first: date) -> tuple[int, int]:
    """The column and the row of a day."""
    since = (day - first).days
    return since // WEEK, since % WEEK


def _legend(levels: set[Level]) -> Iterator[Patch | Line2D]:
    for level, colour in OF_LEVELS.items():
        if level in levels:
            yield Patch(facecolor=colour, edgecolor=colour, label=level.value.replace("_", " "))
    colour = OF_LEVELS[Level.INCREMENTAL if Level.INCREMENTAL in levels else Level.FULL]
    yield Patch(facecolor=(colour, PALE), edgecolor=colour, label="held only by its chain")
    yield Patch(facecolor="none", edgecolor=colour, label="expired or merged")
    yield Line2D([], [], color=DARK, linewidth=0.8, label="needs")
