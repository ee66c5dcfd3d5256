"""All published measurements, simulated."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from simbackup import shelf
from simbackup.equations.uncertainty import CentralInterval
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.experiments.figure_names import unknown
from simbackup.experiments.processes import worker_processes
from simbackup.results.compare import ANY, Interval, Row, compared, constants, figure
from simbackup.results.documents import MEASURED, collections, documents, scenario_name
from simbackup.results.record import UsedValue
from simbackup.results.result import Result
from simbackup.results.summaries import Summary, summary
from simbackup.run import simulate
from simbackup.scenario import Scenario, load
from simbackup.schema.measured import Measured, Measurement, read_measured
from simbackup.shelf import is_file, is_folder
from simbackup.uncertainty.effort import QUICK, Effort
from simbackup.uncertainty.estimate import estimates
from simbackup.uncertainty.range_ends import clipped
from simbackup.uncertainty.whole import bound_at

if TYPE_CHECKING:
    from simbackup.plots.reproduction import RowPlots


@dataclass(frozen=True, slots=True, repr=False)
class Reproduction:
    """Every row, a summary for each document, and the constants that were fitted or chosen."""

    rows: list[Row]
    summaries: list[Summary]
    constants: list[UsedValue]
    clipped: list[str] = field(default_factory=list[str])
    """Ends of ranges that a check refuses, so that intervals stop short of them."""

    def __repr__(self) -> str:
        total = self.total
        return f"Reproduction({total.results} results, {total.within} within 10 %, {total.off} declared off)"

    @property
    def total(self) -> Summary:
        """The summary of all documents together."""
        return summary("all", self.rows, self.constants)

    @property
    def plot(self) -> RowPlots:
        """Pictures of measured and simulated figures; they need matplotlib."""
        from simbackup.plots.reproduction import RowPlots  # noqa: PLC0415 (matplotlib is an extra)

        return RowPlots(self.rows)


def chosen(names: Sequence[str]) -> list[Measured]:
    """The documents of some names; without names, those under `scenarios/published`.

    A name is a folder with a file of measurements, a folder of such folders, a collection (a folder under `scenarios`),
    or the beginning of a known document's name.

    Raises
    ------
    InputError
        There is no such document, or something is wrong with its rows.
    """
    if not names:
        return documents()
    found: dict[str, Measured] = {}
    for name in names:
        here = _own(name) or (documents(name) if name in collections() else [])
        everything = [] if here else documents("*")
        here = here or [measured for measured in everything if name and measured.folder.name.startswith(name)]
        if not here:
            remedy = choices(name, [*collections(), *(measured.folder.name for measured in everything)])
            if name and is_folder(Path(name)):
                remedy = f"write its rows into {Path(name) / MEASURED}"
            raise InputError([Problem(Place(name), "", "there is no such document", remedy)])
        for measured in here:
            found[str(measured.folder.resolve())] = measured
    return sorted(found.values(), key=lambda measured: measured.folder.name)


def _own(name: str) -> list[Measured]:
    """The documents of a user's folder: its own rows, or those of the folders in it."""
    folder = Path(name) if Path(name).name.strip(".") else Path(name).resolve()
    if not name or not is_folder(folder):
        return []
    file = folder / MEASURED
    files = [file] if is_file(file) else sorted(folder.glob(f"*/{MEASURED}"))
    return [read_measured(file, shelf.shown(file)) for file in files]


def reproduce(names: Sequence[str] = (), *, intervals: bool = True, workers: int | None = None) -> Reproduction:
    """Compare measured with simulated figures, for all documents or for the named ones.

    A document is named by the beginning of its name, or by a folder of your own with `measured.yaml` and scenarios.
    `intervals` also runs each scenario over the ranges of its assumed values, in `workers` processes at once; by
    default, one for each processor.
    """
    rows: list[Row] = []
    summaries: list[Summary] = []
    found: dict[str, UsedValue] = {}
    documents = chosen(names)
    with _intervals(documents if intervals else (), workers) as pending:
        results = [{file: simulate(one) for file, one in scenarios_of(measured).items()} for measured in documents]
        widths, short = pending()
    for measured, ran in zip(documents, results, strict=True):
        own = [
            replace(row, interval=width.interval, bounds=width.bounds, cases=width.cases)
            for row in compared(measured, ran)
            for width in [widths.get((measured.folder.name, row.measurement.id), RowWidth())]
        ]
        here = constants(ran.values(), measured)
        rows.extend(own)
        summaries.append(summary(measured.folder.name, own, list(here.values())))
        found.update(here)
    return Reproduction(rows, summaries, list(found.values()), short)


