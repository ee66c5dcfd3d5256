"""Where points are run: in this process, in worker processes, or on a Dask cluster; all behind one call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from simbackup.errors import ResultError
from simbackup.experiments.processes import of_use, pool_of

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

AHEAD = 2
"""Bunches of items that wait for each worker process."""
BUNCH_SECONDS = 0.1
"""About how long a bunch takes, unless one item takes longer; it is all that a killed process loses."""
LEAST_SECONDS = 1e-4
"""The least that an item counts as."""
TRIES = 2
"""How often an item is run that was alone when its worker process was killed."""

SECONDS = 10
"""How long the scheduler of a cluster may take to answer."""

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Lost:
    """In place of what an item gives: why there is nothing."""

    why: str


class Executor(Protocol):
    """Runs a function over items."""

    def run(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R | Lost]]:
        """What each item gives, by its number, as soon as it is known."""
        ...


class InProcess:
    """One item after the other, in this process."""

    def run(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R | Lost]]:
        """What each item gives, in order."""
        for i, item in enumerate(items):
            yield i, function(item)


@dataclass(frozen=True, slots=True)
class InProcesses:
    """Several items at once, in worker processes. If one of them is killed, its items are run again.

    Items that take little time go to a process in bunches, as each message takes time, too. The system does not say
    which item a worker was killed over. So those that were under way are then run alone, each in a process of its own,
    and one whose process is killed again is given up.
    """

    number: int

    def run(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R | Lost]]:
        """What each item gives, as soon as it is known."""
        todo = _ToDo(list(reversed(range(len(items)))))
        while todo.left:
            with pool_of(self.number) as pool:
                yield from _until_broken(pool, function, items, todo, AHEAD * self.number)
            for i in todo.suspects:
                yield i, _alone(function, items[i])
            todo.suspects.clear()


@dataclass(slots=True)
class _ToDo:
    """The numbers of items that are still to be run, the next one last, and of those that may kill a process."""

    left: list[int]
    suspects: list[int] = field(default_factory=list[int])

    def next(self, seconds: float, bunches: int) -> list[int]:
        """The next bunch, when an item takes so many seconds: of what is left no more than one of so many parts."""
        count = max(1, min(int(BUNCH_SECONDS / max(seconds, LEAST_SECONDS)), len(self.left) // bunches))
        return self.left[: -count - 1 : -1]


class _Found(NamedTuple, Generic[R]):
    """What the items of a bunch gave, and the seconds that it took."""

    each: list[R]
    seconds: float


def _bunch(function: Callable[[T], R], items: Sequence[T]) -> _Found[R]:
    began = time.perf_counter()
    return _Found([function(item) for item in items], time.perf_counter() - began)


def _until_broken(
    pool: ProcessPoolExecutor, function: Callable[[T], R], items: Sequence[T], todo: _ToDo, most: int
) -> Iterator[tuple[int, R]]:
    """What items give, `most` bunches of them under way at once, until a process is killed or all are done."""
    from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415 (many runs need no processes)
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    under_way: dict[Future[_Found[R]], list[int]] = {}
    each = BUNCH_SECONDS  # one item, until it is known how long one takes
    try:
        while todo.left or under_way:
            while todo.left and len(under_way) < most:
                numbers = todo.next(each, 2 * most)
                future = pool.submit(_bunch, function, [items[number] for number in numbers])
                under_way[future] = numbers
                del todo.left[-len(numbers) :]
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                found = future.result()
                numbers = under_way.pop(future)
                each = found.seconds / len(numbers)
                yield from zip(numbers, found.each, strict=True)
    except BrokenProcessPool:
        todo.suspects += sorted(number for numbers in under_way.values() for number in numbers)


def _alone(function: Callable[[T], R], item: T) -> R | Lost:
    """What an item gives in a process of its own, which may be killed."""
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    for _ in range(TRIES):
        with pool_of(1) as pool:
            try:
                return pool.submit(function, item).result()
            except BrokenProcessPool:
                continue
    return Lost(f"its worker process was killed {TRIES + 1} times, perhaps because memory ran out")


@dataclass(frozen=True, slots=True)
class OnCluster:
    """Items on the workers of a Dask cluster, which see the same files."""

    client: Any

    def run(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R | Lost]]:
        """What each item gives, as soon as it is known."""
        dask = _dask()
        futures = self.client.map(function, list(items), pure=False, retries=TRIES)
        numbers = {future.key: i for i, future in enumerate(futures)}
        for future in dask.as_completed(futures):
            try:
                yield numbers[future.key], future.result()
            except dask.KilledWorker as error:
                yield numbers[future.key], Lost(f"its workers were killed: {error}")


def _dask() -> Any:
    """The library for clusters, which is an extra and has no types."""
    try:
        return import_module("distributed")
    except ImportError:
        raise ResultError("a cluster needs Dask; install it with: pip install 'simbackup[cluster]'") from None


@contextmanager
def executor_for(workers: int | None = None, scheduler: str | None = None) -> Generator[Executor]:
    """Where points are run.

    Parameters
    ----------
    workers
        Worker processes of this machine; None for as many as there are processors. One needs no process.
    scheduler
        Address of the scheduler of a Dask cluster, such as `tcp://10.0.0.1:8786`; takes the place of `workers`.

    Raises
    ------
    ResultError
        There is no such cluster, or Dask is not installed.
    """
    if scheduler is None:
        number = workers or os.cpu_count() or 1
        yield InProcess() if number == 1 else InProcesses(of_use(number))
        return
    dask = _dask()
    try:
        client = dask.Client(scheduler, timeout=SECONDS)
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise ResultError(f"there is no Dask scheduler at {scheduler} ({reason}); start one: dask scheduler") from None
    with client:
        yield OnCluster(client)
