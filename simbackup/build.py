"""A live system from a scenario: with works.py and redirects.py alone in knowing both files and components."""

from __future__ import annotations

import math
from functools import singledispatch

import simpy

from simbackup.components.adapter import Adapter, Waiting
from simbackup.components.changes import Spread
from simbackup.components.clock import Clock
from simbackup.components.host import Host, Machine
from simbackup.components.mirror import Mirror, MirrorParameters
from simbackup.components.network import Network
from simbackup.components.page_cache import Place
from simbackup.components.redirect import Space
from simbackup.components.snapshot import Snapshot, Times
from simbackup.components.storage import Array, Disk, Raid, Region, Ssd, Store
from simbackup.components.tape import Cartridge, Drive, Library
from simbackup.components.transactions import Transaction
from simbackup.components.volume import Volume
from simbackup.engine.flows import FlowNetwork
from simbackup.engine.flows import Link as FlowLink
from simbackup.engine.trace import Trace
from simbackup.equations import disk as disk_equations
from simbackup.equations import snapshot as snapshot_equations
from simbackup.equations import tape as tape_equations
from simbackup.jobs.applications import Application, Asking
from simbackup.jobs.job import Job, Schedule
from simbackup.jobs.system import Database, DataSet, Files, System
from simbackup.jobs.users import Demand, Users
from simbackup.redirects import lay_out, pointers, redirect_volume
from simbackup.schema import devices as spec_devices
from simbackup.schema import frozen_images as spec_images
from simbackup.schema import jobs as spec_jobs
from simbackup.schema import software
from simbackup.schema import tape as spec_tape
from simbackup.schema.places import created, data_end, owner_of, placement, pool_sizes, taken
from simbackup.schema.quantity import Frozen, si_or
from simbackup.schema.routes import route
from simbackup.schema.scenario import Spec
from simbackup.units import parse_clock, parse_moment
from simbackup.works import make_work

LYING = (spec_devices.Volume, spec_images.Snapshot, spec_images.Mirror)
"""What lies on another device."""


def build(spec: Spec, seed: int) -> tuple[System, list[Job]]:
    """The live system of a scenario, and its jobs in the order of the file."""
    env, trace = simpy.Environment(), Trace()
    system = System(Clock(env, trace), FlowNetwork(env, trace), seed)
    for name in sorted(spec.hosts, key=lambda name: spec.hosts[name].within is not None):
        host = spec.hosts[name]
        machine = Machine(
            cores=host.cores.si,
            copy_rate=host.copy_rate.si,
            dirty_limit=host.memory.si * host.dirty_limit.si,
            dirty_background=host.memory.si * host.dirty_background.si,
            read_ahead=host.read_ahead.si if host.read_ahead else None,
            memory=host.memory.si,
            speed=si_or(host.speed, 1.0),
        )
        below = system.hosts[host.within] if host.within is not None else None
        system.hosts[name] = Host(system.network, f"hosts.{name}", machine, below)
    for name, link in spec.links.items():
        wires = si_or(link.count, 1.0)
        system.networks[name] = Network(
            FlowLink(f"links.{name}", wires * link.rate.si),
            link.latency.si,
            link.rate.si,
            link.window.si if link.window else None,
        )
    _place(system, spec)
    begins = placement(spec)
    for name, data in spec.data.items():
        system.data[name] = DataSet(
            name=name,
            volume=system.volumes[data.on],
            begin=begins[name],
            size=data.size.si,
            files=int(data.files.si) if data.files else 1,
            compression=si_or(data.compression, 1.0),
            filesystem=_files(data.filesystem),
            database=_database(data.database),
            content=si_or(data.content, data.size.si),
            cached=si_or(data.cached, 0.0),
            together=data.layout == "together",
            file_size=si_or(data.file_size, data.size.si / (data.files.si if data.files else 1.0)),
        )
        lay_out(system, name, data)
    for name, workload in spec.workloads.items():
        if isinstance(workload, spec_jobs.Requests):
            system.applications.append(_application(system, f"workloads.{name}", workload))
        else:
            system.users.append(_users(system, spec, f"workloads.{name}", workload))
    return system, [_job(spec, name, job) for name, job in spec.jobs.items()]


