"""The intervals of the jobs of a result, with as much work as is asked for, in forked processes where that helps."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from simbackup.equations.uncertainty import CentralInterval
from simbackup.experiments.processes import worker_processes
from simbackup.results.figures import unit_of
from simbackup.results.result import Result
from simbackup.results.tabled import interval_table
from simbackup.uncertainty.effort import THOROUGH, Done, for_scenario
from simbackup.uncertainty.verdict import Intervals, JobInterval, all_intervals

if TYPE_CHECKING:
    import pandas as pd


FEWEST = 4
"""Items for which a copy is of use."""
THREADS = Path("/proc/self/task")
"""Where Linux lists the threads of a process."""

T = TypeVar("T")
R = TypeVar("R")


def _safe() -> bool:
    """Whether this process can be copied now: a copy waits for ever for a lock that another thread held."""
    try:
        return sys.platform == "linux" and len(list(THREADS.iterdir())) == 1
    except OSError:  # a sandbox without /proc
        return False


@dataclass(frozen=True, slots=True)
class Copies:
    """Runs a function over items in so many processes: this one, and copies of it where that is safe."""

    number: int

    def map(self, function: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """What each item gives, in order. What a copy cannot do, this process does; copies pickle what they give.

        >>> list(Copies(2).map(abs, [-1, 2, -3, 4, -5, 6, -7, 8]))
        [1, 2, 3, 4, 5, 6, 7, 8]
        """
        every = list(items)
        count = max(1, min(self.number, len(every) // FEWEST)) if _safe() else 1
        shares = [every[k::count] for k in range(count)]
        with ExitStack() as ending:
            others = [ending.enter_context(_copy(function, share)) for share in shares[1:]]
            found = [[function(item) for item in shares[0]]]
            for share, answer in zip(shares[1:], others, strict=True):
                given = answer()
                found.append([function(item) for item in share] if given is None else given)
        return (found[i % count][i // count] for i in range(len(every)))


@contextmanager
def _copy(function: Callable[[T], R], items: Sequence[T]) -> Generator[Callable[[], list[R] | None]]:
    """A copy of this process that runs a function over items, and ends at the end: it gives their outcomes.

    None if it fails, or if the system allows no more files or processes.
    """
    ends, parent, process = list[int](), os.getpid(), 0
    try:
        ends += os.pipe()
        process = os.fork()
        if not process:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            with os.fdopen(ends[1], "wb") as writing:
                pickle.dump([function(item) for item in items], writing)
    except OSError:
        process = 0
    finally:
        if os.getpid() != parent:
            os._exit(1)  # what went wrong goes wrong in the other process, too
        for end in ends[1:] if process else ends:
            os.close(end)
    if not process:
        yield lambda: None
        return
    with os.fdopen(ends[0], "rb") as reading:
        try:
            yield lambda: _read(reading)
        finally:
            with suppress(ProcessLookupError, ChildProcessError):  # the system waits for it where SIGCHLD is ignored
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)


def _read(file: IO[bytes]) -> list[Any] | None:
    """What a copy has written; None if it has failed."""
    try:
        return pickle.load(file)  # noqa: S301 (a copy of this process wrote it)
    except (EOFError, pickle.UnpicklingError):
        return None


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
    if records <= ALONE and work is not THOROUGH:
        processors = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
        return all_intervals(result, effort=work, figures=figures, executor=Copies(processors), progress=progress)
    with worker_processes(os.cpu_count() or 1) as executor:
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
