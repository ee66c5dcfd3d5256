"""Writes the scenario of a restore: save sets that exist, and restores in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from operator import mul
from typing import Any, NamedTuple

from simbackup.planning.available import Available
from simbackup.planning.chunks import deduplicating
from simbackup.planning.hardware import on_devices, readers_of, sharing, site_parts, whole_bytes
from simbackup.planning.night import LevelRun, Night
from simbackup.planning.policy import COMPRESSOR, LOADED, PLAIN, PROGRAM
from simbackup.planning.scenarios import connecting, jobs_of, kept_as_files, logs_job, straight, take_slots
from simbackup.planning.site import Client, PlannedSite, Target
from simbackup.planning.stored import StoredCopies
from simbackup.policies.clock import elapsed
from simbackup.policies.levels import RestorePoint

RESTORE = "restore"
"""The operation of a program that brings data back."""


class RestoreSource(NamedTuple):
    """Where a system is restored from."""

    policy: str
    """Its policy."""
    available: Available
    """The chain that can be restored."""
    copies: tuple[StoredCopies, ...]
    """Where each save set of the chain is."""

    @property
    def chain(self) -> tuple[RestorePoint, ...]:
        """The restore points of the chain, its full backup first."""
        return tuple(link.point for link in self.available.links)

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets from which the chain is read, each once."""
        return tuple({copies.target.name: copies.target for copies in self.copies}.values())

    @property
    def logs(self) -> str:
        """The target that has all logs since, empty if none has."""
        return self.available.logs

    def before(self, i: int) -> tuple[float | None, int]:
        """Seconds from the save set before one of the chain to it, None without one; and how many there are before."""
        point = self.chain[i]
        older = [other.time for other in self.copies[i].series.points.values() if other.time < point.time]
        return (elapsed(max(older), point.time) if older else None), len(older)

    def size(self, site: PlannedSite, client: Client) -> float:
        """Bytes of the data of a system for which the save sets of the chain are as large in all as they were made.

        Data grow between them, and in the scenario of a restore they have one size.
        """
        ages = [elapsed(base.time, point.time) for base, point in pairwise(self.chain)]
        factors = [client.change.factor(site.seconds(point.time)) for point in self.chain]
        shares = [1.0, *map(client.differs, ages, factors[1:])]
        return sum(map(mul, shares, [client.size * factor for factor in factors])) / sum(shares)

    def lost(self, site: PlannedSite, now: datetime) -> float:
        """Seconds of new data that are lost: since the point, or at most between two backups of logs and during one."""
        logs = site.file.spec.policies[self.policy].logs
        return self.available.lost(logs.every.si if logs is not None else 0.0, now)


def restore_scenario(
    site: PlannedSite,
    sources: Mapping[str, RestoreSource],
    clients: Sequence[Client],
    now: datetime,
    how: tuple[bool, int],
) -> dict[str, Any]:
    """The scenario of a restore: the save sets of the chains are written one after the other, and then read back."""
    one_file, at_once = how
    parts = site_parts(site.file, Night(now.date(), (), _factors(site, sources, now)))
    written = [name for source in sources.values() for name in _written(site, source, clients, parts["jobs"])]
    lane: list[str] = []
    for client in clients:
        source = sources[client.policy]
        back: dict[str, Any] = {"restore": f"{client.name}-0", "after": written}
        first, last = source.copies[0].target, len(source.chain) - 1
        restoring = {} if one_file else _by_program(site, client, first.name)
        back |= _ways(site, client, first)
        hosts = (*readers_of(site.file, client.name), *(site.file.spec.hosts_of(t.name)[0] for t in source.targets))
        take_slots(site.file, parts, back, hosts)
        if not any(target.tape for target in source.targets):
            if len(lane) >= at_once:
                back["after"] = lane[-at_once]
            lane.append(restores_of(client.name, last + 1 if restoring else 1)[-1])
        if one_file and (client.by_file or first.tape or (client.mounted and first.on_disk)):
            size = client.size_at(site.seconds(now)) / max(client.files, 1.0)
            back["select"] = {"files": 1, "size": whole_bytes(size), "at": 0.5}
        elif last and not restoring:
            back["replay"] = [f"{client.name}-{j}" for j in range(1, last + 1)]
        each = _one_by_one(client, back, restoring, last + 1) if restoring else {f"back-{client.name}": back}
        parts["jobs"] |= each
        if source.logs and not one_file:
            parts["jobs"] |= _logs(site, source, client, now, parts) | {
                f"logs-{client.name}": {"restore": f"{client.name}-logs", "after": [*each][-1]}
            }
            written.append(f"{client.name}-logs")
    return parts


