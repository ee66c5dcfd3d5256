"""Warnings about a site file that need no simulation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from simbackup.errors import Problem
from simbackup.methods.program.sheet import steps_of
from simbackup.methods.program.spec import TARGET
from simbackup.planning.futile import futile
from simbackup.planning.idle import idle_keys
from simbackup.planning.loading import SiteFile
from simbackup.planning.policy import PROGRAM, PolicySpec
from simbackup.planning.site import PlannedSite

Path = tuple[str, ...]
REMEDY = "write 'merges: true', or a level besides 'incremental' in the schedule"
LOCKED = f"{REMEDY}; a merge rewrites save sets, which a lock forbids"


def cautions(site: PlannedSite, until: date | None = None) -> list[Problem]:
    """Keys without effect, what never happens or is undone at once until the end of a plan, and endless chains."""
    return [*idle_keys(site), *futile(site, until), *endless(site.file), *unsent(site)]


def unsent(site: PlannedSite) -> Iterator[Problem]:
    """A warning for each program that writes to a target on another host without a step that sends something there."""
    programs = [name for name, policy in site.file.spec.policies.items() if policy.program is not None]
    if not programs:
        return
    spec = site.first_night.spec
    for name in programs:
        jobs: list[Any] = [spec.jobs[system.name] for system in site.of_policy(name)[:1]]
        for job in jobs:
            steps = steps_of(job.program.operations[job.operation]).values()
            away = spec.owner_of(job.target or "") not in {None, job.runs_on(spec)}
            if away and job.share is None and not any(step.at == f"{TARGET}.network" for step in steps):
                message = f"'{job.operation}' sends nothing over the network, on which '{job.target}' is"
                place = site.file.source.find(("policies", site.file.written(name), PROGRAM))[0].place
                remedy = "that time is left out; add a step {at: target.network, do: send} to the program"
                yield Problem(place, f"policies.{name}.program", message, remedy, "warning")


def endless(file: SiteFile) -> list[Problem]:
    """A warning for each retention by which nothing expires, at its place."""
    found: dict[Path, Problem] = {}
    for name, policy in file.spec.policies.items():
        for path, remedy in _chains(policy):
            here = ("policies", file.written(name), *path, "retention")
            node, _ = file.source.find(here)
            message = "frees nothing: each incremental backup needs all before it"
            found.setdefault(here, Problem(node.place, ".".join(here), message, remedy, "warning"))
    return list(found.values())


def _chains(policy: PolicySpec) -> Iterator[tuple[Path, str]]:
    """Where save sets of a policy form a chain that is never cut, with what would cut it."""
    if set(policy.schedule) != {"incremental"}:
        return
    if policy.retention is not None and not policy.merges:
        yield (), REMEDY
    for name, copy in policy.copies.items():
        if copy.retention is not None and copy.which == "all" and not copy.merges:
            yield ("copies", name), LOCKED
