"""Moves inputs to the ends of their ranges, or as far as the checks of the scenario allow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from simbackup import units
from simbackup.errors import InputError
from simbackup.scenario import Scenario, Value
from simbackup.uncertainty.inputs import ends, inputs

HALVINGS = 12
"""Halvings of the way to an end that is refused."""


@dataclass(frozen=True, slots=True)
class ReachedEnd:
    """Values at an end of their ranges, the scenario with them, and a sentence if a check refuses the end itself."""

    changes: dict[str, str]
    scenario: Scenario
    clipped: str = ""


def reached(scenario: Scenario, addresses: Sequence[str], side: int) -> ReachedEnd:
    """Values of a scenario together at the lower (0) or upper (1) end of their ranges, or as near as checks allow."""
    _known[scenario.hash] = scenario
    return _reached(scenario.hash, tuple(addresses), side)


def clipped(scenarios: Mapping[str, Scenario]) -> list[str]:
    """A sentence for each end of a range that a check of a scenario refuses; intervals stop short of it."""
    found: list[str] = []
    for one in inputs(scenarios):
        for file in dict.fromkeys(file for file, _ in one.at):
            own = [address for there, address in one.at if there == file]
            found += [reached(scenarios[file], own, side).clipped for side in (0, 1)]
    return list(dict.fromkeys(filter(None, found)))


_known: dict[str, Scenario] = {}
"""Scenarios by their hash, which changes with overrides and factors."""


@lru_cache(maxsize=4096)
def _reached(name: str, addresses: tuple[str, ...], side: int) -> ReachedEnd:
    scenario = _known[name]
    values = [value for value in scenario.values if value.address in addresses]
    whole = _moved(values, side, 1.0)
    try:
        return ReachedEnd(whole, scenario.with_(whole))
    except InputError as error:
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if _allowed(scenario, _moved(values, side, middle)) else (low, middle)
        found = _moved(values, side, low)
        address, problem = next(iter(whole)), error.problems[0]
        clipped = f"{address}: the end {whole[address]} of its range is clipped to {found[address]}, because"
        return ReachedEnd(found, scenario.with_(found), f"{clipped} {problem.address}: {problem.message}")


def _allowed(scenario: Scenario, changes: dict[str, str]) -> bool:
    try:
        scenario.with_(changes)
    except InputError:
        return False
    return True


def _moved(values: Sequence[Value], side: int, share: float) -> dict[str, str]:
    """Values a share of the way to one end; what is counted stays whole."""
    found: dict[str, str] = {}
    for value in values:
        both, given = ends(value), value.given
        if both is not None:
            way = share * (both[side] - given.si)
            si = both[side] if share == 1.0 else given.si + (math.trunc(way) if given.unit == "count" else way)
            found[value.address] = units.show(si, given.unit)
    return found
