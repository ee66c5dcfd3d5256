"""Which inputs a figure depends on, and what measuring the most important one would narrow."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

from simbackup.equations.uncertainty import SCORE, CentralInterval
from simbackup.errors import InputError, Place, Problem, ResultError, choices
from simbackup.experiments.figure_names import unknown
from simbackup.experiments.influences import Influence, Narrowed, Sensitivity
from simbackup.experiments.runner import Runner, runner_for
from simbackup.experiments.study_intervals import in_cases
from simbackup.experiments.study_point import Point, Values, resolved
from simbackup.scenario import Scenario, Source
from simbackup.scenario.files import given
from simbackup.uncertainty.conditioning import CaseFigures, Conditioned
from simbackup.uncertainty.effort import THOROUGH, Done
from simbackup.uncertainty.estimate import Estimate
from simbackup.uncertainty.fitted import GivenRows
from simbackup.uncertainty.inputs import Input, inputs
from simbackup.uncertainty.sampling import Case, latin_hypercube, one_at_a_time
from simbackup.uncertainty.screening import Unit, effects, trajectories
from simbackup.uncertainty.sobol import SobolIndex, design, indices, need_scipy
from simbackup.uncertainty.whole import whole

CASES = THOROUGH.cases
"""Cases of the sample behind an interval."""
KEPT = 8
"""Most inputs that get Sobol' indices: those with the greatest effects."""
LEAST = 1e-9
"""Nearest place to either end of a distribution, whose very ends lie infinitely far out."""
NORMAL = NormalDist()


def sensitivity(  # noqa: PLR0913
    what: Source,
    figure: str | None = None,
    overrides: Mapping[str, object] | None = None,
    *,
    seed: int = 0,
    samples: int = 64,
    walks: int = 10,
    workers: int | None = None,
    scheduler: str | None = None,
    into: str | Path | None = None,
    progress: Done | None = None,
    note: Callable[[str], None] | None = None,
) -> Sensitivity:
    """Which uncertain inputs of a scenario a figure depends on, and which of them to measure first.

    Each input is moved alone to both ends of its range (tornado). All of them are moved one after the other along
    random walks (Morris screening). Those with the largest effects vary together (Sobol' indices). Finally, the
    interval of the figure is recalculated as if the input with the largest index were known exactly.

    Parameters
    ----------
    what
        The scenario: path or name of its file, YAML text, or a mapping.
    figure
        Address of the figure, such as `jobs.full.elapsed`; by default, the elapsed time of the longest job.
    overrides
        Values by address that replace those of the file.
    seed
        Seed of all samples and runs.
    samples
        Sample size for Sobol' indices, a power of two; 0 leaves them out. The number of runs is this times the number
        of inputs (at most 8) plus two.
    walks
        Number of random walks of the screening; 0 leaves it out. Each takes as many runs as there are inputs, plus
        one.
    workers, scheduler, into, progress, note
        As for `study`.

    Raises
    ------
    InputError
        Something is wrong with the scenario, or it has no such figure.
    ResultError
        The figure is not a number, nothing in the scenario is uncertain, or SciPy is missing for Sobol' indices.

    >>> sensitivity("published/003-lvm-snapshots/no-snapshot", samples=0, walks=0, workers=1).address
    'jobs.dd.elapsed'
    """
    if samples & (samples - 1):
        remedy = f"write {1 << samples.bit_length() - 1} or {1 << samples.bit_length()}"
        raise InputError([Problem(Place("samples"), "", f"{samples} is not a power of two", remedy)])
    if samples:
        need_scipy()
    file = str(what) if given(what) is None else _text(what)
    base = Point("scenario", file, None, {}, _values(overrides), (), seed)
    scenario = resolved(base)
    with runner_for(workers=workers, scheduler=scheduler, into=into, progress=progress, note=note) as runner:
        point = _with_figure(base, scenario, figure, runner)
        return _Asked(point, scenario, tuple(inputs({"0": scenario})), runner).answer(samples, walks)


