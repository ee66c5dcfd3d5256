"""The uncertain inputs of scenarios."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simbackup import units
from simbackup.equations.uncertainty import SCORE, value_at
from simbackup.scenario import Scenario, Value

COUNT = "count"

Changes = dict[str, dict[str, str]]
"""Values as files say them, by scenario and address."""


@dataclass(frozen=True, slots=True)
class Use:
    """An address of a scenario at which an unknown stands, with the value there and the ends of its range, in SI."""

    scenario: str
    address: str
    best: float
    low: float
    high: float
    unit: str

    def text(self, score: float) -> str | None:
        """The value at so many standard deviations from the best estimate, as a file says it; None at that itself.

        What is counted stays whole.
        """
        value = value_at(self.best, self.low, self.high, score)
        value = float(round(value)) if self.unit == COUNT else value
        return units.show(value, self.unit) if value != self.best else None


@dataclass(frozen=True, slots=True)
class Input:
    """One unknown, and every address of every scenario at which it stands.

    What stands at one place of a file is one unknown, in however many scenarios and for however many parts it is used.
    A value given in Python has no line: it is one with what has its address.
    """

    name: str
    uses: tuple[Use, ...]

    @property
    def best(self) -> float:
        """Its best estimate at its first use, in SI units."""
        return self.uses[0].best

    @property
    def low(self) -> float:
        """The lower end of its range there."""
        return self.uses[0].low

    @property
    def high(self) -> float:
        """The upper end of its range there."""
        return self.uses[0].high

    @property
    def unit(self) -> str:
        """Its unit."""
        return self.uses[0].unit

    @property
    def at(self) -> tuple[tuple[str, str], ...]:
        """The scenarios and addresses at which it stands."""
        return tuple((use.scenario, use.address) for use in self.uses)


def inputs(scenarios: Mapping[str, Scenario]) -> list[Input]:
    """The uncertain inputs of scenarios, by the names under which their figures are known; in order of appearance."""
    together: dict[str, list[Use]] = {}
    for name, scenario in scenarios.items():
        for value in scenario.values:
            use = _use(name, value)
            if use is not None:
                place = str(value.place) if value.place.line else f"{value.place}: {value.address}"
                together.setdefault(place, []).append(use)
    return [Input(uses[0].address, tuple(uses)) for uses in together.values()]


def changes(inputs: Sequence[Input], scores: Sequence[float]) -> Changes:
    """What inputs become at so many standard deviations from their best estimates, where that is something else."""
    found: Changes = {}
    for one, score in zip(inputs, scores, strict=True):
        for use in one.uses if score else ():
            text = use.text(score)
            if text is not None:
                found.setdefault(use.scenario, {})[use.address] = text
    return found


def _use(name: str, value: Value) -> Use | None:
    reach = ends(value)
    if reach is None:
        return None
    best = value.given.si
    return Use(name, value.address, best, min(reach[0], best), max(reach[1], best), value.given.unit)


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
