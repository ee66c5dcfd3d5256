"""All published measurements, simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from simbackup.errors import InputError, Place, Problem, choices
from simbackup.experiments.sensitivity import interval
from simbackup.results.compare import Row, Summary, compared, constants, documents, figure, summary
from simbackup.results.result import Rest, Result
from simbackup.run import simulate
from simbackup.scenario import Scenario, load
from simbackup.schema.measured import Measured


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Every row, a summary for each document, and the constants that were fitted or chosen."""

    rows: list[Row]
    summaries: list[Summary]
    constants: list[Rest]


def chosen(names: Sequence[str]) -> list[Measured]:
    """The documents whose folder begins with one of the names, all without names.

    Raises
    ------
    InputError
        There is no such document.
    """
    everything = documents()
    for name in names:
        if not any(m.folder.name.startswith(name) for m in everything):
            remedy = choices(name, [m.folder.name for m in everything])
            raise InputError([Problem(Place("reproduce"), name, "there is no such document", remedy)])
    return documents(names)


def reproduce(names: Sequence[str] = (), *, intervals: bool = True) -> Reproduction:
    """Measured beside simulated for all documents, or for those named.

    `intervals` also runs each scenario over the ranges of its assumed values.
    """
    rows: list[Row] = []
    summaries: list[Summary] = []
    found: dict[str, Rest] = {}
    for measured in chosen(names):
        scenarios = scenarios_of(measured)
        results = {file: simulate(scenario) for file, scenario in scenarios.items()}
        own = compared(measured, results)
        if intervals:
            own = [_with_interval(row, scenarios, results) for row in own]
        here = constants(results.values(), measured)
        rows.extend(own)
        summaries.append(summary(measured.folder.name, own, len(here)))
        found.update(here)
    return Reproduction(rows, summaries, list(found.values()))


def scenarios_of(measured: Measured) -> dict[str, Scenario]:
    """The scenarios that the rows of a document refer to, by file."""
    files = dict.fromkeys(file for m in measured.rows for file, _ in m.addresses)
    return {file: load(f"published/{measured.folder.name}/{file.removesuffix('.yaml')}") for file in files}


def _with_interval(row: Row, scenarios: dict[str, Scenario], results: dict[str, Result]) -> Row:
    if row.role == "input":
        return row
    files = list(dict.fromkeys(file for file, _ in row.measurement.addresses))

    def simulated(changed: dict[str, Result]) -> float:
        return figure(row.measurement, {**results, **changed})

    return replace(row, interval=interval({file: scenarios[file] for file in files}, simulated))
