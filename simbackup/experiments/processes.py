"""Worker processes for many runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor, ProcessPoolExecutor


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
    """A pool of so many worker processes; an interrupt ends them at once."""
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 (many runs need no processes)

    # By default, each would finish its work after Ctrl-C.
    pool = ProcessPoolExecutor(number, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
