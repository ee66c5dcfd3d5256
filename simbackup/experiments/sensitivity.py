"""How far the answer varies over the uncertain values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache

from simbackup.experiments.range_ends import ends, reached
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


def clipped(scenarios: Mapping[str, Scenario]) -> list[str]:
    """A sentence for each end of a range that a check of a scenario refuses; intervals stop short of it."""
    found: list[str] = []
    for values in ranges(scenarios):
        for file, own in _by_file(values).items():
            found += [reached(scenarios[file], own, side).clipped for side in (0, 1)]
    return list(dict.fromkeys(filter(None, found)))


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
    middle = simulated({name: _run(scenario, seed) for name, scenario in scenarios.items()})
    below = above = 0.0
    for values in ranges(scenarios):
        moves = [simulated(_moved(scenarios, values, side, seed)) - middle for side in (0, 1)]
        below += min(*moves, 0.0) ** 2
        above += max(*moves, 0.0) ** 2
    return middle - math.sqrt(below), middle + math.sqrt(above)


def _moved(
    scenarios: Mapping[str, Scenario], values: list[tuple[str, Value]], side: int, seed: int
) -> dict[str, Result]:
    """Results with some values at one end of their ranges."""
    return {file: _run(reached(scenarios[file], own, side).scenario, seed) for file, own in _by_file(values).items()}


def _by_file(values: list[tuple[str, Value]]) -> dict[str, list[Value]]:
    """The values of each file."""
    found: dict[str, list[Value]] = {}
    for file, value in values:
        found.setdefault(file, []).append(value)
    return found


_known: dict[str, Scenario] = {}
"""Scenarios by their hash, which changes with overrides and factors."""


def _run(scenario: Scenario, seed: int) -> Result:
    """The result of a scenario; each is run once."""
    _known[scenario.hash] = scenario
    return _cached(scenario.hash, seed)


@lru_cache(maxsize=4096)
def _cached(name: str, seed: int) -> Result:
    return simulate(_known.pop(name), seed=seed)
