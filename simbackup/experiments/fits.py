"""The fits that a calibration file asks for, checked against the datasheets and measured rows that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from simbackup import shelf, units
from simbackup.errors import InputError, Problem, choices
from simbackup.experiments.reproduce import MEASURED
from simbackup.schema.calibration import Fit
from simbackup.schema.measured import Measurement, read_measured
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import read

CALIBRATION = "calibration.yaml"


def read_fits(path: Path) -> list[Fit]:
    """The constants that a calibration file names.

    Raises
    ------
    InputError
        Everything that is wrong with the file, or with the measured rows in its folder.
    """
    tree = read(path, shelf.shown(path))
    problems = [
        Problem(node.key, name, "is not known here", choices(name, ["constants"]))
        for name, node in tree.mapping.items()
        if name != "constants"
    ]
    constants = tree.mapping.get("constants")
    if constants is None or not constants.mapping:
        problems.append(Problem(tree.place, "constants", "is missing", "list the constants that are fitted"))
        raise InputError(problems)
    rows = _rows(path.parent / MEASURED, problems)
    found: list[Fit] = []
    for name, node in constants.mapping.items():
        fit = validate(Fit, node, f"constants.{name}", problems)
        if fit is not None:
            found.append(fit)
            problems += _wrong(fit, node, f"constants.{name}", rows)
    if problems:
        raise InputError(problems)
    return found


def unit_of(fit: Fit) -> str:
    """The SI unit of the constant, a key of `units.DIMENSIONS`."""
    return dict(shelf.load_datasheet(fit.datasheet).values())[fit.parameter].unit


def plausible_range(fit: Fit) -> tuple[float, float]:
    """The lowest and the highest plausible value of the constant, in SI units.

    Raises
    ------
    ValueError
        It is not a range above 0 in the constant's unit.
    """
    low, high = (units.parse(text, unit_of(fit)) for text in fit.plausible)
    if not 0.0 < low < high:
        raise ValueError("is not a range above 0 with the lower end first")
    return low, high


def _rows(file: Path, problems: list[Problem]) -> Mapping[str, Measurement] | None:
    """The measured rows beside a calibration file; None if they cannot be read."""
    try:
        return {row.id: row for row in read_measured(file, shelf.shown(file)).rows}
    except InputError as error:
        problems += error.problems
        return None


def _wrong(fit: Fit, node: Node, address: str, rows: Mapping[str, Measurement] | None) -> Iterator[Problem]:
    """What is wrong with the rows and the constant of a fit."""
    listed = node.mapping["rows"]
    items = listed.value if isinstance(listed.value, list) else []
    for i, row in enumerate(fit.rows if rows is not None else ()):
        measured = (rows or {}).get(row)
        at = f"{address}.rows.{i}"
        if measured is None:
            yield Problem(items[i].place, at, f"there is no measured row '{row}'", choices(row, rows or ()))
        elif measured.value <= 0.0:
            yield Problem(items[i].place, at, f"the figure of '{row}' is not above 0", "name rows above 0")
    yield from wrong_constant(fit, node, address)


def wrong_constant(fit: Fit, node: Node, address: str) -> Iterator[Problem]:
    """What is wrong with the datasheet, the parameter and the range of a constant."""
    try:
        sheet = shelf.load_datasheet(fit.datasheet)
    except InputError as error:
        place, at = node.mapping["datasheet"].place, f"{address}.datasheet"
        yield from (p if p.place.line else replace(p, place=place, address=at) for p in error.problems)
        return
    names = [name for name, _ in sheet.values()]
    if fit.parameter not in names:
        message = f"'{fit.datasheet}' has no parameter '{fit.parameter}'"
        yield Problem(node.mapping["parameter"].place, f"{address}.parameter", message, choices(fit.parameter, names))
        return
    try:
        plausible_range(fit)
    except ValueError as error:
        what, _, remedy = str(error).partition("; ")
        yield Problem(node.mapping["plausible"].place, f"{address}.plausible", what, remedy or "write [low, high]")
