"""The best values of a study: by trying all of them, or by differential evolution; of several goals the Pareto set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import product
from typing import Any

from simbackup import units
from simbackup.errors import InputError, Problem, ResultError
from simbackup.experiments.figure_names import unknown
from simbackup.experiments.runner import Runner, drawn
from simbackup.experiments.study_file import common_unit, scenario_of
from simbackup.experiments.study_point import Figure, Point, Values
from simbackup.randomness import generator
from simbackup.results.figures import unit_of
from simbackup.scenario import Scenario, misread
from simbackup.schema.study import MOST_GOALS, BoundSpec, OptimiseSpec, SpanSpec, StudySpec
from simbackup.schema.tree import Node

FAR = 1e30
"""Score of a point that breaks limits, so that every point that keeps all limits is better."""
MEMBERS = 8
"""Members of a generation for each dimension."""
KEEPS, BEST = "keeps limits", "best"
"""Columns of whether a row keeps all limits, and whether it is one of the best."""
DISTANT = 0.6
"""Share of the runs that search the whole space; the others try neighbours of the best points."""
DIGITS = 9
"""Significant digits of goals that are compared; further ones are rounding errors."""
STEPS = {1: 1, 2: 4, 3: 2}
"""Parts into which the weight between goals is divided, by their number."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A point of the search space that was tried."""

    place: Place
    """Its coordinates."""
    goals: tuple[float, ...]
    """Its goals; less is better."""
    broken: float
    """Sum of the shares by which it breaks limits."""

    @property
    def good(self) -> bool:
        """Whether it was run and keeps all limits."""
        return not self.broken and all(map(math.isfinite, self.goals))


@dataclass(frozen=True, slots=True)
class Search:
    """The result of a search."""

    best: tuple[Point, ...]
    """The best points."""
    name: str
    """The row of the study, by its values."""
    tried: int
    """Number of combinations that were tried."""
    size: float
    """Number of all combinations; may be infinite."""
    rows: tuple[dict[str, Any], ...] = ()
    """All combinations that were tried, with their goals."""

    @property
    def all_tried(self) -> bool:
        """Whether each combination was tried, so that nothing better is left."""
        return self.tried >= self.size

    def sentence(self) -> str:
        """How sure it is that nothing is better, in words."""
        number = "the best" if len(self.best) == 1 else f"the {len(self.best)} that no other beats,"
        if self.all_tried:
            return f"{self.name}: {number} of all {self.tried:,} combinations"
        out_of = "infinitely many" if math.isinf(self.size) else f"{self.size:,.0f}"
        return f"{self.name}: {number} of the {self.tried:,} combinations tried, out of {out_of}"


