# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Measured beside simulated, with the band in which a row counts as reproduced."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from simbackup import palette
from simbackup.plots import style
from simbackup.plots.fills import below
from simbackup.results.compare import TOLERANCE, Row
from simbackup.text import for_line, for_plot

if TYPE_CHECKING:
    from simbackup.experiments.calibrate import Fitted

ROLES = {
    "fitted": (palette.BLUE, "o", "a constant fitted to its group"),
    "seen": (palette.SKY, "o", "a value chosen after seeing its group"),
    "held-out": (palette.RED, "D", "held out"),
    "opened": (palette.TEAL, "^", "opened after a blind answer"),
    "structural": (palette.PURPLE, "v", "nothing moves it visibly"),
    "duplicate": (palette.ASH, "s", "repeats another row"),
    "projection": (palette.ASH, "P", "expected, not measured"),
    "input": (palette.GREY, "s", "input of the scenario"),
}
"""Colour, mark and meaning of each role."""
WIDEST = 3.0
"""Ratio above which, or below whose inverse, the axis is logarithmic."""
INTERVAL_FROM, INTERVAL_TO = 0.4, 1.9
"""Ratios up to which the axis is made longer for an interval."""
WHOLE = 1e4
"""Figures from which on all digits before the point are shown."""
TICKS = (0.125, 0.25, 0.5, 0.7, 1.0, 1.5, 2.0, 4.0, 8.0)
ALL_FROM, ALL_TO = 0.5, 1.75
"""Ends of the axis in the picture of all documents; rows beyond them are drawn at the edge."""
LONGEST = 52
"""Letters of a row's name in one line."""
Names = Callable[[Row], str]


class RowPlots:
    """Pictures of measured rows."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = list(rows)

    def compare(self, names: Names | None = None) -> style.Chart:
        """One line for each row that is not an input and was not measured as zero, with its interval.

        `names` gives the text beside a row; by default its operation and quantity.
        """
        return row_by_row(self._rows, names)

    def overview(self) -> style.Chart:
        """All rows as points, one level for each document."""
        return by_document(self._rows)


def ratio(row: Row) -> float:
    """Simulated over measured; 1 inside what the document's print allows."""
    return 1.0 if row.error == 0.0 else row.simulated / row.measurement.value


def row_by_row(rows: Sequence[Row], names: Names | None = None) -> style.Chart:
    """Simulated over measured of each row, its interval over all assumed ranges, and what the document allows."""
    shown = [row for row in rows if row.role != "input" and row.measurement.value != 0.0]
    names = names or _names(shown)
    with style.in_style():
        drawn = style.picture(9.2, 0.3 * len(shown) + 1.4)
        axis = drawn.add_subplot()
        _band(axis)
        for y, row in enumerate(shown):
            _row(axis, y, row)
        axis.set_yticks(range(len(shown)), [_filled(names(row)) for row in shown], fontsize=style.SMALL)
        axis.tick_params(axis="y", length=0)
        axis.set_ylim(len(shown) - 0.4, -0.6)
        _limits(axis, shown)
        axis.set_xlabel("simulated / measured")
        below(drawn, _marks(shown), columns=4)
    return drawn


def by_document(rows: Sequence[Row]) -> style.Chart:
    """Simulated over measured of all rows, document below document."""
    folders = sorted({row.measurement.folder for row in rows}, reverse=True)
    own = {folder: [row for row in rows if row.measurement.folder == folder] for folder in folders}
    with style.in_style():
        drawn = style.picture(8.0, 1.1 + 0.5 * len(folders))
        axis = drawn.add_subplot()
        _band(axis)
        for role, (colour, mark, meaning) in ROLES.items():
            points = [
                (min(max(ratio(row), ALL_FROM), ALL_TO), level + 0.7 * (i / max(len(some) - 1, 1) - 0.5))
                for level, some in enumerate(own.values())
                for i, row in enumerate(some)
                if row.role == role
            ]
            xs, ys = [x for x, _ in points], [y for _, y in points]
            if points:
                axis.scatter(xs, ys, s=18, color=colour, marker=mark, label=meaning, zorder=2, clip_on=False)
                _beyond(axis, [row for some in own.values() for row in some if row.role == role], points)
        results = {folder: [row for row in some if row.is_result] for folder, some in own.items()}
        reported = [
            f"{for_plot(folder)}\n{sum(row.within for row in some)} of {len(some)} results within 10 %"
            for folder, some in results.items()
        ]
        axis.set_yticks(range(len(folders)), reported, fontsize=style.SMALLER)
        axis.set_xlim(ALL_FROM, ALL_TO)
        axis.set_xlabel("simulated / measured")
        style.share_edge(drawn, axis, columns=3)
    return drawn


def constants(found: Sequence[Fitted]) -> style.Chart:
    """Fitted constants with their 90 % intervals in their plausible ranges, as multiples of their values."""
    with style.in_style():
        drawn = style.picture(9.2, 0.4 * len(found) + 1.4)
        axis = drawn.add_subplot()
        for y, one in enumerate(found):
            plausible, own = ([end / one.value for end in ends] for ends in (one.plausible, one.ends))
            axis.plot(plausible, [y, y], color=palette.SAND, linewidth=5.0, alpha=0.7, zorder=1)
            axis.plot(own, [y, y], color=palette.GREY, linewidth=1.6, solid_capstyle="butt", zorder=2)
            axis.plot([1.0], [y], "o", color=palette.BLUE, zorder=3)
            axis.text(1.02, y, one.text, transform=axis.get_yaxis_transform(), va="center", fontsize=style.SMALL)
        axis.set_yticks(range(len(found)), [for_plot(one.constant) for one in found], fontsize=style.SMALL)
        axis.set_ylim(len(found) - 0.4, -0.6)
        axis.set_xscale("log")
        axis.set_xlabel("multiple of the fitted value")
        looks = (("plausible range", palette.SAND, 5.0), ("90 % interval", palette.GREY, 2.0))
        below(drawn, [Line2D([], [], color=colour, linewidth=width, label=label) for label, colour, width in looks])
    return drawn


