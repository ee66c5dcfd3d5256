"""The values that a study varies: lists as they are, and ranges as the values between their ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simbackup import units
from simbackup.errors import Problem
from simbackup.schema.study import RangeSpec
from simbackup.schema.tree import Node

UNITS = ("count", "1", "B", "s", "B/s", "1/s")
"""SI units in which the ends of a range may be written."""
DIGITS = 12
"""Significant digits of the values of a range, so that five steps from 1 to 16 give 2, 4 and 8."""
COUNT = "count"


def values_of(
    varied: Mapping[str, tuple[Any, ...] | RangeSpec], tree: Node, section: str, problems: list[Problem]
) -> dict[str, tuple[Any, ...]]:
    """The values by address; what is wrong with a range is added to `problems`."""
    found: dict[str, tuple[Any, ...]] = {}
    for address, values in varied.items():
        if isinstance(values, tuple):
            found[address] = values
            continue
        unit = common_unit(values.first, values.last)
        wrong = "" if unit else f"'{values.first}' and '{values.last}' have no common unit"
        if unit and values.by == "factor" and min(_ends(values, unit)) <= 0.0:
            wrong = "a range by factors begins and ends above zero"
        if wrong or unit is None:
            place = tree.find((section, address))[0].place
            remedy = "write for example {first: 1 GB, last: 16 GB, count: 5, by: factor}"
            problems.append(Problem(place, f"{section}.{address}", wrong, remedy))
            continue
        found[address] = tuple(between(values, unit))
    return found


def between(asked: RangeSpec, unit: str) -> list[str]:
    """The values of a range, with its ends, as files say them; what is counted is whole.

    >>> between(RangeSpec(first="1 GB", last="16 GB", count=5, by="factor"), "B")
    ['1 GB', '2 GB', '4 GB', '8 GB', '16 GB']
    >>> between(RangeSpec(first=1, last=4, count=7), "count")
    ['1', '2', '3', '4']
    """
    first, last = _ends(asked, unit)
    shares = [i / (asked.count - 1) for i in range(asked.count)]
    if asked.by == "factor":
        values = [first * (last / first) ** share for share in shares]
    else:
        values = [first + (last - first) * share for share in shares]
    rounded = [float(round(value)) if unit == COUNT else float(f"{value:.{DIGITS}g}") for value in values]
    return list(dict.fromkeys(units.show(value, unit) for value in rounded))


def _ends(asked: RangeSpec, unit: str) -> tuple[float, float]:
    return units.parse(asked.first, unit), units.parse(asked.last, unit)


def common_unit(first: str | float, last: str | float) -> str | None:
    """The unit in which two values can be read; None if there is none."""
    for unit in UNITS:
        try:
            _ = units.parse(first, unit), units.parse(last, unit)
        except units.UnitError:
            continue
        return unit
    return None
