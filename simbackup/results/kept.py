"""How much of the trace a long run keeps: all, tables only, jobs only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simbackup.errors import ResultError
from simbackup.results.rows import device_rows, each_job
from simbackup.trace.columns import Jobs
from simbackup.trace.trace import FULL, JOBS, NONE, JobRecord, Trace

if TYPE_CHECKING:
    from simbackup.results.result import Result

LEFT = {
    JOBS: "only the tables of jobs and devices (--trace jobs)",
    NONE: "only what jobs report (--trace none)",
}
"""What a result keeps if that is not all, in words."""
FIGURES = ("busy", "busy_window")
"""Figures of devices that are derived from rates."""


def tables_only(trace: Trace) -> Trace:
    """A trace without rates and spans, whose jobs and devices have the figures that tables derive from those.

    >>> trace = Trace()
    >>> trace.rate(0.0, "devices.sda", 0.5, 1e6)
    >>> kept = tables_only(trace)
    >>> kept.keeps, len(kept.rates), kept.length
    ('jobs', 0, 1)
    """
    jobs = Jobs(map(JobRecord, each_job(trace)))
    devices = {str(row["device"]): row for row in device_rows(trace, _Rows(jobs))}
    return Trace(
        events=trace.events,
        devices=[
            replace(one, data={**one.data, **{key: own[key] for key in FIGURES if key in own}})
            for one in trace.devices for own in [devices[one.address]]
        ],
        jobs=jobs, keeps=JOBS, left_out=trace.length, last=trace.end,
    )  # fmt: skip


class _Rows:
    """Rows of jobs that are made again each time they are gone through: all at once take more than their trace."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return (job.data for job in self._jobs)


def whole(result: Result, what: str) -> Trace:
    """The trace of a result, if it holds all records.

    Parameters
    ----------
    result
        The result of a run.
    what
        What is made from the records, for the message.

    Raises
    ------
    ResultError
        They were not kept.
    """
    if result.trace.keeps != FULL:
        kept = LEFT[result.trace.keeps]
        whose = f"the result of '{result.record.scenario}'"
        raise ResultError(f"{what} needs the whole trace, and {whose} holds {kept}; run it again with --trace full")
    return result.trace
