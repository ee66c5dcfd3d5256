"""The measured rows that values of scenarios were fitted to, and what they say of a figure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path, PurePath
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, cast

from simbackup import shelf
from simbackup.errors import InputError, ResultError
from simbackup.results.result import GOOD, Result
from simbackup.scenario import Scenario, Value
from simbackup.uncertainty.model_error import OWN, ModelError

if TYPE_CHECKING:
    from simbackup.schema.measured import Measurement

OF_RUNS = frozenset({"elapsed", "rate"})
"""Figures of a job of which each follows from the other, and which a history of runs has."""
OF_OWN_RUNS = {"jobs": OF_RUNS, "hosts": frozenset({"busy_s"})}
"""Figures that own runs tell, by section."""


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Measured rows that values of scenarios were fitted to, with the names of the scenarios by their files.

    A scenario with other values than its file is not what was measured, so no row is given for it.
    """

    rows: tuple[tuple[Measurement, Mapping[str, str]], ...] = ()

    @classmethod
    def of(cls, scenarios: Mapping[str, Scenario]) -> GivenRows:
        """The rows whose figures the results of some scenarios have, by the names of the scenarios."""
        folders: dict[str, dict[str, str]] = {}
        for name, scenario in scenarios.items():
            if _as_measured(scenario):
                folder, file = _file(scenario)
                folders.setdefault(folder, {})[file] = name
        found: list[tuple[Measurement, Mapping[str, str]]] = []
        for folder, names in folders.items():
            ids = _fitted_to(scenarios[name] for name in names.values())
            rows = [row for row in (_rows(folder) if ids else ()) if row.id in ids]
            found += [(row, names) for row in rows if all(file in names for file, _ in row.addresses)]
        return cls(tuple(found))

    @classmethod
    def of_case(cls, scenario: Scenario) -> GivenRows:
        """The rows of a scenario in a case, whose values are others: of them those of the best estimates count."""
        file, ids = _file(scenario), _fitted_to([scenario]) | _seen(scenario)
        rows = [row for row in (_rows(file[0]) if ids else ()) if row.id in ids]
        own = [row for row in rows if {file for file, _ in row.addresses} == {file[1]}]
        return cls(tuple((row, {file[1]: scenario.name}) for row in own))

    @property
    def ids(self) -> set[str]:
        """The ids of the rows."""
        return {row.id for row, _ in self.rows}

    def __call__(self, results: Mapping[str, Result]) -> dict[str, float]:
        """The simulated figure of each row, by its id, from results by the names of the scenarios."""
        found: dict[str, float] = {}
        if not self.rows:
            return found
        from simbackup.results.compare import figure  # noqa: PLC0415 (most scenarios belong to no document)

        for row, names in self.rows:
            own = {file: results[names[file]] for file, _ in row.addresses}
            if all(_ended_well(own[file], address) for file, address in row.addresses):
                try:
                    found[row.id] = figure(row, own)
                except ResultError:  # a job that moves nothing in this case has no rate
                    continue
        return found


def rows_beside(row: Measurement, scenarios: Mapping[str, Scenario]) -> int:
    """To how many rows, this one among them, a value of its scenarios (by their files) was fitted; 0 if none was."""
    values = (value.given for file, _ in row.addresses for value in scenarios[file].values)
    return max((len(given.fitted_to) for given in values if row.id in given.fitted_to), default=0)


def fitted_rows(scenario: Scenario, address: str) -> list[Measurement]:
    """The rows that a value of a scenario was fitted to and which state the figure at an address of its result.

    A row that states the rate of a job also states its time, and a row that states the time its rate.

    >>> from simbackup.scenario import load
    >>> [row.id for row in fitted_rows(load("published/003-lvm-snapshots/same-disk"), "jobs.dd.rate")]
    ['lvm-dd-same-disk']
    >>> fitted_rows(load("published/003-lvm-snapshots/same-disk"), "jobs.dd.start")
    []
    """
    return [row for row in _own_rows(scenario) if _states(row, _file(scenario)[1], address)]


def related_rows(scenario: Scenario, address: str) -> list[Measurement]:
    """The rows that a value of a scenario was fitted to and which state another figure of the same job, or a ratio."""
    file, owner = _file(scenario)[1], f"{address.rpartition('.')[0]}."
    return [
        row
        for row in _own_rows(scenario)
        if not _states(row, file, address) and any(own == file and at.startswith(owner) for own, at in row.addresses)
    ]


def stated(row: Measurement, scenario: Scenario) -> str:
    """The figure of a job of a scenario that a row states, in words."""
    if row.form == "value":
        return f"its {row.addresses[0][1].rpartition('.')[2].replace('_', ' ')}"
    if row.form == "rate":
        return "its rate"
    own = _file(scenario)[1]
    file, address = next((pair for pair in reversed(row.addresses) if pair[0] != own), row.addresses[1])
    return f"its ratio to {address} of {file.removesuffix('.yaml')}"