@dataclass(slots=True)
class _Searching:
    """A search over the space of one row of a study."""

    asked: StudySpec
    """The study."""
    goals: OptimiseSpec
    """Its goals and limits."""
    space: SearchSpace
    """The values that can be combined."""
    base: Point
    """The row."""
    runner: Runner
    """Runs points."""
    known: dict[tuple[str, ...], Tried] = field(default_factory=dict[tuple[str, ...], Tried])
    """Points that were tried, by their values."""
    rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The same as rows of a table."""
    allowed: int = 0
    """Number of combinations that may have been tried by the end of the present step."""

    def __post_init__(self) -> None:
        self.allowed = self.runs

    @property
    def runs(self) -> int:
        """Number of combinations that may be tried."""
        return self.goals.runs

    def point(self, place: Sequence[float]) -> Point:
        """The row with the values at a place."""
        return self.base.moved(self.space.values(place))

    def tried(self, places: Sequence[Place]) -> list[Tried | None]:
        """The outcomes at some places, each run once; None for those that exceed the allowed runs."""
        keys = [tuple(map(str, self.space.values(place).values())) for place in places]
        new = {key: place for key, place in zip(keys, places, strict=True) if key not in self.known}
        new = dict(list(new.items())[: max(0, self.allowed - len(self.known))])
        points = [replace(self.point(place), show=self.goals.needed()) for place in new.values()]
        seeds = self.asked.least_seeds()
        found = self.runner.run(drawn(self.asked, points), "points of the search") if points else []
        rows = [found[i : i + seeds] for i in range(0, len(found), seeds)]
        for key, place, point, row in zip(new, new.values(), points, rows, strict=True):
            figures = {name: _mean([one.figures.get(name) for one in row]) for name in self.goals.needed()}
            self.known[key] = self._judged(place, figures)
            good = {KEEPS: self.known[key].good}
            names = [name for name, _ in self.goals.goals()]
            self.rows.append({**point.names, **dict(zip(names, self._values(figures), strict=True)), **good})
        return [self.known.get(key) for key in keys]

    def _values(self, figures: Mapping[str, float]) -> list[float]:
        """The goals as they are reported."""
        return [
            sum(weight * figures[address] for address, weight in self.goals.parts(name).items())
            for name, _ in self.goals.goals()
        ]  # fmt: skip

    def _judged(self, place: Place, figures: Mapping[str, float]) -> Tried:
        signs = [sign for _, sign in self.goals.goals()]
        goals = tuple(
            float(f"{sign * value:.{DIGITS}g}") for sign, value in zip(signs, self._values(figures), strict=True)
        )
        return Tried(
            place, goals, sum(broken(address, b, figures[address]) for address, b in self.goals.limits.items())
        )

    def evolve(self, score: Callable[[Tried], float], budget: int, which: int) -> None:
        """Try about `budget` new places by differential evolution; `score` is to be minimised."""
        optimise = _scipy().differential_evolution
        self.allowed = min(self.runs, len(self.known) + budget)
        members = MEMBERS * len(self.space.dimensions)

        def judged(vectors: Any) -> Any:
            places = [tuple(float(at) for at in column) for column in vectors.T]
            return [score(one) if one is not None else math.inf for one in self.tried(places)]

        def ended(best: Any, convergence: float) -> bool:
            del best, convergence
            return len(self.known) >= self.allowed

        optimise(
            judged, [one.ends for one in self.space.dimensions],
            integrality=[one.whole for one in self.space.dimensions],
            popsize=MEMBERS, maxiter=max(1, 4 * budget // members), vectorized=True, updating="deferred", polish=False,
            tol=1e-8, callback=ended,
            **{_seed_word(): generator(self.base.seed, f"optimise {which}")},
        )  # fmt: skip

    def table(self, best: Sequence[Tried]) -> tuple[dict[str, Any], ...]:
        """All rows that were tried, each with whether it is one of the best."""
        return tuple(row | {BEST: one in best} for row, one in zip(self.rows, self.known.values(), strict=True))

    def look_round(self) -> None:
        """Try the neighbours of the best points, then those of the new best ones, and so on."""
        self.allowed, before = self.runs, -1
        while before < len(self.known) < self.runs:
            before = len(self.known)
            self.tried([place for one in self.result() for place in self._neighbours(one.place)])

    def _neighbours(self, place: Place) -> Iterator[Place]:
        for i, one in enumerate(self.space.dimensions):
            for step in (-1.0, 1.0) if one.whole else ():
                if one.ends[0] <= place[i] + step <= one.ends[1]:
                    yield (*place[:i], place[i] + step, *place[i + 1 :])

    def result(self) -> list[Tried]:
        """The Pareto set of what was tried and keeps the limits."""
        good = [one for one in self.known.values() if one.good]
        front = [one for one in good if not any(_dominates(other, one) for other in good)]
        unique = {one.goals: one for one in reversed(front)}  # of equals the first
        return sorted(unique.values(), key=lambda one: one.goals)


def optimum(asked: StudySpec, goals: OptimiseSpec, space: SearchSpace, base: Point, runner: Runner) -> Search:
    """The best values for one row: all that no other is better than in every goal.

    A space with no more combinations than runs is tried whole. In others, differential evolution (Storn and Price,
    Journal of Global Optimization 11, 1997, as in SciPy) looks for the best; of several goals for that of each of some
    weighted distances from the best of each (augmented Chebyshev: Steuer and Choo, Mathematical Programming 26, 1983).
    At last the neighbours of what is best are tried.

    Raises
    ------
    ResultError
        Nothing that was tried keeps the limits, or SciPy is missing.
    """
    search = _Searching(asked, goals, space, base, runner)
    if space.size <= search.runs:
        search.tried(list(space.every()))
    else:
        _searched(search, len(goals.goals()))
    best = search.result()
    if not best:
        raise ResultError(
            f"{base}: none of the {len(search.known)} combinations that were tried stays within the limits"
        )
    points, name = tuple(search.point(one.place) for one in best), str(base).rpartition(", ")[0]
    return Search(points, name, len(search.known), space.size, search.table(best))


def _searched(search: _Searching, goals: int) -> None:
    """Search for the best of each goal, then between them."""
    weights = list(_weights(goals))
    budget = max(1, int(DISTANT * search.runs) // len(weights))
    for which, weight in enumerate(weights):
        alone = next((i for i, share in enumerate(weight) if share == 1.0), None)
        if alone is not None:
            search.evolve(lambda one, i=alone: _score(one, one.goals[i]), budget, which)
            continue
        good = [one.goals for one in search.known.values() if one.good]
        ends = [(min(each), max(each)) for each in zip(*good, strict=True)]
        if ends:
            search.evolve(lambda one, w=weight, e=ends: _score(one, _distance(one, w, e)), budget, which)
    search.look_round()


def limit_of(address: str, end: str | float | None, otherwise: float) -> float:
    """A limit of a figure in its SI unit.

    Raises
    ------
    UnitError
        It cannot be read in this unit.
    """
    return otherwise if end is None else units.parse(end, unit_of(address) or "1")


def broken(address: str, bound: BoundSpec, value: float) -> float:
    """The relative amount by which a figure breaks its limits: 0 if it keeps them, infinite without a figure."""
    low, high = limit_of(address, bound.at_least, -math.inf), limit_of(address, bound.at_most, math.inf)
    if math.isnan(value):
        return math.inf
    over = max(low - value, value - high, 0.0)
    return over / (abs(low if value < low else high) or 1.0)


def _mean(figures: Sequence[Figure]) -> float:
    """The mean of figures; NaN if one is missing."""
    numbers = [float(each) for each in figures if isinstance(each, int | float)]
    return math.fsum(numbers) / len(numbers) if numbers and len(numbers) == len(figures) else math.nan


def _weights(goals: int) -> Iterator[tuple[float, ...]]:
    """Weights of goals that add up to one: first each goal alone."""
    parts = STEPS[goals]
    every = [each for each in product(range(parts + 1), repeat=goals) if sum(each) == parts]
    for each in sorted(every, key=lambda one: (max(one) != parts, one)):
        yield tuple(part / parts for part in each)


def _score(one: Tried, value: float) -> float:
    """How bad a place is: what breaks limits is worse than all that does not, and the worse the more it does."""
    if not all(map(math.isfinite, one.goals)):
        return math.inf
    return FAR * (1.0 + one.broken) if one.broken else value


def _distance(one: Tried, weight: Sequence[float], ends: Sequence[tuple[float, float]]) -> float:
    """How far a place is from the best of each goal, as the greatest weighted share of the range."""
    shares = [
        share * (value - low) / (high - low) if high > low else 0.0
        for value, share, (low, high) in zip(one.goals, weight, ends, strict=True)
    ]
    return max(shares) + 1e-3 * sum(shares)


def _dominates(one: Tried, other: Tried) -> bool:
    """Whether a place is at least as good in all goals, and better in one."""
    return one.goals != other.goals and all(a <= b for a, b in zip(one.goals, other.goals, strict=True))


def _scipy() -> Any:
    try:
        return import_module("scipy.optimize")
    except ImportError:
        remedy = "install it with: pip install 'simbackup[fit]', or allow as many runs as there are combinations"
        raise ResultError(f"a search needs SciPy; {remedy}") from None


def _seed_word() -> str:
    """What SciPy calls the generator of random numbers: `rng` from 1.15 on."""
    major, minor, *_ = map(int, import_module("scipy").__version__.split(".")[:2])
    return "rng" if (major, minor) >= (1, 15) else "seed"


COUNT = "count"
EXACT = 6
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
        return units.show(float(f"{value:.{EXACT}g}"), self.unit)


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