class _Asked:
    """A figure of a point, and the inputs of its scenario."""

    def __init__(self, point: Point, scenario: Scenario, unknown_inputs: tuple[Input, ...], runner: Runner) -> None:
        self.point, self.scenario, self.inputs, self.runner = point, scenario, unknown_inputs, runner
        self.figure, self.given = point.show[0], GivenRows.of({"0": scenario}).ids
        if not unknown_inputs:
            raise ResultError(f"{scenario.title}: no value is uncertain; state values as assumed, with a range")
        [[best]] = self._cases([tuple(0.0 for _ in unknown_inputs)], "runs")
        if self.figure not in best.figures:
            raise ResultError(f"{self.figure} has no value at the best estimates; simbackup run shows why")
        self.best, self.best_figures = best.figures[self.figure], best

    def answer(self, samples: int, walks: int) -> Sensitivity:
        """What each input does to the figure, and which one to measure first."""
        count = len(self.inputs)
        ends = self._values([case for i in range(count) for case in one_at_a_time(self.inputs, i)], "tornado runs")
        low, high = (
            [self.best if value is None else value for value in ends[side::2]] for side in (0, 1)
        )  # fmt: skip
        paths = trajectories(walks, count, self.point.seed)
        flat = self._values([_within_range(place) for path in paths for place in path], "runs for screening")
        values = [flat[i : i + count + 1] for i in range(0, len(flat), count + 1)]
        screened = effects(paths, values) if paths else None
        swing = [
            max(abs(low[i] - self.best), abs(high[i] - self.best), screened[i].mean if screened else 0.0)
            for i in range(count)
        ]
        order = sorted((i for i in range(count) if swing[i] > 0.0), key=lambda i: (-swing[i], i))
        shares = self._indices(order[:KEPT], samples) if samples and order else {}
        found = [
            Influence(self.inputs[i], low[i], high[i], screened[i] if screened else None, shares.get(i)) for i in order
        ]
        ranked = sorted(found, key=lambda one: -one.index.total if one.index else math.inf) if shares else found
        sample = latin_hypercube(self.inputs, CASES, self.point.seed)
        interval, from_inputs = self._interval(sample)
        first = None
        if ranked:
            which = self.inputs.index(ranked[0].input)
            known = [(*case[:which], 0.0, *case[which + 1 :]) for case in sample]
            first = Narrowed(ranked[0].input, *self._interval(known))
        return Sensitivity(
            self.scenario.title, self.figure, interval, from_inputs, tuple(ranked), first, count, self.runner.run_anew
        )  # fmt: skip

    def _indices(self, which: Sequence[int], samples: int) -> dict[int, SobolIndex]:
        """The indices of some inputs, with all others at their best estimates; of the logarithm if it is positive."""
        asked = design(samples, len(which), self.point.seed)
        cases = [_case(place, which, len(self.inputs)) for place in asked.places]
        values = [self.best if value is None else value for value in self._values(cases, "runs for Sobol' indices")]
        scaled = [math.log(value) for value in values] if min(values) > 0.0 else values
        return dict(zip(which, indices(asked, scaled), strict=True))

    def _interval(self, sample: Sequence[Case]) -> tuple[CentralInterval, CentralInterval]:
        """The whole 90 % interval of the figure, and the part of it that its inputs leave, from a sample."""
        drawn = [each[0] for each in self._cases(sample, "runs for intervals")]
        conditioned = Conditioned.of(self.best_figures, drawn, self.given)
        found = Estimate.of(self.figure, self.best_figures, [conditioned(each) for each in drawn])
        return whole(found, self.scenario, self.figure) or found.spread, found.spread

    def _values(self, cases: Sequence[Case], what: str) -> list[float | None]:
        return [each[0].figures.get(self.figure) for each in self._cases(cases, what)]

    def _cases(self, cases: Sequence[Case], what: str) -> list[list[CaseFigures]]:
        return in_cases([self.point], self.inputs, cases, self.runner, what)


def _within_range(place: Unit) -> Case:
    """A place in ranges as a case, evenly from one end to the other."""
    return tuple(SCORE * (2.0 * share - 1.0) for share in place)


def _case(place: Unit, which: Sequence[int], count: int) -> Case:
    """A place in distributions as a case of all inputs, of which some vary."""
    case = [0.0] * count
    for i, share in zip(which, place, strict=True):
        case[i] = NORMAL.inv_cdf(min(max(share, LEAST), 1.0 - LEAST))
    return tuple(case)


def _with_figure(base: Point, scenario: Scenario, figure: str | None, runner: Runner) -> Point:
    """The point with the figure that is asked for, or that of the job that takes longest."""
    if figure is not None:
        wrong = list(unknown(scenario, [figure]))
        if wrong:
            _, message, remedy = wrong[0]
            raise InputError([Problem(Place(scenario.name), figure, message, remedy)])
        return replace(base, show=(figure,))
    names = [f"jobs.{name}{'.1' if job.every is not None else ''}.elapsed" for name, job in scenario.spec.jobs.items()]
    [found] = runner.run([replace(base, show=tuple(names))])
    if found.problems:
        raise InputError(found.problems)
    took = {name: float(each) for name, each in found.figures.items() if isinstance(each, int | float)}
    if not took:
        raise ResultError(f"{scenario.title}: no job succeeds; {choices('', names)}")
    return replace(base, show=(max(took, key=took.__getitem__),))


def _values(overrides: Mapping[str, object] | None) -> Values:
    """Overrides as a point holds them."""
    from simbackup.schema.tree import Node  # noqa: PLC0415

    found: Values = {}
    for address, value in (overrides or {}).items():
        plain = value.plain() if isinstance(value, Node) else value
        found[address] = plain if plain is None or isinstance(plain, dict | list) else str(plain)
    return found


def _text(what: Source) -> str:
    """A scenario in text or in a mapping, as text of several lines."""
    return what if isinstance(what, str) else json.dumps(what, indent=1)