def _beyond(axis: Axes, rows: Sequence[Row], points: Sequence[tuple[float, float]]) -> None:
    """Beside points that lie beyond an end of the axis, an arrow and where they are."""
    for row, (x, y) in zip(rows, points, strict=True):
        value = ratio(row)
        if not ALL_FROM <= value <= ALL_TO:
            low = f"← {figure(float(f'{value:.2g}'))}", 6, "left"
            text, shift, side = low if value < ALL_FROM else (f"{value:.3g} →", -6, "right")
            drawn = axis.annotate(text, (x, y), (shift, 0), textcoords="offset points", va="center", ha=side)
            drawn.set_fontsize(style.SMALLER)


def figure(value: float) -> str:
    """A figure in four digits, without an exponent.

    >>> figure(10291.4), figure(3.64912)
    ('10,290', '3.649')
    """
    return f"{float(f'{value:.3e}'):,.0f}" if abs(value) >= WHOLE else f"{value:.4g}"


def _names(rows: Sequence[Row]) -> Names:
    """The operation of a row, with its quantity where two rows have the same operation."""
    said = [row.measurement.row.operation for row in rows]

    def name(row: Row) -> str:
        own = row.measurement.row
        return own.operation if said.count(own.operation) == 1 else f"{own.operation}: {own.quantity}"

    return name


def _filled(name: str) -> str:
    return for_plot(textwrap.fill(name, LONGEST))


def _band(axis: Axes) -> None:
    axis.axvspan(1.0 - TOLERANCE, 1.0 + TOLERANCE, color=palette.BAND, zorder=0, gid="band")
    axis.axvline(1.0, color=palette.BLUE, linewidth=1.0, zorder=1)


def _row(axis: Axes, y: int, row: Row) -> None:
    """One row: its interval, what the document allows, its mark, and its figures on the right."""
    m = row.measurement
    if row.interval is not None:
        ends = [bound / m.value for bound in row.interval]
        axis.plot(ends, [y, y], color=palette.GREY, linewidth=1.6, solid_capstyle="butt", zorder=1, gid="interval")
    if m.low is not None and m.high is not None:
        axis.plot([m.low / m.value, m.high / m.value], [y, y], color=palette.SAND, linewidth=5.0, alpha=0.7, zorder=1)
    colour = palette.RED if m.row.off else palette.BLUE
    face = "white" if row.adapted else colour
    axis.plot(
        [row.simulated / m.value], [y], "X" if m.row.off else "o", color=colour, markerfacecolor=face, zorder=3,
        gid=for_line(m.id),
    )  # fmt: skip
    reported = f"{figure(m.value)} → {figure(row.simulated)} {for_plot(m.unit)}"
    axis.text(1.02, y, reported, transform=axis.get_yaxis_transform(), va="center", fontsize=style.SMALL, color=colour)


def _limits(axis: Axes, rows: Sequence[Row]) -> None:
    """Ends of the axis: all marks, the band, and intervals up to a limit, beyond which they leave the picture."""
    ratios = [row.simulated / row.measurement.value for row in rows]
    ends = [bound / row.measurement.value for row in rows for bound in row.interval or ()]
    ends = [min(max(end, INTERVAL_FROM), INTERVAL_TO) for end in ends]
    least, most = min([0.8, *ratios, *ends]), max([1.2, *ratios, *ends])
    if least > 0.0 and (most > WIDEST or least < 1.0 / WIDEST):
        axis.set_xscale("log")
        ticks = [tick for tick in TICKS if least / 1.3 <= tick <= most * 1.3]
        axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.minorticks_off()
        axis.set_xlim(least / 1.3, most * 1.3)
    else:
        axis.set_xlim(max(least - 0.15, -0.03), most + 0.15)


def _marks(rows: Sequence[Row]) -> list[Line2D]:
    """The legend of the marks that occur."""
    off, fitted = [row.measurement.row.off for row in rows], [row.adapted for row in rows]
    point = {"marker": "o", "color": palette.BLUE, "linestyle": ""}
    allowed = any(row.measurement.low is not None for row in rows)
    kinds: list[tuple[bool, dict[str, Any]]] = [
        (any(fitted), {**point, "markerfacecolor": "white", "label": "constant fitted to or chosen on its group"}),
        (any(not row.measurement.row.off and not row.adapted for row in rows), {**point, "label": "held out"}),
        (any(off), {"marker": "X", "color": palette.RED, "linestyle": "", "label": "declared off"}),
        (allowed, {"color": palette.SAND, "linewidth": 5, "alpha": 0.7, "label": "precision of the document"}),
        (
            any(row.interval for row in rows),
            {"color": palette.GREY, "linewidth": 2, "label": "over the assumed ranges"},
        ),
    ]
    return [Line2D([], [], **look) for there, look in kinds if there]
