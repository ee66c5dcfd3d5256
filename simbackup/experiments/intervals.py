"""The intervals of the jobs of a result, with as much work as is asked for."""

from __future__ import annotations

import os
from typing import Literal

from simbackup.experiments.processes import worker_processes
from simbackup.results.result import Result
from simbackup.uncertainty.estimate import QUICK, THOROUGH
from simbackup.uncertainty.verdict import JobInterval, affordable, job_intervals

Effort = Literal["none", "quick", "thorough"]
ALONE = 400
"""Records of a trace up to which the cases are run in one process: starting more takes longer."""


def intervals_of(result: Result, effort: str = "quick") -> dict[str, JobInterval]:
    """The 90 % interval of the elapsed time of each job that ended well, by its name.

    Parameters
    ----------
    result
        The result, whose scenario is run again in other cases.
    effort
        `none`; `quick`: some tens of runs, and none if the scenario is large; `thorough`: some hundreds, whatever it
        takes.

    >>> from simbackup import simulate
    >>> intervals_of(simulate("teaching/short-backups"), "none")
    {}
    """
    if effort == "none" or (effort == "quick" and not affordable(result)):
        return {}
    small = len(result.trace.rates) + len(result.trace.spans) <= ALONE
    with worker_processes(1 if small and effort == "quick" else os.cpu_count() or 1) as executor:
        return job_intervals(result, cases=THOROUGH if effort == "thorough" else QUICK, executor=executor)
