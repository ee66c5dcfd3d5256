"""Why each job took as long as it did, and what would change with a faster bottleneck or without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from simbackup.errors import ResultError, choices
from simbackup.experiments.knock_out import UNLIMITED, counted, faster, resource
from simbackup.results.causes import Cause, split
from simbackup.results.fleet_figures import series
from simbackup.results.kept import whole
from simbackup.results.result import Result
from simbackup.run import ran
from simbackup.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why one job took as long as it did."""

    name: str
    """The name of the job or run."""
    status: str
    """How it ended."""
    elapsed: float
    """Its seconds."""
    causes: dict[Cause, float]
    """Its seconds by cause."""
    bottleneck: str | None
    """The part with the greatest share, among those that could be faster; None without such a part."""
    share: float = 0.0
    """Seconds that are due to the bottleneck."""
    doubled: float | None = None
    """Seconds of the job with a bottleneck twice as fast; None if it then fails, or was not run."""
    without: float | None = None
    """Seconds of the job without the bottleneck; None if it then fails, or was not run."""
    next_bottleneck: str | None = None
    """The bottleneck in the run without the first one; None without such a run."""
    reason: str = ""
    """Why the job failed; empty if it did not."""
    counted: bool = False
    """Whether the bottleneck is a number of things, of which `doubled` has twice as many."""
    wait: Cause | None = None
    """A cause that takes more time than the bottleneck and that no part shortens; None without one."""

    def as_dict(self) -> dict[str, Any]:
        """The explanation as plain data."""
        return {
            "name": self.name, "status": self.status, "reason": self.reason, "elapsed_s": self.elapsed,
            "causes": {f"{cause.address} {cause.activity}": seconds for cause, seconds in self.causes.items()},
            "bottleneck": self.bottleneck, "bottleneck_s": self.share, "doubled_s": self.doubled,
            "without_bottleneck_s": self.without, "next_bottleneck": self.next_bottleneck,
            "wait": self.wait and f"{self.wait.address} {self.wait.activity}",
        }  # fmt: skip


def reasons(
    result: Result, scenario: Scenario | None, jobs: Sequence[str] = (), *, reruns: bool = True
) -> list[Reasons]:
    """Why each job, or each of those named, took as long as it did.

    Parameters
    ----------
    result
        What was simulated.
    scenario
        Its scenario, which knows the parts that could be faster; None leaves the runs out, too.
    jobs
        Names of jobs, or of their single runs; default: all jobs.
    reruns
        Whether to run the scenario again with the bottleneck twice as fast and removed.

    Raises
    ------
    ResultError
        The result has no such job, or does not hold the whole trace.

    >>> from simbackup.scenario import load
    >>> loaded = load("teaching/one-file-from-tape")
    >>> [found] = reasons(ran(loaded), loaded, ["one_file"])
    >>> found.bottleneck, found.next_bottleneck
    ('devices.jukebox.drive', 'devices.jukebox.robot')
    """
    whole(result, "an explanation")
    rows = rows_of(result, jobs)
    again: dict[tuple[str, float], Result] = {}
    until = tuple(dict.fromkeys(series(job) for job in jobs))  # what comes later changes nothing of these

    def rerun(part: str, factor: float) -> Result | None:
        if scenario is None or not reruns:
            return None
        if (part, factor) not in again:
            again[part, factor] = ran(faster(scenario, part, factor), seed=result.record.seed, until=until)
        return again[part, factor]

    found: list[Reasons] = []
    for row in rows:
        causes = split(result, row["job"])
        part, share = _bottleneck(causes, scenario)
        one = Reasons(
            row["job"], row["status"], row["elapsed"], causes, part, share, reason=row["reason"],
            wait=_longest_wait(causes, scenario, share),
        )  # fmt: skip
        found.append(one if part is None else _what_if(one, scenario, rerun(part, 2.0), rerun(part, UNLIMITED)))
    return found


def rows_of(result: Result, jobs: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of the named jobs or runs; of all jobs unless any is named.

    Raises
    ------
    ResultError
        The result has no such job.
    """
    known = [row["job"] for row in result.job_rows] if jobs else []
    named = {*known, *(name.rpartition(".")[0] for name in known)}
    for job in jobs:
        if job not in named:
            raise ResultError(f"simbackup explain: there is no job '{job}'; {choices(job, known)}")
    asked = {*jobs}
    return [row for row in result.job_rows if not asked or {row["job"], row["job"].rpartition(".")[0]} & asked]


def by_part(causes: dict[Cause, float], scenario: Scenario | None = None) -> dict[str, float]:
    """Seconds by the part that would have to be faster, the greatest first; by address where no part shortens them."""
    spent: dict[str, float] = {}
    for cause, seconds in causes.items():
        key = resource(cause, scenario) or cause.address
        spent[key] = spent.get(key, 0.0) + seconds
    return dict(sorted(spent.items(), key=lambda item: (-item[1], item[0])))


def _bottleneck(causes: dict[Cause, float], scenario: Scenario | None) -> tuple[str | None, float]:
    """The part that takes most of the time, among those that could be faster, and its seconds."""
    removable = {part for cause in causes if (part := resource(cause, scenario)) is not None}
    return next(
        ((part, seconds) for part, seconds in by_part(causes, scenario).items() if part in removable), (None, 0.0)
    )


def _longest_wait(causes: dict[Cause, float], scenario: Scenario | None, share: float) -> Cause | None:
    """The cause that takes more than so many seconds, and more than any other, if no part shortens it."""
    longest = max(causes, key=lambda cause: causes[cause], default=None)
    return longest if longest and causes[longest] > share and resource(longest, scenario) is None else None


def _what_if(one: Reasons, scenario: Scenario | None, doubled: Result | None, without: Result | None) -> Reasons:
    """The explanation with the same job in both other runs."""
    later = _bottleneck(split(without, one.name), scenario)[0] if without and _elapsed(without, one.name) else None
    after = {"doubled": _elapsed(doubled, one.name), "without": _elapsed(without, one.name)}
    many = scenario is not None and one.bottleneck is not None and counted(scenario, one.bottleneck)
    return replace(one, **after, next_bottleneck=later, counted=many)


def _elapsed(result: Result | None, job: str) -> float | None:
    """Seconds of a job that ended well."""
    row = result.row_of.get(job) if result else None
    return row["elapsed"] if row is not None and row["status"] in {"done", "late"} else None
