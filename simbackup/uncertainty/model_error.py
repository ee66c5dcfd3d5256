"""What the model leaves out, by kind of operation, estimated from what it got wrong.

Each measured row that no constant was fitted to has a residual: the logarithm of measured over simulated. It is what
the inputs leave open, one of the cases that were simulated, plus an independent error of the model, which is normal.
So what the inputs explain is not counted again. The logarithm of the standard deviation is a part of all rows, one of
the kind of operation, and one of the publication, whose description the model may fit well or badly. The parts maximise
the likelihood of the rows. The rows of a publication share causes, so that they count as one, and as less than one, as
another publication would be off by more or less (`PUBLICATIONS`). The parts of kinds are themselves normal about 0
(`KINDS`), so that a kind which few publications measured stays near to all others: a hierarchical model with partial
pooling (Gelman and Hill, "Data analysis using regression and multilevel/hierarchical models", 2007). The fewer
publications there are, the less is known of the deviation itself; the term that answers use is as wide as the mixture
over all deviations that are likely (`WIDER`). A kind that nobody measured may be like any of the others, each as
likely. Some hundred rows of some thirty publications bear no more: further parts for restores, object stores, tape,
several workers, or a program that no other publication used, heavier tails, less pooling or more (`KINDS` from 0.2 to
2.5), estimates of how much kinds and publications differ, rows that count each, and inputs that count less predict
left-out publications no better.

Figures to which a constant was fitted have one term of their own: it is the noise that fits to several rows leave, as a
fit to one row leaves none. A constant that was fitted to one row of a system
makes the other rows of this system no better: in the publications that were predicted blind, their errors were as
great.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from simbackup import shelf
from simbackup.equations.uncertainty import LEVEL, SCORE, spread_of, weighted_percentile
from simbackup.scenario import Scenario
from simbackup.schema.job import JobSpec, Restoring, Saving
from simbackup.schema.part import Modelled
from simbackup.schema.registry import kind_of
from simbackup.text import csv_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = "model-error.csv"
"""The table under `scenarios`, which the program writes and a test compares with its output."""
KINDS = 1.0
"""Standard deviation of the part of a kind: it may well be off by 2.7 times as much as all, or as little."""
PUBLICATIONS = math.sqrt(0.5)
"""Standard deviation of the part of a publication: it says as much again of itself as one row leaves open."""
WIDER = (SCORE**2 - 1.0) / 2.0
"""By how much the logarithm of a deviation grows with the variance of this logarithm, so that 90 % of a mixture of
normal distributions lie within: where 2 Phi(q exp(-s)) - 1 has the mean 0.9, to second order in s."""
LEAST = 1e-3
"""The least deviation, so that rows without any error have one."""
STEP = 0.5
"""The greatest step of a part in a round."""
ROUNDS = 200
"""Steps of the maximisation; it has converged after some thirty."""
FITTED = "fitted"
"""The kind of all figures to which a constant was fitted."""
OWN = "own"
"""The kind of the figures of jobs to whose own runs constants were fitted."""
USERS = "users"
"""What users or applications get done beside backups."""
EVERY = "all"
"""The line of the table for kinds of operation that no publication has."""
AS_FACTOR = 1.5
"""A typical error from which on it is stated as a factor."""
LARGEST = math.log(10.0)
"""The greatest residual that counts: one row that is off by more than ten times does not set the term."""


class Residual(NamedTuple):
    """How far a row is off, as logarithms."""

    publication: str
    """Its publication."""
    operation: str
    """Its kind of operation."""
    error: float
    """Logarithm of measured over simulated."""
    cases: tuple[float, ...] = (0.0,)
    """Logarithms of the figure in cases of the inputs, over the best estimate."""
    parts: frozenset[str] = frozenset()
    """What its job has of its own, such as a `share`."""

    @property
    def counted(self) -> float:
        """The error, as far as it counts."""
        return max(-LARGEST, min(LARGEST, self.error))


class ModelError(NamedTuple):
    """The error of the model for a kind of operation, and what it was learned from."""

    operation: str
    """The kind of operation."""
    publications: int
    """Number of publications."""
    rows: int
    """Number of rows."""
    deviation: float
    """Standard deviation of the logarithm."""
    typical: float
    """Factor that half of the rows are within, with all inputs at their best estimates; 0 without rows."""
    parts: tuple[str, ...] = ()
    """What jobs of the rows have of their own."""
    lacking: tuple[str, ...] = ()
    """What a job has of its own, and no job of the rows."""

    def in_words(self) -> str:
        """What it was learned from, in words.

        >>> ModelError("restore of image", 4, 14, 0.4, 1.62).in_words()
        'tested on restore of image: 14 measurements in 4 publications, half of them simulated within a factor of 1.6'
        >>> ModelError("copy", 1, 1, 0.4, 1.005, (), ("raid", "share")).in_words()
        "tested on copy: 1 measurement in 1 publication, simulated within 1 %, none of them with 'raid' or 'share'"
        >>> ModelError("copy", 0, 0, 0.4, 0.0).in_words()
        'nothing of its kind (copy) was ever tested'
        """
        kind = self.operation.replace("_", " ")
        if self.operation == OWN:
            return f"fitted to {self.rows} runs of its own, which scatter by {100.0 * self.deviation:.2g} %"
        if self.operation == FITTED:
            return "a constant is fitted to this very figure"
        if not self.rows:
            return f"nothing of its kind ({kind}) was ever tested"
        rows, publications = (
            f"{n} {one}{'s' if n != 1 else ''}"
            for n, one in ((self.rows, "measurement"), (self.publications, "publication"))
        )
        percent = max(math.ceil(100.0 * (self.typical - 1.0)), 1)
        within = f"{percent} %" if self.typical < AS_FACTOR else f"a factor of {self.typical:.1f}"
        half = "half of them " if self.rows > 1 else ""
        without = f", none of them with {' or '.join(map(repr, self.lacking))}" if self.lacking else ""
        return f"tested on {kind}: {rows} in {publications}, {half}simulated within {within}{without}"


def model_errors(residuals: Iterable[Residual]) -> list[ModelError]:
    """The term of each kind of operation with residuals, and at last that of any other kind.

    >>> found = model_errors([Residual("a", "copy", 0.2), Residual("b", "copy", -0.2)])
    >>> [(one.operation, one.publications, round(one.deviation, 2)) for one in found]
    [('copy', 2, 0.31), ('all', 2, 0.31)]
    """
    found = list(residuals)
    every = [one for one in found if one.operation != FITTED]
    kinds = sorted({one.operation for one in found})
    own = {kind: [one for one in found if one.operation == kind] for kind in kinds}
    deviations = _deviations(every)
    if FITTED in own:
        deviations[FITTED] = enough(own[FITTED])
    known = [deviations[kind] for kind in kinds if kind != FITTED]
    unknown = math.sqrt(fmean(one**2 for one in known)) if known else 0.0
    return [*(_term(kind, own[kind], deviations[kind]) for kind in kinds), _term(EVERY, every, unknown)]


def _term(kind: str, own: Sequence[Residual], deviation: float) -> ModelError:
    weighted = [(abs(one.error), weight) for one, weight in zip(own, weights(own), strict=True)]
    typical = math.exp(weighted_percentile(weighted, 0.5)) if own else 0.0
    parts = tuple(sorted(frozenset[str]().union(*(one.parts for one in own))))
    return ModelError(kind, len({one.publication for one in own}), len(own), deviation, typical, parts)


def enough(residuals: Sequence[Residual]) -> float:
    """The deviation that is enough to hold 90 % of rows of which each is held by its inputs or needs more.

    All rows of a publication count as much as one. It is the quantile of conformal prediction: Lei et al.,
    "Distribution-free predictive inference for regression", Journal of the American Statistical Association 113, 2018.
    """
    needed: list[float] = []
    for one in residuals:
        spread = spread_of(1.0, [math.exp(case) for case in one.cases])
        end = math.log(spread.high if one.error > 0.0 else spread.low)  # on the side of what was measured
        needed.append(math.sqrt(max(0.0, one.counted**2 - end**2)) / SCORE)
    return weighted_percentile(list(zip(needed, weights(residuals), strict=True)), LEVEL) if needed else 0.0


def weights(residuals: Sequence[Residual]) -> list[float]:
    """The weight of each row, with which each publication counts as one."""
    count: dict[str, int] = {}
    for one in residuals:
        count[one.publication] = count.get(one.publication, 0) + 1
    return [1.0 / count[one.publication] for one in residuals]


def _deviations(residuals: Sequence[Residual]) -> dict[str, float]:
    """The deviation of each kind with the greatest likelihood, made wider by how little is known of it.

    Expectation maximisation: how likely each case is the true one, given the deviations, then a Newton step of the
    deviations, given that. The second is concave, so that there is one maximum; its curvature says how sure it is.
    """
    if not residuals:
        return {}
    import numpy as np  # noqa: PLC0415 (numpy costs start-up time)

    kinds = sorted({one.operation for one in residuals})
    cases = np.full((len(residuals), max(len(one.cases) for one in residuals)), np.nan)
    for row, one in zip(cases, residuals, strict=True):
        row[: len(one.cases)] = one.cases
    away = np.array([one.counted for one in residuals])[:, None] - cases
    design = np.array([[1.0, *(one.operation == kind for kind in kinds)] for one in residuals], dtype=float)
    pull = np.array([0.0, *[KINDS**-2] * len(kinds)])
    weight = np.array(weights(residuals)) / (1.0 + 2.0 * PUBLICATIONS**2)  # a row alone leaves a variance of 1/2 open
    parts = np.zeros(len(pull))
    bend = np.diag(pull)
    parts[0] = math.log(LEAST + float(np.sqrt(np.average(np.nanmean(away**2, axis=1), weights=weight))))
    for _ in range(ROUNDS):
        logarithms = np.maximum(design @ parts, math.log(LEAST))
        square = np.exp(-2.0 * logarithms) * _likely_squares(away, logarithms)
        slope = design.T @ (weight * (square - 1.0)) - pull * parts
        bend = (design * (2.0 * weight * (square + LEAST))[:, None]).T @ design + np.diag(pull)
        parts += np.clip(np.linalg.solve(bend, slope), -STEP, STEP)
    each = np.hstack([np.ones((len(kinds), 1)), np.eye(len(kinds))])
    unsure = np.einsum("ij,jk,ik->i", each, np.linalg.inv(bend), each)
    found = np.exp(np.maximum(each @ parts, math.log(LEAST)) + WIDER * unsure)
    return dict(zip(kinds, found.tolist(), strict=True))


def _likely_squares(away: NDArray[np.float64], logarithms: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean squared error of each row, over the cases by how likely they are the true ones."""
    import numpy as np  # noqa: PLC0415

    exponent = -0.5 * (away * np.exp(-logarithms)[:, None]) ** 2
    likely = np.exp(exponent - np.nanmax(exponent, axis=1)[:, None])
    return np.nansum(likely * away**2, axis=1) / np.nansum(likely, axis=1)


