"""Warnings about a site file that need no simulation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from simbackup.errors import Problem
from simbackup.methods.program.sheet import steps_of
from simbackup.methods.program.spec import TARGET
from simbackup.planning.endless import endless
from simbackup.planning.futile import futile
from simbackup.planning.idle import idle_keys
from simbackup.planning.policy import PROGRAM
from simbackup.planning.site import PlannedSite


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
            if away and not any(step.at == f"{TARGET}.network" for step in steps):
                message = f"'{job.operation}' sends nothing over the network, on which '{job.target}' is"
                place = site.file.source.find(("policies", site.file.written(name), PROGRAM))[0].place
                remedy = "that time is left out; add a step {at: target.network, do: send} to the program"
                yield Problem(place, f"policies.{name}.program", message, remedy, "warning")
