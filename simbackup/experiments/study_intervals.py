"""The 90 % intervals of the figures of a study, whose rows share the cases of their uncertain inputs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import NamedTuple

from simbackup.equations.uncertainty import CentralInterval
from simbackup.errors import Problem, choices
from simbackup.experiments.runner import Runner
from simbackup.experiments.study_point import Figure, Point, PointResult, resolved
from simbackup.schema.study import CorrelationSpec, StudySpec
from simbackup.schema.tree import Node
from simbackup.uncertainty.conditioning import CaseFigures, Conditioned
from simbackup.uncertainty.deciding import Contribution, contributed, deciding, decisive, leaning
from simbackup.uncertainty.effort import for_study
from simbackup.uncertainty.estimate import HALVINGS, Estimate, in_words
from simbackup.uncertainty.fitted import GivenRows
from simbackup.uncertainty.inputs import ChoiceUse, Input, Use, changes, inputs
from simbackup.uncertainty.sampling import Case, latin_hypercube
from simbackup.uncertainty.whole import whole

LOW, HIGH = " low", " high"
"""Endings of the columns with the ends of a figure's 90 % interval."""
INTERVALS = "points for intervals"
"""What messages call these points."""

Numbers = Mapping[str, float]
"""Figures of a row that are numbers, by their names."""


class MovedAlone(NamedTuple):
    """A figure of a row when single inputs are at the ends of their ranges."""

    row: int
    """The number of the row."""
    spread: CentralInterval
    """The part of the interval that is due to all inputs together."""
    contributions: tuple[Contribution, ...]
    """The effect of each input, the greatest first."""


@dataclass(frozen=True, slots=True)
class StudyIntervals:
    """The intervals of all figures of a study, and what decides them."""

    rows: tuple[Mapping[str, CentralInterval], ...]
    """The intervals of each row, by figure."""
    alone: Mapping[str, MovedAlone] = field(default_factory=dict[str, MovedAlone])
    """What single inputs do to each figure, in the row where its interval is widest."""
    cases: tuple[tuple[Numbers, ...], ...] = ()
    """The figures of all rows in each case of the inputs, which rows share; empty without intervals."""
    refused: tuple[int, ...] = ()
    """Cases of each row whose values a check refused at first, so that nearer ones took their place."""

    @property
    def decides(self) -> dict[str, tuple[Contribution, ...]]:
        """The inputs that decide each figure most; none if most of its interval is model error."""
        return {
            name: tuple(decisive(one.contributions, one.spread, self.rows[one.row][name]))
            for name, one in self.alone.items()
        }

    def refusals(self) -> str:
        """In how many cases a check refuses the values, in words; empty if it never does."""
        rows = sum(map(bool, self.refused))
        if not rows:
            return ""
        most = f"{max(self.refused)} of {len(self.cases)} cases"
        where = f"{rows} of {len(self.refused)} rows, in up to {most}" if len(self.refused) > 1 else most
        return f"in {where}, a check refuses the values, and nearer ones take their place"


def _numbers(names: Sequence[str], figures: Mapping[str, Figure]) -> Numbers:
    return {name: float(each) for name in names if isinstance(each := figures.get(name), int | float)}


def in_cases(
    points: Sequence[Point], unknown: Sequence[Input], cases: Sequence[Case], runner: Runner, what: str
) -> list[list[CaseFigures]]:
    """The figures of some points in each case of their inputs, by case and point.

    A case that a check refuses at a point is moved half way to the best estimates, a few times. The scenario of a point
    is named by its number.
    """
    at = {(i, n): case for i, case in enumerate(cases) for n in range(len(points))}
    found: dict[tuple[int, int], CaseFigures] = {}
    why: dict[tuple[int, int], str] = {}
    for _ in range(HALVINGS):
        moved = {case: changes(unknown, case) for case in dict.fromkeys(at.values())}
        asked = [points[n].moved(moved[case].get(str(n), {})) for (_, n), case in at.items()]
        for where, point, outcome in zip(list(at), asked, runner.run(asked, what), strict=True):
            if outcome.problems:
                at[where] = tuple(score / 2.0 for score in at[where])
                why.setdefault(where, in_words(outcome.problems))
            else:
                figures = _numbers(point.show, outcome.figures)
                found[where] = CaseFigures(figures, outcome.bounds, outcome.declared, given=outcome.given)
                del at[where]
        if not at:
            break
    each = {where: found.get(where, CaseFigures())._replace(refused=why.get(where, "")) for where in {**found, **at}}
    return [[each[i, n] for n in range(len(points))] for i in range(len(cases))]


