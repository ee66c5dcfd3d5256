# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Figures of a study over what was varied: curves, and a table in colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from matplotlib.axes import Axes

from simbackup import palette, units
from simbackup.errors import ResultError, choices
from simbackup.experiments.study_intervals import HIGH, LOW, MovedAlone
from simbackup.plots import style
from simbackup.plots.rulers import Ruler, figures, mark_along, mark_up, plain, ruler
from simbackup.plots.sensitivity import InputEnds, input_bars
from simbackup.text import for_plot

Rows = Sequence[dict[str, Any]]
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
