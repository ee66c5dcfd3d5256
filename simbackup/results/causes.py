"""Where a job's elapsed time went: seconds by cause."""

from __future__ import annotations

from typing import NamedTuple

from simbackup.results.result import Result


class Cause(NamedTuple):
    """An address, and what was done or waited for there."""

    address: str
    activity: str


def split(result: Result, job: str) -> dict[Cause, float]:
    """Seconds of a job by cause."""
    return {Cause(*key): seconds for key, seconds in result.activities(job).items()}
