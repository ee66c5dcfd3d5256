"""The ledger of blind predictions: answers that a version gave before anybody had read the figures, and today's."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.experiments.reproduce import Reproduction
from simbackup.results.compare import Interval, Row
from simbackup.results.record import UsedValue

FAR = 2.0
"""Factor beyond which an answer counts as far off, to either side."""
ALL = "all"


class Held(NamedTuple):
    """How many intervals hold."""

    hold: int
    """Intervals that contain the measured value."""
    of: int
    """All intervals."""


@dataclass(frozen=True, slots=True)
class Answers:
    """How far some answers are from what was measured."""

    median: float
    """Median of the absolute relative errors."""
    far: int
    """Number of answers that are off by more than a factor of `FAR`."""
    intervals: Held
    """How many of their intervals hold."""

    @classmethod
    def of(cls, errors: Sequence[float], intervals: Held) -> Answers:
        """The answers with these relative errors.

        >>> Answers.of([0.1, -0.6, 0.2], Held(2, 3))
        Answers(median=0.2, far=1, intervals=Held(hold=2, of=3))
        """
        return cls(statistics.median(map(abs, errors)), sum(_factor(error) > FAR for error in errors), intervals)


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A line of the ledger: the predicted rows of a publication, or of several."""

    publication: str
    """Its name."""
    versions: tuple[str, ...]
    """Versions that answered blindly."""
    rows: int
    """Number of predicted rows."""
    seen: int
    """Predicted rows after whose sight a value was chosen or changed."""
    blind: Answers
    """The blind answers."""
    today: Answers
    """The answers of this version."""
    fitted: tuple[str, ...]
    """Constants that are fitted to rows of the publication."""
    single: bool
    """Whether the line is that of one publication, and not of all those of a version, or of all."""


def ledger(found: Reproduction) -> list[LedgerLine]:
    """A line for each publication with predicted rows, and the lines of all of them; none without such rows.

    There is a line for the rows of each version that answered if there are several, and one for all rows. A row to
    which a constant was fitted, then or now, is not predicted.
    """
    predicted = [row for row in found.rows if row.predicted]
    if not predicted:
        return []
    publications, versions = (list(dict.fromkeys(of(row) for row in predicted)) for of in (_publication, _version))
    lines = [_line(name, predicted, _publication, found) for name in publications]
    if len(versions) > 1:
        lines += [_line(name, predicted, _version, found) for name in sorted(versions)]
    return [*lines, _line(ALL, predicted, lambda _: ALL, found)]


def _publication(row: Row) -> str:
    return row.measurement.folder


def _version(row: Row) -> str:
    blind = row.measurement.blind
    return f"{ALL} of version {blind.version}" if blind else ""


def _line(name: str, predicted: Sequence[Row], key: Callable[[Row], str], found: Reproduction) -> LedgerLine:
    """The line of the predicted rows with a key."""
    rows = [row for row in predicted if key(row) == name]
    folders = {row.measurement.folder for row in rows}
    ids = {row.measurement.id for row in found.rows if row.measurement.folder in folders}
    versions = sorted({row.measurement.blind.version for row in rows if row.measurement.blind})
    blind = Answers.of([row.blind_error or 0.0 for row in rows], _held(rows, [row.blind_interval for row in rows]))
    today = Answers.of([row.error for row in rows], _held(rows, [row.answer for row in rows]))
    fitted = tuple(_name(one) for one in found.constants if not ids.isdisjoint(one.fitted_to))
    seen = sum(row.role == "seen" for row in rows)
    return LedgerLine(name, tuple(versions), len(rows), seen, blind, today, fitted, name in folders)


def _held(rows: Sequence[Row], intervals: Sequence[Interval | None]) -> Held:
    known = [(row, one) for row, one in zip(rows, intervals, strict=True) if one is not None]
    return Held(sum(row.holds(one) for row, one in known), len(known))


def _name(constant: UsedValue) -> str:
    """A constant by its datasheet, or by its file, and its last key."""
    file = constant.place.partition(".yaml")[0].removeprefix("models/").removeprefix("scenarios/")
    return f"{file}#{constant.address.rpartition('.')[2]}"


def _factor(error: float) -> float:
    ratio = 1.0 + error
    return max(ratio, 1.0 / ratio) if ratio > 0.0 else float("inf")
