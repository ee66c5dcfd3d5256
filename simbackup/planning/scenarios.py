"""Scenarios that a plan writes: one night of a site on a date."""

from __future__ import annotations

import math
from typing import Any

from simbackup import units
from simbackup.errors import Place
from simbackup.planning.chunks import deduplicating, replicating
from simbackup.planning.loading import SiteFile
from simbackup.planning.night import DAY, LOGS, SYNTHETIC, LevelRun, MadeAtTarget, Night, begin, has_weekdays, room_of
from simbackup.planning.policy import PolicySpec, SecondCopySpec
from simbackup.policies.clock import WEEKDAYS
from simbackup.policies.levels import Level
from simbackup.results.fleet_figures import series
from simbackup.schema.registry import sheets
from simbackup.schema.tree import Node

GROWING = "capacity"
HALF_A_DAY = DAY / 2.0
OVERTIME = f"overtime-{LOGS}"
"""How the names of jobs end that save transaction logs after windows have closed."""
CONNECTING = ("connections", "object_size")
"""Keys of a target that are keys of the jobs that write to it."""
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
            backup = next(iter(jobs.values()))
            if name in saving:  # a system is saved by one job at a time
                parts["devices"][f"{name}-turn"] = {"kind": "job_queue", "at_once": 1}
                for other in (*saving[name], backup):
                    _queued(other, f"{name}-turn")
            saving.setdefault(name, []).append(backup)
            if room is not None:
                backup["window"] = f"{room:.0f} s"
            parts["jobs"] |= jobs
    return parts


def whole_bytes(size: float) -> str:
    """Bytes as a scenario states them: whole, and one at least, however small a system is.

    >>> whole_bytes(1e12), whole_bytes(0.02)
    ('1000000000000 B', '1 B')
    """
    return f"{max(size, 1.0):.0f} B"


def of_policy(file: SiteFile, policy: str) -> list[str]:
    """The systems that follow a policy."""
    return [name for name, system in file.spec.systems.items() if system.policy == policy]


def night_suffix(later: int) -> str:
    """What follows the name of a system in the names of its jobs of a night, the first or one after it."""
    return f"-night{later + 1}" if later else ""


def limited(file: SiteFile, parts: dict[str, Any], system: str, jobs: dict[str, Any]) -> None:
    """Let the jobs of a system wait in the queues of their targets, of its kind of machine, and of the server."""
    spec = file.spec
    machine = machine_of(file, system)
    for job in (job for job in jobs.values() if "to" in job):  # what a target makes by itself takes no stream
        limits = {f"{job['to']}-queue": spec.targets[job["to"]].limit, "server-queue": spec.limit}
        if "data" in job:
            limits[f"{machine}-queue"] = spec.machines[machine].limit
        for name, limit in limits.items():
            if limit is not None:
                parts["devices"][name] = {"kind": "job_queue", "at_once": limit.at_once.si, "order": limit.order}
                _queued(job, name)
        priority = spec.systems[system].priority
        if priority is not None:
            job["priority"] = priority.si


def _queued(job: dict[str, Any], queue: str) -> None:
    if queue not in job.setdefault("queues", []):
        job["queues"].append(queue)


def machine_of(file: SiteFile, system: str) -> str:
    """The kind of machine of a system."""
    return file.spec.systems[system].machine or next(iter(file.spec.machines))


