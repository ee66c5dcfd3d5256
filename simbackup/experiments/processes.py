"""Worker processes for many runs."""

from __future__ import annotations

import signal
from collections.abc import Generator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def worker_processes(number: int) -> Generator[Executor | None]:
    """So many worker processes, or None where one process does it all; an interrupt ends them at once."""
    if number <= 1:
        yield None
        return
    # Python's own answer to Ctrl-C would have each of them go on to the end of its work.
    pool = ProcessPoolExecutor(number, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