class _Scale(NamedTuple):
    """Ratios of means over all seeds to the values of the first seed.

    Cases are run with the first seed only.
    """

    figures: Numbers
    """For figures, by name."""
    bounds: Numbers
    """For bounds of figures, by name."""

    @classmethod
    def of(cls, means: Numbers, found: Sequence[PointResult]) -> _Scale:
        """The scale of a row, from the means of its figures and what each seed gave."""
        first = found[0]
        every = {name: fmean(one.bounds.get(name, bound) for one in found) for name, bound in first.bounds.items()}
        return cls(_times(means, _numbers(list(means), first.figures)), _times(every, first.bounds))

    def applied(self, one: CaseFigures) -> CaseFigures:
        """The figures of a case, scaled to means over all seeds."""
        figures, bounds = (
            {name: value * times.get(name, 1.0) for name, value in numbers.items()}
            for numbers, times in ((one.figures, self.figures), (one.bounds, self.bounds))
        )
        return one._replace(figures=figures, bounds=bounds)


def _times(means: Numbers, first: Numbers) -> Numbers:
    return {name: mean / first[name] for name, mean in means.items() if first.get(name, 0.0) > 0.0}


def study_intervals(
    points: Sequence[Point],
    figures: Sequence[Mapping[str, Figure]],
    found: Sequence[Sequence[PointResult]],
    draws: CaseDraws | None,
    runner: Runner,
) -> StudyIntervals:
    """The intervals of the figures of points.

    Parameters
    ----------
    points, figures, found
        The rows of a study, their figures (means over all seeds), and what they gave with each seed, all inputs at
        their best estimates. Rows that could not be run have no intervals.
    draws
        How the cases of the inputs are drawn; None for no intervals.
    runner
        Runs the rows in the cases.
    """
    if draws is None:
        return StudyIntervals(tuple({} for _ in points))
    good = [n for n, row in enumerate(found) if not row[0].refused]
    rows = [points[n] for n in good]
    scenarios = {str(n): resolved(point) for n, point in enumerate(rows)}
    unknown = draws.correlated(inputs(scenarios))
    sample = latin_hypercube(unknown, draws.cases, points[0].seed) if unknown else []
    means = [_numbers(points[at].show, figures[at]) for at in good]
    scales = [_Scale.of(mean, found[at]) for at, mean in zip(good, means, strict=True)]
    firsts = [CaseFigures({}, one.bounds, one.declared, given=one.given) for one in (found[at][0] for at in good)]
    bests = [
        scale.applied(first)._replace(figures=mean) for scale, first, mean in zip(scales, firsts, means, strict=True)
    ]
    drawn = [
        [scale.applied(one) for scale, one in zip(scales, case, strict=True)]
        for case in in_cases(rows, unknown, sample, runner, INTERVALS)
    ]
    conditioned = [
        Conditioned.of(best, [case[n] for case in drawn], GivenRows.of({str(n): scenarios[str(n)]}).ids)
        for n, best in enumerate(bests)
    ]
    outcomes = [[correct(one) for correct, one in zip(conditioned, case, strict=True)] for case in drawn]
    spreads: dict[str, dict[int, CentralInterval]] = {}
    widths: list[dict[str, CentralInterval]] = [{} for _ in points]
    for n, at in enumerate(good):
        for name in means[n]:
            one = Estimate.of(name, bests[n], [outcome[n] for outcome in outcomes])
            interval = whole(one, scenarios[str(n)], name)
            if interval is not None:
                spreads.setdefault(name, {})[n], widths[at][name] = one.spread, interval
    tried = _Tried(rows, scales, conditioned, unknown, sample, outcomes, draws.alone, runner)
    alone = {name: moved for name, own in spreads.items() if (moved := tried.alone_at(name, own, good)) is not None}
    place = {at: n for n, at in enumerate(good)}
    cases = tuple(
        tuple(outcome[place[at]].figures if at in place else {} for at in range(len(points))) for outcome in outcomes
    )  # fmt: skip
    refused = tuple(
        sum(bool(outcome[place[at]].refused) for outcome in outcomes) if at in place else 0 for at in range(len(points))
    )
    return StudyIntervals(tuple(widths), alone, cases, refused)