def _place(system: System, spec: Spec) -> None:
    """All devices; volumes and copy areas lie on theirs in the order of the file."""
    for name, device in spec.devices.items():
        store = make_store(device, f"devices.{name}")
        if store is not None:
            system.stores[name] = store
            owner = owner_of(spec, name)
            way = route(spec, owner, name) if owner is not None else None
            store.path = tuple(system.networks[link] for link in way or ())
            system.volumes[name] = Volume(system.env, f"devices.{name}", Region(store, 0.0, store.size))
        if isinstance(device, spec_tape.TapeLibrary):
            system.libraries[name] = _library(system, f"devices.{name}", device)
    areas = _areas(system, spec)
    for name, device in spec.devices.items():
        if isinstance(device, spec_images.Mirror):
            system.mirrors[name] = _mirror(system, f"devices.{name}", device, areas[name])
        elif isinstance(device, spec_images.Snapshot):
            system.snapshots[name] = _snapshot(system, f"devices.{name}", device, areas[name])
        elif isinstance(device, spec_images.Checkpoint):
            volume, behind = system.volumes[device.of].region, data_end(spec, device.of)
            area = volume.part(behind, volume.size - behind)
            system.snapshots[name] = _snapshot(system, f"devices.{name}", device, area)
        elif isinstance(device, spec_images.RedirectSnapshot | spec_images.Clone):
            system.redirects[name] = pointers(system, spec, f"devices.{name}", device)
    _in_place(system, spec)


def _in_place(system: System, spec: Spec) -> None:
    """Frozen images that no job creates are there from the start."""
    for name, snapshot in {**system.snapshots, **system.redirects}.items():
        if not any(created(job) == name for job in spec.jobs.values()):
            snapshot.create()
            system.trace.event(0.0, f"devices.{name}", "is in place from the start, as no job creates it")


def _areas(system: System, spec: Spec) -> dict[str, Region]:
    """Where volumes, copy areas and mirrors lie, one behind the other on each device; the volumes are made."""
    ends, spaces = dict.fromkeys(spec.devices, 0.0), dict[str, Space]()
    areas: dict[str, Region] = {}
    for name, device in spec.devices.items():
        size = taken(spec, device)
        if size is not None and isinstance(device, LYING):
            areas[name] = Region(system.volumes[device.on].region.store, ends[device.on], size)
            ends[device.on] += size
            system.taken[device.on] = ends[device.on]
            space = spaces.setdefault(device.on, Space(system.stores[device.on].size))
            if isinstance(device, spec_devices.RedirectVolume):
                system.volumes[name] = redirect_volume(system, f"devices.{name}", device, (areas[name], space))
            else:
                space.taken[name] = lambda size=size: size
        if isinstance(device, spec_devices.LogicalVolume):
            system.volumes[name] = Volume(system.env, f"devices.{name}", areas[name])
    return areas


def _snapshot(
    system: System, name: str, device: spec_images.Snapshot | spec_images.Checkpoint, area: Region
) -> Snapshot:
    parameters = snapshot_equations.CopyOnWrite(
        device.chunk.si, device.record.si, device.in_flight.si, device.commit_backlog.si
    )
    times = Times(device.create_time.si, device.remove_time.si, device.lookup_time.si)
    in_place = isinstance(device, spec_images.Snapshot)
    return Snapshot(
        name, system.volumes[device.of], area, parameters=parameters, times=times, trace=system.trace, in_place=in_place
    )


def _mirror(system: System, name: str, device: spec_images.Mirror, region: Region) -> Mirror:
    parameters = MirrorParameters(
        device.region.si, device.request.si, device.in_flight.si, fast_resync=device.fast_resync
    )
    times = (device.create_time.si, device.remove_time.si)
    origin = system.volumes[device.of]
    return Mirror(name, origin, region, parameters=parameters, times=times, state=device.state)


def _disk_parameters(disk: spec_devices.DiskParameters) -> disk_equations.Disk:
    return disk_equations.Disk(
        disk.capacity.si, disk.rotation_speed.si, disk.track_to_track_seek.si, disk.average_seek.si,
        disk.full_stroke_seek.si, disk.outer_rate.si, disk.inner_rate.si, disk.command_overhead.si,
        disk.stream_turn.si,
    )  # fmt: skip


@singledispatch
def make_store(device: Frozen, name: str) -> Store | None:
    """The block device that a file describes, None if it is no block device; register own kinds here."""
    del device, name
    return None


@make_store.register
def _(device: spec_devices.Disk, name: str) -> Store:
    return Disk(name, _disk_parameters(device))


@make_store.register
def _(device: spec_devices.Ssd, name: str) -> Store:
    rates = (device.read_rate.si, device.write_rate.si)
    latencies = (device.read_latency.si, device.write_latency.si)
    return Ssd(name, device.capacity.si, rates, latencies)


@make_store.register
def _(device: spec_devices.Raid, name: str) -> Store:
    array = Array(
        level=device.level,
        disks=int(device.disks.si),
        disk=_disk_parameters(device.disk),
        stripe_unit=device.stripe_unit.si,
        controller_rate=si_or(device.controller_rate, math.inf),
        controller_overhead=device.controller_overhead.si,
        prefetches=device.prefetches,
        groups=int(si_or(device.groups, 1.0)),
    )
    return Raid(name, array)


