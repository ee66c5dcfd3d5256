"""What is kept of a long run: all of its trace, only what tables say of it, or only what jobs report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simbackup.engine.columns import Jobs
from simbackup.engine.trace import FULL, JOBS, NONE, JobRecord, Trace
from simbackup.errors import ResultError
from simbackup.results.rows import device_rows, job_rows

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
    jobs = job_rows(trace)
    devices = {str(row["device"]): row for row in device_rows(trace, jobs)}
    of = {row["job"]: row for row in jobs}
    return Trace(
        events=trace.events,
        devices=[
            replace(one, data={**one.data, **{key: own[key] for key in FIGURES if key in own}})
            for one in trace.devices for own in [devices[one.address]]
        ],
        jobs=Jobs(JobRecord(of[job]) for job in trace.jobs.column("job")),
        keeps=JOBS, left_out=trace.length, last=trace.end,
    )  # fmt: skip


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
        raise ResultError(f"{what} needs the whole trace, and the result holds {kept}; run it again with --trace full")
    return result.trace
