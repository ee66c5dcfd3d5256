"""The ledger of blind predictions: answers that version 0.1 gave before anybody had read the figures, and today's."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from simbackup.results.compare import Row

NEAR = 0.15
"""Relative error within which an answer counts as near."""


@dataclass(frozen=True, slots=True)
class Answers:
    """How far some answers are from what was measured: shares, and for the worst a factor of at least 1."""

    near: int
    median: float
    worst: float

    @classmethod
    def of(cls, errors: Sequence[float]) -> Answers:
        """The answers with these relative errors.

        >>> Answers.of([0.1, -0.5, 0.2])
        Answers(near=1, median=0.2, worst=2.0)
        """
        return cls(
            sum(abs(error) <= NEAR for error in errors), statistics.median(map(abs, errors)), max(map(_factor, errors))
        )


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A publication in the ledger: its predicted rows, the blind answers to them, and today's."""

    publication: str
    rows: int
    seen: int
    """Predicted rows that a value was chosen or changed after seeing."""
    blind: Answers
    today: Answers


def ledger(rows: Iterable[Row]) -> list[LedgerLine]:
    """A line for each publication with predicted rows, and a last one for all of them; none without such rows.

    A row to which a constant was fitted, then or now, is not predicted.
    """
    predicted = [row for row in rows if row.predicted]
    publications = dict.fromkeys(row.measurement.folder for row in predicted)
    lines = [_line(name, [row for row in predicted if row.measurement.folder == name]) for name in publications]
    return [*lines, _line("all", predicted)] if predicted else []


def _line(name: str, rows: Sequence[Row]) -> LedgerLine:
    blind = [row.blind_error or 0.0 for row in rows]
    seen = sum(row.role == "seen" for row in rows)
    return LedgerLine(name, len(rows), seen, Answers.of(blind), Answers.of([row.error for row in rows]))


def _factor(error: float) -> float:
    ratio = 1.0 + error
    return max(ratio, 1.0 / ratio) if ratio > 0.0 else float("inf")
