"""A live system from a scenario: each part is made in its room."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import simpy

from simbackup.data.make import make as make_data
from simbackup.devices.host.make import make as make_host
from simbackup.devices.network.make import make as make_network
from simbackup.devices.over import Over
from simbackup.devices.site import Site
from simbackup.devices.space import Space
from simbackup.devices.store import Region, Store
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.failures import begin, hosts_of
from simbackup.live_parts import made
from simbackup.methods.existing import Existing, Placing
from simbackup.methods.job import Job, Schedule
from simbackup.policies.clock import DAY, deadline
from simbackup.scenario.spec import Spec
from simbackup.schema.capability import (
    BlockDevice,
    Device,
    ImageDevice,
    JobLimit,
    MediaLibrary,
    ObjectTarget,
    OnDevice,
    SplitMirror,
)
from simbackup.schema.job import JobSpec, Lasting, SharedOut
from simbackup.schema.quantity import si_or
from simbackup.system import System
from simbackup.trace.clock import Clock
from simbackup.trace.trace import Trace
from simbackup.units import parse_moment


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
    """All devices: first the independent ones, then volumes, then frozen images of these."""
    for name, device in spec.devices.items():
        if isinstance(device, OnDevice | ImageDevice):
            continue
        _independent(system, spec, name, device)
    areas = _areas(system, spec)
    for name, device in spec.devices.items():
        if isinstance(device, ImageDevice):
            system.images[name] = made(device, Site(system, spec, name, areas.get(name)), device)
            below = spec.below(name)
            if below is not None and name in spec.mounted:
                system.mounted[name] = _reached(system, spec, name, below)
    for name, image in system.images.items():
        if name not in spec.created and not isinstance(spec.devices[name], SplitMirror):
            image.create()
            system.trace.event(0.0, f"devices.{name}", "exists from the start, as no job creates it")


def _independent(system: System, spec: Spec, name: str, device: Device) -> None:
    """A device that lies on no other."""
    live = made(device, Site(system, spec, name), device)
    if isinstance(device, BlockDevice):
        owner = spec.owner_of(name)
        way = spec.route(owner, name) if owner is not None else None
        live.path = tuple(system.networks[link] for link in way or ())
        system.add_store(name, live)
    elif isinstance(device, MediaLibrary):
        system.libraries[name] = live
    elif isinstance(device, ObjectTarget):
        system.object_stores[name] = live
    elif isinstance(device, JobLimit):
        system.limits[name] = live
    else:
        system.others[name] = live


def _areas(system: System, spec: Spec) -> dict[str, Region]:
    """The regions of volumes, copy areas and mirrors, one behind the other on each device; makes the volumes."""
    areas: dict[str, Region] = {}
    for name, device in spec.devices.items():
        size = device.room(spec, name) if isinstance(device, OnDevice) else None
        if not isinstance(device, OnDevice) or size is None:
            continue
        end = system.taken.get(device.on, 0.0)
        user = device.of if isinstance(device, ImageDevice) else name  # the host of the volume writes to its images
        areas[name] = Region(_reached(system, spec, user, device.on), end, size)
        system.taken[device.on] = end + size
        space = system.spaces.setdefault(device.on, Space(system.stores[device.on].size))
        if isinstance(device, ImageDevice):
            space.taken[name] = lambda size=size: size
        else:
            volume = made(device, Site(system, spec, name, areas[name]), device)
            system.volumes[name] = volume
            space.taken.setdefault(volume.name, volume.taken)
    return areas


def _reached(system: System, spec: Spec, name: str, on: str) -> Store:
    """The device that a volume lies on, as the host of the volume reaches it."""
    store, host, keeper = system.volumes[on].region.store, spec.owner_of(name), spec.owner_of(on)
    around = host
    while around is not None and around != keeper:  # a guest reaches the disks of its host without a network
        around = spec.hosts[around].within
    if host is None or around is not None:
        return store
    way = spec.route(host, on)
    return Over(store, tuple(system.networks[link] for link in way)) if way else store


def schedule_of(job: JobSpec, weekday: int = 0) -> Schedule:
    """When a job runs, and by when it should have ended; a run begins on a weekday (0 is Monday)."""
    by = None if job.deadline is None else deadline(job.deadline)
    begin = parse_moment(job.begin) if job.begin is not None else 0.0
    priority = si_or(job.priority, math.inf) if job.queues else math.inf
    return Schedule(
        begin, job.after, job.every.si if job.every else None, si_or(job.until, 0.0),
        job.window.si if job.window else None, by.after(weekday) if by else None, by.every if by else DAY,
        job.queues, priority, int(si_or(job.retries, 0.0)), si_or(job.retry_after, 0.0),
        si_or(job.delay, 0.0), job.fails.share.si if job.fails else 0.0,
        si_or(job.fails.after, 0.0) if job.fails else 0.0,
    )  # fmt: skip
