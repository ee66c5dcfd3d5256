"""Whether constants were fitted to measurements of the very system and kind of operation that a figure is about."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from simbackup import shelf
from simbackup.errors import InputError
from simbackup.scenario import Scenario, load
from simbackup.uncertainty.operations import operation_of, program_of

if TYPE_CHECKING:
    from simbackup.schema.measured import Measurement


def is_calibrated(scenario: Scenario, address: str) -> bool:
    """Whether a value was fitted to a row like the figure at an address, on this system or on what it extends.

    It is like it if it is of the same kind of operation, by the same backup program.

    >>> from simbackup.scenario import load
    >>> is_calibrated(load("published/003-lvm-snapshots/same-disk"), "jobs.dd.elapsed")
    True
    >>> is_calibrated(load("teaching/mount-queue"), "devices.library.robot.busy")
    False
    """
    fitted = {row for value in scenario.values for row in value.given.fitted_to}
    names = [name for name in (scenario.name, scenario.base) if name]
    rows = [row for name in names for row in _rows(str(Path(name).parent)) if row.id in fitted]
    asked = operation_of(scenario, address), program_of(scenario, address)
    return any(_of_row(row) == asked for row in rows)


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


def _of_row(row: Measurement) -> tuple[str, str]:
    from simbackup.results.documents import scenario_name  # noqa: PLC0415

    file, address = row.addresses[0]
    return _at(scenario_name(row, file), address)


@cache
def _at(name: str, address: str) -> tuple[str, str]:
    """The kind of operation and the program of a figure in a scenario, by its name."""
    try:
        scenario = load(name)
    except InputError:
        return "", ""
    return operation_of(scenario, address), program_of(scenario, address)