def _factors(site: PlannedSite, sources: Mapping[str, RestoreSource], now: datetime) -> dict[str, float]:
    """How much larger each system is than at the start, as its chain has it, as far as its datastore has room."""
    found: dict[str, float] = {}
    for client in site.systems:
        source, room = sources.get(client.policy), site.held(client, site.seconds(now))
        found[client.name] = room if source is None else min(source.size(site, client) / client.size, room)
    return found


def _ways(site: PlannedSite, client: Client, target: Target) -> dict[str, Any]:
    """How a restore reaches a target, and its workers."""
    method, workers = site.file.method_of(client.name), site.file.spec.policies[client.policy].workers
    if method in PLAIN:
        return connecting(site.file, target.name, writes=False) | sharing(site.file, client.name)
    return {} if workers is None or target.tape or method not in LOADED else {"workers": workers.si}


def restores_of(system: str, chain: int) -> list[str]:
    """The jobs that bring a system back, one after the other: a program restores each save set of a chain by itself."""
    return [f"back-{system}", *(f"back-{system}-{i}" for i in range(1, chain))]


def _one_by_one(client: Client, back: dict[str, Any], restoring: dict[str, Any], chain: int) -> dict[str, Any]:
    """The jobs in which a program brings back each save set of a chain."""
    shared, jobs = {key: value for key, value in back.items() if key != "restore"}, dict[str, Any]()
    for i, name in enumerate(restores_of(client.name, chain)):
        jobs[name] = shared | restoring | {"save_set": f"{client.name}-{i}"}
        if i:
            jobs[name]["after"] = [*jobs][-2]
    return jobs


def _by_program(site: PlannedSite, client: Client, target: str) -> dict[str, Any]:
    """The job that restores a save set of a system from a target by its program, if that has an operation `restore`."""
    program = site.file.part("policies", client.policy, PROGRAM)
    if program is None or RESTORE not in site.file.operations(client.policy):
        return {}
    job: dict[str, Any] = {
        "method": PROGRAM, PROGRAM: program, "operation": RESTORE, "data": f"{client.name}-data",
    } | kept_as_files(site.file, client.name, target)  # fmt: skip
    compressor = site.file.part("policies", client.policy, COMPRESSOR)
    return job if compressor is None else job | {COMPRESSOR: compressor}


def _logs(
    site: PlannedSite, source: RestoreSource, client: Client, now: datetime, parts: dict[str, Any]
) -> dict[str, Any]:
    """The job that writes the logs of a system since the newest point; adds the data and a device for them."""
    until = source.available.until or now
    size = max(client.log_over(elapsed(source.chain[-1].time, until), site.seconds(until)), 1.0)
    job = logs_job(site.file, client.name, size, parts)
    last = f"{client.name}-{len(source.chain) - 1}"
    return on_devices(site.file.spec, {f"{client.name}-logs": job | {"to": source.logs, "after": last}})


def _written(
    site: PlannedSite, source: RestoreSource, clients: Sequence[Client], jobs: dict[str, Any]
) -> Iterator[str]:
    """Add the jobs that write a chain; the names of the last ones.

    On tape all systems of the policy are written, among whose save sets those that are wanted lie.
    """
    policy, names = source.policy, list[str]()
    for i, (point, copies) in enumerate(zip(source.chain, source.copies, strict=True)):
        target, before = copies.target, names
        among = site.of_policy(policy) if target.tape else clients
        names = [client.name for client in among if client.policy == policy]
        pool = site.file.spec.targets[target.name].pool
        age = elapsed(source.chain[i - 1].time, point.time) if i else 0.0
        for name in names:
            job = straight(jobs_of(site.file, name, LevelRun(policy, point.level, age), f"-{i}")[f"{name}-{i}"])
            job |= {"to": target.name} | connecting(site.file, target.name)
            job |= {"pool": pool} if pool is not None else {}
            job |= deduplicating(site.file, target.name, *source.before(i))
            job |= {"after": f"{name}-{i - 1}"} if name in before else {}
            jobs |= on_devices(site.file.spec, {f"{name}-{i}": job})
    yield from (f"{name}-{len(source.chain) - 1}" for name in names)
