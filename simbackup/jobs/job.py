"""What every job has in common: when it starts, what it reports, how it fails."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import simpy

from simbackup.jobs.system import JobFailedError, System

Steps = Generator[simpy.Event, Any, "Moved"]


class Moved(NamedTuple):
    """What a job moved, the seconds for which it held a read lock, and the buffers that it took."""

    bytes: float
    files: float
    lock: float = 0.0
    buffers: int = 0


class Work(Protocol):
    """What a job does."""

    @property
    def method(self) -> str:
        """Its name in the trade."""
        ...

    def run(self, system: System, job: str) -> Steps:
        """Do it, as the job of that address."""
        ...


ROUNDING = 1e-9
"""Share of a period by which the last run may lie behind the end of the repetition."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a job runs: seconds after the start, after which jobs, how often."""

    begin: float = 0.0
    after: tuple[str, ...] = ()
    every: float | None = None
    until: float = 0.0
    window: float | None = None

    def starts(self) -> list[float]:
        """The times at which it begins, in seconds after the start."""
        if self.every is None:
            return [self.begin]
        if self.until < self.begin:
            return []
        count = int((self.until - self.begin) / self.every + ROUNDING) + 1
        return [self.begin + i * self.every for i in range(count)]


@dataclass(frozen=True, slots=True)
class Job:
    """A named piece of work and its schedule."""

    name: str
    work: Work
    schedule: Schedule


def side_by_side(
    system: System, parts: Sequence[Generator[simpy.Event, Any, None]]
) -> Generator[simpy.Event, Any, None]:
    """Do all parts of a job at once; when all have ended, it fails for the reason of the first that failed."""
    if len(parts) == 1:
        yield from parts[0]
        return
    reasons: list[str] = []

    def one(part: Generator[simpy.Event, Any, None]) -> Generator[simpy.Event, Any, None]:
        try:
            yield from part
        except JobFailedError as error:
            reasons.append(str(error))

    yield system.env.all_of([system.env.process(one(part)) for part in parts])
    if reasons:
        raise JobFailedError(reasons[0])


def start(system: System, jobs: list[Job]) -> simpy.Event:
    """Set all jobs going; the event on which the last of them has ended and all data are on disk."""
    ended = {job.name: system.env.event() for job in jobs}
    for users in (*system.users, *system.applications):
        users.start()
    for job in jobs:
        system.env.process(_series(system, job, ended))
    return system.env.process(_finish(system, list(ended.values())))


def _finish(system: System, ended: list[simpy.Event]) -> Generator[simpy.Event, Any, None]:
    yield system.env.all_of(ended)
    while pending := [event for event in system.on_disk if not event.processed]:
        yield system.env.all_of(pending)


def _series(system: System, job: Job, ended: dict[str, simpy.Event]) -> Generator[simpy.Event, Any, None]:
    """The runs of one job, one after the other."""
    failed: list[str] = []
    for name in job.schedule.after:
        good = yield ended[name]
        if not good:
            failed.append(name)
    ready = system.env.now
    good = True
    for i, time in enumerate(job.schedule.starts()):
        if system.env.now < time:
            yield system.env.timeout(time - system.env.now)
        name = f"{job.name}.{i + 1}" if job.schedule.every is not None else job.name
        good = yield from _once(system, job, name, failed, due=max(time, ready))
    ended[job.name].succeed(good)


def _once(system: System, job: Job, name: str, failed: list[str], *, due: float) -> Generator[simpy.Event, Any, bool]:
    """One run of a job that was due at a time, and its line in the record; whether it came to its end."""
    begin = system.env.now
    for users in (*system.users, *system.applications):
        users.watch(name, begin)
    moved, status, reason = Moved(0.0, 0.0), "done", ""
    if failed:
        status, reason = "skipped", f"'{failed[0]}' did not end well"
    else:
        try:
            moved = yield from job.work.run(system, f"jobs.{name}")
        except JobFailedError as error:
            status, reason = "failed", str(error)
    end = system.env.now
    window = job.schedule.window
    if status == "done" and window is not None and end - due > window:
        status, reason = "late", "outside its window"
    system.trace.job(
        {
            "job": name, "method": job.work.method, "start": float(begin), "end": float(end),
            "elapsed": float(end - begin), "bytes": moved.bytes, "files": moved.files,
            "lock": moved.lock, "status": status, "reason": reason,
            "due": float(due),
        } | ({"window": window} if window is not None else {}) | ({"buffers": moved.buffers} if moved.buffers else {})
    )  # fmt: skip
    for users in (*system.users, *system.applications):
        users.tell(name, end)
    return status in {"done", "late"}