def own_scatter(scenario: Scenario, address: str) -> ModelError | None:
    """How far own runs are from what was fitted to them, or from what was measured with them on the same machine.

    A history has the times of the jobs that a scenario lists. Constants that were measured hold for the operation of
    their program on the machine with whose core they go, and also for the time that it takes of its cores. None for
    other figures, and without own runs.
    """
    section, _, rest = address.partition(".")
    name, *_, column = rest.split(".")
    if column not in OF_OWN_RUNS.get(section, ()):
        return None
    every = [value for value in scenario.values if value.given.scatter is not None]
    history, jobs = scenario.spec.history, scenario.spec.jobs
    if not every or (section == "jobs" and name not in jobs):
        return None
    if section == "jobs" and history is not None and name in history.jobs:
        found = [every]
    else:
        names = [name] if section == "jobs" else [job for job in jobs if name in _machines(scenario, job)]
        found = [list(_measured_here(scenario, job, every)) for job in names]
    if not found or not all(found):
        return None
    widest = max((value.given for each in found for value in each), key=lambda given: given.scatter or 0.0)
    scatter = widest.scatter or 0.0
    return ModelError(OWN, 1, len(widest.fitted_to), scatter, math.exp(NormalDist().inv_cdf(0.75) * scatter))


def _machines(scenario: Scenario, job: str) -> set[str | None]:
    """The hosts that own the data sets and devices which a job names; None for what no host owns."""
    spec = scenario.spec
    parts: list[Any] = [part for _, part in spec.jobs[job]]
    every = chain(parts, *(cast("dict[str, Any]", part).values() for part in parts if isinstance(part, dict)))
    named = {name for name in every if isinstance(name, str)}
    return (
        (named & spec.hosts.keys())
        | {spec.host_of(data) for data in named & spec.data.keys()}
        | {spec.owner_of(device) for device in named & spec.devices.keys()}
    )


def _measured_here(scenario: Scenario, job: str, every: Iterable[Value]) -> Iterator[Value]:
    """Constants of the operation of a job that go with the core of the only machine that it touches."""
    speeds = [f"hosts.{host}.speed" for host in _machines(scenario, job)]
    cores = {value.given.shared for value in scenario.values if [value.address] == speeds}
    operation = f".operations.{getattr(scenario.spec.jobs[job], 'operation', '')}."
    for value in every:
        mine = value.address.startswith(f"jobs.{job}.") and operation in value.address
        if mine and any(name in cores for name, _ in value.given.correlations):
            yield value


def _as_measured(scenario: Scenario) -> bool:
    return bool(scenario.name) and not scenario.overrides and not scenario.factors


def _file(scenario: Scenario) -> tuple[str, str]:
    """The folder of a scenario and the name of its file."""
    path = PurePath(scenario.name)
    return str(path.parent), path.name if path.suffix in {".yaml", ".yml"} else f"{path.name}.yaml"


def _own_rows(scenario: Scenario) -> list[Measurement]:
    ids = _fitted_to([scenario]) if _as_measured(scenario) else set[str]()
    return [row for row in (_rows(_file(scenario)[0]) if ids else ()) if row.id in ids]


def _fitted_to(scenarios: Iterable[Scenario]) -> set[str]:
    return {row for scenario in scenarios for value in scenario.values for row in value.given.fitted_to}


def _seen(scenario: Scenario) -> set[str]:
    """The rows that a value was fitted to before another one took its place."""
    return {row for value in scenario.values for row in value.given.seen}


def _states(row: Measurement, file: str, address: str) -> bool:
    """Whether a row states the figure at an address, or one from which it follows."""
    owner, _, column = address.rpartition(".")
    timed = row.timed
    if timed is not None and timed.file == file and timed.address == owner and column in OF_RUNS:
        return row.form == "rate" or row.addresses[0][1].rpartition(".")[2] in OF_RUNS
    return row.form == "value" and row.addresses == ((file, address),)


def _ended_well(result: Result, address: str) -> bool:
    """Whether the figure at an address is not one of a job that failed or was skipped."""
    job = address.rpartition(".")[0].removeprefix("jobs.")
    return job not in result.row_of or result.row_of[job]["status"] in GOOD


@cache
def _rows(folder: str) -> tuple[Measurement, ...]:
    """The measured rows in a folder, which a path or the name of a scenario's folder names."""
    for path in (Path(folder), *(root / "scenarios" / folder for root in shelf.roots())):
        file = path / shelf.MEASURED
        if shelf.is_file(file):
            from simbackup.schema.measured import read_measured  # noqa: PLC0415 (most scenarios belong to no document)

            try:
                return tuple(read_measured(file, shelf.shown(file)).rows)
            except InputError:
                return ()
    return ()