def _library(system: System, name: str, device: spec_tape.TapeLibrary) -> Library:
    drive = device.drive
    parameters = tape_equations.TapeDrive(
        drive.native_rate.si, drive.cartridge_capacity.si, drive.tape_length.si, int(drive.passes.si),
        drive.read_speed.si, drive.search_speed.si, drive.load_time.si, drive.unload_time.si,
        drive.locate_overhead.si, drive.turn_time.si, drive.buffer.si, si_or(drive.host_rate, math.inf),
        drive.reposition_time.si, drive.slowest_rate.si if drive.slowest_rate else None,
    )  # fmt: skip
    drives = [
        Drive(f"{name}.drive.{i + 1}", parameters, FlowLink(f"{name}.drive.{i + 1}", 1.0))
        for i in range(int(device.drives.si))
    ]
    pools = pool_sizes(device)
    of = [pool for pool, number in pools.items() for _ in range(number)]
    cartridges = [Cartridge(f"cartridge.{i + 1}", parameters.cartridge_capacity, pool) for i, pool in enumerate(of)]
    robots = simpy.Resource(system.env, int(device.robots.si))
    stay = device.unload_after.si if device.unload_after else None
    return Library(system.clock, name, robots, device.exchange_time.si, cartridges, drives, stay)


def _files(filesystem: software.Filesystem | None) -> Files | None:
    if filesystem is None:
        return None
    return Files(
        filesystem.reads_per_file.si, filesystem.cpu_per_file.si, filesystem.fragment.si,
        si_or(filesystem.record, 0.0), si_or(filesystem.resident, 0.0),
        filesystem.record_read.si if filesystem.record_read else None,
    )  # fmt: skip


def _database(database: software.Database | None) -> Database | None:
    if database is None:
        return None
    return Database(
        dump_ratio=database.dump_ratio.si,
        dump_cpu=database.dump_cpu.si,
        load_cpu=database.load_cpu.si,
        replay_cpu=database.replay_cpu.si,
        flush_time=database.flush_time.si,
        locks_for_snapshot=database.locks_for_snapshot,
    )


def _users(system: System, spec: Spec, name: str, workload: spec_jobs.Users) -> Users:
    data = system.data[workload.data]
    spread = Spread(
        size=(workload.update_size or workload.read_size).si,
        working_set=data.size * si_or(workload.working_set, 1.0),
        hot_data=si_or(workload.hot_data, 1.0),
        hot_updates=si_or(workload.hot_updates, 1.0),
    )
    transaction = Transaction(
        reads=workload.reads.si,
        read_size=workload.read_size.si,
        cpu=workload.cpu.si,
        updates=si_or(workload.updates, 0.0),
        spread=spread,
        synchronous=workload.synchronous,
        networks=tuple(system.networks[link] for link in workload.via),
        request=si_or(workload.request, 0.0),
    )
    adapters = _adapters(system, workload.via)
    demand = Demand(
        transaction,
        workload.writes.si,
        workload.transactions.si if workload.transactions else None,
        si_or(workload.clients, 1.0),
        si_or(workload.think_time, 0.0),
    )
    return Users(
        name=name,
        data=workload.data,
        demand=demand,
        network=system.network,
        trace=system.trace,
        host=system.hosts[owner_of(spec, spec.data[workload.data].on) or ""],
        place=Place(data.volume, data.begin, data.size),
        adapters=adapters,
        waiting=Waiting(adapters, workload.timeout.si if workload.timeout else None) if adapters else None,
    )


def _adapters(system: System, links: tuple[str, ...]) -> tuple[Adapter, ...]:
    """The queues of some links, which are made where somebody waits in them."""
    return tuple(system.adapters.setdefault(link, Adapter(system.networks[link])) for link in links)


def _application(system: System, name: str, workload: spec_jobs.Requests) -> Application:
    adapters = _adapters(system, workload.via)
    asking = Asking(
        workload.request.si,
        workload.transactions.si if workload.transactions else None,
        si_or(workload.clients, 1.0),
        si_or(workload.think_time, 0.0),
    )
    waiting = Waiting(adapters, workload.timeout.si if workload.timeout else None)
    return Application(name, asking, adapters, system.network, system.trace, waiting)


def _job(spec: Spec, name: str, job: spec_jobs.Job) -> Job:
    begin = parse_moment(job.begin) if job.begin is not None else 0.0
    schedule = Schedule(
        begin, job.after, job.every.si if job.every else None, si_or(job.until, 0.0),
        job.window.si if job.window else None, parse_clock(job.deadline) if job.deadline else None,
    )  # fmt: skip
    return Job(name, make_work(job, spec), schedule)
