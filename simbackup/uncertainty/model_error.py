"""What the model leaves out, by kind of operation, estimated from what it got wrong.

Each measured row that no constant was fitted to has a residual: the logarithm of simulated over measured. It needs a
term of the model only where the interval of its inputs does not hold it: so great that both together, added as squares,
just reach the measured value. The term of a kind of operation is the one that is enough for 90 % of its rows, as
intervals promise. So rows that are far off widen all others no more than ten of a hundred should (the quantile of
conformal prediction: Lei et al., "Distribution-free predictive inference for regression", Journal of the American
Statistical Association 113, 2018). All rows of a publication count as much as one, and the rows of all kinds together
as much as `PRIOR` publications more. So a kind that many publications confirm gets its own term, and one that nobody
has measured that of all kinds.

Rows to which a constant was fitted have one term of their own. A constant that was fitted to one row of a system makes
the other rows of this system no better: in the publications that were predicted blind, their errors were as great.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from simbackup import shelf
from simbackup.equations.uncertainty import LEVEL, SCORE, weighted_percentile

FILE = "model-error.csv"
"""The table under `scenarios`, which the program writes and a test compares with its output."""
PRIOR = 24.0
"""Publications that the rows of all kinds together count for, about as many as there are. With fewer, intervals of left
out publications hold less often than they say: few kinds of operation are measured by more than three publications."""
FITTED = "fitted"
"""The kind of all figures to which a constant was fitted."""
EVERY = "all"
"""The line of the table for kinds of operation that no publication has."""
LARGEST = math.log(10.0)
"""The greatest residual that counts: one row that is off by more than ten times does not set the term."""


class Residual(NamedTuple):
    """How far a row is off: its publication, its kind of operation, and logarithms.

    `error` is that of simulated over measured, `low` and `high` those of the ends of the inputs' interval over the best
    estimate.
    """

    publication: str
    operation: str
    error: float
    low: float
    high: float

    @property
    def needed(self) -> float:
        """The least deviation of the model with which the interval holds what was measured."""
        end = self.low if self.error > 0.0 else self.high  # too high: the truth is on the lower side
        return math.sqrt(max(0.0, min(abs(self.error), LARGEST) ** 2 - end**2)) / SCORE


class ModelError(NamedTuple):
    """The standard deviation of the logarithm of what the model leaves out for a kind of operation, and its support."""

    operation: str
    publications: int
    rows: int
    deviation: float


def model_errors(residuals: Iterable[Residual], prior: float = PRIOR) -> list[ModelError]:
    """The term of each kind of operation with residuals, and at last that of any other kind.

    The rows of all kinds together count as much as `prior` publications of the kind.

    >>> found = model_errors([Residual("a", "copy", 0.2, 0.0, 0.0), Residual("b", "copy", -0.2, 0.0, 0.0)])
    >>> [(one.operation, one.publications, round(SCORE * one.deviation, 3)) for one in found]
    [('copy', 2, 0.2), ('all', 2, 0.2)]
    """
    needed: dict[str, dict[str, list[float]]] = {}
    for one in residuals:
        needed.setdefault(one.operation, {}).setdefault(one.publication, []).append(one.needed)
    weighted = {kind: [(x, 1.0 / len(own)) for own in each.values() for x in own] for kind, each in needed.items()}
    every = [pair for kind, own in weighted.items() if kind != FITTED for pair in own]
    total = sum(weight for _, weight in every)
    pooled = [(x, prior * weight / total) for x, weight in every] if prior else []
    found = [
        ModelError(
            kind, len(each), sum(map(len, each.values())),
            weighted_percentile(weighted[kind] + ([] if kind == FITTED else pooled), LEVEL),
        )
        for kind, each in sorted(needed.items())
    ]  # fmt: skip
    publications = {one for kind, each in needed.items() if kind != FITTED for one in each}
    rows = sum(one.rows for one in found if one.operation != FITTED)
    return [*found, ModelError(EVERY, len(publications), rows, weighted_percentile(every, LEVEL) if every else 0.0)]


def table(errors: Iterable[ModelError]) -> str:
    """The terms as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(ModelError._fields)
    writer.writerows((one.operation, one.publications, one.rows, f"{one.deviation:.4f}") for one in errors)
    return out.getvalue()


@cache
def known() -> dict[str, ModelError]:
    """The terms that ship with the program, by kind of operation; none where there is no such file."""
    for root in shelf.roots():
        path = root / "scenarios" / FILE
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))[1:]
            return {row[0]: ModelError(row[0], int(row[1]), int(row[2]), float(row[3])) for row in rows}
    return {}


def deviation_of(operation: str) -> float:
    """The term of a kind of operation, or of figures that are `FITTED`: the standard deviation of a logarithm."""
    terms = known()
    found = terms.get(operation) or terms.get(EVERY)
    return found.deviation if found else 0.0
