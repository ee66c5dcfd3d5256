"""Scenarios that a plan writes: one night of a site on a date."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from simbackup import units
from simbackup.planning.failure import DISK, SECTOR, NightFailure, parts_that_fail
from simbackup.planning.hardware import (
    add_log,
    fields_of,
    machine_of,
    of_policy,
    on_devices,
    readers_of,
    sharing,
    site_parts,
    whole_bytes,
)
from simbackup.planning.loading import SiteFile
from simbackup.planning.night import DAY, LOGS, SYNTHETIC, LevelRun, MadeAtTarget, Night, begin, night_suffix, room_of
from simbackup.planning.policy import PROGRAM, LimitSpec, PolicySpec, SecondCopySpec
from simbackup.policies.levels import Level
from simbackup.results.figures import series

HALF_A_DAY = DAY / 2.0
LOG = "log"
"""How the name of what holds the transaction logs of a system ends."""
REBUILD = "rebuild"
"""How the names of jobs end that rebuild arrays."""
OVERTIME = f"overtime-{LOGS}"
"""How the names of jobs end that save transaction logs after windows have closed."""
CONNECTING = ("connections", "object_size")
"""Keys of a target that are keys of the jobs that write to it."""
PROGRAMS = ("tool", "compressor", "engine", "program")
"""Parts of a policy that say which program saves, and how."""
OF_TARGET = frozenset({"begin", "pool", "spool", "deduplication", *CONNECTING})
"""Keys of a backup that only its target or its time needs."""


def night_scenario(file: SiteFile, night: Night, *, overtime: bool = False) -> dict[str, Any]:
    """The scenario of a night, as `load` takes it; what comes from the site file keeps its places.

    With `overtime`, transaction logs are also saved after windows have closed, until the next day: run it until the
    other jobs have ended.
    """
    parts = site_parts(file, night)
    saving: dict[str, list[dict[str, Any]]] = {}
    for run in night.runs:
        start, room = run.later * DAY, room_of(file, run, night.day)
        for name in of_policy(file, run.policy):
            points = max(night.points.get(run.policy, 1), 1)
            jobs = jobs_of(file, name, run, night_suffix(run.later), start, points)
            for job, size in ((job, night.moved[job]) for job in jobs if job in night.moved):
                jobs[job]["size"] = whole_bytes(size)
            logs = log_backups(file, name, night, run, parts)
            jobs |= {each: job for each, job in logs.items() if overtime or not each.endswith(OVERTIME)}
            limited(file, parts, name, jobs)
            first, backup = next(iter(jobs.items()))
            if run.sent.value in file.spec.systems[name].history:
                parts.setdefault("history", {"jobs": {}})["jobs"][first] = {}
            if name in saving:  # a system is saved by one job at a time
                parts["devices"][f"{name}-turn"] = {"kind": "job_queue", "at_once": 1}
                for other in (*saving[name], backup):
                    _queued(other, f"{name}-turn")
            saving.setdefault(name, []).append(backup)
            if room is not None:
                backup["window"] = f"{room:.0f} s"
            parts["jobs"] |= jobs
    if night.failures:
        parts["failures"] = failing(file, night)
        parts["jobs"] |= rebuilds(file, night)
    return {**parts, "jobs": on_devices(file.spec, parts["jobs"])}


def failing(file: SiteFile, night: Night) -> dict[str, Any]:
    """What fails in a night, as a scenario states it."""
    found: dict[str, Any] = {}
    for number, (name, at, lasts) in enumerate(night.failures, 1):
        one = file.spec.failures[name]
        more = {} if one.what in {DISK, SECTOR} else {"lasts": f"{lasts} s"}
        more |= {"timeout": f"{one.timeout.si} s"} if one.states("timeout") else {}
        for part in parts_that_fail(file.spec, one):
            found[f"{name}-{number}-{part}"] = {one.what: part, "at": f"{at} s"} | more
    return found


def rebuilds(file: SiteFile, night: Night) -> dict[str, dict[str, Any]]:
    """The jobs that rebuild arrays in a night: each begins when a spare disk takes the place of one that has failed.

    It begins anew after each other failure that interrupts it.
    """
    what = [file.spec.failures[one.name].what for one in night.failures]
    disks = ((n, one) for n, one in enumerate(night.failures, 1) if what[n - 1] == DISK)
    return {
        f"{name}-{number}-{REBUILD}": {
            "method": REBUILD,
            "of": part,
            "begin": f"{at + lasts} s",
            "retries": len(what) - what.count(SECTOR) - 1,
        }
        for number, (name, at, lasts) in disks
        for part in parts_that_fail(file.spec, file.spec.failures[name])
    }


def is_rebuild(job: str, failures: Iterable[NightFailure]) -> bool:
    """Whether a job of a night rebuilds an array of which a disk has failed."""
    return any(job.startswith(f"{one.name}-") and job.endswith(f"-{REBUILD}") for one in failures)


def limited(file: SiteFile, parts: dict[str, Any], system: str, jobs: dict[str, Any]) -> None:
    """Let the jobs of a system wait in the queues of targets, of its kind of machine, of hosts, and of the server."""
    spec = file.spec
    for job in (job for job in jobs.values() if "to" in job):  # what a target makes by itself takes no stream
        limits: dict[str, LimitSpec | None] = {
            f"{job['to']}-queue": spec.targets[job["to"]].limit, "server-queue": spec.limit,
        }  # fmt: skip
        hosts = [spec.hosts_of(job["to"])[0]]
        if "data" in job:
            machine = machine_of(file, system)
            limits |= {f"{machine}-queue": spec.machines[machine].limit} if machine else {}
            hosts += readers_of(file, system, logs=job["data"].endswith(f"{LOG}-data"))
        for name, limit in limits.items():
            if limit is not None:
                parts["devices"][name] = {"kind": "job_queue", "at_once": limit.at_once.si, "order": limit.order}
                _queued(job, name)
        take_slots(file, parts, job, hosts)
        priority = spec.systems[system].priority
        if priority is not None:
            job["priority"] = priority.si


def take_slots(file: SiteFile, parts: dict[str, Any], job: dict[str, Any], hosts: Iterable[str]) -> None:
    """Let a job wait for a slot of each of some hosts, if they have slots."""
    for name in hosts:
        slots = file.spec.hosts[name].slots if name in file.spec.hosts else None
        if slots is not None:
            parts["devices"][f"{name}-queue"] = {"kind": "job_queue", "at_once": slots.si}
            _queued(job, f"{name}-queue")


def _queued(job: dict[str, Any], queue: str) -> None:
    if queue not in job.setdefault("queues", []):
        job["queues"].append(queue)


def jobs_of(
    file: SiteFile, name: str, run: LevelRun, suffix: str = "", start: float = 0.0, points: int = 1
) -> dict[str, Any]:
    """The backup of a system by a run, and its copies, with the begin of the day so many seconds after the start.

    There were so many restore `points` of the system before.
    """
    policy = file.spec.policies[run.policy]
    job, method = f"{name}{suffix}", file.method_of(name)
    backup: dict[str, Any] = {
        "method": method,
        "data": f"{name}{night_suffix(run.later)}-data",
        "to": policy.target,
        "begin": units.show_moment(start + begin(policy.at)),
    }
    if run.sent is not Level.FULL:
        backup |= {"level": run.sent.value, "since": f"{run.age:.0f} s"}
    pool, staging = file.spec.targets[policy.target].pool, policy.staging
    if pool is not None:
        backup["pool"] = pool
    if staging is not None:
        backup["spool"] = {"on": staging.on, "size": whole_bytes(staging.size.si), "overlapped": staging.overlapped}
    before = dict(run.before)
    backup |= sharing(file, name)
    backup |= connecting(file, policy.target) | deduplicating(file, policy.target, before.get(""), points)
    backup |= _programs(file, name, run.policy, method)
    known = {*fields_of(method), "to"}
    backup = {key: value for key, value in backup.items() if key in known}
    tries = _tries(policy)
    jobs, last = {job: backup | tries}, job
    for made in (made for made in run.made if not made.copy):
        last = f"{job}-{made.name}"
        jobs[last] = consolidating(made, job)
    for copy in run.copies:
        new = replicating(file, (policy.target, policy.copies[copy].to), before.get(""), before.get(copy))
        jobs[f"{job}-{copy}"] = _copying(file, policy.copies[copy], job, last, start + begin(policy.at)) | new | tries
        for made in (made for made in run.made if made.copy == copy):
            jobs[f"{job}-{made.name}"] = consolidating(made, f"{job}-{copy}")
    _replicate_first(jobs, job, last)
    return jobs


def kept_as_files(file: SiteFile, system: str, target: str) -> dict[str, Any]:
    """What a program of a system has to know of a disk on which it keeps objects: file system, and the way to it."""
    filesystem, share = (file.part("targets", target, key) for key in ("filesystem", "share"))
    found: dict[str, Any] = {} if filesystem is None else {"filesystem": filesystem}
    host = readers_of(file, system)[0]
    if share is not None and host != file.spec.hosts_of(target)[0]:
        found["share"] = {**share.mapping, "host": host}
    return found


def _programs(file: SiteFile, system: str, policy: str, method: str) -> dict[str, Any]:
    """What a policy says of the program that saves a system by a method."""
    parts = {key: file.part("policies", policy, key) for key in PROGRAMS}
    said: dict[str, Any] = {key: part for key, part in parts.items() if part is not None}
    given = file.spec.policies[policy]
    if given.compress:
        said["compress"] = True
    if method == PROGRAM:
        said |= {"operation": given.operation or "backup"} | kept_as_files(file, system, given.target)
    if given.workers is not None and method != "image":
        said["workers"] = given.workers.si
    return said


def _replicate_first(jobs: dict[str, Any], job: str, last: str) -> None:
    """Let copies of new chunks take what a backup sent, before the last job there makes it part of a full one."""
    replicas = [each for each, copy in jobs.items() if copy.get("new_chunks")]
    if last != job and replicas:
        jobs[last]["after"] = [job, *replicas]
        for each in replicas:
            jobs[each]["after"] = job


def consolidating(made: MadeAtTarget, save_set: str) -> dict[str, Any]:
    """The job that makes something of a save set at its target."""
    into = "full" if made.what == SYNTHETIC else "older"
    return {"method": "consolidate", "into": into, "save_set": save_set, "after": save_set}


def _tries(policy: PolicySpec) -> dict[str, Any]:
    """How often jobs of a policy are tried again, and when."""
    times = {} if policy.retries is None else {"retries": policy.retries.si}
    return times if policy.retry_after is None else times | {"retry_after": f"{policy.retry_after.si:.0f} s"}


def straight(job: dict[str, Any]) -> dict[str, Any]:
    """A backup that begins at once, with nothing that only its target needs."""
    return {key: value for key, value in job.items() if key not in OF_TARGET}


def _copying(file: SiteFile, copy: SecondCopySpec, job: str, last: str, due: float) -> dict[str, Any]:
    """The copy of what a job saved that was due then, when the last of what is made of it is there."""
    made: dict[str, Any] = {"method": "copy_save_set", "save_set": job, "to": copy.to, "after": last}
    if copy.at is not None:
        made["begin"] = units.show_moment(due + (begin(copy.at) - due) % DAY)
    if copy.by is not None:
        made["deadline"] = copy.by
    pool = file.spec.targets[copy.to].pool
    made |= connecting(file, copy.to)
    return made | ({"pool": pool} if pool is not None else {})


def connecting(file: SiteFile, target: str, *, writes: bool = True) -> dict[str, Any]:
    """How jobs reach a target, as far as the site says it; those that only read have no size of objects."""
    spec, found = file.spec.targets[target], dict[str, Any]()
    if spec.connections is not None:
        found["connections"] = spec.connections.si
    if spec.object_size is not None and writes:
        found["object_size"] = whole_bytes(spec.object_size.si)
    return found


def log_backups(file: SiteFile, name: str, night: Night, run: LevelRun, parts: dict[str, Any]) -> dict[str, Any]:
    """The backups of the transaction logs of a system to each target; none without logs.

    They go on until the window closes, and those of `OVERTIME` after that. Adds their data and a device for them.
    """
    policy, saved = file.spec.policies[run.policy], f"{name}{night_suffix(run.later)}"
    if policy.logs is None or saved not in night.logs:
        return {}
    job = logs_job(file, name, night.logs[saved], parts, saved)
    first, every = run.later * DAY + begin(policy.at), policy.logs.every.si
    room = min(room_of(file, run, night.day) or HALF_A_DAY, DAY)  # a window that opens later asks for nothing now
    last = math.floor(max(room - every, 0.0) / every) * every
    found: dict[str, Any] = {}
    for to, each in logs_jobs(policy, name, run.later).items():
        made = job | {"to": to} | connecting(file, to)
        found[each] = made | _repeated(first, every, first + last)
        if last + every <= DAY - every:
            found[overtime(each)] = made | _repeated(first + last + every, every, first + DAY - every) | {"after": each}
    return found


def _repeated(begin: float, every: float, until: float) -> dict[str, str]:
    return {"begin": f"{begin:.0f} s", "every": f"{every:.0f} s", "until": f"{until:.0f} s"}


def overtime(logs: str) -> str:
    """The job that goes on with backups of transaction logs when windows have closed, while others still run."""
    return f"{logs.removesuffix(LOGS)}{OVERTIME}"


def logs_of(run: str) -> str:
    """The job in `logs_jobs` that a run of a night counts for, if it saves transaction logs; else its own job.

    >>> logs_of("db-logs.3"), logs_of("db-overtime-logs.1"), logs_of("db")
    ('db-logs', 'db-logs', 'db')
    """
    job = series(run)
    return f"{job.removesuffix(OVERTIME)}{LOGS}" if job.endswith(OVERTIME) else job


def logs_jobs(policy: PolicySpec, system: str, later: int) -> dict[str, str]:
    """The jobs that save the transaction logs of a system in a night, by target."""
    targets = (policy.logs.to or (policy.target,)) if policy.logs is not None else ()
    return {to: f"{system}{night_suffix(later)}{f'-{i}' * (i > 0)}-{LOGS}" for i, to in enumerate(targets)}


def logs_job(file: SiteFile, name: str, size: float, parts: dict[str, Any], saved: str = "") -> dict[str, Any]:
    """The backup of so many bytes of transaction logs of a system, whose device it adds.

    It and the data are called after what is `saved`: the system, unless it is that of a later night.
    """
    log = f"{saved or name}-{LOG}"
    add_log(file, name, log, size, parts)
    return {"method": "image", "data": f"{log}-data"}


def deduplicating(file: SiteFile, target: str, age: float | None, points: int = 1) -> dict[str, Any]:
    """What a job says of a target that deduplicates, whose newest save set of the same data is so many seconds old.

    None if it has none; it has so many `points` of the data, about as far apart. Nothing where it does not deduplicate.
    """
    part = file.part("targets", target, "deduplication")
    if part is None:
        return {}
    said: dict[str, Any] = dict(part.mapping)
    if age is None:
        said.setdefault("within", 1.0)
    else:
        said |= {"last": f"{age:.0f} s", "generations": max(points, 1)}
    return {"deduplication": said}


def replicating(file: SiteFile, ends: tuple[str, str], age: float | None, copy_age: float | None) -> dict[str, Any]:
    """What a copy from one target to another says of the chunks that it sends; nothing unless both deduplicate.

    It sends those that are new there: where the newest copy is so many seconds old, and the newest save set at the
    source another age.
    """
    if any(file.spec.targets[name].deduplication is None for name in ends):
        return {}
    return {"new_chunks": True} | ({} if copy_age in {None, age} else {"new_since": f"{copy_age:.0f} s"})
