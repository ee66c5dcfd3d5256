"""The table of a study, and that of what a figure depends on, on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simbackup import units
from simbackup.cli.terminal import Cell, CellLine, TableColumn, console, line, print_columns, tables
from simbackup.equations.intervals import CONFIDENCE
from simbackup.equations.uncertainty import LEVEL
from simbackup.experiments.studied import CHANGE, TIMES
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.experiments.study_point import HALF
from simbackup.results.figures import unit_of

if TYPE_CHECKING:
    from simbackup.experiments.influences import Sensitivity
    from simbackup.experiments.studied import Study


DIGITS, ROUGH = 4, 3
"""Digits of figures, and of the ends of their intervals."""
MOST_REASONS = 5
"""Most reasons for failed jobs that are printed below the table of a study."""


def study(found: Study) -> None:
    """Print the table of a study, with the interval of a figure below it, and what decides most."""
    title = found.title
    for columns in tables(_names(found, found.rows), _figures(found), console().width):
        print_columns(columns, title)
        title = ""
    _legend(found)
    _compared(found)
    for figure, decisive in found.between.decides.items():
        inputs = " and ".join(one.input.named() for one in decisive)
        if inputs:
            line(f"{figure}: {inputs} {'matter' if len(decisive) > 1 else 'matters'} most")
    if refusals := found.between.refusals():
        line(refusals)
    for search in found.searches:
        line(search.sentence())
    reasons = Counter(row["failed"] for row in found.rows if row.get("failed"))
    if reasons:
        some = ", in at least one run of each" if found.samples else ""
        line(f"a job failed in {reasons.total()} of {len(found.rows)} rows{some}:")
    for reason, times in reasons.most_common(MOST_REASONS):
        line(f"  {times} x {reason}")
    if len(reasons) > MOST_REASONS:
        line(f"  and {len(reasons) - MOST_REASONS} other reasons, in the column 'failed' of --json and --out")
    if found.question:
        line(found.question)


def _compared(found: Study) -> None:
    """Print how rows differ from those of the base, if there is one."""
    if not found.base:
        return
    rows = [row for row in found.rows if any(name.endswith(CHANGE) for name in row)]
    title = f"Compared with '{found.base}': difference and ratio"
    for columns in tables(_names(found, rows), _changes(found, rows), console().width):
        print_columns(columns, title)
        title = ""


def _names(found: Study, rows: Sequence[Mapping[str, Any]]) -> list[TableColumn]:
    """The columns that identify rows."""
    names = ("scenario", *found.varied)
    cells = {name: [[CellLine.words(str(row.get(name, "")))] for row in rows] for name in names}
    return [TableColumn(CellLine.dotted(name), cells[name], right=name != "scenario") for name in names]


def _figures(found: Study) -> list[TableColumn]:
    """The columns of the figures."""
    names = [name for name in found.figures if not name.endswith(HALF)]
    return [TableColumn(CellLine.dotted(name), [_cell(row, name) for row in found.rows]) for name in names]


def _changes(found: Study, rows: Sequence[Mapping[str, Any]]) -> list[TableColumn]:
    """The columns of how figures differ from those of the base."""
    names = [name for name in found.figures if any(name + CHANGE in row for row in rows)]
    return [TableColumn(CellLine.dotted(name), [_change(row, name) for row in rows]) for name in names]


def _change(row: Mapping[str, Any], name: str) -> Cell:
    """How much more a figure is than that of the base, and how many times; each with its interval."""
    change, times = row.get(name + CHANGE), row.get(name + TIMES)
    if change is None:
        return [CellLine(("",))]
    half, low, high = (row.get(name + end) for end in (CHANGE + HALF, TIMES + LOW, TIMES + HIGH))
    change = units.without_rounding(change, row[name])
    lines = [CellLine((f"{'+' if change > 0 else '-' if change < 0 else ''}{_figure(name, abs(change))}",))]
    if half is not None:
        lines.append(CellLine((f"± {_figure(name, half)}",)))
    if times is not None:
        lines.append(CellLine((f"{times:.3g} times",)))
    if low is not None and low != high:
        lines.append(CellLine((f"{low:.3g} to", f"{high:.3g}")))
    return lines


def _cell(row: Mapping[str, Any], name: str) -> Cell:
    """A figure, below it what chance leaves of its mean, and the ends of its interval; none for one that is certain."""
    lines = [CellLine.words(_figure(name, row.get(name))) if isinstance(row.get(name), str) else _whole(name, row)]
    half, low, high = (row.get(name + end) for end in (HALF, LOW, HIGH))
    if isinstance(half, float):
        lines.append(CellLine((f"± {_figure(name, half)}",)))
    if low is not None and low != high:
        lines.append(CellLine((f"{_figure(name, low, ROUGH)} to", _figure(name, high, ROUGH))))
    return lines


def _whole(name: str, row: Mapping[str, Any]) -> CellLine:
    return CellLine((_figure(name, row.get(name)),))


def _legend(found: Study) -> None:
    """Print what stands below the figures."""
    legend = [f"± half the {100.0 * CONFIDENCE:.0f} % interval of the mean over the seeds"] if found.samples else []
    if any(row[name] != row[name.removesuffix(LOW) + HIGH] for row in found.rows for name in row if name.endswith(LOW)):
        legend.append(f"its {100.0 * LEVEL:.0f} % interval")
    if legend:
        line(f"below a figure: {'; '.join(legend)}")


def _figure(address: str, value: float | str | None, digits: int = DIGITS) -> str:
    if value is None:
        return "failed"
    if isinstance(value, str):
        return value
    unit = unit_of(address)
    return f"{value:.{max(digits, 2) + 2}g}" if unit is None else units.show_short(value, unit, digits)


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