def table(errors: Iterable[ModelError]) -> str:
    """The terms as CSV."""
    rows = ((*one[:3], f"{one.deviation:.4f}", f"{one.typical:.3f}", " ".join(one.parts)) for one in errors)
    return csv_text(ModelError._fields[:6], rows)


@cache
def known() -> dict[str, ModelError]:
    """The terms that ship with the program, by kind of operation; none where there is no such file."""
    return {
        kind: ModelError(kind, int(publications), int(rows), float(deviation), float(typical), tuple(parts.split()))
        for kind, publications, rows, deviation, typical, parts in shelf.table(FILE)
    }


def term_of(
    operation: str, terms: Mapping[str, ModelError] | None = None, parts: frozenset[str] = frozenset()
) -> ModelError:
    """The term of a kind of operation, or of figures that are `FITTED`: of those that ship unless others are given.

    That of a kind which no publication has is that of all, without rows of its own. It is also said what a job has that
    no measured one of its kind had; to widen its interval therefore predicts left-out publications no better.
    """
    own = known() if terms is None else terms
    if operation not in own:
        return ModelError(operation, 0, 0, own[EVERY].deviation if EVERY in own else 0.0, 0.0)
    found = own[operation]
    return found if operation == FITTED else found._replace(lacking=tuple(sorted(parts - {*found.parts})))


