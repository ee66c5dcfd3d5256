# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Pictures of studies and of what a figure depends on: curves, tables in colours, and tornados."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.axes import Axes

from simbackup import palette, units
from simbackup.errors import ResultError, choices
from simbackup.experiments.study_intervals import HIGH, LOW, MovedAlone
from simbackup.plots import style
from simbackup.plots.timeline import ROW
from simbackup.results.figures import unit_of
from simbackup.text import for_plot

if TYPE_CHECKING:
    from simbackup.experiments.influences import Sensitivity


Rows = Sequence[dict[str, Any]]
SHARE = "1"
"""The unit of figures that are shares of one."""
TIMES = {
    0.01: "10 ms", 0.1: "0.1 s", 1.0: "1 s", 10.0: "10 s", 60.0: "1 min", 600.0: "10 min", 3600.0: "1 h",
    36_000.0: "10 h", 86_400.0: "1 day", 864_000.0: "10 days", 8_640_000.0: "100 days",
}  # fmt: skip
"""Marks of a logarithmic axis of seconds."""
WORDS = {"elapsed": "elapsed time", "bytes": "data", "busy": "time in use", "lost": "lost requests"}
"""Figures whose names say less than an axis should."""
MANY_DECADES = 30.0
"""Greatest over least value above which an axis is logarithmic."""
UNITS = ("B", "s", "B/s", "1/s")
"""SI units in which a varied text such as 16 KiB may be written, beside plain numbers and shares."""


class Ruler(NamedTuple):
    """The values of one column as they stand along an axis."""

    name: str
    values: list[float]
    labels: list[str] | None
    timed: bool = False
    """Whether the values are seconds over many decades, for which no single unit fits."""
    share: bool = False
    """Whether the values are shares of one, among which small ones hardly matter."""
    size: float = 1.0
    """What one of the values is in SI units."""

    @property
    def wide(self) -> bool:
        """Whether the values are best seen on a logarithmic axis."""
        known = [value for value in self.values if not math.isnan(value)]
        return not self.share and bool(known) and min(known) > 0.0 and max(known) / min(known) >= MANY_DECADES


def ruler(rows: Rows, name: str) -> Ruler:
    """A varied column along an axis: as quantities where all are, else as names in the order of the study.

    >>> ruler([{"chunk": "16 KiB"}, {"chunk": "1 MiB"}], "chunk").values
    [16384.0, 1048576.0]
    """
    if unit_of(name) is not None and isinstance(rows[0][name], float):
        return figures(rows, name)
    texts = [str(row[name]) for row in rows]
    for unit in ("count", "1", *UNITS):
        try:
            values = [units.parse(text, unit) for text in texts]
        except units.UnitError:
            continue
        bare = all(text.replace("_", "").replace(".", "", 1).isdigit() for text in texts)
        return Ruler(plain(name), values, None if bare else texts)
    order = list(dict.fromkeys(texts))
    return Ruler(plain(name), [float(order.index(text)) for text in texts], texts)


def figures(rows: Rows, name: str) -> Ruler:
    """A column of figures in units for people, with the unit in its name; what is missing is not a number.

    >>> figures([{"jobs.full.elapsed": 7200.0}, {"jobs.full.elapsed": None}], "jobs.full.elapsed").name
    'elapsed time of full, min'
    """
    values = [math.nan if row.get(name) is None else float(row[name]) for row in rows]
    greatest = max((abs(value) for value in values if not math.isnan(value)), default=0.0)
    unit = unit_of(name)
    if unit == "s" and Ruler(name, values, None).wide:
        return Ruler(plain(name), values, None, timed=True)
    scale = _scale(unit, greatest)
    reported = f"{plain(name)}, {scale.name}" if scale.name else plain(name)
    return Ruler(reported, [value / scale.size for value in values], None, share=unit == SHARE, size=scale.size)


def _scale(unit: str | None, greatest: float) -> style.Scale:
    """The unit for people in which a figure up to a greatest one is shown."""
    match unit:
        case "s":
            return style.scale_of(greatest)
        case "B":
            return style.scale_of(greatest, style.BYTES)
        case "B/s":
            return style.scale_of(greatest, style.RATES)
        case "1":
            return style.Scale(0.01, "%")
        case _:
            return style.Scale(1.0, "")


