"""What is left open once the measured rows count to which constants were fitted.

In each case of the inputs, the scenario also gives a figure for each of these rows. Cases in which this is not what was
measured are unlikely. So each figure is corrected by how it goes with those of the rows, to where they are at the best
estimates: the regression adjustment of approximate Bayesian computation (Beaumont, Zhang and Balding, "Approximate
Bayesian computation in population genetics", Genetics 162, 2002), of logarithms. It is what the update of a linear
model with normal inputs gives, and needs no further run. The figure of a row itself is then the same in all cases, and
what is left of its interval is noise.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import correlation, fmean, linear_regression
from typing import Any, NamedTuple

CASES_A_ROW = 3
"""Cases that there are at least for each row that a figure is corrected by."""


class CaseFigures(NamedTuple):
    """The figures of one case, what bounds them, the shares of them that are declared, and those of the fitted rows.

    If a check `refused` its values, in words, they are those of values nearer to the best estimates, or none.
    """

    figures: Mapping[str, float] = {}
    bounds: Mapping[str, float] = {}
    declared: Mapping[str, float] = {}
    refused: str = ""
    given: Mapping[str, float] = {}


class _Line(NamedTuple):
    """How one figure goes with those of rows, and its mean in the sample once they are corrected for."""

    slopes: Mapping[str, float]
    mean: float
    stretch: float
    by_factor: bool

    def corrected(self, value: float, away: Mapping[str, float]) -> float:
        """The value in a case in which rows are so far `away` from where they are at the best estimates."""
        at = math.log(value) if self.by_factor else value
        at -= sum(slope * away[row] for row, slope in self.slopes.items())
        at = self.mean + self.stretch * (at - self.mean)
        return math.exp(at) if self.by_factor else at


@dataclass(frozen=True, slots=True)
class Conditioned:
    """The correction of figures by the measured rows to which constants were fitted; none without such rows."""

    best: Mapping[str, float] = field(default_factory=dict[str, float])
    lines: Mapping[str, _Line] = field(default_factory=dict[str, _Line])

    def __call__(self, case: CaseFigures) -> CaseFigures:
        """A case with corrected figures; those of a case that lacks the figure of a row stay."""
        away = {row: math.log(value / self.best[row]) for row, value in case.given.items() if row in self.best}
        figures = {
            name: self.lines[name].corrected(value, away)
            if name in self.lines and self.lines[name].slopes.keys() <= away.keys() and (
                value > 0.0 or not self.lines[name].by_factor
            )
            else value
            for name, value in case.figures.items()
        }  # fmt: skip
        return case._replace(figures=figures)

    @classmethod
    def of(
        cls, best: CaseFigures, sample: Sequence[CaseFigures], counting: Collection[str] | None = None
    ) -> Conditioned:
        """The correction that a sample of cases shows, about the best estimates, by all rows or by those that count.

        >>> cases = [CaseFigures({"time": 10.0 * x}, given={"row": 5.0 * x}) for x in (0.5, 0.8, 1.2, 2.0)]
        >>> found = Conditioned.of(CaseFigures({"time": 10.0}, given={"row": 5.0}), cases)
        >>> [round(found(case).figures["time"], 9) for case in cases]
        [10.0, 10.0, 10.0, 10.0]
        """
        counted = best.given if counting is None else counting
        rows = {row: value for row, value in best.given.items() if row in counted and value > 0.0}
        varying = [row for row in rows if len({case.given.get(row) for case in sample}) > 1]
        whole = [case for case in sample if all(case.given.get(row, 0.0) > 0.0 for row in varying)]
        if not varying or len(whole) < CASES_A_ROW:
            return cls()
        lines = {name: _line(name, value, varying, rows, whole) for name, value in best.figures.items()}
        return cls(rows, {name: line for name, line in lines.items() if line is not None})


def _line(
    name: str, best: float, varying: Sequence[str], rows: Mapping[str, float], sample: Sequence[CaseFigures]
) -> _Line | None:
    """How a figure goes with the rows, by least squares; None if too few cases have it, or if it does not vary."""
    cases = [case for case in sample if name in case.figures]
    if len(cases) < CASES_A_ROW or len({case.figures[name] for case in cases}) == 1:
        return None
    by_factor = min(best, *(case.figures[name] for case in cases)) > 0.0
    at = [math.log(case.figures[name]) if by_factor else case.figures[name] for case in cases]
    if len({*at}) == 1:  # two figures may have one logarithm
        return None
    away = {row: [math.log(case.given[row] / rows[row]) for case in cases] for row in varying}
    closeness = {row: abs(correlation(column, at)) for row, column in away.items() if len({*column}) > 1}
    closest = sorted(closeness, key=closeness.__getitem__, reverse=True)[: len(cases) // CASES_A_ROW]
    slopes = _slopes({row: away[row] for row in closest}, at)
    mean = fmean(at) - sum(slope * fmean(away[row]) for row, slope in slopes.items())
    spare = len(cases) - 1
    stretch = math.sqrt(spare / max(spare - len(closest), 1))  # as the same cases show how the figure goes with rows
    return _Line(slopes, mean, stretch, by_factor)


def _slopes(columns: Mapping[str, Sequence[float]], at: Sequence[float]) -> dict[str, float]:
    """By how much a figure goes with each row, all together; of several such slopes, the least."""
    if len(columns) <= 1:  # most scenarios have one fitted row, and numpy takes a tenth of a second to import
        return {row: linear_regression(column, at).slope for row, column in columns.items()}
    import numpy as np  # noqa: PLC0415

    matrix = np.array(list(columns.values())).T
    linalg: Any = np.linalg
    found: list[float] = (linalg.pinv(matrix - matrix.mean(axis=0)) @ np.array(at)).tolist()
    return dict(zip(columns, found, strict=True))
