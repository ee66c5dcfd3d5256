"""The table of what a figure depends on, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup import units
from simbackup.cli.fitting import CellLine, TableColumn, tables
from simbackup.cli.terminal import console, line, print_columns

if TYPE_CHECKING:
    from simbackup.experiments.influences import Sensitivity

MOST = 15
"""Inputs that are listed."""


def sensitivity(found: Sensitivity) -> None:
    """Print the influences of inputs on a figure, and which to measure first."""
    shown = found.influences[:MOST]

    def effect(value: float) -> str:
        return found.shown(units.without_rounding(value, found.interval.best))

    names = [
        TableColumn(CellLine(("input",)), [[CellLine.dotted(one.name)] for one in shown], right=False),
        TableColumn(CellLine(("range",)), [[CellLine.words(one.range)] for one in shown]),
    ]
    figures = [
        TableColumn(CellLine.words("at its ends"), [
            [CellLine((f"{found.shown(one.at_low)} to", found.shown(one.at_high)))] for one in shown
        ]),
    ]  # fmt: skip
    if any(one.effect for one in shown):
        cells = [
            [CellLine((effect(one.effect.mean), f"± {effect(one.effect.deviation)}"))] if one.effect else []
            for one in shown
        ]
        figures.append(TableColumn(CellLine.words("effect of its range"), cells))
    if any(one.index for one in shown):
        alone = [[CellLine((_share(one.index.first) if one.index else "",))] for one in shown]
        total = [[CellLine((_share(one.index.total) if one.index else "",))] for one in shown]
        figures += [
            TableColumn(CellLine.words("variance alone"), alone),
            TableColumn(CellLine.words("in total"), total),
        ]
    title = f"{found.title}: {found.address} = {found.shown(found.interval.best, 4)}"
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