def plain(name: str) -> str:
    """A column's name, or the address of a value, in the words that stand beside an axis.

    >>> plain("jobs.full.elapsed"), plain("devices.cow.chunk"), plain("workloads.users.backup.longest_wait")
    ('elapsed time of full', 'chunk of cow', 'longest wait of users during backup')
    >>> plain("ssd/nvme-gen4-2021#read_rate"), plain("case")
    ('read rate of ssd/nvme-gen4-2021', 'case')
    """
    sheet, _, key = name.rpartition("#")
    section, *owner, key = ("", sheet, key) if sheet else name.split(".") if "." in name else ("", name)
    what = WORDS.get(key, key.replace("_", " "))
    whose = (" during " if section == "workloads" else " ").join(owner).replace("_", " ")
    return for_plot(f"{what} of {whose}" if whose else what)


def mark_along(axis: Axes, along: Ruler) -> None:
    """Scale and marks of the axis of what was varied."""
    above = [value for value in along.values if value > 0.0]
    if along.wide:
        axis.set_xscale("log")
    elif above and min(along.values) == 0.0 and along.labels is None and max(above) / min(above) >= MANY_DECADES:
        axis.set_xscale("symlog", linthresh=min(above), linscale=0.4)  # 0 is shown before the least
    if along.labels is not None:
        named = dict(zip(along.values, along.labels, strict=True))
        axis.set_xticks(list(named), list(map(for_plot, named.values())), fontsize=style.SMALL)
        axis.minorticks_off()


def mark_up(axis: Axes, across: Ruler) -> None:
    """Scale and marks of the axis of a figure: from zero, or logarithmic, and then times have names."""
    if not across.wide:
        axis.set_ylim(bottom=0.0)
        return
    axis.set_yscale("log")
    if across.timed:
        known = [value for value in across.values if not math.isnan(value)]
        ticks = {seconds: name for seconds, name in TIMES.items() if min(known) / 3 <= seconds <= max(known) * 3}
        axis.set_yticks(list(ticks), list(ticks.values()))
        axis.minorticks_off()


MOST = 12
"""Inputs that a picture shows."""
THICK = 0.62
"""Share of a row that a bar takes."""


class SensitivityPlots:
    """Pictures of the influences on a figure."""

    def __init__(self, found: Sensitivity) -> None:
        self._found = found

    def tornado(self) -> style.Chart:
        """The figure with each input alone at both ends of its range, and the shares of the variance beside it."""
        shown = self._found.influences[:MOST]
        indexed = any(one.index for one in shown)
        with style.in_style():
            drawn = style.picture(9.2 if indexed else 7.0, 1.6 + ROW * max(len(shown), 1))
            axes = drawn.subplots(1, 2, width_ratios=(3, 2), sharey=True) if indexed else [drawn.subplots()]
            ends = [InputEnds(one.name, one.at_low, one.at_high) for one in shown]
            input_bars(axes[0], self._found.address, self._found.interval.best, ends)
            if indexed:
                _shares(axes[1], self._found, MOST)
                style.share_edge(drawn, axes[1], columns=2)
            drawn.suptitle(style.titled(self._found.title, 8.0), x=0.01, ha="left", fontsize=11)
        return drawn


def _shares(axis: Axes, found: Sensitivity, most: int) -> None:
    """The Sobol' indices of each input, one above the other."""
    shown = found.influences[:most]
    for y, one in enumerate(shown):
        if one.index is not None:
            half = THICK / 2.0
            axis.barh(y - half / 2.0, one.index.total, height=half, color=style.SAND, label="total" if y == 0 else None)
            axis.barh(y + half / 2.0, one.index.first, height=half, color=style.RED, label="alone" if y == 0 else None)
    axis.set_xlim(0.0, 1.0)
    axis.set_xlabel("share of the variance (Sobol')", fontsize=style.SMALL)


