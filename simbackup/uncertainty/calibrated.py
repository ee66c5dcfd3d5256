"""Whether constants were fitted to measurements of the very system and kind of operation that a figure is about."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from simbackup import shelf
from simbackup.errors import InputError
from simbackup.scenario import Scenario, load
from simbackup.uncertainty.operations import operation_of

if TYPE_CHECKING:
    from simbackup.schema.measured import Measurement


def is_calibrated(scenario: Scenario, operation: str) -> bool:
    """Whether a value was fitted to a row of this kind of operation, measured on this system or on what it extends.

    >>> from simbackup.scenario import load
    >>> is_calibrated(load("published/003-lvm-snapshots/same-disk"), "write")
    True
    >>> is_calibrated(load("teaching/mount-queue"), "image")
    False
    """
    fitted = {row for value in scenario.values for row in value.given.fitted_to}
    names = [name for name in (scenario.name, scenario.base) if name]
    rows = [row for name in names for row in _rows(str(Path(name).parent)) if row.id in fitted]
    return any(_operation(row) == operation for row in rows)


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


def _operation(row: Measurement) -> str:
    from simbackup.results.documents import scenario_name  # noqa: PLC0415

    file, address = row.addresses[0]
    return _operation_at(scenario_name(row, file), address)


@cache
def _operation_at(name: str, address: str) -> str:
    try:
        return operation_of(load(name), address)
    except InputError:
        return ""
