"""How often the 90 % interval of a measured row holds what was measured."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from simbackup.equations.uncertainty import (
    SCORE,
    CentralInterval,
    clustered,
    crps,
    interval_score,
    share_below,
    spread_with_error,
)
from simbackup.experiments.reproduce import reproduce, scenarios_of
from simbackup.results.compare import PUBLISHED, Interval, Row, collections, documents
from simbackup.uncertainty.fitted import rows_beside
from simbackup.uncertainty.model_error import (
    FITTED,
    ModelError,
    Residual,
    enough,
    model_errors,
    operation_of,
    parts_of,
    term_of,
)
from simbackup.uncertainty.validated_cases import BLIND, ValidatedCase

IDENTIFIED, NOT_FITTED = "documents, identified", "documents, identified, not fitted"
PREDICTED, DESCRIBED = "validation, predicted", "described without the figures"
"""Sets of rows whose coverage is reported."""
PREDICTED_BLIND, ALL = "blind", "all"
ROLES = ("fitted", "seen", "opened", "held-out", PREDICTED_BLIND, ALL)
"""Roles of rows whose coverage is reported for each publication; what was predicted is blind, seen since or not."""
THIS, ONE_FACTOR, FACTOR_BY_KIND = "simbackup", "one factor", "a factor by kind"
"""How an interval is made: as answers have it; and, to compare, from the answer over a factor to the answer times this
factor, which holds 90 % of the rows of other publications. What the inputs leave open does not matter then."""
LIMITS = (0.4, 0.5, 0.65, 0.8, 0.9, 1.0, 1.1, 1.25, 1.55, 2.0, 2.5)
"""Limits of verdicts, over the answer."""
BINS = 10
"""Groups of verdicts by the share of cases that they state."""
NOT_FITTED_TO = "all, not fitted"
"""All rows that no constant was fitted to."""
RowName = tuple[str, str]
"""A publication's folder, and a row of it."""


