"""All published measurements, simulated."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from simbackup import shelf
from simbackup.equations.uncertainty import CentralInterval, spread_with_error
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.experiments.figure_names import unknown
from simbackup.experiments.processes import worker_processes
from simbackup.files import whole
from simbackup.results.compare import (
    ANY,
    LAB,
    MEASURED,
    Interval,
    Row,
    Summary,
    collections,
    compared,
    constants,
    documents,
    figure,
    scenario_name,
    summary,
)
from simbackup.results.record import UsedValue
from simbackup.results.result import Result
from simbackup.results.tabled import Answer, interval_table
from simbackup.run import ran
from simbackup.scenario import Scenario, load
from simbackup.schema.measured import Measured, Measurement, read_measured
from simbackup.shelf import is_file, is_folder
from simbackup.uncertainty.effort import QUICK, Effort
from simbackup.uncertainty.estimate import Estimate, estimates
from simbackup.uncertainty.fitted import rows_beside
from simbackup.uncertainty.model_error import FITTED, term_of
from simbackup.uncertainty.whole import bounds_at, deviation_at

if TYPE_CHECKING:
    from concurrent.futures import Future

    import pandas as pd

    from simbackup.plots.reproduction import RowPlots
    from simbackup.plots.style import Chart


@dataclass(frozen=True, slots=True, repr=False)
class Reproduction(Answer):
    """Every row, a summary for each document, and the constants that were fitted or chosen."""

    rows: list[Row]
    summaries: list[Summary]
    constants: list[UsedValue]

    def __repr__(self) -> str:
        total = self.total
        return f"Reproduction({total.results} results, {total.within} within 10 %, {total.off} declared off)"

    @property
    def total(self) -> Summary:
        """The summary of all documents together."""
        return summary("all", self.rows, self.constants)

    @property
    def frame(self) -> pd.DataFrame:
        """The main table: measured and simulated figures by row, in the units of the documents, with their roles."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        none = (None, None)
        return pd.DataFrame(
            [
                {
                    "id": row.measurement.id, "operation": row.measurement.row.operation, "unit": row.measurement.unit,
                    "measured": row.measurement.value, "simulated": row.simulated, "error": row.error,
                    "low": (row.answer or none)[0], "high": (row.answer or none)[1], "role": row.role,
                }
                for row in self.rows
            ]
        ).set_index("id")  # fmt: skip

    @property
    def headline(self) -> str:
        """How many results are reproduced, in a sentence."""
        total = self.total
        return f"{total.within} of {total.results} results within 10 %, {total.off} declared off"

    @property
    def intervals(self) -> pd.DataFrame:
        """Table of the simulated figures with their 90 % intervals, in the units of the documents."""
        answered = [(row.measurement, row.simulated, row.answer) for row in self.rows if row.answer is not None]
        return interval_table((one.id, simulated, *ends, one.unit) for one, simulated, ends in answered)

    def figure(self) -> Chart:
        """The main picture: each measured row beside the simulated one."""
        return self.plot.compare()

    @property
    def plot(self) -> RowPlots:
        """Pictures of measured and simulated figures; they need matplotlib."""
        from simbackup.plots.reproduction import RowPlots  # noqa: PLC0415 (matplotlib is an extra)

        return RowPlots(self.rows)


def chosen(names: Sequence[str]) -> list[Measured]:
    """The documents of some names; without names, those under `scenarios/published`.

    A name is a folder with a file of measurements, a folder of such folders, a collection (a folder under `scenarios`),
    `lab` for the records of labs, or a known document's name or its beginning.

    Raises
    ------
    InputError
        There is no such document, or something is wrong with its rows.
    """
    if not names:
        return documents()
    found: dict[str, Measured] = {}
    for name in names:
        here = _own(name) or (documents(name) if name in {LAB, *collections()} else [])
        here = here or (documents("*", name) if name else [])
        here = [one for one in here if one.folder.name == name] or here
        if not here:
            known = [one.folder.name for one in documents("*") if one.publication == one.folder.name]
            remedy = choices(name, [*collections(), *known])
            if name and is_folder(Path(name)):
                remedy = f"write its rows into {Path(name) / MEASURED}"
            raise InputError([Problem(Place(name), "", "there is no such document", remedy)])
        for measured in here:
            found[str(whole(measured.folder))] = measured
    return sorted(found.values(), key=lambda measured: measured.folder.name)


def _own(name: str) -> list[Measured]:
    """The documents of a user's folder: its own rows, or those of the folders in it."""
    folder = Path(name) if Path(name).name.strip(".") else whole(Path(name))
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
    for measured, answers in zip(documents, _answers(documents, intervals, workers), strict=True):
        answer_of = {row.measurement.id: row for answer in answers for row in answer.rows}
        own = [answer_of[m.id] for m in measured.rows]
        of_file = {file: values for answer in answers for file, values in answer.constants.items()}
        here: dict[str, UsedValue] = {}
        for file in _files(measured.rows):
            here |= {place: value for place, value in of_file[file].items() if place not in here}
        rows.extend(own)
        summaries.append(summary(measured.folder.name, own, list(here.values())))
        found.update(here)
    return Reproduction(rows, summaries, list(found.values()))