def scenarios_of(measured: Measured) -> dict[str, Scenario]:
    """The scenarios that the rows of a document refer to, by file.

    Raises
    ------
    InputError
        Everything that is wrong with one of them, and every row that names a figure which no result of one has.
    """
    problems: list[Problem] = []
    found: dict[str, Scenario] = {}
    names = {file: scenario_name(m, file) for m in measured.rows for file, _ in m.addresses}
    for file, name in names.items():
        try:
            found[file] = load(name)
        except InputError as error:
            problems += [*error.problems, *error.notes]
    for m in measured.rows:
        problems += _unknown(m, found)
    if problems:
        raise InputError(problems)
    return found


def _unknown(measurement: Measurement, scenarios: Mapping[str, Scenario]) -> Iterator[Problem]:
    """What is wrong with the addresses of a row in the scenarios that could be read."""
    for file, inner in measurement.addresses:
        if file in scenarios:
            wrong = unknown(scenarios[file], [inner])
            if not scenarios[file].spec.jobs:
                wrong = [(0, f"'{file}' has no jobs, and so no result", "name a scenario with jobs")]
            for _, message, remedy in wrong:
                yield Problem(measurement.place, f"measurements.{measurement.id}.result", message, remedy)


RowName = tuple[str, str]
"""A document's folder, and a row of it."""


class RowWidth(NamedTuple):
    """The interval of a row that its inputs leave, its limits, and its values in all cases; in the row's unit."""

    interval: Interval | None = None
    bounds: Interval = ANY
    cases: tuple[float, ...] = ()


Widths = dict[RowName, RowWidth]


@contextmanager
def _intervals(documents: Sequence[Measured], workers: int | None) -> Generator[Callable[[], tuple[Widths, list[str]]]]:
    """What gives the interval of each row that is not an input, and the ends of ranges that were clipped.

    Other processes work on them meanwhile, on the largest groups of scenarios first.
    """
    tasks = [group for measured in documents for group in _together(measured)]
    order = sorted(range(len(tasks)), key=lambda i: -len(tasks[i].rows))
    with worker_processes(min(workers or os.cpu_count() or 1, len(tasks))) as executor:
        begun = {i: executor.submit(_widths, tasks[i]) for i in order} if executor else {}

        def ended() -> tuple[Widths, list[str]]:
            parts = [begun[i].result() if i in begun else _widths(task) for i, task in enumerate(tasks)]
            widths = {name: width for part, _ in parts for name, width in part.items()}
            return widths, list(dict.fromkeys(one for _, short in parts for one in short))

        yield ended


def _together(measured: Measured) -> list[Measured]:
    """A document in groups of rows that share scenarios, so that each scenario is run in one process."""
    groups: list[tuple[set[str], list[str]]] = []
    for m in measured.rows:
        files, ids = {file for file, _ in m.addresses}, [m.id]
        for group in [group for group in groups if group[0] & files]:
            groups.remove(group)
            files, ids = files | group[0], [*group[1], *ids]
        groups.append((files, ids))
    return [replace(measured, rows=tuple(m for m in measured.rows if m.id in ids)) for _, ids in groups]


def _widths(measured: Measured) -> tuple[Widths, list[str]]:
    """The intervals of the rows of a document, or of some of them, and the ends of ranges that were clipped."""
    scenarios = scenarios_of(measured)
    rows = [m for m in measured.rows if m.row.kind != "input"]

    def simulated(results: Mapping[str, Result]) -> dict[str, float]:
        return {m.id: figure(m, results) for m in rows}

    def bounds(results: Mapping[str, Result]) -> dict[str, float]:
        own = [(m, *m.addresses[0]) for m in rows if m.form == "value"]
        found = {m.id: (bound_at(results[file], address), m.factor) for m, file, address in own}
        return {name: bound / factor for name, (bound, factor) in found.items() if bound is not None}

    found = estimates(scenarios, simulated, effort=Effort(QUICK.cases, 0), bounds=bounds)
    widths = {
        (measured.folder.name, m.id): RowWidth((one.spread.low, one.spread.high), _bounds(m, one.bound), one.values)
        for m in rows
        for one in [found[m.id]]
    }
    return widths, clipped(scenarios)


def _bounds(m: Measurement, bound: CentralInterval | None) -> Interval:
    """What a figure can be at least and at most: a time in which lines can carry its bytes, or such a rate."""
    if bound is None:
        return ANY
    return (bound.low, math.inf) if m.addresses[0][1].endswith(".elapsed") else (0.0, bound.high)
