"""Typical ranges, which stand in where a scenario states a number without a range and without a basis."""

from __future__ import annotations

import math
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from simbackup import shelf, units
from simbackup.schema.quantity import Quantity

SHOWN = 3
"""Digits of a range in words."""


class TypicalRange(NamedTuple):
    """How many times a number its range is, what it is at least and at most, and why."""

    pattern: str
    times: tuple[float, float]
    least: float
    most: float
    why: str

    def fits(self, address: str) -> bool:
        """Whether it is for the value at an address.

        >>> TypicalRange("links.*.latency", (0.5, 2.0), 0.0, 1.0, "").fits("links.lan.latency")
        True
        """
        parts, own = address.split("."), self.pattern.split(".")
        return len(parts) == len(own) and all(map(fnmatchcase, parts, own))


def with_typical_range(address: str, given: Quantity) -> Quantity:
    """A value of a scenario with the typical range of its kind, if it states neither a range nor a basis.

    >>> given = Quantity(2.0, "1", "2")
    >>> with_typical_range("data.files.compression", given).low, with_typical_range("data.files.size", given).low
    (1.34, None)
    >>> with_typical_range("data.files.compression", given.on("user")).low is None
    True
    """
    if given.basis is not None or given.low is not None or given.si <= 0.0:
        return given
    found = next((one for one in _known(shelf.roots()) if one.fits(address)), None)
    if found is None:
        return given
    low, high = (given.si * factor for factor in found.times)
    low, high = max(low, min(found.least, given.si)), min(high, max(found.most, given.si))
    return replace(given, low=low, high=high, why=found.why, typical=True)


def as_row(address: str, given: Quantity) -> dict[str, Any]:
    """A value with its typical range as plain data, in SI units."""
    return {"address": address, "value": given.si, "low": given.low, "high": given.high, "why": given.why}


def in_words(address: str, given: Quantity) -> str:
    """A value with its typical range, in words."""
    ends = " to ".join(units.show_short(end, given.unit, SHOWN) for end in (given.low, given.high) if end is not None)
    return f"{address} {given.text} ({ends})"


@cache
def _known(roots: tuple[Path, ...]) -> tuple[TypicalRange, ...]:
    """The typical ranges of all roots, a user's first."""
    return tuple(
        TypicalRange(
            pattern, (float(plain["times"][0]), float(plain["times"][1])), float(plain.get("least", 0.0)),
            float(plain.get("most", math.inf)), str(plain["why"]),
        )
        for pattern, plain in ((key, node.plain()) for key, node in shelf.shared_by_all(shelf.TYPICAL, roots).items())
    )  # fmt: skip
