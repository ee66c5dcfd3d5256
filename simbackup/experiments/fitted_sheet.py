"""Write fitted values in place of the old ones, into datasheets of the same root as the rows."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simbackup import shelf, units
from simbackup.errors import InputError, Place, Problem
from simbackup.files import whole
from simbackup.output.together import together
from simbackup.output.whole import write_whole
from simbackup.schema.yaml_file import plain_scalar

if TYPE_CHECKING:
    from simbackup.experiments.calibrate import Fitted

SHALLOWEST = 2
"""Spaces before a parameter that is not inside another."""
WIDTH = 100
"""Characters of a line."""
FIRM = "\N{NO-BREAK SPACE}"
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
"""Ids that need no quotes, unless YAML reads them as something else than text."""


def write_fitted(found: Iterable[Fitted], folder: Path) -> None:
    """Put fitted values, with their origin, in the place of the old ones, all datasheets completely or none.

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
    with together():
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
