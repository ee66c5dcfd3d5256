"""What the model leaves out, by kind of operation, estimated from what it got wrong.

Each measured row that no constant was fitted to has a residual: the logarithm of simulated over measured. The part of
it that the ranges of the inputs explain is taken off as a square. What remains is averaged over the rows of a
publication, then over the publications of a kind of operation, and drawn towards the average of all kinds, which counts
as much as `PRIOR` publications. So a kind that many publications confirm gets a narrow term, and one that nobody has
measured the average.

Where constants were fitted to measurements of the same kind of operation on the same system, the model leaves out less:
such operations have one term of their own, from all their rows.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from simbackup import shelf
from simbackup.equations.uncertainty import SCORE

FILE = "model-error.csv"
"""The table under `scenarios`, which the program writes and a test compares with its output."""
PRIOR = 2.0
"""Publications that the average of all kinds counts for."""
CALIBRATED = "calibrated"
"""The kind of all operations with constants that were fitted to measurements of them on the same system."""
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
    def unexplained(self) -> float:
        """The square of the error beyond what the inputs explain."""
        explained = (self.low if self.error > 0.0 else self.high) / SCORE  # too high: the truth is on the lower side
        return max(0.0, min(abs(self.error), LARGEST) ** 2 - explained**2)


class ModelError(NamedTuple):
    """The standard deviation of the logarithm of what the model leaves out for a kind of operation, and its support."""

    operation: str
    publications: int
    rows: int
    deviation: float


def model_errors(residuals: Iterable[Residual]) -> list[ModelError]:
    """The term of each kind of operation with residuals, and at last that of any other kind.

    >>> found = model_errors([Residual("a", "copy", 0.2, 0.0, 0.0), Residual("b", "copy", -0.2, 0.0, 0.0)])
    >>> [(one.operation, one.publications, round(one.deviation, 3)) for one in found]
    [('copy', 2, 0.2), ('all', 2, 0.2)]
    """
    squares: dict[str, dict[str, list[float]]] = {}
    for one in residuals:
        squares.setdefault(one.operation, {}).setdefault(one.publication, []).append(one.unexplained)
    means = {kind: [sum(own) / len(own) for own in each.values()] for kind, each in squares.items()}
    flat = [mean for kind, own in means.items() if kind != CALIBRATED for mean in own]
    average = sum(flat) / len(flat) if flat else 0.0
    found = [
        ModelError(
            kind, len(own), sum(map(len, squares[kind].values())),
            math.sqrt(sum(own) / len(own) if kind == CALIBRATED else (PRIOR * average + sum(own)) / (PRIOR + len(own))),
        )
        for kind, own in sorted(means.items())
    ]  # fmt: skip
    publications = {one for kind, each in squares.items() if kind != CALIBRATED for one in each}
    rows = sum(one.rows for one in found if one.operation != CALIBRATED)
    return [*found, ModelError(EVERY, len(publications), rows, math.sqrt(average))]


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
    """The term of a kind of operation, or of those that are `CALIBRATED`: the standard deviation of a logarithm."""
    terms = known()
    found = terms.get(operation) or terms.get(EVERY)
    return found.deviation if found else 0.0
