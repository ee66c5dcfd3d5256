"""The fits that a calibration file asks for, checked, and fitted values in place of the old ones in datasheets."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simbackup import shelf, units
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.experiments.reproduce import MEASURED
from simbackup.files import whole
from simbackup.output.whole import write_whole
from simbackup.schema.measured import Measurement, read_measured
from simbackup.schema.study import Fit, FitsSpec
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import plain_scalar, read

if TYPE_CHECKING:
    from simbackup.experiments.calibrate import Fitted


CALIBRATION = "calibration.yaml"


def read_fits(path: Path) -> list[Fit]:
    """The constants that a calibration file names.

    Raises
    ------
    InputError
        Everything that is wrong with the file, or with the measured rows in its folder.
    """
    tree, problems = read(path, shelf.shown(path)), list[Problem]()
    file = validate(FitsSpec, tree, "", problems)
    rows = _rows(path.parent / MEASURED, problems)
    nodes = tree.mapping["constants"].mapping if "constants" in tree.mapping else {}
    for name, node in nodes.items():  # what is wrong with others hides nothing
        fit = file.constants[name] if file is not None else validate(Fit, node, "", [])
        problems += _wrong(fit, node, f"constants.{name}", rows) if fit is not None else ()
    if file is None or problems:
        raise InputError(problems)
    return list(file.constants.values())


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


SHALLOWEST = 2
"""Spaces before a parameter that is not inside another."""
WIDTH = 100
"""Characters of a line."""
FIRM = "\N{NO-BREAK SPACE}"
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
"""Ids that need no quotes, unless YAML reads them as something else than text."""


def write_fitted(found: Iterable[Fitted], folder: Path) -> None:
    """Replace values in datasheets by fitted values with their origin, each datasheet completely or not at all.

    Parameters
    ----------
    found
        The constants.
    folder
        The folder of the rows that they were fitted to.

    Raises
    ------
    InputError
        The folder is in no root, and a datasheet is in that of the program; nothing is written then.
    ResultError
        A datasheet cannot be written.
    """
    texts: dict[Path, str] = {}
    for fitted in found:
        read, path = _sheet(fitted.fit.datasheet, folder)
        texts[path] = _with(fitted, texts[path] if path in texts else read.read_text(encoding="utf-8"))
    for path, text in texts.items():
        write_whole(path, text, edited=True)
    shelf.forget()


def check_home(names: Iterable[str], folder: Path) -> None:
    """Check that fitted values could be written for rows of a folder.

    Raises
    ------
    InputError
        The folder is in no root, and a datasheet is in that of the program.
    """
    for name in names:
        _sheet(name, folder)


def _with(fitted: Fitted, text: str) -> str:
    """The text of a datasheet with a fitted value in it."""
    from ruamel.yaml import YAML  # noqa: PLC0415

    fit, unit = fitted.fit, fitted.unit
    root: Any = YAML(typ="safe", pure=True).compose(text)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    old = root
    for step in ("parameters", *fit.parameter.split(".")):
        old = next(value for key, value in old.value if key.value == step)
    line = text[: old.start_mark.index].rpartition("\n")[2]
    deeper = " " * max(len(line) - len(line.lstrip()) - SHALLOWEST, 0)
    plausible = ", ".join(units.show(end, unit) for end in fitted.plausible)
    correlations = _by_name("correlations", fitted.correlations) + _by_name("narrowed", fitted.narrowed)
    scatter = "" if fitted.scatter is None else f"    scatter: {fitted.scatter:.2g},\n"
    new = (
        f"{{value: {units.show(fitted.value, unit)}, basis: fitted, fitted_to: [{', '.join(map(_word, fit.rows))}],\n"
        f"    uncertainty: {units.show(fitted.uncertainty, unit)}, plausible: [{plausible}],\n"
        f"{scatter}{correlations}    why: {json.dumps(fit.why, ensure_ascii=False)}}}"
    )
    return text[: old.start_mark.index] + new.replace("\n", f"\n{deeper}") + text[old.end_mark.index :]


def _by_name(key: str, shares: Mapping[str, float]) -> str:
    """The line of a key with shares of other values by their names; empty without any."""
    each = [f"{json.dumps(place)}: {share}" for place, share in sorted(shares.items())]
    return f"    {key}: {{{_lines(each)}}},\n" if each else ""


def _lines(items: list[str]) -> str:
    """Items between commas, on lines that are not too long."""
    joined = ", ".join(item.replace(" ", FIRM) for item in items)
    wrapped = textwrap.fill(joined, WIDTH, subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False)
    return wrapped.replace(FIRM, " ")


def _word(row: str) -> str:
    """The id of a row as YAML has it: in quotes unless it is a plain word.

    >>> _word("lvm-dd-none"), _word("only"), _word("17"), _word("true")
    ('lvm-dd-none', 'only', '"17"', '"true"')
    """
    plain = PLAIN.fullmatch(row) and isinstance(plain_scalar(row), str)
    return row if plain else json.dumps(row, ensure_ascii=False)


def _sheet(name: str, folder: Path) -> tuple[Path, Path]:
    """The file of a datasheet, and the file to write it to with a fitted value.

    A user's fit never changes the datasheets of the program: they are copied to the root of the rows, which goes first.
    """
    *own, program = shelf.roots()
    inside = Path("models") / f"{name}.yaml"
    found = next(root for root in (*own, program) if (root / inside).is_file())
    home = next((root for root in (*own, program) if whole(folder).is_relative_to(whole(root))), None)
    if home is None:
        if found == program:
            message = f"'{name}' is a datasheet of the program, but the rows are not"
            remedy = f"name a folder above '{folder.name}' in {shelf.SEARCH_PATH}; a copy goes into its models/"
            raise InputError([Problem(Place(shelf.shown(folder)), "", message, remedy)])
        home = found
    return found / inside, home / inside
