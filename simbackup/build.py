"""A live system from a scenario: each part is made in its room, and has what its capabilities promise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, cast

import simpy

from simbackup.data.make import make as make_data
from simbackup.devices.host.live import make as make_host
from simbackup.devices.network.live import make as make_network
from simbackup.devices.site import Site
from simbackup.devices.store import Region
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.failures import begin, hosts_of
from simbackup.methods.copies import Existing, Placing
from simbackup.methods.job import Job, Schedule
from simbackup.policies.clock import DAY, deadline
from simbackup.scenario.spec import Spec
from simbackup.schema import registry
from simbackup.schema.capability import ImageDevice, OnDevice
from simbackup.schema.job import JobSpec, Lasting, SharedOut
from simbackup.schema.part import Part
from simbackup.schema.quantity import si_or
from simbackup.schema.registry import RoomError
from simbackup.system import System
from simbackup.trace.clock import Clock
from simbackup.trace.trace import Trace
from simbackup.units import parse_moment

TYPES: dict[str, tuple[type, ...]] = {"link": (Link,), "size": (int, float)}
"""Of what type some attributes have to be."""


@cache
def capabilities(spec: type[Part]) -> Mapping[type[Part], type]:
    """What the live part of each capability of a spec offers; a capability takes the place of those it derives from."""
    said = [each for each in spec.__mro__ if vars(each).get("live_part")]
    own = [each for each in said if not any(other is not each and issubclass(other, each) for other in said)]
    return {each: cast("type", registry.function(vars(each)["live_part"])) for each in own}


def made(part: Part, *given: object) -> Any:
    """The live part that the room of a spec makes.

    Raises
    ------
    RoomError
        It lacks something that its capability promises.
    """
    make = registry.kind_of(part).make
    live: object = registry.function(make)(*given)
    complete = type(part), type(live)
    if complete in _COMPLETE:
        return live
    for capability, offers in capabilities(type(part)).items():
        lacks = [name for name in _members(offers) if not _has(live, name)]
        if lacks:
            own = f"{type(live).__module__}.{type(live).__qualname__}"
            wanted = f"the live part of a {capability.__name__} is a {offers.__module__}.{offers.__name__}"
            raise RoomError(f"'{make}' made a {own} without {', '.join(lacks)}; {wanted}")
    _COMPLETE.add(complete)
    return live


_COMPLETE: set[tuple[type[Part], type]] = set()
"""Pairs of a spec and a live class that were found to lack nothing."""


@cache
def _members(offers: type) -> list[str]:
    """The names that a class and those that it derives from declare."""
    own = [each for each in offers.__mro__ if each.__module__ not in {"builtins", "typing", "abc"}]
    declared = {name for each in own for name in (*vars(each), *vars(each).get("__annotations__", {}))}
    return sorted(name for name in declared if not name.startswith("_"))


def _has(live: object, name: str) -> bool:
    """Whether a live part has an attribute, of the right type where that matters at once."""
    return hasattr(live, name) and isinstance(getattr(live, name), TYPES.get(name, object))


def build(
    spec: Spec, seed: int, clock: Callable[[simpy.Environment, Trace], Clock] = Clock
) -> tuple[System, list[Job]]:
    """The live system of a scenario, and its jobs in the order of the file; `clock` makes its clock."""
    env, trace = simpy.Environment(), Trace()
    made_clock = clock(env, trace)
    system = System(made_clock, FlowNetwork(env, trace, refusals=made_clock.refusals), seed)
    for name in sorted(spec.hosts, key=lambda name: spec.hosts[name].within is not None):
        system.hosts[name] = make_host(system, name, spec.hosts[name])
    for name, link in spec.links.items():
        make_network(system.networks, name, link, spec.ends_of(name))
    _devices(system, spec)
    begins = spec.placement()
    for name, data in spec.data.items():
        system.data[name] = make_data(system, name, data, begins[name])
    for name, workload in spec.workloads.items():
        system.workloads.append(made(workload, system, spec, f"workloads.{name}", workload))
    begin(system, spec)
    for name, job in spec.jobs.items():
        if job.most_rate is not None:
            system.most[f"jobs.{name}"] = Link(f"jobs.{name}.most_rate", job.most_rate.si, fastest=job.most_rate.si)
        if isinstance(job, SharedOut):
            system.serial[f"jobs.{name}"] = partial(_serial_share, job, spec)
    written = {copy for job in spec.jobs.values() for copy in spec.inline_copies_of(job)}  # by their backups
    return system, [job_of(name, spec) for name in spec.jobs if name not in written]


def _serial_share(job: SharedOut, spec: Spec) -> float:
    """The share of a job that one worker does while the others wait: as its program says, or as the job does."""
    return si_or(job.stated_share(spec) or job.serial_share, 0.0)


def job_of(name: str, spec: Spec) -> Job:
    """A live job of a scenario."""
    job = spec.jobs[name]
    work = made(job, job, spec)
    if isinstance(job, Lasting) and job.exists and isinstance(work, Placing):
        work = Existing(work)
    return Job(name, work, schedule_of(job, spec.weekday), beside=_beside(job, spec), hosts=hosts_of(name, spec))


def _beside(job: JobSpec, spec: Spec) -> dict[str, str]:
    """The jobs that a job does while it does its own work, with their methods."""
    return {name: str(getattr(copy, "method", "")) for name, copy in spec.inline_copies_of(job).items()}


def _devices(system: System, spec: Spec) -> None:
    """All devices, each after those that it needs: independent ones, then volumes, then frozen images of these."""
    needs = {name: [other for other, _ in device.ties()] for name, device in spec.devices.items()}
    independent = [name for name in needs if not needs[name]]
    for name in independent:
        _placed(system, spec, name)
    areas = _areas(system, spec)
    for name in sorted(needs.keys() - {*independent}, key=lambda name: (_level(needs, name), [*needs].index(name))):
        _placed(system, spec, name, areas.get(name))


def _level(needs: Mapping[str, Sequence[str]], name: str) -> int:
    """The number of devices that are made before a device, one after the other."""
    return max((1 + _level(needs, other) for other in needs[name]), default=0)


def _placed(system: System, spec: Spec, name: str, area: Region | None = None) -> None:
    """Make a device, find it by what it offers, and connect it to others."""
    device, site = spec.devices[name], Site(system, spec, name, area)
    live = made(device, site, device)
    system.add(name, live, capabilities(type(device)).values())
    device.placed(site, live)


def _areas(system: System, spec: Spec) -> dict[str, Region]:
    """The regions of volumes, copy areas and mirrors, one behind the other on each device in the order of the file."""
    areas: dict[str, Region] = {}
    for name, device in spec.devices.items():
        size = device.room(spec, name) if isinstance(device, OnDevice) else None
        if isinstance(device, OnDevice) and size is not None:
            user = device.of if isinstance(device, ImageDevice) else name  # the host of the volume writes to its images
            areas[name] = Site(system, spec, name).reserved(device.on, size, user)
    return areas


def schedule_of(job: JobSpec, weekday: int = 0) -> Schedule:
    """When a job runs, and by when it should have ended; a run begins on a weekday (0 is Monday)."""
    by = None if job.deadline is None else deadline(job.deadline)
    begin = parse_moment(job.begin) if job.begin is not None else 0.0
    priority = si_or(job.priority, math.inf) if job.queues else math.inf
    return Schedule(
        begin, job.after, job.every.si if job.every else None, si_or(job.until, 0.0),
        job.window.si if job.window else None, by.after(weekday) if by else None, by.every if by else DAY,
        job.queues, priority, int(job.retries.si), job.retry_after.si,
        job.delay.si, job.fails.share.si if job.fails else 0.0,
        job.fails.after.si if job.fails else 0.0,
    )  # fmt: skip
