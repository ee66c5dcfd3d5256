# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Pictures of what a figure depends on: a tornado, and beside it Sobol' indices where they are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.axes import Axes

from simbackup.plots import style
from simbackup.plots.rulers import figures, plain
from simbackup.plots.timeline import ROW

if TYPE_CHECKING:
    from simbackup.experiments.influences import Sensitivity

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
