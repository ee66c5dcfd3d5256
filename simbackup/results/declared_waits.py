"""The part of a job's time that the scenario states and nothing computes, such as a wait for a courier.

The error of a model makes the computed part of a time longer or shorter, and never the declared part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simbackup.results.causes import split
from simbackup.results.figures import jobs_of, series
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.results.result import Result

DECLARED = frozenset({Activity.WAIT, Activity.WAIT_FOR_RETRIEVAL, Activity.OBSERVE})
"""Activities that last as long as the scenario says: until a retry, until an archive is readable, while one watches."""
ROUNDING = 1e-9
"""Share of a time by which a job may begin after the end of the job before it."""
ALONE, TOGETHER = frozenset({"elapsed", "rate"}), frozenset({"elapsed", "rate", "slowest", "mean"})
"""Figures of a run, and of the jobs of a fleet, that hold declared waits."""


class DeclaredWaits:
    """The declared seconds of the runs of a result."""

    def __init__(self, result: Result) -> None:
        self._result = result
        self._jobs = result.scenario.spec.jobs
        found = DECLARED.intersection(result.trace.spans.names.texts)
        self._having = (
            {span.job for span in result.trace.spans if span.activity in found} if found else frozenset[str]()
        )
        self._seconds: dict[str, float] = {}

    def of(self, run: str) -> float:
        """Declared seconds on the critical path of a run, by its name."""
        if f"jobs.{run}" not in self._having:
            return 0.0
        if run not in self._seconds:
            causes = split(self._result, run)
            self._seconds[run] = sum(seconds for cause, seconds in causes.items() if cause.activity in DECLARED)
        return self._seconds[run]

    def until(self, row: Mapping[str, Any], since: float) -> float:
        """Declared seconds from `since` to the end of a run, through the jobs that it followed.

        The wait for a stated time is declared, too.

        Parameters
        ----------
        row
            The row of the run.
        since
            Seconds from the start of the simulation.
        """
        found = self.of(str(row["job"]))
        while row["start"] > since:
            job = self._jobs[series(str(row["job"]))]
            before = self._before(job.after, float(row["due"]))
            if before is None:  # it begins at a stated time, or after the run before it
                due = float(row["due"])
                return found + max(due - since, 0.0) + min(float(row["start"]) - due, job.delay.si)
            row = before
            found += self.of(str(row["job"]))
        return found

    def _before(self, names: Collection[str], due: float) -> Mapping[str, Any] | None:
        """The run of some jobs whose end made another due; None if none did."""
        if not names or due <= 0.0:
            return None
        own = (row for name in names for row in self._runs.get(name, ()))
        return next((row for row in own if abs(float(row["end"]) - due) <= ROUNDING * due), None)

    @cached_property
    def _runs(self) -> dict[str, list[Mapping[str, Any]]]:
        """The rows of the runs of each job."""
        found: dict[str, list[Mapping[str, Any]]] = {}
        for row in self._result.job_rows:
            found.setdefault(series(str(row["job"])), []).append(row)
        return found


def declared_shares(result: Result, addresses: Iterable[str]) -> dict[str, float]:
    """The declared share of the times, or of the times behind the rates, at some addresses; without those of none.

    >>> from simbackup import simulate
    >>> declared_shares(simulate("teaching/short-backups"), ["jobs.save-1.elapsed"])
    {}
    """
    waits, found = DeclaredWaits(result), dict[str, float]()
    for address in addresses:
        owner, _, column = address.rpartition(".")
        section, _, job = owner.partition(".")
        if section == "jobs" and job in result.row_of:
            rows: Sequence[Mapping[str, Any]] = [result.row_of[job]] if column in ALONE else []
        elif section == "fleets" and column in TOGETHER:
            fleets = result.record.fleets
            own = (t for t in fleets if t == owner or t.startswith(f"{owner}."))
            rows = jobs_of(result.job_rows, [part for template in own for part in fleets[template]])
        else:
            rows = []
        seconds, whole = _declared(waits, rows, column)
        if seconds > 0.0 and whole > 0.0:
            found[address] = min(seconds / whole, 1.0)
    return found


def _declared(waits: DeclaredWaits, rows: Sequence[Mapping[str, Any]], column: str) -> tuple[float, float]:
    """Declared seconds of a figure of some runs, and all of its seconds."""
    if not rows:
        return 0.0, 0.0
    if column == "mean":
        ran = [row for row in rows if row["status"] in {"done", "late"}]
        return sum(waits.of(str(row["job"])) for row in ran), sum(float(row["elapsed"]) for row in ran)
    if column == "slowest" or len(rows) == 1:
        longest = max(rows, key=lambda row: float(row["elapsed"]))
        return waits.of(str(longest["job"])), float(longest["elapsed"])
    since, last = min(float(row["start"]) for row in rows), max(rows, key=lambda row: float(row["end"]))
    return waits.until(last, since), float(last["end"]) - since
