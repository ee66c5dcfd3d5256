"""The values among which a study searches: choices, whole numbers, or any value between two ends."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from simbackup import units
from simbackup.errors import InputError, Problem
from simbackup.experiments.figure_names import unknown
from simbackup.experiments.study_file import common_unit, scenario_of
from simbackup.experiments.study_point import Point, Values
from simbackup.results.figures import unit_of
from simbackup.scenario import Scenario, misread
from simbackup.schema.study import MOST_GOALS, OptimiseSpec, SpanSpec, StudySpec
from simbackup.schema.tree import Node

COUNT = "count"
DIGITS = 6
"""Significant digits of a value between two ends: finer ones make no other plan."""

Place = tuple[float, ...]
"""For each dimension a number: which choice, which whole number, or how far from the first to the last, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An address and its values: choices, or whole numbers or any value from a first to a last one."""

    address: str
    choices: tuple[object, ...] = ()
    first: float = 0.0
    last: float = 0.0
    unit: str = COUNT
    by_factor: bool = False

    @property
    def whole(self) -> bool:
        """Whether its places are whole numbers."""
        return bool(self.choices) or self.unit == COUNT

    @property
    def ends(self) -> tuple[float, float]:
        """Its first and its last place."""
        if self.choices:
            return 0.0, len(self.choices) - 1.0
        return (self.first, self.last) if self.unit == COUNT else (0.0, 1.0)

    def at(self, place: float) -> object:
        """The value at a place, as a file says it."""
        if self.choices:
            return self.choices[round(place)]
        if self.unit == COUNT:
            return units.show(float(round(place)), COUNT)
        if self.by_factor:
            value = self.first * (self.last / self.first) ** place
        else:
            value = self.first + (self.last - self.first) * place
        return units.show(float(f"{value:.{DIGITS}g}"), self.unit)


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """The dimensions of a search."""

    dimensions: tuple[Axis, ...]

    @property
    def size(self) -> float:
        """How many combinations there are; infinitely many where a dimension is continuous."""
        counts = (one.ends[1] - one.ends[0] + 1.0 if one.whole else math.inf for one in self.dimensions)
        return math.prod(counts)

    def every(self) -> Iterator[Place]:
        """All places of a space without continuous dimensions."""
        yield from product(
            *([float(n) for n in range(int(one.ends[0]), int(one.ends[1]) + 1)] for one in self.dimensions)
        )

    def values(self, place: Sequence[float]) -> Values:
        """The values at a place by address."""
        found: Values = {}
        for one, at in zip(self.dimensions, place, strict=True):
            value = one.at(at)
            found[one.address] = value if isinstance(value, str) else str(value)
        return found


def space_for(asked: StudySpec, goals: OptimiseSpec, points: Sequence[Point], tree: Node) -> SearchSpace:
    """The space of a study's search, checked.

    Raises
    ------
    InputError
        A value cannot be set there, or a goal or a limit is of no figure.
    """
    problems: list[Problem] = []
    if not 1 <= len(goals.goals()) <= MOST_GOALS:
        message, remedy = (
            f"there are {len(goals.goals())} goals",
            f"state 1 to {MOST_GOALS} under 'least' and 'greatest'",
        )
        problems.append(Problem(tree.mapping["optimise"].place, "optimise", message, remedy))
    scenario = next((each for point in points if (each := scenario_of(point)) is not None), None)
    space = _space_of(goals, scenario, tree, problems)
    if asked.compare is not None:
        message, remedy = (
            "cannot be used with a search, whose rows differ in their values",
            "leave out 'compare' or 'optimise'",
        )
        problems.append(Problem(tree.mapping["compare"].place, "compare", message, remedy))
    for address in goals.values.keys() & {
        *asked.vary,
        *asked.paired,
        *(a for case in asked.cases.values() for a in case),
    }:
        place = tree.find(("optimise", "values", address))[0].place
        problems.append(Problem(place, address, "is both varied and chosen", "name the address once"))
    if scenario is not None and not problems:
        problems += _wrong_values(space, scenario, tree)
        moved = scenario_of(points[0].moved(space.values([one.ends[0] for one in space.dimensions])))
        for _, message, remedy in unknown(moved or scenario, goals.needed()):
            problems.append(Problem(tree.mapping["optimise"].place, "optimise", message, remedy))
    for address, bound in goals.limits.items():
        for end in (bound.at_least, bound.at_most):
            try:
                _ = None if end is None else units.parse(end, unit_of(address) or "1")
            except units.UnitError as error:
                place = tree.find(("optimise", "limits", address))[0].place
                problems.append(Problem(place, f"optimise.limits.{address}", str(error)))
    if problems:
        raise InputError(problems)
    return space


def _wrong_values(space: SearchSpace, scenario: Scenario, tree: Node) -> Iterator[Problem]:
    """What is wrong with choices, and with the ends of ranges, each by itself."""
    for one in space.dimensions:
        places = range(len(one.choices)) if one.choices else one.ends
        for place in places:
            for problem in misread(scenario, {one.address: one.at(place)}):
                yield replace(problem, place=tree.find(("optimise", "values", one.address))[0].place)


def _space_of(asked: OptimiseSpec, scenario: Scenario | None, tree: Node, problems: list[Problem]) -> SearchSpace:
    """The space of a search; what is wrong with it is added to `problems`.

    A value that is counted in the scenario is whole.
    """
    stated = {value.address: value.given.unit for value in scenario.values} if scenario is not None else {}
    found: list[Axis] = []
    for address, values in asked.values.items():
        span = asked.span(address)
        if span is None:
            found.append(Axis(address, choices=tuple(values)))  # pyright: ignore[reportArgumentType]
            continue
        one = _between(address, span, stated)
        if isinstance(one, Axis):
            found.append(one)
        else:
            place = tree.find(("optimise", "values", address))[0].place
            remedy = "write for example {first: 1 GB, last: 16 GB, by: factor}"
            problems.append(Problem(place, f"optimise.values.{address}", one, remedy))
    return SearchSpace(tuple(found))


def _between(address: str, span: SpanSpec, stated: Mapping[str, str]) -> Axis | str:
    """The dimension from a first to a last value, or what is wrong with them."""
    unit = stated.get(address) or common_unit(span.first, span.last)
    try:
        first, last = (units.parse(end, unit or "") for end in (span.first, span.last))
    except (units.UnitError, KeyError):
        return f"'{span.first}' and '{span.last}' have no common unit" + (f" with '{address}'" if unit else "")
    if first >= last:
        return "does not end above its beginning"
    if span.by == "factor" and first <= 0.0:
        return "a range by factors begins and ends above zero"
    return Axis(address, (), first, last, unit or COUNT, span.by == "factor")
