"""The rows of a result's tables of the origins of its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from simbackup.results.record import UsedValue

_NUMBER = ["address", "value", "unit", "text"]
SOURCE = [*_NUMBER, "basis", "source", "at"]
ASSUMPTION = [*_NUMBER, "low", "high", "why"]


def exact(values: Iterable[UsedValue]) -> dict[str, int]:
    """How many values of each basis have no range: intervals take them as exact."""
    return dict(Counter(value.basis for value in values if not value.varies).most_common())


def source_rows(values: Iterable[UsedValue], works: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each value with its basis and the title of the work that states it, or else its place."""
    return [
        {
            **_number(v), "basis": v.basis,
            "source": str(works[v.source]["title"]) if v.source and v.source in works else v.place, "at": v.at or "",
        }
        for v in values
    ]  # fmt: skip


def assumption_rows(values: Iterable[UsedValue]) -> list[dict[str, Any]]:
    """Each value that was assumed, with the ends of its range and why."""
    return [
        {**_number(v), "low": v.low, "high": v.high, "why": v.why}
        for v in values
        if v.basis == "assumed" and v.low is not None and v.high is not None
    ]


def _number(value: UsedValue) -> dict[str, Any]:
    """A value in SI, its unit, and how it is written."""
    return dict(zip(_NUMBER, (value.address, value.value, value.unit, value.text), strict=True))