def jobs_of(
    file: SiteFile, name: str, run: LevelRun, suffix: str = "", start: float = 0.0, points: int = 1
) -> dict[str, Any]:
    """The backup of a system by a run, and its copies, with the begin of the day so many seconds after the start.

    There were so many restore `points` of the system before.
    """
    policy = file.spec.policies[run.policy]
    job = f"{name}{suffix}"
    backup: dict[str, Any] = {
        "method": "file_level" if file.spec.systems[name].by_file() else "image",
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
    backup |= connecting(file, policy.target) | deduplicating(file, policy.target, before.get(""), points)
    tool = file.part("policies", run.policy, "tool")
    if tool is not None:
        backup["tool"] = tool
    if policy.workers is not None and file.spec.systems[name].by_file():
        backup["workers"] = policy.workers.si
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


def site_parts(file: SiteFile, night: Night) -> dict[str, Any]:
    """Hosts, devices, links and data of the site, without jobs."""
    spec = file.spec
    parts: dict[str, Any] = {
        "title": Node(f"{spec.title}: {night.day}", Place(file.name)),
        "hosts": {}, "devices": {}, "links": {}, "data": {}, "jobs": {},
    }  # fmt: skip
    if has_weekdays(file):
        parts["first_day"] = WEEKDAYS[night.day.weekday()]
    joined: list[str] = []
    for name, target in spec.targets.items():
        device = file.part("targets", name, "device")
        if device is not None and name in night.new:
            device = Node({**device.mapping, "new_cartridges": Node(night.new[name], device.place)}, device.place)
        parts["devices"][name] = device
        hosts = [f"{beside}-host" for beside in target.beside or (name,)]
        host = hosts[0]
        if not target.beside:
            joined.append(host)
            parts["hosts"][host] = _owning(file.part("targets", name, "host"), [])
        link = file.part("targets", name, "link")
        if link is None:
            parts["hosts"][host]["owns"].append(name)
        else:
            parts["links"][f"{name}-link"] = {**link.mapping, "joins": [*hosts, name]}
        own = file.part("targets", name, "network")
        if own is not None:
            joined.remove(host)
            parts["links"][f"{name}-network"] = {**own.mapping, "joins": [host, *spec.systems]}
        if night.used.get(name, 0.0) > 0.0:
            parts["data"][f"{name}-older"] = {"on": name, "size": whole_bytes(night.used[name])}
    _add_systems(file, night, parts)
    network = file.part("network")
    parts["links"]["network"] = {**(network.mapping if network else {}), "joins": [*joined, *spec.systems]}
    return parts


def _add_systems(file: SiteFile, night: Night, parts: dict[str, Any]) -> None:
    """Add the host of each system, and its data with their device: one for each night, as large as it is by then."""
    nights = {name: {"": None} for name in file.spec.systems}
    for run in night.runs:
        for name in of_policy(file, run.policy):
            nights[name][night_suffix(run.later)] = None
    for name, suffixes in nights.items():
        machine = machine_of(file, name)
        parts["hosts"][name] = _owning(file.part("machines", machine, "host"), [])
        for saved in (f"{name}{suffix}" for suffix in suffixes):
            factor = night.factors.get(saved, 1.0)
            size = file.spec.systems[name].size.si * factor
            parts["hosts"][name]["owns"].append(f"{saved}-disk")
            parts["devices"][f"{saved}-disk"] = _holding(file.part("machines", machine, "storage"), size)
            parts["data"][f"{saved}-data"] = {"on": f"{saved}-disk", **_data(file, name, size, factor)}


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
    log, storage = f"{saved or name}-log", file.part("machines", machine_of(file, name), "storage")
    parts["hosts"][name]["owns"].append(log)
    parts["devices"][log] = _holding(storage, size)
    parts["data"][f"{log}-data"] = {"on": log, "size": whole_bytes(size)}
    return {"method": "image", "data": f"{log}-data"}


def _owning(host: Node | None, owns: list[str]) -> dict[str, Any]:
    return {**(host.mapping if host else {}), "owns": owns}


def _holding(device: Node | None, size: float) -> dict[str, Any]:
    """A device that is as large as its data, if it is one whose capacity is a plain number."""
    made: dict[str, Any] = dict(device.mapping) if device else {}
    kind = str(made["model"].word if "model" in made else made["kind"].word).partition("/")[0]
    sheet = sheets().get(kind)
    if sheet is not None and GROWING in sheet.model_fields:
        made[GROWING] = whole_bytes(size * 1.25)
    return made


def _data(file: SiteFile, name: str, size: float, factor: float) -> dict[str, Any]:
    system, growth = file.spec.systems[name], file.spec.growth
    data: dict[str, Any] = {"size": whole_bytes(size)}
    if system.files is not None:
        data["files"] = max(round(system.files.si * factor), 1)
    for key in ("filesystem", "change"):
        part = file.part("systems", name, key)
        if part is not None:
            data[key] = part
    if system.compression is not None:
        data["compression"] = system.compression.si
    change = data.get("change")
    if growth is not None and change is not None and "growth" not in change.mapping:
        data["change"] = {**change.mapping, "growth": growth.si}
    return data