class InputEnds(NamedTuple):
    """A figure with one input at the lower and at the upper end of its range."""

    name: str
    at_low: float
    at_high: float


def input_bars(axis: Axes, figure: str, best: float, inputs: Sequence[InputEnds]) -> None:
    """Draw a bar for each input, from the figure at the lower to that at the upper end of its range.

    `best` is the figure with all inputs at their best estimates, in SI units like the ends.
    """
    across = figures([{figure: value} for one in inputs for value in one[1:]] + [{figure: best}], figure)
    middle = best / across.size
    for y, one in enumerate(inputs):
        for end, colour in ((one.at_low, style.SKY), (one.at_high, style.BLUE)):
            axis.barh(y, end / across.size - middle, left=middle, height=THICK, color=colour)
    axis.axvline(middle, color=style.DARK, linewidth=0.8)
    axis.set_yticks(range(len(inputs)), [style.clipped(plain(one.name)) for one in inputs], fontsize=style.SMALL)
    axis.set_ylim(len(inputs) - 0.5, -0.5)
    axis.set_xlabel(f"{across.name}; light: the input at its lower end", fontsize=style.SMALL)


BAND = 0.18
"""How dense the band of an interval is."""


class StudyPlots:
    """Pictures of a study's table; its columns are named as there: addresses, `scenario`, `case`."""

    def __init__(self, title: str, rows: Rows, moved: Mapping[str, MovedAlone] | None = None, tried: Rows = ()) -> None:
        self._title, self._rows, self._moved, self._tried = title, rows, moved or {}, tried

    def lines(self, x: str, y: str, by: str | None = None) -> style.Chart:
        """A curve of figure `y` over column `x` for each value of column `by`; figures of failed jobs leave gaps.

        The band around a curve is the 90 % interval of the figure, if the study has intervals.

        Raises
        ------
        ResultError
            The study has no such column.
        """
        self._check(x, y, *([by] if by else []))
        along, across = ruler(self._rows, x), figures(self._rows, y)
        groups: dict[str, list[int]] = {}
        for i, row in enumerate(self._rows):
            groups.setdefault(str(row[by]) if by else "", []).append(i)
        with style.in_style():
            drawn = style.picture(7.6, 3.6)
            axis = drawn.add_subplot()
            for n, (name, members) in enumerate(groups.items()):
                order = sorted(members, key=lambda i: along.values[i])
                places, colour = [along.values[i] for i in order], style.LINES[n % len(style.LINES)]
                low, high = ([_end(self._rows[i], y + end) / across.size for i in order] for end in (LOW, HIGH))
                if any(map(math.isfinite, low)):
                    axis.fill_between(places, low, high, color=colour, alpha=BAND, linewidth=0.0)
                axis.plot(
                    places, [across.values[i] for i in order],
                    label=for_plot(name) if name else None, color=colour,
                    marker=style.MARKS[n % len(style.MARKS)], markersize=4,
                )  # fmt: skip
            mark_along(axis, along)
            axis.set(xlabel=along.name, ylabel=across.name, title=style.titled(self._title, 6.0))
            mark_up(axis, across)
            if by:
                small = style.SMALLER
                drawn.legend(loc="outside right center", title=plain(by), fontsize=small, title_fontsize=small)
        return drawn

    def heatmap(self, x: str, y: str, value: str) -> style.Chart:
        """Figure `value` in a table of column `x` along and column `y` down, darker for more.

        Raises
        ------
        ResultError
            The study has no such column, or two runs fall into one field.
        """
        self._check(x, y, value)
        across = figures(self._rows, value)
        columns, lines = (list(dict.fromkeys(str(row[name]) for row in self._rows)) for name in (x, y))
        table = [[math.nan] * len(columns) for _ in lines]
        taken: set[tuple[str, str]] = set()
        for row, number in zip(self._rows, across.values, strict=True):
            field = str(row[y]), str(row[x])
            if field in taken:
                raise ResultError(
                    f"two runs have {x} = {field[1]} and {y} = {field[0]}; name two columns that distinguish all runs"
                )
            taken.add(field)
            table[lines.index(field[0])][columns.index(field[1])] = number
        with style.in_style():
            drawn = style.picture(2.6 + 0.75 * len(columns), 1.5 + 0.42 * len(lines))
            axis = drawn.add_subplot()
            _fields(axis, table, across)
            axis.set_xticks(range(len(columns)), list(map(for_plot, columns)), fontsize=style.SMALL)
            axis.set_yticks(range(len(lines)), list(map(for_plot, lines)), fontsize=style.SMALL)
            axis.tick_params(length=0)
            axis.set(xlabel=plain(x), ylabel=plain(y))
            title = style.titled(self._title, 1.0 + 0.75 * len(columns))
            axis.set_title(f"{title}\n{across.name}")
        return drawn

    def tornado(self, figure: str, most: int = 12) -> style.Chart:
        """What single inputs do to a figure in the row where they leave most open, the greatest effect first.

        Raises
        ------
        ResultError
            No input moves the figure, or the study has no intervals.
        """
        moved = self._moved.get(figure)
        if moved is None or not moved.contributions:
            raise ResultError(f"no input is known to move '{figure}'; {choices(figure, self._moved)}")
        shown = [InputEnds(one.input.name, one.at_low, one.at_high) for one in moved.contributions[:most]]
        with style.in_style():
            drawn = style.picture(7.6, 1.4 + 0.36 * len(shown))
            axis = drawn.add_subplot()
            input_bars(axis, figure, moved.spread.best, shown)
            axis.set_title(style.titled(self._title, 6.0))
        return drawn

    def pareto(self, x: str, y: str) -> style.Chart:
        """All that a search has tried by two of its goals, and what nothing else is better than.

        Raises
        ------
        ResultError
            The study has no search with these goals.
        """
        known = list(dict.fromkeys(name for row in self._tried for name in row))
        for name in (x, y):
            if name not in known:
                raise ResultError(f"no combination was tried with '{name}'; {choices(name, known)}")
        kept = [row for row in self._tried if row["keeps limits"]]
        along, across = figures(kept, x), figures(kept, y)
        best = sorted(i for i, row in enumerate(kept) if row["best"])
        best.sort(key=lambda i: along.values[i])
        with style.in_style():
            drawn = style.picture(6.4, 4.0)
            axis = drawn.add_subplot()
            axis.plot(along.values, across.values, "o", color=style.GREY, markersize=3, label="tried")
            axis.plot(
                [along.values[i] for i in best], [across.values[i] for i in best],
                "D-", color=style.BLUE, markersize=4, linewidth=0.8, label="nothing else is better",
            )  # fmt: skip
            axis.set(xlabel=along.name, ylabel=across.name, title=style.titled(self._title, 5.0))
            drawn.legend(loc="outside lower center", ncols=2, fontsize=style.SMALLER)
        return drawn

    def _check(self, *names: str) -> None:
        known = list(dict.fromkeys(key for row in self._rows for key in row))
        for name in names:
            if name not in known:
                raise ResultError(f"the study has no column '{name}'; {choices(name, known)}")


def _end(row: Mapping[str, Any], name: str) -> float:
    """An end of an interval; what there is not is not a number."""
    return float(row.get(name, math.nan))


def _fields(axis: Axes, table: list[list[float]], across: Ruler) -> None:
    """The fields of a heat map with their numbers."""
    shades = [[math.log10(value) if across.wide else value for value in line] for line in table]
    known = [value for line in shades for value in line if not math.isnan(value)]
    reported = partial(units.show_short, unit="s", digits=2) if across.timed else "{:.3g}".format
    image = axis.imshow(shades, cmap="Blues", aspect="auto")
    middle = (min(known) + max(known)) / 2 if known else 0.0
    for i, line in enumerate(table):
        for j, value in enumerate(line):
            if not math.isnan(value):
                ink = "white" if shades[i][j] > middle else palette.DARK
                axis.text(j, i, reported(value), ha="center", va="center", fontsize=style.SMALLER, color=ink)
    image.set_clim(*((min(known), max(known)) if known and min(known) < max(known) else (0.0, 1.0)))
