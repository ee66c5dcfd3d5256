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
from simbackup.devices.job_queue.live import Admission, Claim, JobQueue, enter
from simbackup.errors import JobFailedError, UnreadableError
from simbackup.late import Late
from simbackup.randomness import generator
from simbackup.system import System
from simbackup.trace.activity import Activity

Steps = Generator[simpy.Event, Any, "Moved"]


class Moved(NamedTuple):
    """What a job moved."""

    bytes: float
    """Bytes of save sets."""
    files: float
    """Files."""
    lock: float = 0.0
    """Seconds for which it held a read lock."""
    buffers: int = 0
    """Buffers that it used; 0 if it has none."""


class Work(Protocol):
    """What a job does."""

    @property
    def method(self) -> str:
        """The method, as the trade names it."""
        ...

    def run(self, system: System, job: str) -> Steps:
        """Do the work as the job (or run) with this address."""
        ...


@runtime_checkable
class OfKnownSize(Protocol):
    """Work whose bytes are known before it begins."""

    def expected(self, system: System) -> float:
        """Bytes that it will move."""
        ...


@runtime_checkable
class There(Protocol):
    """Work that is not simulated, because what it saves exists at the start."""

    def placed(self, system: System, job: str, time: float) -> bool:
        """Put the save set of the job where it would have been written at a time (seconds); whether there was space."""
        ...


DAY = 86_400.0
ROUNDING = 1e-9
"""Share of a period by which the last run may begin after `until`."""


@dataclass(frozen=True, slots=True)
class Schedule(Late):
    """When a job begins, how often, by when it should have ended, and what happens when it fails.

    Times are in seconds; moments count from the start of the simulation.
    """

    begin: float = 0.0
    """When it begins first."""
    after: tuple[str, ...] = ()
    """Jobs after whose end it begins."""
    every: float | None = None
    """Period after which it begins again; None for a single run."""
    until: float = 0.0
    """Last moment at which a run begins."""
    window: float | None = None
    """Seconds after it was due by which it should have ended; None without a window."""
    deadline: float | None = None
    """First moment by which it should have ended; None without a deadline."""
    deadline_every: float = DAY
    """Period of the deadline."""
    queues: tuple[str, ...] = ()
    """Job queues that must admit it."""
    priority: float = math.inf
    """Order in these queues; lower numbers go first."""
    retries: int = 0
    """Further attempts of a run that fails."""
    retry_after: float = 0.0
    """Seconds between a failure and the next attempt."""
    delay: float = 0.0
    """Seconds from when it is due until it begins."""
    fails: float = 0.0
    """Share (0 to 1) of its attempts that fail at random."""
    fails_after: float = 0.0
    """Seconds after which such an attempt fails."""

    def allowed(self, due: float, since: float) -> tuple[float | None, str]:
        """Seconds after a run was due by which it should have ended, and the words for a run that ends later.

        None without a limit. A deadline repeats: it is the first one after `since`, when the run or the first job of
        its chain was due.

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
        """Number of runs."""
        if self.every is None:
            return 1
        return 0 if self.until < self.begin else int((self.until - self.begin) / self.every + ROUNDING) + 1

    def starts(self) -> Iterator[float]:
        """The moments at which its runs begin.

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
    """The job for a run, by its number from 0, if runs differ."""
    beside: Mapping[str, str] = field(default_factory=dict[str, str])
    """Jobs whose work this one does with its own, and their methods."""
    hosts: frozenset[str] = frozenset()
    """The hosts without which it cannot go on; none where nothing fails."""


def passing(system: System, job: str, cause: str, activity: str, seconds: float) -> Generator[simpy.Event, Any, None]:
    """Let some seconds pass, and record them."""
    with system.clock.span(job, cause, activity):
        yield system.env.timeout(seconds)


def side_by_side(
    system: System, parts: Sequence[Generator[simpy.Event, Any, None]]
) -> Generator[simpy.Event, Any, None]:
    """Run all parts of a job at once; when all have ended, it fails for the reason of the first that failed."""
    if len(parts) <= 1:
        for part in parts:
            yield from part
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
    """Start all jobs; return the event on which all (or the named ones) have ended, and all data are on disk."""
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
    """One run of a job: record it, and return whether it completed.

    `times` are when it was due, and since when its deadline counts.
    """
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
    """Attempt the work of a job until it succeeds or no attempt is left; return what it moved, and why it failed.

    `ends` is the moment by which it should have ended.
    """
    left = job.schedule.retries
    while True:
        place = yield from _admitted(system, job, name, ends)
        since = float(system.env.now)
        system.running[name] = job.hosts
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
            del system.running[name]
            if place is not None:
                place.leave()
        closure, lost = system.network.admit(name), system.env.now - since
        if closure is not None and lost > 0.0:
            reason = f"{reason} after {units.show_short(lost, 's')} of work"
        if not left:
            return Moved(0.0, 0.0), reason
        left -= 1
        system.trace.note(system.env.now, name, f"is tried again: {reason}")
        yield from passing(system, name, name, Activity.WAIT, job.schedule.retry_after)
        if closure is not None and closure.opens is not None and not closure.opens.processed:
            with system.clock.span(name, closure.part, Activity.WAIT_FOR_REPAIR):
                yield closure.opens


def _failing(system: System, schedule: Schedule, name: str, before: int) -> Generator[simpy.Event, Any, None]:
    """Fail after some time if chance says so for this attempt; `before` is the number of earlier ones."""
    if not schedule.fails or generator(system.seed, f"{name}.fails {before}").random() >= schedule.fails:
        return
    if schedule.fails_after:
        yield from passing(system, name, name, Activity.WAIT, schedule.fails_after)
    raise JobFailedError(f"failed at random, as {100.0 * schedule.fails:g} % of its attempts do")


def _admitted(system: System, job: Job, name: str, ends: float) -> Generator[simpy.Event, Any, Admission | None]:
    """Wait until all queues of a job have a place, and take it; None without queues."""
    if not job.schedule.queues:
        return None
    queues = [system.of(JobQueue)[queue] for queue in job.schedule.queues]
    since = float(system.env.now)
    place = enter(queues, Claim(_expected(system, job), job.schedule.priority, ends))
    last = yield place.admitted
    if system.env.now > since:
        system.trace.span(since, float(system.env.now), name, last.name, Activity.WAIT_FOR_TURN)
    return place


def _expected(system: System, job: Job) -> float:
    """Bytes that a job will move; zero if that is unknown."""
    try:
        return job.work.expected(system) if isinstance(job.work, OfKnownSize) else 0.0
    except JobFailedError:
        return 0.0
