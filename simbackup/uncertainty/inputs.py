"""The uncertain inputs of scenarios."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from simbackup import units
from simbackup.equations.uncertainty import SCORE, value_at
from simbackup.scenario import Scenario, Value

COUNT = "count"


@dataclass(frozen=True, slots=True)
class Input:
    """One unknown: a value and its range, and every address of every scenario at which it stands.

    What stands at one place of a file is one unknown, in however many scenarios and for however many parts it is used.
    A value given in Python has no line: it is one with what has its address.
    """

    name: str
    best: float
    low: float
    high: float
    unit: str
    at: tuple[tuple[str, str], ...]

    def value(self, score: float) -> float:
        """The value at so many standard deviations from its best estimate, in SI units; whole if it is a count."""
        value = value_at(self.best, self.low, self.high, score)
        return float(round(value)) if self.unit == COUNT else value

    def text(self, score: float) -> str:
        """The same as a file says it."""
        return units.show(self.value(score), self.unit)


def inputs(scenarios: Mapping[str, Scenario]) -> list[Input]:
    """The uncertain inputs of scenarios, by the names under which their figures are known; in order of appearance."""
    together: dict[str, list[tuple[str, Value]]] = {}
    for name, scenario in scenarios.items():
        for value in scenario.values:
            if ends(value) is not None:
                place = str(value.place) if value.place.line else f"{value.place}: {value.address}"
                together.setdefault(place, []).append((name, value))
    return [_input(values) for values in together.values()]


def _input(values: list[tuple[str, Value]]) -> Input:
    _, first = values[0]
    low, high = ends(first) or (first.given.si, first.given.si)
    best = first.given.si
    at = tuple((name, value.address) for name, value in values)
    return Input(first.address, best, min(low, best), max(high, best), first.given.unit, at)


def ends(value: Value) -> tuple[float, float] | None:
    """The ends of the range of a value: as stated, or from the standard uncertainty of a fit; None if it is certain."""
    given = value.given
    if given.low is not None and given.high is not None:
        return given.low, given.high
    if given.uncertainty:
        least, most = given.plausible or (0.0, math.inf)
        half = SCORE * given.uncertainty
        return max(given.si - half, least), min(given.si + half, most)
    return None
