"""What every job has in common: when it starts, what it reports, how it fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import simpy

from simbackup import units
from simbackup.catalogue import Copy
from simbackup.devices.job_queue.live import Admission, Claim, enter
from simbackup.errors import JobFailedError, UnreadableError
from simbackup.late import Late
from simbackup.randomness import stream
from simbackup.system import System
from simbackup.trace.activity import Activity

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


@runtime_checkable
class OfKnownSize(Protocol):
    """Work of which can be said before how many bytes it moves."""

    def expected(self, system: System) -> float:
        """Bytes that it will move."""
        ...


@runtime_checkable
class There(Protocol):
    """Work that is not done, as what it saves exists at the start."""

    def placed(self, system: System, job: str, time: float) -> bool:
        """Put what the job of that address saved at a time in its place; whether there was room."""
        ...


DAY = 86_400.0
ROUNDING = 1e-9
"""Share of a period by which the last run may be after the end of the repetition."""


@dataclass(frozen=True, slots=True)
class Schedule(Late):
    """When a job runs: seconds after the start, after which jobs, how often; and by when it should have ended.

    It waits in queues with a priority, and is tried again so often, some seconds after it has failed. It begins with a
    delay after it is due; a share of its tries fails by chance, after so many seconds.
    """

    begin: float = 0.0
    after: tuple[str, ...] = ()
    every: float | None = None
    until: float = 0.0
    window: float | None = None
    deadline: float | None = None
    deadline_every: float = DAY
    queues: tuple[str, ...] = ()
    priority: float = math.inf
    retries: int = 0
    retry_after: float = 0.0
    delay: float = 0.0
    fails: float = 0.0
    fails_after: float = 0.0

    def allowed(self, due: float, since: float) -> tuple[float | None, str]:
        """Seconds after it was due by which a run should have ended, None without a limit, and what it misses then.

        A deadline comes every day or every week, first so many seconds after the start: it is the first after `since`,
        when it or the first job of its chain was due.

        >>> Schedule(deadline=6 * 3600.0).allowed(due=22 * 3600.0, since=20 * 3600.0)
        (28800.0, 'after its deadline')
        >>> Schedule(deadline=6 * 3600.0, deadline_every=7 * DAY).allowed(due=22 * 3600.0, since=20 * 3600.0)
        (547200.0, 'after its deadline')
        """
        limits: list[tuple[float, str]] = []
        if self.window is not None:
            limits.append((self.window, "outside its window"))
        if self.deadline is not None:
            times = math.floor((since - self.deadline) / self.deadline_every) + 1
            limits.append((max(times * self.deadline_every + self.deadline - due, 0.0), "after its deadline"))
        return min(limits, default=(None, ""))

    @property
    def runs(self) -> int:
        """How often it begins."""
        if self.every is None:
            return 1
        return 0 if self.until < self.begin else int((self.until - self.begin) / self.every + ROUNDING) + 1

    def starts(self) -> Iterator[float]:
        """The times at which it begins, in seconds after the start.

        >>> list(Schedule(begin=1.0, every=2.0, until=5.0).starts())
        [1.0, 3.0, 5.0]
        """
        return (self.begin + i * (self.every or 0.0) for i in range(self.runs))


@dataclass(frozen=True, slots=True)
class Job:
    """A named piece of work and its schedule."""

    name: str
    work: Work
    schedule: Schedule
    nth: Callable[[int], Job] | None = None
    """The job in its run of a number, from 0, if runs differ."""
    beside: Mapping[str, str] = field(default_factory=dict[str, str])
    """Other jobs, with their methods, that it does while it does its own work."""


def side_by_side(
    system: System, parts: Sequence[Generator[simpy.Event, Any, None]]
) -> Generator[simpy.Event, Any, None]:
    """Do all parts of a job at once; when all have ended, it fails for the reason of the first that failed."""
    if len(parts) == 1:
        yield from parts[0]
        return
    errors: list[JobFailedError] = []

    def one(part: Generator[simpy.Event, Any, None]) -> Generator[simpy.Event, Any, None]:
        try:
            yield from part
        except JobFailedError as error:
            errors.append(error)

    yield system.env.all_of([system.env.process(one(part)) for part in parts])
    if errors:
        raise errors[0]


def start(system: System, jobs: list[Job], until: Collection[str] = ()) -> simpy.Event:
    """Start all jobs; the event on which the last of them, or of some of them, has ended and all data are on disk."""
    ended, since = {name: system.env.event() for job in jobs for name in (job.name, *job.beside)}, dict[str, float]()
    for workload in system.workloads:
        workload.start()
    exist = [job for job in jobs if issubclass(type(job.work), There)]  # Python keeps what it finds for a class
    for i, job in enumerate(exist):  # later ones are newer, and all are older than the simulation
        if isinstance(job.work, There) and job.work.placed(system, f"jobs.{job.name}", float(i - len(exist))):
            ended[job.name].succeed(True)
            since[job.name] = 0.0
    for job in jobs:
        if not ended[job.name].triggered:
            system.env.process(_series(system, job, ended, since))
    return system.env.process(_finish(system, [ended[name] for name in until or ended]))


def _finish(system: System, ended: list[simpy.Event]) -> Generator[simpy.Event, Any, None]:
    yield system.env.all_of(ended)
    while pending := [event for event in system.on_disk if not event.processed]:
        yield system.env.all_of(pending)


def _series(
    system: System, job: Job, ended: dict[str, simpy.Event], since: dict[str, float]
) -> Generator[simpy.Event, Any, None]:
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
        chain = job.schedule.after if time <= 0.0 else ()  # a job without a time of its own follows those before it
        since[job.name] = min((since[before] for before in chain), default=time)
        since |= dict.fromkeys(job.beside, since[job.name])
        run = job if job.nth is None else job.nth(i)
        if run.schedule.delay and not failed:
            yield system.env.timeout(run.schedule.delay)
        good = yield from _once(system, run, name, failed, (max(time, ready), since[job.name]))
    for each in (job.name, *job.beside):
        ended[each].succeed(good)


def _once(
    system: System, job: Job, name: str, failed: list[str], times: tuple[float, float]
) -> Generator[simpy.Event, Any, bool]:
    """One run of a job, when it was due and since when its deadline counts. Records it; whether it completed."""
    begin, due = system.env.now, times[0]
    for each in (job.name, *job.beside):
        if each in system.begun and not system.begun[each].triggered:
            system.begun[each].succeed()
    window, missed = job.schedule.allowed(*times)
    for workload in system.workloads:
        workload.watch(name, begin)
    moved, status, reason = Moved(0.0, 0.0), "done", ""
    runs = {each + name.removeprefix(job.name): method for each, method in job.beside.items()}
    system.trace.beside[f"jobs.{name}"] = tuple(f"jobs.{run}" for run in runs)
    if failed:
        status, reason = "skipped", f"'{failed[0]}' did not complete"
    else:
        moved, reason = yield from _tried(system, job, f"jobs.{name}", due + (window or math.inf))
        status = "failed" if reason else "done"
    end = system.env.now
    system.note_crossed(name)
    if status == "done" and window is not None and end - due > window:
        status, reason = "late", missed
    system.trace.beside.pop(f"jobs.{name}")
    for run, method in {name: job.work.method, **runs}.items():
        system.trace.job(
            {
                "job": run, "method": method, "start": float(begin), "end": float(end),
                "elapsed": float(end - begin), "bytes": moved.bytes, "files": moved.files,
                "lock": moved.lock, "status": status, "reason": reason,
                "due": float(due),
            }
            | ({"window": window} if window is not None else {})
            | ({"buffers": moved.buffers} if moved.buffers else {})
        )  # fmt: skip
    for workload in system.workloads:
        workload.tell(name, end)
    return status in {"done", "late"}


def _tried(system: System, job: Job, name: str, ends: float) -> Generator[simpy.Event, Any, tuple[Moved, str]]:
    """Do the work of a job, which has to end at a time, as often as it takes; what it moved, and why it failed."""
    left = job.schedule.retries
    while True:
        place = yield from _admitted(system, job, name, ends)
        since = float(system.env.now)
        try:
            yield from _failing(system, job.schedule, name, job.schedule.retries - left)
            return (yield from job.work.run(system, name)), ""
        except UnreadableError as error:  # one copy fewer, which is no failure of the job
            system.catalogue.lose(partial(Copy.uses, device=error.device, medium=error.medium), str(error))
            system.trace.note(system.env.now, name, f"begins again: {error}")
            continue
        except JobFailedError as error:
            reason = str(error)
        finally:
            if place is not None:
                place.leave()
        closure, lost = system.network.admit(name), system.env.now - since
        if closure is not None and lost > 0.0:
            reason = f"{reason} after {units.show_short(lost, 's')} of work"
        if not left:
            return Moved(0.0, 0.0), reason
        left -= 1
        system.trace.note(system.env.now, name, f"is tried again: {reason}")
        with system.clock.span(name, name, Activity.WAIT):
            yield system.env.timeout(job.schedule.retry_after)
        if closure is not None and closure.opens is not None and not closure.opens.processed:
            with system.clock.span(name, closure.part, Activity.WAIT_FOR_REPAIR):
                yield closure.opens


def _failing(system: System, schedule: Schedule, name: str, before: int) -> Generator[simpy.Event, Any, None]:
    """Fail, after some time, if chance says so of a try; so many were before it in this run."""
    if not schedule.fails or stream(system.seed, f"{name}.fails {before}").random() >= schedule.fails:
        return
    if schedule.fails_after:
        with system.clock.span(name, name, Activity.WAIT):
            yield system.env.timeout(schedule.fails_after)
    raise JobFailedError(f"failed at random, as {100.0 * schedule.fails:g} % of its attempts do")


def _admitted(system: System, job: Job, name: str, ends: float) -> Generator[simpy.Event, Any, Admission | None]:
    """Wait until all queues of a job have a place for it, which it takes; None if it waits in none."""
    if not job.schedule.queues:
        return None
    queues = [system.limits[queue] for queue in job.schedule.queues]
    since = float(system.env.now)
    place = enter(queues, Claim(_expected(system, job), job.schedule.priority, ends))
    last = yield place.admitted
    if system.env.now > since:
        system.trace.span(since, float(system.env.now), name, last.name, Activity.WAIT_FOR_TURN)
    return place


def _expected(system: System, job: Job) -> float:
    """Bytes that a job will move, zero if that cannot be said."""
    try:
        return job.work.expected(system) if isinstance(job.work, OfKnownSize) else 0.0
    except JobFailedError:
        return 0.0
