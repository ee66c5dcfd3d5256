"""The read lock of a database, under which users read and do not write."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from simbackup.data.live import DataSet
from simbackup.system import System


@dataclass(slots=True)
class ReadLock:
    """Seconds for which a job has held the read lock."""

    held: float = 0.0


@contextmanager
def read_lock(system: System, job: str, data: DataSet, lock: ReadLock) -> Generator[None]:
    """Hold the read lock inside: users may read and must not write."""
    begin = system.env.now
    system.trace.event(begin, f"data.{data.name}", "read lock", job=job)
    waiting = [users for users in system.users if users.data == data.name]
    for users in waiting:
        users.lock()

    def unlock() -> None:
        lock.held += system.env.now - begin
        for users in waiting:
            users.unlock()
        system.trace.event(system.env.now, f"data.{data.name}", "unlock", job=job, held=system.env.now - begin)

    try:
        yield
    except Exception:  # not the end of a run that is abandoned, in which nothing happens any more
        unlock()
        raise
    unlock()
