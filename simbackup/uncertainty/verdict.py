"""The interval of each job of a scenario, with its verdict: whether it fits, and what decides most."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

from simbackup import units
from simbackup.equations.uncertainty import LEVEL, CentralInterval, share_below
from simbackup.results.declared_waits import DeclaredWaits, declared_shares
from simbackup.results.figures import series
from simbackup.results.floors import NOTHING, Least
from simbackup.results.result import Result
from simbackup.run import ran
from simbackup.uncertainty.deciding import Contribution, decisive, input_share
from simbackup.uncertainty.effort import QUICK, Done, Effort
from simbackup.uncertainty.estimate import Estimate, Mapper, estimates
from simbackup.uncertainty.model_error import FITTED, OWN, ModelError, operation_of
from simbackup.uncertainty.validated_cases import UNKNOWN, Nearness, nearest
from simbackup.uncertainty.whole import bounds_at, error_at, evidence, least_time, whole

ENDED = frozenset({"done", "late"})
HALF = 0.5
ASKEW = 0.25
"""Distance of `faster` from one half above which the verdict mentions it."""
SURE = 0.995
"""Share of cases above which a verdict states that a job fits, without a percentage."""


@dataclass(frozen=True, slots=True)
class JobInterval:
    """The elapsed time of a job with its 90 % interval, in seconds; that of the slowest run if it is repeated."""

    job: str
    """The name of the job."""
    operation: str
    """Its kind of operation."""
    elapsed: CentralInterval
    """The time and its whole interval."""
    from_inputs: CentralInterval
    """The part of the interval that is due to inputs."""
    fits: float | None
    """Share (0 to 1) of cases in which it ends in its window and before its deadline; None if it has neither."""
    contributions: tuple[Contribution, ...]
    """What single inputs contribute, the greatest first."""
    cases: int
    """Cases in which it ended well."""
    asked: int
    """All cases."""
    floor: Least = NOTHING
    """The link that sets the lower end of the interval, as its full rate allows no less; `NOTHING` if none does."""
    nearest: Nearness = UNKNOWN
    """The nearest measured case of this kind of operation."""
    faster: float = HALF
    """Share (0 to 1) of cases in which it takes no longer than the answer that is shown."""
    declared: float = 0.0
    """Seconds of the answer that are declared waits, such as until an archive is readable; they have no model error."""
    tested: str = ""
    """What the error of the model was learned from, in words."""
    evidence: Literal["none", "unlike", "others", "own"] = "others"
    """Whether the kind of operation was never tested, or never with a part of this job, or tested, or fitted to it."""
    refused: tuple[str, ...] = ()
    """What checks said of the values of cases that they refused at first, so that nearer ones took their place."""

    @property
    def decides(self) -> list[Contribution]:
        """The inputs that decide most, each of which causes a good part of the whole interval."""
        return decisive(self.contributions, self.from_inputs, self.elapsed)

    @property
    def input_share(self) -> float:
        """Share (0 to 1) of the variance of the interval that is due to inputs; the rest is model error."""
        return input_share(self.from_inputs, self.elapsed)

    @property
    def sure(self) -> bool:
        """Whether jobs like it, and no smaller or larger ones only, were measured, so that a verdict may be certain."""
        return self.evidence == "own" or (self.evidence == "others" and not self.nearest.outside)

    @property
    def by_model(self) -> bool:
        """Whether most of the interval is what the model left out of jobs of others."""
        return self.input_share < HALF and self.evidence in {"unlike", "others"}

    def sentence(self, *, brief: bool = False) -> str:
        """The interval in words; what is `brief` leaves out how it came about."""
        return ". ".join([self.likely(brief=brief), *self.reasons(brief=brief)])

    def likely(self, *, brief: bool = False) -> str:
        """The verdict and the ends of the interval in words."""
        low, high = (units.show_short(end, "s", 3) for end in (self.elapsed.low, self.elapsed.high))
        parts = [f"{low} to {high} in {100.0 * LEVEL:.0f} % of cases"]
        if self.fits is not None:
            parts.insert(0, fitting(self.fits, sure=self.sure))
        if abs(self.faster - HALF) >= ASKEW and not brief:
            side, share = ("less", self.faster) if self.faster > HALF else ("more", 1.0 - self.faster)
            parts.append(f"{side} than shown in {100.0 * share:.0f} % of them")
        if self.declared > 0.0 and not brief:
            parts.append(f"{units.show_short(self.declared, 's', 3)} of it are declared waits")
        if self.cases < self.asked:
            parts.append(f"it fails in {100.0 * (1.0 - self.cases / self.asked):.0f} % of cases")
        return "; ".join(parts)

    def reasons(self, *, brief: bool = False) -> list[str]:
        """What the interval was learned from, and what widens it, in sentences."""
        found = [self.learned()]
        if self.nearest.cases and self.nearest.outside:
            near = self.nearest.sentence(self.operation)
            found.append(f"it is {near.partition(' (')[0] if brief else near}")
        first = f"measure {' and '.join(one.input.named() for one in self.decides)} first" if self.decides else ""
        if self.by_model:
            found.append(f"most of this range is model error{f': of the inputs, {first}' if first else ''}")
        else:
            found.append(first)
        if self.floor.line and not brief:
            shared = f" with the bytes of {self.floor.runs} jobs" if self.floor.runs > 1 else ""
            found.append(f"{self.floor.line} sets the lower end{shared}")
        if self.refused and not brief:
            share, first = 100.0 * len(self.refused) / self.asked, self.refused[0]
            found.append(
                f"in {share:.0f} % of cases a check refuses the values, and nearer ones take their place: {first}"
            )
        return [f"{text[:1].upper()}{text[1:]}" if " " in text.partition(".")[0] else text for text in found if text]

    def learned(self) -> str:
        """What the error of the model was learned from, and what this means for the interval, in words."""
        meant = ", so the error of all other kinds stands in" if self.evidence == "none" else ""
        if self.evidence == "own" and self.input_share < HALF:
            meant = ", so what is left is noise"
        first, *more = self.tested.split("; ") if self.tested else [""]
        return "; ".join([f"{first}{meant}" if first else "", *more])

    def as_dict(self, *, nearest: bool = False) -> dict[str, Any]:
        """The interval as plain data, times in seconds; with the measured cases that are `nearest` only if asked."""
        return {
            "job": self.job, "operation": self.operation, "level": LEVEL, "elapsed": self.elapsed.best,
            "low": self.elapsed.low, "high": self.elapsed.high,
            "from_inputs": [self.from_inputs.low, self.from_inputs.high], "line": self.floor.line, "fits": self.fits,
            "faster": self.faster, "declared": self.declared,
            "inputs": [
                {
                    "address": one.input.name, "at": list(one.input.addresses), **one.input.uses[0].as_dict(),
                    "elapsed": [one.at_low, one.at_high], "share": one.share,
                }
                for one in self.decides
            ],
            "tested": self.tested, "cases": self.cases, "asked": self.asked, "refused": len(self.refused),
            **(self.nearest.as_dict() if nearest else {}),
        }  # fmt: skip


def fitting(share: float, *, sure: bool = True) -> str:
    """In how many cases a job fits, in words; never all or none of them if one cannot be so `sure`.

    >>> fitting(0.83), fitting(0.999), fitting(0.001)
    ('fits its window in 83 % of cases', 'fits its window', 'misses its window')
    >>> fitting(0.999, sure=False)
    'fits its window in more than 99 % of cases'
    """
    if share >= SURE:
        return "fits its window" if sure else "fits its window in more than 99 % of cases"
    if share <= 1.0 - SURE:
        return "misses its window" if sure else "misses its window in more than 99 % of cases"
    return f"fits its window in {100.0 * share:.0f} % of cases"


class Intervals(NamedTuple):
    """The intervals of a result: of each job with its verdict, by its name, and of every figure by its address."""

    jobs: dict[str, JobInterval]
    figures: dict[str, CentralInterval]


def _slowest(result: Result, jobs: Collection[str] = ()) -> dict[str, dict[str, Any]]:
    """The slowest run of each job, or of some jobs, that ended well."""
    found: dict[str, dict[str, Any]] = {}
    for row in result.job_rows:
        job = series(row["job"])
        slower = job not in found or row["elapsed"] > found[job]["elapsed"]
        if slower and row["status"] in ENDED and (not jobs or job in jobs):
            found[job] = row
    return found


def _elapsed(result: Result, jobs: Collection[str] = ()) -> dict[str, float]:
    return {job: row["elapsed"] for job, row in _slowest(result, jobs).items()}


def _least(result: Result) -> dict[str, float]:
    """Lower bounds of the elapsed time of each job, in seconds, from its bytes and its declared waits."""
    found, waits = dict[str, float](), DeclaredWaits(result)
    for run, least in result.least.items():
        found[series(run)] = max(found.get(series(run), 0.0), least_time(least, waits.of(run)))
    return found


def _declared(result: Result) -> dict[str, float]:
    """The share of the elapsed time of each job that consists of declared waits."""
    addresses = {job: f"jobs.{row['job']}.elapsed" for job, row in _slowest(result).items()}
    shares = declared_shares(result, addresses.values())
    return {job: shares[address] for job, address in addresses.items() if address in shares}


def _every_figure(_: Result, figures: Mapping[str, float]) -> Mapping[str, float]:
    return figures


@dataclass(frozen=True, slots=True)
class _Both:
    """What is read of the jobs of a result, by their names, and of its figures, by their addresses."""

    name: str
    jobs: Callable[[Result], Mapping[str, float]]
    figures: Callable[[Result, Mapping[str, float]], Mapping[str, float]] | None

    def __call__(self, results: Mapping[str, Result]) -> dict[str, float]:
        result = results[self.name]
        return {**(self.figures(result, result.figures) if self.figures else {}), **self.jobs(result)}


def job_intervals(result: Result, **how: Any) -> dict[str, JobInterval]:
    """The 90 % interval of the elapsed time of each job that ended well, by its name, as `all_intervals` has it.

    >>> from simbackup.uncertainty.effort import LEAN
    >>> found = job_intervals(ran("teaching/short-backups"), effort=LEAN)
    >>> all(one.elapsed.low <= one.elapsed.best <= one.elapsed.high for one in found.values())
    True
    """
    return all_intervals(result, figures=False, **how).jobs


def all_intervals(
    result: Result,
    *,
    effort: Effort = QUICK,
    jobs: Collection[str] = (),
    figures: bool = True,
    executor: Mapper | None = None,
    progress: Done | None = None,
) -> Intervals:
    """The 90 % intervals of the elapsed time of each job that ended well, and from the same cases those of all figures.

    A time that is certain and figures that are times on the clock have none. The interval of a figure that no input
    moves is the figure.

    Parameters
    ----------
    result
        A result of the scenario with all values at their best estimates; its seed is that of the cases, too.
    effort
        How many cases of uncertain inputs are run, and how many inputs are moved alone besides.
    jobs
        The jobs that are wanted, all unless given: runs end when these have ended.
    figures
        Whether those of all figures are wanted.
    executor
        Runs the cases at once; by default one after another.
    progress
        Called after each case with how many are done, and how many there will be at most.
    """
    scenario, seed = result.scenario, result.record.seed
    name, run = scenario.name, result if result.least else ran(scenario, seed=seed)
    shares, asked = _declared(run), _elapsed(run, jobs)
    read = _Both(name, partial(_elapsed, jobs=tuple(jobs)), _every_figure if figures and not jobs else None)
    found = estimates(
        {name: scenario}, read, effort=effort, seed=seed,
        bounds=_Both(name, _least, bounds_at if figures else None),
        declared=_Both(name, _declared, declared_shares if figures else None),
        results={name: run}, until=jobs, asked=asked, executor=executor, progress=progress,
    )  # fmt: skip
    of_figures = {
        address: interval
        for address, one in found.items()
        if address not in asked and (interval := whole(one, scenario, address))
    }
    intervals: dict[str, JobInterval] = {}
    for job in asked:
        address, one = f"jobs.{job}.elapsed", found[job]
        interval = whole(one, scenario, address) or one.spread
        if math.isclose(interval.low, interval.high):  # it ends later by rounding where it begins at another time
            continue
        error = error_at(scenario, address)
        share = _fits(result, job, one, error.deviation)
        if share is not None and one.asked:
            share *= len(one.values) / one.asked
        least = max((each for name, each in run.least.items() if series(name) == job), default=NOTHING)
        floor = least if one.bound and interval.low <= one.bound.low else NOTHING
        moved = max((float(row["bytes"]) for row in result.job_rows if series(row["job"]) == job), default=0.0)
        intervals[job] = JobInterval(
            job, operation_of(scenario, address), interval, one.spread, share, one.contributions, len(one.values),
            one.asked, floor, nearest(operation_of(scenario, address), moved),
            (
                share_below(one.spread.best, one.spread.best, one.values, error.deviation, one.declared)
                if one.values else HALF
            ),
            shares.get(job, 0.0) * one.spread.best, evidence(scenario, address), learned_from(error), one.refused,
        )  # fmt: skip
    return Intervals(intervals, of_figures)


def learned_from(error: ModelError) -> Literal["none", "unlike", "others", "own"]:
    """Whether the error was learned from no job of its kind, from ones that lack a part, from like ones, or from it."""
    if error.operation in {FITTED, OWN}:
        return "own"
    return "none" if not error.rows else "unlike" if error.lacking else "others"


def _fits(result: Result, job: str, found: Estimate, deviation: float) -> float | None:
    """The share of cases in which the tightest run of a job ends within its window; None if it has none."""
    rows = [row for row in result.job_rows if series(row["job"]) == job and row.get("window") is not None]
    longest, values = found.spread.best, found.values or (found.spread.best,)
    shares: list[float] = []
    for row in rows:
        left = row["window"] - (row["start"] - row["due"]) + longest - row["elapsed"]
        shares.append(share_below(left, longest, values, deviation, found.declared))
        if found.bound is not None:
            shares.append(found.bound.probability_below(left))
    return min(shares, default=None)
