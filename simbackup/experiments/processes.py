"""Worker processes for many runs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from simbackup.schema.registry import rooms

if TYPE_CHECKING:
    from concurrent.futures import Executor, ProcessPoolExecutor
    from multiprocessing.process import BaseProcess

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals on which the process that started a worker ends it."""
PR_SET_PDEATHSIG = 1
"""The request of Linux' prctl by which a process gets a signal when the one that started it ends."""


def of_use(number: int) -> int:
    """So many worker processes, but no more than the machine has cores, or two: more would only take memory."""
    return min(number, max(os.cpu_count() or 1, 2))


@contextmanager
def worker_processes(number: int) -> Generator[Executor | None]:
    """A pool of so many worker processes as are of use, or None for one; an interrupt ends them at once."""
    number = of_use(number)
    if number <= 1:
        yield None
        return
    with pool_of(number) as pool:
        yield pool


@contextmanager
def pool_of(number: int) -> Generator[ProcessPoolExecutor]:
    """A pool of so many worker processes; they end at once if the work is given up, or this process is killed."""
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 (many runs need no processes)
    from multiprocessing import active_children  # noqa: PLC0415

    rooms()  # which each worker would import by itself
    others = set(active_children())
    pool = ProcessPoolExecutor(number, initializer=_begin, initargs=(os.getpid(),))
    try:
        yield pool
    except BaseException:
        _abandon(pool, set(active_children()) - others)
        raise
    if pool._broken:  # noqa: SLF001 (its workers ignore the signal by which it ends those that are left)
        _abandon(pool, set(active_children()) - others)
    else:
        pool.shutdown()


def _abandon(pool: Any, workers: Iterable[BaseProcess]) -> None:
    """End a pool and its workers at once: each would finish its work, which may take long.

    Nobody reads what the pool has not sent yet, on which it would wait for ever. If it finds its workers dead before it
    has handled that it is to end, its thread fails.
    """
    thread = pool._executor_manager_thread  # noqa: SLF001 (Python has nothing public for it before 3.14)
    pool._call_queue.cancel_join_thread()  # noqa: SLF001
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.kill()
    if thread is not None and thread.is_alive():
        thread.join()


def _begin(starter: int) -> None:
    """Let this worker end with the process that started it, however that ends; a terminal signals to both."""
    from multiprocessing import get_start_method  # noqa: PLC0415

    for name in ENDING:
        if name in signal.Signals.__members__:
            signal.signal(signal.Signals[name], signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415

        with suppress(OSError, AttributeError):  # a library of C without it
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if get_start_method() == "fork" and os.getppid() != starter:
            os._exit(1)  # it has ended before this could be asked for
