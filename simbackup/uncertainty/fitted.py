"""Whether a figure was itself used to fit a value of its scenario."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING

from simbackup import shelf
from simbackup.errors import InputError
from simbackup.scenario import Scenario
from simbackup.uncertainty.model_error import OWN, ModelError

if TYPE_CHECKING:
    from simbackup.schema.measured import Measurement

OF_RUNS = frozenset({"elapsed", "rate"})
"""Figures that a history of runs has."""


def is_fitted(scenario: Scenario, address: str) -> bool:
    """Whether a value of a scenario was fitted to a measured row that is the figure at an address of its result.

    >>> from simbackup.scenario import load
    >>> is_fitted(load("published/003-lvm-snapshots/same-disk"), "jobs.dd.elapsed")
    True
    >>> is_fitted(load("published/003-lvm-snapshots/same-disk"), "jobs.dd.start")
    False
    """
    if not scenario.name:
        return False
    path, constants = Path(scenario.name), {row for value in scenario.values for row in value.given.fitted_to}
    rows = [row for row in _rows(str(path.parent)) if row.id in constants] if constants else []
    return any([(Path(file).stem, at) for file, at in row.addresses] == [(path.stem, address)] for row in rows)


def own_scatter(scenario: Scenario, address: str) -> ModelError | None:
    """How far runs of a job differ from a fit to a history of them; None for other figures than its time or rate."""
    history, (owner, _, column) = scenario.spec.history, address.rpartition(".")
    job = owner.removeprefix("jobs.")
    if history is None or job not in history.jobs or column not in OF_RUNS:
        return None
    found = [value.given for value in scenario.values if value.given.scatter is not None]
    if not found:
        return None
    widest = max(found, key=lambda given: given.scatter or 0.0)
    scatter = widest.scatter or 0.0
    return ModelError(OWN, 1, len(widest.fitted_to), scatter, math.exp(NormalDist().inv_cdf(0.75) * scatter))


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
