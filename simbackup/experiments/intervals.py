"""The intervals of the figures of a result, at a chosen effort, in worker processes if that is faster."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from simbackup.equations.uncertainty import CentralInterval
from simbackup.experiments.processes import worker_processes
from simbackup.results.figures import unit_of
from simbackup.results.result import Result
from simbackup.results.tabled import interval_table
from simbackup.uncertainty.effort import THOROUGH, Done, for_scenario
from simbackup.uncertainty.verdict import Intervals, JobInterval, all_intervals

if TYPE_CHECKING:
    import pandas as pd


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
    return every_interval(result, effort, progress, figures=False).jobs


def every_interval(
    result: Result, effort: str = "quick", progress: Done | None = None, *, figures: bool = True
) -> Intervals:
    """The intervals of the jobs as `intervals_of` has them, and from the same runs those of all figures by address."""
    records = result.trace.length
    work = for_scenario(effort, records)
    if work is None:
        return Intervals({}, {})
    small = records <= ALONE and work is not THOROUGH
    with worker_processes(1 if small else os.cpu_count() or 1) as executor:
        return all_intervals(result, effort=work, figures=figures, executor=executor, progress=progress)


def frame_of(result: Result) -> pd.DataFrame:
    """The intervals of all figures as a table by address.

    >>> from simbackup import simulate
    >>> list(frame_of(simulate("teaching/short-backups")).columns)
    ['value', 'low', 'high', 'unit']
    """
    return interval_table((*row.values(),) for row in as_rows(every_interval(result).figures))


def as_rows(figures: Mapping[str, CentralInterval]) -> list[dict[str, Any]]:
    """The intervals of figures as rows of a table, in the SI `unit`, which is empty for what is counted."""
    return [
        {"address": address, "value": one.best, "low": one.low, "high": one.high, "unit": unit_of(address) or ""}
        for address, one in figures.items()
    ]