def scenarios_of(measured: Measured) -> dict[str, Scenario]:
    """The scenarios that the rows of a document refer to, by file.

    Raises
    ------
    InputError
        Everything that is wrong with one of them, and every row that names a figure which no result of one has.
    """
    problems: list[Problem] = []
    found: dict[str, Scenario] = {}
    for file, m in _files(measured.rows).items():
        try:
            found[file] = load(scenario_name(m, file))
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


def _files(rows: Sequence[Measurement]) -> dict[str, Measurement]:
    """The files of scenarios that rows refer to, each with the last row that does."""
    return {file: m for m in rows for file, _ in m.addresses}


@dataclass(frozen=True, slots=True)
class _Question:
    """Rows of a document that share files of scenarios, so that each scenario is run in one process."""

    measured: Measured
    rows: tuple[Measurement, ...]

    def answer(self, *, intervals: bool) -> _Answer:
        """The rows simulated, with or without the intervals that their inputs leave."""
        scenarios = scenarios_of(replace(self.measured, rows=self.rows))
        results = {file: ran(scenario) for file, scenario in scenarios.items()}
        rows = compared(self.measured, results)
        values = {file: constants([result], self.measured) for file, result in results.items()}
        if not intervals:
            return _Answer(rows, values)
        found = self._estimates(scenarios, results)
        return _Answer([_with_interval(row, found, scenarios) for row in rows], values)

    def _estimates(self, scenarios: Mapping[str, Scenario], results: Mapping[str, Result]) -> dict[str, Estimate]:
        """The figures of all rows that are not inputs, over the ranges of what their scenarios assume."""
        rows = [m for m in self.rows if m.row.kind != "input"]

        def simulated(results: Mapping[str, Result]) -> dict[str, float]:
            return {m.id: figure(m, results) for m in rows}

        def bounds(results: Mapping[str, Result]) -> dict[str, float]:
            own = [(m, *m.addresses[0]) for m in rows if m.form == "value"]
            found = {m.id: (bounds_at(results[file], [address]).get(address), m.factor) for m, file, address in own}
            times = {m.id for m, _, address in own if address.endswith(".elapsed")}
            return {
                name: bound / factor if name in times else 1.0 / (bound * factor)
                for name, (bound, factor) in found.items()
                if bound is not None
            }

        return estimates(scenarios, simulated, effort=Effort(QUICK.cases, 0), bounds=bounds, results=results)


@dataclass(frozen=True, slots=True)
class _Answer:
    """Rows simulated, and the constants in each file that somebody fitted or chose."""

    rows: list[Row]
    constants: dict[str, dict[str, UsedValue]]


def _answers(documents: Sequence[Measured], intervals: bool, workers: int | None) -> list[list[_Answer]]:
    """What the rows of each document are simulated to be, in several processes if intervals are wanted.

    Raises
    ------
    InputError
        Everything that is wrong with the first document that has something wrong.
    """
    asked = [(n, one) for n, measured in enumerate(documents) for one in _questions(measured)]
    found: list[list[_Answer]] = [[] for _ in documents]
    with worker_processes(min(workers or os.cpu_count() or 1, len(asked)) if intervals else 1) as executor:
        begun: dict[int, Future[_Answer]] = {}
        for i in sorted(range(len(asked)), key=lambda i: -len(asked[i][1].rows)):  # the largest ones first
            if executor is not None:
                begun[i] = executor.submit(asked[i][1].answer, intervals=intervals)
        for i, (n, one) in enumerate(asked):
            try:
                found[n].append(begun[i].result() if i in begun else one.answer(intervals=intervals))
            except InputError:
                scenarios_of(documents[n])  # raises what is wrong with the others, too
                raise
    return found


def _questions(measured: Measured) -> list[_Question]:
    """The rows of a document in groups that share files."""
    groups: list[tuple[set[str], list[str]]] = []
    for m in measured.rows:
        files, ids = {file for file, _ in m.addresses}, [m.id]
        for group in [group for group in groups if group[0] & files]:
            groups.remove(group)
            files, ids = files | group[0], [*group[1], *ids]
        groups.append((files, ids))
    return [_Question(measured, tuple(m for m in measured.rows if m.id in ids)) for _, ids in groups]


def _with_interval(row: Row, found: Mapping[str, Estimate], scenarios: Mapping[str, Scenario]) -> Row:
    """A row with its intervals, its limits, and its values in all cases; in the row's unit."""
    one = found.get(row.measurement.id)
    if one is None:
        return row
    bounds = _bounds(row.measurement, one.bound)
    file, address = row.measurement.subject
    given = rows_beside(row.measurement, scenarios) > 0
    deviation = term_of(FITTED).deviation if given else deviation_at(scenarios[file], address)
    whole = spread_with_error(row.simulated, one.values or (row.simulated,), deviation).within(*bounds)
    inputs, answer = (one.spread.low, one.spread.high), (whole.low, whole.high)
    return replace(row, interval=inputs, bounds=bounds, cases=one.values, answer=answer)


def _bounds(m: Measurement, bound: CentralInterval | None) -> Interval:
    """What a figure can be at least and at most: a time in which lines can carry its bytes, or such a rate."""
    if bound is None:
        return ANY
    return (bound.low, math.inf) if m.addresses[0][1].endswith(".elapsed") else (0.0, bound.high)
