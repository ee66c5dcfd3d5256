# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Bars of a tornado: a figure with each input alone at both ends of its range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from simbackup.plots import style
from simbackup.plots.rulers import figures, plain

THICK = 0.62
"""Share of a row that a bar takes."""


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