@dataclass(frozen=True, slots=True)
class Covered:
    """A measured row with its interval, in the unit of the row; its own publication did not inform the interval."""

    row: Row
    """The row."""
    operation: str
    """Its kind of operation."""
    interval: CentralInterval
    """The interval."""
    deviation: float
    """Standard deviation of the logarithm of the model error."""

    @property
    def holds(self) -> bool:
        """Whether the interval contains the measured value, or overlaps the range that the publication allows."""
        return self.row.holds((self.interval.low, self.interval.high))

    @property
    def role(self) -> str:
        """What the row proves, one of `ROLES`."""
        anew = self.row.measurement.described_anew
        return PREDICTED_BLIND if self.row.predicted and not anew else self.row.role

    @property
    def width(self) -> float:
        """The width of the interval divided by the best estimate."""
        return (self.interval.high - self.interval.low) / abs(self.interval.best) if self.interval.best else math.inf

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        m = self.row.measurement
        return {
            "publication": m.folder, "id": m.id, "role": self.role, "operation": self.operation, "unit": m.unit,
            "measured": m.value, "simulated": self.row.simulated, "low": self.interval.low, "high": self.interval.high,
            "holds": self.holds,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often the intervals of a set of rows hold."""

    name: str
    """The name of the set."""
    rows: int
    """Number of rows."""
    held: int
    """Number of intervals that hold."""
    width: float
    """Median width divided by the best estimate."""

    @property
    def share(self) -> float:
        """The share of intervals that hold."""
        return self.held / self.rows

    @classmethod
    def of(cls, name: str, rows: Sequence[Covered]) -> Coverage:
        """The coverage of some rows, at least one."""
        return cls(name, len(rows), sum(row.holds for row in rows), statistics.median(row.width for row in rows))


@dataclass(frozen=True, slots=True)
class Score:
    """How good the intervals of one method are for some rows."""

    name: str
    """The name of the set of rows."""
    method: str
    """How intervals are made."""
    rows: int
    """Number of rows."""
    held: int
    """Number of intervals that hold."""
    factor: float
    """Median ratio of upper to lower end."""
    interval_score: float
    """Mean interval score of natural logarithms; less is better. See `simbackup.equations.uncertainty`."""
    crps: float
    """Mean continuous ranked probability score of natural logarithms; less is better."""
    worse: float
    """By how much the interval score is greater than that of simbackup."""
    unsure: float
    """The standard error of this, where each publication counts as one observation; infinite for one."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Verdicts that state a probability between two bounds."""

    low: float
    """Lower bound of the stated probability."""
    high: float
    """Upper bound."""
    count: int
    """Number of verdicts."""
    said: float
    """Mean stated probability."""
    came: float
    """Share (0 to 1) that kept the limit."""


class _Stated(NamedTuple):
    """An interval of a row, and its distribution: a mixture of normal distributions of the logarithm."""

    kind: str
    """The kind of operation."""
    method: str
    """How the interval is made."""
    row: Row
    """The row."""
    ends: Interval
    """The interval."""
    middles: tuple[float, ...]
    """Means of the logarithm, equally likely."""
    deviation: float
    """Standard deviation around each of them."""


class Kinds(NamedTuple):
    """The kind of operation of each row, `FITTED` if a constant was fitted to it, and rows that are `alone` in a fit.

    A fit to one row leaves it no error, however much such a row may scatter.
    """

    operations: dict[RowName, str]
    alone: frozenset[RowName] = frozenset()
    parts: Mapping[RowName, frozenset[str]] = {}
    """What the job of each row has of its own."""


def kinds_of(names: Iterable[str]) -> Kinds:
    """The kinds of the rows of collections of documents."""
    found, alone, parts = dict[RowName, str](), set[RowName](), dict[RowName, frozenset[str]]()
    for collection in names:
        for measured in documents(collection):
            scenarios = scenarios_of(measured)
            for m in measured.rows:
                file, address = m.subject
                rows = rows_beside(m, scenarios)
                found[m.folder, m.id] = FITTED if rows else operation_of(scenarios[file], address)
                parts[m.folder, m.id] = parts_of(scenarios[file], address)
                if rows == 1:
                    alone.add((m.folder, m.id))
    return Kinds(found, frozenset(alone), parts)


def residuals(rows: Iterable[Row], kinds: Kinds) -> list[Residual]:
    """The residuals of results above 0: of rows fitted to beside others, and of all that nothing was fitted to.

    Where somebody described a publication without its figures, his rows stand for it: those of the first description
    were written, or improved, with the figures in view.
    """
    rows = list(rows)
    anew = {m.publication for row in rows if (m := row.measurement).described_anew}
    found: list[Residual] = []
    for row in rows:
        m, sample = row.measurement, row.cases or (row.simulated,)
        if m.publication in anew and not m.described_anew:
            continue
        kind, alone = kinds.operations[m.folder, m.id], (m.folder, m.id) in kinds.alone
        counts = not alone if kind == FITTED else row.role != "fitted"
        if row.is_moved and counts and min(m.value, row.simulated, *sample) > 0.0:
            cases = tuple(math.log(value / row.simulated) for value in sample)
            parts = kinds.parts.get((m.folder, m.id), frozenset[str]())
            found.append(Residual(m.publication, kind, -math.log(1.0 + row.error), cases, parts))
    return found


def covered(rows: Sequence[Row], kinds: Kinds) -> list[Covered]:
    """All results with intervals whose model error comes from the other publications alone."""
    terms = _left_out(rows, kinds)
    found: list[Covered] = []
    for row in rows:
        if row.is_moved:
            m, kind = row.measurement, kinds.operations[row.measurement.folder, row.measurement.id]
            deviation = term_of(kind, terms[m.publication]).deviation
            spread = spread_with_error(row.simulated, row.cases or (row.simulated,), deviation).within(*row.bounds)
            found.append(Covered(row, kind, spread, deviation))
    return found


def _left_out(rows: Sequence[Row], kinds: Kinds) -> dict[str, dict[str, ModelError]]:
    """For each publication, the model errors that all other publications show."""
    every = residuals(rows, kinds)
    return {
        name: {one.operation: one for one in model_errors([one for one in every if one.publication != name])}
        for name in dict.fromkeys(row.measurement.publication for row in rows)
    }


def scores(covered: Sequence[Covered], every: Sequence[Residual]) -> list[Score]:
    """How well answers state how unsure they are, beside two simple ways, by kind of operation and in all.

    What is known of the error comes from the other publications alone, each way. Rows that are zero in some case have
    no logarithm, and are left out.

    Parameters
    ----------
    covered
        Rows with their intervals.
    every
        The residuals from which the simple ways learn.
    """
    stated = list(_stated(covered, [one._replace(cases=(0.0,)) for one in every]))
    some = {kind: [one for one in stated if one.kind == kind] for kind in sorted({one.kind for one in stated})}
    some |= {NOT_FITTED_TO: [one for one in stated if one.kind != FITTED], ALL: stated}
    by_method = [
        (name, {method: [one for one in own if one.method == method] for method in (THIS, ONE_FACTOR, FACTOR_BY_KIND)})
        for name, own in some.items()
    ]
    return [_score(name, method, own, each[THIS]) for name, each in by_method for method, own in each.items()]


def _stated(rows: Sequence[Covered], bare: Sequence[Residual]) -> Iterator[_Stated]:
    for one in rows:
        row, name = one.row, one.row.measurement.publication
        sample = row.cases or (row.simulated,)
        if min(row.measurement.value, row.simulated, *sample) > 0.0:
            at = tuple(math.log(value) for value in sample)
            yield _Stated(one.operation, THIS, row, (one.interval.low, one.interval.high), at, one.deviation)
            others = [each for each in bare if each.publication != name]
            own = [each for each in others if each.operation == one.operation]
            alike = [each for each in others if (each.operation == FITTED) == (one.operation == FITTED)]
            for method, known in ((ONE_FACTOR, alike), (FACTOR_BY_KIND, own or alike)):
                deviation = enough(known)
                factor = math.exp(SCORE * deviation)
                ends = (row.simulated / factor, row.simulated * factor)
                yield _Stated(one.operation, method, row, ends, (math.log(row.simulated),), deviation)


def verdicts(rows: Iterable[Covered]) -> list[Verdicts]:
    """How often a limit was kept that answers say is kept in so many cases, for rows that no constant was fitted to.

    No publication states the window that it had. Limits are therefore the answer times and over the factors of
    `LIMITS`. What is known of the error comes from the other publications alone.
    """
    found: list[tuple[float, bool]] = []
    for one in rows:
        row, sample = one.row, one.row.cases or (one.row.simulated,)
        if one.operation != FITTED and min(row.measurement.value, row.simulated, *sample) > 0.0:
            for limit in (row.simulated * factor for factor in LIMITS):
                share = share_below(limit, row.simulated, sample, one.deviation)
                found.append((share, row.measurement.value <= limit))
    bins = [(n / BINS, (n + 1) / BINS) for n in range(BINS)]
    groups = [(low, high, [each for each in found if low <= each[0] < high]) for low, high in bins]
    return [
        Verdicts(low, high, len(own), statistics.mean(s for s, _ in own), statistics.mean(kept for _, kept in own))
        for low, high, own in groups
        if own
    ]


def _score(name: str, method: str, some: Sequence[_Stated], answers: Sequence[_Stated]) -> Score:
    scored, ours = (list(map(_interval_score, each)) for each in (some, answers))
    more = [one - own for one, own in zip(scored, ours, strict=True)]
    return Score(
        name, method, len(some), sum(one.row.holds(one.ends) for one in some),
        math.exp(statistics.median(math.log(one.ends[1] / one.ends[0]) for one in some)), statistics.mean(scored),
        statistics.mean(crps(one.middles, one.deviation, math.log(one.row.measurement.value)) for one in some),
        *clustered(more, [one.row.measurement.publication for one in some]),
    )  # fmt: skip


def _interval_score(one: _Stated) -> float:
    low, high = one.ends
    return interval_score(math.log(low), math.log(high), math.log(one.row.measurement.value))


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """The coverage of intervals of all measured results."""

    rows: list[Covered]
    """All results with their intervals."""
    publications: dict[str, dict[str, Coverage]]
    """Coverage by publication (and of all), and by the role of rows; roles without rows are left out."""
    sets: list[Coverage]
    """Coverage of sets of rows across publications."""
    terms: list[ModelError]
    """Model errors by kind of operation."""
    cases: list[ValidatedCase]
    """Jobs of the publications with their errors."""
    scores: list[Score]
    """How good the intervals are, compared with simpler ones."""
    verdicts: list[Verdicts]
    """How often limits were kept, by the probability that answers stated."""


def coverage(found: Iterable[Row] | None = None) -> CoverageReport:
    """How often the intervals of the documents and of the validation ring hold.

    The first sets are the identified results of the documents, those of them to which no constant was fitted, the rows
    that were predicted blindly, and those of descriptions that were written without the figures; the others are all
    results of a kind of operation. Rows that nothing can move are in none. Each interval has the model error that the
    other publications show; `terms` are those of all publications, which the program ships with.
    """
    rows = list(found) if found is not None else [row for name in collections() for row in reproduce([name]).rows]
    kinds = kinds_of(collections())
    published = {measured.folder.name for measured in documents(PUBLISHED)}
    every, known_errors = covered(rows, kinds), residuals(rows, kinds)
    known = [one for one in every if one.row.measurement.folder in published and one.row.identified]
    blind = [one for one in every if one.row.predicted]
    predicted = [one for one in blind if not one.row.measurement.described_anew]
    anew = [one for one in blind if one.row.measurement.described_anew]
    sets = [
        (IDENTIFIED, known), (NOT_FITTED, [one for one in known if one.row.role != "fitted"]), (PREDICTED, predicted),
        (DESCRIBED, anew),
    ]  # fmt: skip
    sets += [
        (kind, [one for one in every if one.operation == kind]) for kind in sorted({one.operation for one in every})
    ]
    found_sets = [Coverage.of(*one) for one in sets if one[1]]
    return CoverageReport(
        every, by_publication(every), found_sets, model_errors(known_errors), list(validated(rows)),
        scores(every, known_errors), verdicts(every),
    )  # fmt: skip


def by_publication(rows: Sequence[Covered]) -> dict[str, dict[str, Coverage]]:
    """The coverage of each publication, and of all of them, by the role of rows."""
    names = dict.fromkeys(row.row.measurement.folder for row in rows)
    own = {name: [row for row in rows if row.row.measurement.folder == name] for name in names}
    return {
        name: {
            role: Coverage.of(name, chosen)
            for role in ROLES
            if (chosen := [row for row in some if role in {row.role, ALL}])
        }
        for name, some in {**own, ALL: list(rows)}.items()
    }


def validated(rows: Iterable[Row]) -> Iterator[ValidatedCase]:
    """The measured times of jobs, and rates as times, with the error of the blind prediction where there was one."""
    found = (measured for name in collections() for measured in documents(name))
    files = {measured.folder.name: scenarios_of(measured) for measured in found}
    for row in rows:
        m, timed = row.measurement, row.measurement.timed
        if timed is not None and row.is_moved and row.moved > 0.0 and not m.described_anew:
            kind = operation_of(files[m.folder][timed.file], timed.address)
            error, basis = row.error, str(row.role)
            if row.predicted and row.blind_error is not None:
                error, basis = row.blind_error, BLIND
            off = 1.0 / (1.0 + error) - 1.0 if timed.by_rate else error
            yield ValidatedCase(m.folder, m.id, kind, row.moved, basis, off)
