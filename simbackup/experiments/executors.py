"""Where points are run: in this process, in worker processes, or on a Dask cluster; all behind one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from simbackup.errors import ResultError
from simbackup.experiments.processes import of_use, pool_of

if TYPE_CHECKING:
    from concurrent.futures import Future

AHEAD = 2
"""Items that wait for each worker process."""
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

    The system does not say which item a worker was killed over. So those that were under way are then run alone, each
    in a process of its own, and one whose process is killed again is given up.
    """

    number: int

    def run(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[int, R | Lost]]:
        """What each item gives, as soon as it is known."""
        todo = _ToDo(list(reversed(range(len(items)))))
        while todo.left:
            with pool_of(self.number) as pool:
                yield from _until_broken(partial(pool.submit, function), items, todo, AHEAD * self.number)
            for i in todo.suspects:
                yield i, _alone(function, items[i])
            todo.suspects.clear()


@dataclass(slots=True)
class _ToDo:
    """The numbers of items that are still to be run, the next one last, and of those that may kill a process."""

    left: list[int]
    suspects: list[int] = field(default_factory=list[int])


def _until_broken(
    submit: Callable[[T], Future[R]], items: Sequence[T], todo: _ToDo, most: int
) -> Iterator[tuple[int, R]]:
    """What items give, `most` of them under way at once, until a process is killed or all are done."""
    from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415 (many runs need no processes)
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    under_way: dict[Future[R], int] = {}
    try:
        while todo.left or under_way:
            while todo.left and len(under_way) < most:
                under_way[submit(items[todo.left[-1]])] = todo.left[-1]
                todo.left.pop()
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                found = future.result()
                yield under_way.pop(future), found
    except BrokenProcessPool:
        todo.suspects += sorted(under_way.values())


def _alone(function: Callable[[T], R], item: T) -> R | Lost:
    """What an item gives in a process of its own, which may be killed."""
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    for _ in range(TRIES):
        with pool_of(1) as pool:
            try:
                return pool.submit(function, item).result()
            except BrokenProcessPool:
                continue
    return Lost(f"its worker process was killed {TRIES + 1} times, perhaps for want of memory")


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
