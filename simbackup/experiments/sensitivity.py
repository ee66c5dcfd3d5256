"""How far the answer varies over the uncertain values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache

from simbackup import units
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import Scenario, Value


def ranges(scenarios: Mapping[str, Scenario]) -> list[list[tuple[str, Value]]]:
    """The values with a range that scenarios depend on; values from one place in a file move together.

    A value given in Python has no line: it moves with what has its address.
    """
    together: dict[str, list[tuple[str, Value]]] = {}
    for file, scenario in scenarios.items():
        for value in scenario.values:
            if ends(value) is not None:
                place = str(value.place) if value.place.line else f"{value.place}: {value.address}"
                together.setdefault(place, []).append((file, value))
    return list(together.values())


def ends(value: Value) -> tuple[float, float] | None:
    """Lowest and highest reasonable value: the stated range, or the uncertainty of a fit."""
    given = value.given
    if given.low is not None and given.high is not None:
        return given.low, given.high
    if given.uncertainty:
        low, high = given.si - given.uncertainty, given.si + given.uncertainty
        least, most = given.plausible or (0.0, math.inf)
        return max(low, least), min(high, most)
    return None


def interval(
    scenarios: Mapping[str, Scenario], simulated: Callable[[dict[str, Result]], float], *, seed: int = 0
) -> tuple[float, float]:
    """Lowest and highest figure over the ranges of assumed and fitted values.

    Each value is moved to both ends of its range alone; the deviations to each side add as squares, as for
    independent errors.

    Parameters
    ----------
    scenarios
        The scenarios behind the figure, by name.
    simulated
        The figure of results by the same names.
    seed
        Seed of all runs.
    """
    middle = simulated({name: _run(scenario, (), seed) for name, scenario in scenarios.items()})
    below = above = 0.0
    for values in ranges(scenarios):
        moves = [simulated(_moved(scenarios, values, side, seed)) - middle for side in (0, 1)]
        below += min(*moves, 0.0) ** 2
        above += max(*moves, 0.0) ** 2
    return middle - math.sqrt(below), middle + math.sqrt(above)


Changes = tuple[tuple[str, str], ...]


def _moved(
    scenarios: Mapping[str, Scenario], values: list[tuple[str, Value]], side: int, seed: int
) -> dict[str, Result]:
    """Results with some values at one end of their ranges."""
    changes: dict[str, list[tuple[str, str]]] = {}
    for file, value in values:
        both = ends(value)
        if both is not None:
            changes.setdefault(file, []).append((value.address, units.show(both[side], value.given.unit)))
    return {file: _run(scenarios[file], tuple(change), seed) for file, change in changes.items()}


@lru_cache(maxsize=4096)
def _cached(name: str, changes: Changes, seed: int) -> Result:
    return simulate(_known[name].with_(dict(changes)), seed=seed)


_known: dict[str, Scenario] = {}
"""Scenarios by their hash, which changes with overrides and factors."""


def _run(scenario: Scenario, changes: Changes, seed: int) -> Result:
    """The result of a scenario with some values changed; each is run once."""
    _known[scenario.hash] = scenario
    return _cached(scenario.hash, changes, seed)
