"""Warns if a value of a scenario lies outside the ranges of the published scenarios."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from simbackup import shelf
from simbackup.results.compare import NO_RESULT

if TYPE_CHECKING:
    from simbackup.results.record import UsedValue
    from simbackup.results.result import Result

ERRORS, SPANS = "published/validation.csv", "published/validated-values.csv"
"""Files under scenarios, which the program writes and a test compares with its output."""
PUBLISHED = re.compile(r"(?:^|/)published/([^/]+)/")
ROUNDING = 1e-8
"""Relative difference at the end of a span that is a rounding error."""


class Checked(NamedTuple):
    """A measured row of a published document, with the simulated figure that the program shipped with."""

    document: str
    """The folder of the document."""
    id: str
    """The name of the row."""
    operation: str
    """What was measured."""
    quantity: str
    """The figure, such as `elapsed`."""
    unit: str
    """The unit of both figures."""
    measured: float
    """The measured figure."""
    simulated: float
    """The simulated figure."""
    error: float
    """Relative error."""
    role: str
    """What the row proves."""
    verdict: str
    """Whether it is reproduced."""
    scenarios: str
    """Its scenarios."""

    @property
    def is_result(self) -> bool:
        """Whether the row counts: it is no input, no duplicate and no projection."""
        return self.role not in NO_RESULT


class ValidatedSpan(NamedTuple):
    """The lowest and highest value at an address among the scenarios behind a document, in SI units."""

    document: str
    address: str
    unit: str
    low: float
    high: float


class Outside(NamedTuple):
    """A value outside of its validated span, and that span, in SI units."""

    address: str
    value: float
    unit: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a result is from the published scenarios of a document."""

    document: str
    """The folder of the document."""
    itself: bool
    """Whether the scenario is one of them, unchanged."""
    rows: tuple[Checked, ...]
    """The measured rows of the document."""
    outside: tuple[Outside, ...]
    """Values outside of their validated spans."""
    uncovered: tuple[UsedValue, ...]
    """Values at addresses that none of these scenarios has."""


def distance(result: Result) -> Distance | None:
    """How far a result is from validated values; None if its scenario neither is nor extends a published one.

    >>> from simbackup import simulate
    >>> found = distance(simulate("published/003-lvm-snapshots/same-disk"))
    >>> found.itself, len(found.outside)
    (True, 0)
    """
    record = result.record
    own, base = PUBLISHED.search(record.scenario), PUBLISHED.search(record.base or "")
    document = own[1] if own else base[1] if base else f"{record.base}".partition("/")[2].partition("/")[0]
    rows = tuple(row for row in checked() if row.document == document)
    if not rows:
        return None
    return Distance(document, own is not None and not record.overrides, rows, *_placed(result.values, document))


def _placed(values: Sequence[UsedValue], document: str) -> tuple[tuple[Outside, ...], tuple[UsedValue, ...]]:
    """The values outside the spans of a document, and those for which it has no span."""
    known = {span.address: span for span in spans() if span.document == document}
    outside: list[Outside] = []
    uncovered: list[UsedValue] = []
    for value in values:
        span = known.get(value.address)
        if span is None:
            uncovered.append(value)
        elif _below(value.value, span.low) or _below(span.high, value.value):
            outside.append(Outside(value.address, value.value, value.unit, span.low, span.high))
    return tuple(outside), tuple(uncovered)


def _below(value: float, other: float) -> bool:
    return value < other - ROUNDING * abs(other)


@cache
def checked() -> tuple[Checked, ...]:
    """All rows of the validation table that ships with the program; none where there is no such file."""
    return tuple(
        Checked(*row[:5], *(float(text) for text in row[5:8]), *row[8:])  # type: ignore[arg-type]
        for row in shelf.table(ERRORS)
    )


@cache
def spans() -> tuple[ValidatedSpan, ...]:
    """The values that the published scenarios cover, from the table that ships with the program."""
    return tuple(ValidatedSpan(row[0], row[1], row[2], float(row[3]), float(row[4])) for row in shelf.table(SPANS))
