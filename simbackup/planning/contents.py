"""What is on the targets when a night begins, and the bytes of work at the targets (merges, log backups)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from simbackup.planning.failure import NightFailure
from simbackup.planning.night import SYNTHETIC, LevelRun
from simbackup.planning.playing import job_of
from simbackup.planning.site import Client, PlannedSite, Target
from simbackup.policies.levels import Level

MOST_OF_A_POOL = 0.999
"""Share of a pool that older save sets and those of the night may fill together in a simulation."""
SPARE = 1.02
"""Room for save sets of a night over their bytes, for what is rounded up."""


@dataclass(frozen=True)
class NightKind:
    """What runs in nights that are simulated together, how many new cartridges of each target begin, what fails."""

    runs: tuple[LevelRun, ...]
    new: tuple[tuple[str, int], ...] = ()
    failures: tuple[NightFailure, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return NightKind, (self.runs, self.new, self.failures)  # another process hashes names otherwise

    @cached_property
    def _hash(self) -> int:
        """Found once: hundreds of policies have a run each."""
        return hash((self.runs, self.new, self.failures))


def moved_by(site: PlannedSite, runs: Sequence[LevelRun], factors: Mapping[str, float]) -> dict[str, float]:
    """Bytes that targets read and write for what they make by themselves, by job."""
    found: dict[str, float] = {}
    for run in runs:
        policy = site.file.spec.policies[run.policy]
        for made in run.made:
            to = policy.copies[made.copy].to if made.copy else policy.target
            if made.what == SYNTHETIC and not site.targets[to].clones:
                continue  # all of it
            for system in site.of_policy(run.policy):
                name = job_of(system.name, run.later, made.name)
                change = system.sent(Level.INCREMENTAL, made.age, factors.get(job_of(system.name, run.later), 1.0))
                found[name] = found.get(name, 0.0) + change
    return found


def logged_by(site: PlannedSite, runs: Sequence[LevelRun], factors: Mapping[str, float]) -> dict[str, float]:
    """Bytes of each backup of transaction logs, by the backup of the system that night."""
    found: dict[str, float] = {}
    for run in runs:
        logs = site.file.spec.policies[run.policy].logs
        for system in site.of_policy(run.policy) if logs is not None else ():
            name = job_of(system.name, run.later)
            size = system.log_over(logs.every.si, 0.0) * factors.get(name, 1.0) if logs is not None else 0.0
            found[name] = max(size, 1.0)
    return found


def older_on(
    site: PlannedSite, name: str, used: float, runs: Sequence[LevelRun], factors: Mapping[str, float]
) -> float:
    """Bytes of older save sets on a pool, no more than leave room for what is saved in the nights."""
    target = site.targets[name]
    if target.tape or math.isinf(target.capacity):
        return 0.0
    coming = [
        _kept(system, target, run, factors.get(job_of(system.name, run.later), 1.0))
        for run in runs
        for system in site.of_policy(run.policy)
    ]
    sizes = (
        system.size * factors.get(job_of(system.name, run.later), 1.0)
        for run in runs
        for system in site.of_policy(run.policy)
    )
    most = max([*(system.size for system in site.systems), *sizes])  # what the checks ask for
    return max(min(used, MOST_OF_A_POOL * target.capacity - SPARE * max(sum(coming), most)), 0.0)


def _kept(system: Client, target: Target, run: LevelRun, factor: float) -> float:
    """Bytes that a run of a policy adds to a pool for a system that is larger than at the start by a factor."""
    if target.chunking is not None:
        return system.size * system.new_chunks(target.chunking, dict(run.before).get(""), factor) * factor
    return system.sent(run.level if run.made else run.sent, run.age, factor)