@dataclass(frozen=True, slots=True)
class _Tried:
    """The rows of a study with what is known of their inputs."""

    rows: Sequence[Point]
    """The rows."""
    scales: Sequence[_Scale]
    """Ratios of means over all seeds to the first seed, for each row."""
    conditioned: Sequence[Conditioned]
    """What the measured rows say of each row's figures."""
    inputs: tuple[Input, ...]
    """The uncertain inputs."""
    sample: Sequence[Case]
    """The cases that were drawn."""
    outcomes: Sequence[Sequence[CaseFigures]]
    """The figures by case and row, as means over all seeds."""
    alone: int
    """Number of inputs that are moved alone."""
    runner: Runner
    """Runs points."""

    def alone_at(self, name: str, spreads: Mapping[int, CentralInterval], numbers: Sequence[int]) -> MovedAlone | None:
        """The effect of single inputs on a figure, in the row where inputs matter most; None if none does."""
        at = max(spreads, key=lambda row: _width(spreads[row]))
        if not _width(spreads[at]):
            return None
        there = tuple(replace(one, uses=_named(one.uses, at)) for one in self.inputs)

        def run(cases: Sequence[Case]) -> list[Numbers]:
            found = in_cases([self.rows[at]], there, cases, self.runner, INTERVALS)
            return [self.conditioned[at](self.scales[at].applied(one)).figures for [one] in found]

        outcomes = [each[at].figures for each in self.outcomes]
        ends = deciding({name: spreads[at]}, leaning([name], self.sample, outcomes), self.alone, run)
        values = [each[name] for each in outcomes if name in each]
        found = contributed(name, spreads[at].best, values, ends, self.inputs)
        return MovedAlone(numbers[at], spreads[at], found)


def _named(uses: Sequence[Use | ChoiceUse], at: int) -> tuple[Use | ChoiceUse, ...]:
    """The uses in one row, as those of the first."""
    return tuple(replace(use, scenario="0") for use in uses if use.scenario == str(at))


def _width(spread: CentralInterval) -> float:
    """Width of an interval relative to its best estimate; a logarithm if it varies by factors."""
    if spread.by_factor and spread.low > 0.0:
        return math.log(spread.high / spread.low)
    return (spread.high - spread.low) / abs(spread.best) if spread.best else spread.high - spread.low


FEW, MANY = 6, 16
"""Groups of inputs that are moved for each figure, where its interval is widest; more in an `uncertain` study."""
SECTION = "uncertain"


@dataclass(frozen=True, slots=True)
class CaseDraws:
    """How the cases of uncertain inputs are drawn."""

    cases: int
    """Number of cases."""
    alone: int = FEW
    """Number of groups of inputs that are also moved alone."""
    correlations: Mapping[str, CorrelationSpec] = field(default_factory=dict[str, CorrelationSpec])
    """Correlations between inputs, by name."""

    def correlated(self, unknown: Sequence[Input]) -> tuple[Input, ...]:
        """Inputs with their correlations; of those that a row does not have there are none."""
        found = list(unknown)
        for each in self.correlations.values():
            numbers = [n for name in each.between if (n := number_of(name, unknown)) is not None]
            if len(numbers) == len(each.between):
                at, own = max(numbers), (found[min(numbers)].origin, each.correlation)
                found[at] = replace(found[at], correlations=(*found[at].correlations, own))
        return tuple(found)


def draws_for(asked: StudySpec, effort: str, records: Sequence[int]) -> CaseDraws | None:
    """How the cases of a study are drawn, at an effort and with rows of so many records; None for no intervals."""
    if effort == "none":
        return None
    varying = asked.varying()
    if varying is not None:
        return CaseDraws(varying.cases, MANY, varying.correlations)
    work = for_study(effort, records)
    return CaseDraws(work.cases) if work is not None else None


def number_of(name: str, unknown: Sequence[Input]) -> int | None:
    """The number of the input with a name, or at an address; None if there is none."""
    found = (i for i, one in enumerate(unknown) if one.name == name or name in {address for _, address in one.at})
    return next(found, None)


def wrong_correlations(named: Mapping[str, CorrelationSpec], tree: Node, unknown: Sequence[Input]) -> Iterator[Problem]:
    """Report correlations of what is not uncertain, of an input with itself, and those that contradict each other."""
    import numpy as np  # noqa: PLC0415 (numpy costs start-up time)

    matrix, good = np.eye(len(unknown)), True
    for name, each in named.items():
        path = (SECTION, "correlations", name)
        place, address = tree.find(path)[0].place, ".".join(path)
        one, other = (number_of(between, unknown) for between in each.between)
        for between, number in zip(each.between, (one, other), strict=True):
            if number is None:
                remedy = choices(between, [known.name for known in unknown])
                yield Problem(place, address, f"nothing uncertain is called '{between}'", remedy)
        if one is not None and one == other:
            yield Problem(place, address, "both are the same input", "name two inputs that vary separately")
        good = good and None not in {one, other} and one != other
        if good:
            matrix[one, other] = matrix[other, one] = each.correlation
    if good and np.linalg.eigvalsh(matrix).min() < 0.0:
        place = tree.find((SECTION, "correlations"))[0].place
        message = "the correlations contradict each other"
        yield Problem(place, f"{SECTION}.correlations", message, "make them weaker, or leave one out")