def operation_of(scenario: Scenario, address: str) -> str:
    """The kind of operation that the figure at an address of a result is about.

    >>> from simbackup.scenario import load
    >>> scenario = load("teaching/one-file-from-tape")
    >>> operation_of(scenario, "jobs.full.elapsed"), operation_of(scenario, "jobs.one_file.elapsed")
    ('image', 'restore of image')
    >>> operation_of(scenario, "hosts.filer.cores.busy")
    'hosts'
    """
    job, saved = _jobs_at(scenario, address)
    if job is None:
        section = address.partition(".")[0]
        return USERS if section == "workloads" else section
    if isinstance(job, Restoring) and isinstance(saved, Saving) and job.discards(scenario.spec):
        return "restore of image"  # no files are made
    return f"restore of {saved.kind_of_work()}" if saved is not None else job.kind_of_work()


def parts_of(scenario: Scenario, address: str) -> frozenset[str]:
    """What the job of a figure, or the backup that it restores, has of its own, and the kinds of devices it writes to.

    >>> from simbackup.scenario import load
    >>> sorted(parts_of(load("planning/deduplicated"), "jobs.backup.elapsed"))
    ['compressor', 'deduplication', 'raid', 'tool']
    """
    found, devices = set[str](), scenario.spec.devices
    for job in filter(None, _jobs_at(scenario, address)):
        found |= {name for name, part in job if isinstance(part, Modelled)}
        to: str | tuple[str, ...] | None = getattr(job, "to", None)
        names = (to,) if isinstance(to, str) else to or ()
        found |= {kind_of(devices[name]).name for name in names if name in devices}
    return frozenset(found)


def _jobs_at(scenario: Scenario, address: str) -> tuple[JobSpec | None, JobSpec | None]:
    """The job of a figure, of a fleet the first one, and that which it restores; None without one."""
    section, _, rest = address.partition(".")
    if section == "fleets":
        fleet = f"fleets.{rest.partition('.')[0]}."
        own = [part for template, parts in scenario.fleets.items() if template.startswith(fleet) for part in parts]
        section, _, rest = next((part for part in own if part.startswith("jobs.")), "").partition(".")
    job = scenario.spec.jobs.get(rest.partition(".")[0]) if section == "jobs" else None
    return job, scenario.spec.jobs.get(job.restore) if isinstance(job, Restoring) else None
