"""The intervals of the jobs of a result, with as much work as is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping

from simbackup.experiments.copies import copies
from simbackup.experiments.processes import worker_processes
from simbackup.results.result import Result
from simbackup.uncertainty.effort import THOROUGH, Done, for_scenario, is_small
from simbackup.uncertainty.verdict import JobInterval, job_intervals

ALONE = 400
"""Records of a trace up to which no worker processes are started, as that takes longer than the cases."""


def intervals_of(result: Result, effort: str = "quick", progress: Done | None = None) -> dict[str, JobInterval]:
    """The 90 % interval of the elapsed time, in seconds, of each job that ended well, by its name.

    Parameters
    ----------
    result
        The result, whose scenario is run again in other cases.
    effort
        `none`; `quick`: some tens of runs, fewer if the scenario is large, and none if it is very large; `thorough`:
        some hundreds of runs, however long they take.
    progress
        Called after each run with the number of runs that are done and the maximum number of runs.

    Raises
    ------
    ResultError
        There is no such effort, or the scenario cannot be run again.

    >>> from simbackup import simulate
    >>> intervals_of(simulate("teaching/short-backups"), "none")
    {}
    """
    records = result.trace.length
    work = for_scenario(effort, records)
    if work is None:
        return {}
    if records <= ALONE and work is not THOROUGH:
        with copies() as shared:
            return job_intervals(result, effort=work, executor=shared, progress=progress)
    with worker_processes(os.cpu_count() or 1) as executor:
        return job_intervals(result, effort=work, executor=executor, progress=progress)


def cut_short(result: Result, found: Mapping[str, JobInterval]) -> list[str]:
    """A sentence for each end of a range at which intervals stop short, as a check refuses it.

    None for a large scenario, as the checks take long.

    Parameters
    ----------
    result
        The result.
    found
        The intervals of its jobs.
    """
    if not is_small(result.trace) or not any(one.refused for one in found.values()):
        return []
    from simbackup.uncertainty.range_ends import clipped  # noqa: PLC0415 (most checks allow all cases)

    return clipped({result.scenario.name: result.scenario})
