"""The table of what a figure depends on, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.cli.fitting import Column, Line, tables
from simbackup.cli.show import console, line
from simbackup.cli.show_study import print_columns

if TYPE_CHECKING:
    from simbackup.experiments.influences import Sensitivity

MOST = 15
"""Inputs that are listed."""


def sensitivity(found: Sensitivity) -> None:
    """Print the influences of inputs on a figure, and which to measure first."""
    shown = found.influences[:MOST]
    names = [
        Column(Line(("input",)), [[Line.dotted(one.name)] for one in shown], right=False),
        Column(Line(("range",)), [[Line.words(one.range)] for one in shown]),
    ]
    figures = [
        Column(Line.words("at its ends"), [
            [Line((f"{found.shown(one.at_low)} to", found.shown(one.at_high)))] for one in shown
        ]),
    ]  # fmt: skip
    if any(one.effect for one in shown):
        cells = [
            [Line((f"{found.shown(one.effect.mean)}", f"± {found.shown(one.effect.deviation)}"))] if one.effect else []
            for one in shown
        ]
        figures.append(Column(Line.words("effect of its range"), cells))
    if any(one.index for one in shown):
        alone = [[Line((_share(one.index.first) if one.index else "",))] for one in shown]
        total = [[Line((_share(one.index.total) if one.index else "",))] for one in shown]
        figures += [Column(Line.words("variance alone"), alone), Column(Line.words("in total"), total)]
    title = f"{found.title}: {found.figure} = {found.shown(found.interval.best, 4)}"
    for columns in tables(names, figures, console().width):
        print_columns(columns, title)
        title = ""
    more = len(found.influences) - len(shown)
    none = found.inputs - len(found.influences)
    less = f"{more} more inputs matter less" if more else ""
    unmoved = f"{none} inputs do not matter at all" if none else ""
    if less or unmoved:
        line("; ".join(filter(None, (less, unmoved))))
    line(found.sentence())


def _share(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"  # no minus before a zero
