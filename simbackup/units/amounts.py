"""Numbers as people write them in tables: thousands separators, decimal commas, units in cells or in heads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from simbackup.units import UnitError, parse
from simbackup.units.reading import bits

_NUMBER = re.compile(r"\s*([0-9][0-9.,'_\u00a0\u202f ]*)((?:[eE][+-]?[0-9]+)?)\s*(.*?)\s*")
_SPACES = str.maketrans("", "", "'_\u00a0\u202f ")
_THOUSANDS = 3


class Convention(NamedTuple):
    """How a table writes numbers: the decimal mark, and whether a cell shows it."""

    decimal: str
    seen: bool


def convention(cells: Iterable[str]) -> Convention:
    """The decimal mark of a table, from the cells that leave no doubt; a point where none does.

    >>> convention(["1.234,5 GB", "1.200"]), convention(["1,200", "12"])
    (Convention(decimal=',', seen=True), Convention(decimal='.', seen=False))
    """
    for cell in cells:
        found = _NUMBER.fullmatch(cell)
        mark = _certain(found[1].translate(_SPACES)) if found else None
        if mark is not None:
            return Convention(mark, seen=True)
    return Convention(".", seen=False)


def _certain(digits: str) -> str | None:
    """The decimal mark of a number, if there can be no other."""
    marks = [mark for mark in ".," if mark in digits]
    if len(marks) == 2:  # noqa: PLR2004 (both marks)
        return max(marks, key=digits.rindex)
    if not marks:
        return None
    mark = marks[0]
    groups = digits.split(mark)
    if len(groups) > 2:  # noqa: PLR2004 (it appears twice, and so parts thousands)
        return "," if mark == "." else "."
    return mark if len(groups[1]) != _THOUSANDS else None


def doubtful(cell: str) -> bool:
    """Whether a number has a mark that may be that of decimals or that of thousands.

    >>> doubtful("1,200"), doubtful("1,20"), doubtful("1.200 GB"), doubtful("12")
    (True, False, True, False)
    """
    found = _NUMBER.fullmatch(cell)
    digits = found[1].translate(_SPACES) if found else ""
    return any(mark in digits for mark in ".,") and _certain(digits) is None


def amount(cell: str, unit: str, written: Convention, head: str = "") -> float:
    """The SI value of a cell, whose unit may be in the head of its column instead.

    Raises
    ------
    UnitError
        It is not such an amount.

    >>> amount("1.234,5 GB", "B", Convention(",", True)), amount("1,234", "count", Convention(".", False))
    (1234500000000.0, 1234.0)
    >>> amount("2", "B", Convention(".", False), head="TiB"), amount("1.5E+12", "B", Convention(".", False), head="B")
    (2199023255552.0, 1500000000000.0)
    """
    found = _NUMBER.fullmatch(cell)
    if found is None:
        negative = cell.startswith("-") and _NUMBER.fullmatch(cell[1:])
        raise UnitError(f"'{cell}' cannot be negative" if negative else f"'{cell}' is not a number")
    other = "." if written.decimal == "," else ","
    digits = found[1].translate(_SPACES)
    groups = digits.split(written.decimal)[0].split(other)
    if len(groups) > 1 and any(len(group) != _THOUSANDS for group in groups[1:]):
        raise UnitError(
            f"'{cell}' has '{other}' where no thousands end; the table writes decimals with '{written.decimal}'"
        )
    number = digits.replace(other, "").replace(written.decimal, ".")
    text = f"{number}{found[2]} {found[3] or head}".strip()
    advice = bits(text) if unit == "B" else ""
    if advice:
        raise UnitError(f"'{cell}' {advice}")
    try:
        return parse(text, unit)
    except UnitError as error:
        raise UnitError(str(error).replace(f"'{text}'", f"'{cell}'")) from None
