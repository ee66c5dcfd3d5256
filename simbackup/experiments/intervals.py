"""The intervals of the jobs of a result, with as much work as is asked for, in forked processes where that helps."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from simbackup.equations.uncertainty import CentralInterval
from simbackup.experiments.processes import worker_processes
from simbackup.results.figures import unit_of
from simbackup.results.result import Result
from simbackup.results.tabled import interval_table
from simbackup.uncertainty.effort import THOROUGH, Done, for_scenario, is_small
from simbackup.uncertainty.verdict import Intervals, JobInterval, all_intervals

if TYPE_CHECKING:
    import pandas as pd


FEWEST = 4
"""Items for which a copy is of use."""
THREADS = Path("/proc/self/task")
"""Where Linux lists the threads of a process."""

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def copies() -> Generator[Copies]:
    """The process itself, with a copy for each other processor that it may use; none where it cannot be copied.

    It is copied where that is safe: on Linux, while it has a single thread.
    """
    shared = Copies(len(os.sched_getaffinity(0)) if _safe() else 1)
    try:
        yield shared
    finally:
        shared.end()


def _safe() -> bool:
    """Whether this process can be copied now: a copy waits for ever for a lock that another thread held."""
    try:
        return sys.platform == "linux" and len(list(THREADS.iterdir())) == 1
    except OSError:  # a sandbox without /proc
        return False


@dataclass(slots=True)
class Copies:
    """Runs a function over items in so many processes, of which this is one."""

    number: int
    function: Callable[[Any], Any] | None = None
    others: list[_Copy] = field(default_factory=list["_Copy"])

    def map(self, function: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """What each item gives, in order. What a copy cannot do, this process does; copies pickle what they give.

        >>> with copies() as shared:
        ...     list(shared.map(abs, [-1, 2, -3, 4, -5, 6, -7, 8]))
        [1, 2, 3, 4, 5, 6, 7, 8]
        """
        every = list(items)
        others = self._others(function, max(0, min(self.number, len(every) // FEWEST) - 1))
        count = 1 + len(others)
        shares = [every[k::count] for k in range(count)]
        try:
            for share, other in zip(shares[1:], others, strict=True):
                other.ask(share)
            found = [[function(item) for item in shares[0]]]
            for share, other in zip(shares[1:], others, strict=True):
                given = other.answer()
                found.append([function(item) for item in share] if given is None else given)
        except BaseException:
            self.end()  # their answers would be taken for those of the next items
            raise
        return (found[i % count][i // count] for i in range(len(every)))

    def _others(self, function: Callable[[T], R], count: int) -> list[_Copy]:
        """So many copies that run a function, or fewer if no more can be made."""
        if function is not self.function:
            self.end()
        self.function = function
        while len(self.others) < count and _safe() and (other := _Copy.of(function)) is not None:
            self.others.append(other)
        return self.others[:count]

    def end(self) -> None:
        """End all copies."""
        while self.others:
            self.others.pop().end()


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of this process, and the ends of pipes to and from it."""

    process: int
    to: IO[bytes]
    back: IO[bytes]

    @classmethod
    def of(cls, function: Callable[[T], R]) -> _Copy | None:
        """A copy that runs a function over the items that it is asked for, until it is ended.

        None if the system allows no more files or processes.
        """
        ends, parent = list[int](), os.getpid()
        try:
            ends += os.pipe()
            ends += os.pipe()
            process = os.fork()
            asked, to, back, given = ends
            if process:
                os.close(asked)
                os.close(given)
                return cls(process, os.fdopen(to, "wb"), os.fdopen(back, "rb"))
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            os.close(to)
            with os.fdopen(asked, "rb") as reading, os.fdopen(given, "wb") as writing:
                while True:
                    pickle.dump([function(item) for item in pickle.load(reading)], writing)  # noqa: S301
                    writing.flush()
        except OSError:
            for end in ends:
                os.close(end)
            return None
        finally:
            if os.getpid() != parent:
                os._exit(1)  # what went wrong goes wrong in the other process, too

    def ask(self, items: Sequence[object]) -> None:
        """Send it items; nothing if it has failed."""
        with suppress(BrokenPipeError):
            pickle.dump(items, self.to)
            self.to.flush()

    def answer(self) -> list[Any] | None:
        """What the items gave; None if it has failed."""
        try:
            return pickle.load(self.back)  # noqa: S301 (a copy of this process wrote it)
        except (EOFError, pickle.UnpicklingError):
            return None

    def end(self) -> None:
        """End it."""
        with suppress(ProcessLookupError, ChildProcessError):  # the system waits for it where SIGCHLD is ignored
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        self.back.close()
        with suppress(BrokenPipeError):  # it had failed before it read all
            self.to.close()


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
        with copies() as shared:
            return all_intervals(result, effort=work, figures=figures, executor=shared, progress=progress)
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
