"""A live system from a scenario: the only place that knows both what files say and what components need."""

from __future__ import annotations

import math
from functools import singledispatch

import simpy

from simbackup.components.changes import Spread
from simbackup.components.clock import Clock
from simbackup.components.host import Host, Machine
from simbackup.components.mirror import Mirror, MirrorParameters
from simbackup.components.network import Network
from simbackup.components.page_cache import Place
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
from simbackup.equations.buffers import default_buffers
from simbackup.jobs.database import BinaryLog, DatabaseBackup, DatabaseRestore
from simbackup.jobs.disk_backup import DiskBackup, DiskRestore, SaveIndex, StartGroup, SystemState
from simbackup.jobs.foreground import Copy, SynchronousWrite, Write
from simbackup.jobs.frozen_image import ImageBackup, ImageRestore
from simbackup.jobs.job import Job, Schedule, Work
from simbackup.jobs.machine import Resume, Suspend
from simbackup.jobs.native import Engine, File, Loop, NativeBackup, NativeRestore
from simbackup.jobs.selection import Selection
from simbackup.jobs.snapshots import CreateSnapshot, Observe, RemoveSnapshot, Synchronise
from simbackup.jobs.system import Database, DataSet, Files, System
from simbackup.jobs.tape_backup import TapeBackup
from simbackup.jobs.tape_restore import TapeRestore
from simbackup.jobs.tool import NO_TOOL, Tool
from simbackup.jobs.users import Demand, Users
from simbackup.schema import devices as spec_devices
from simbackup.schema import frozen_images as spec_images
from simbackup.schema import jobs as spec_jobs
from simbackup.schema import software
from simbackup.schema import tape as spec_tape
from simbackup.schema.places import created, data_end, owner_of, placement, pool_sizes, taken, way_to
from simbackup.schema.quantity import Frozen, Given
from simbackup.schema.routes import route
from simbackup.schema.scenario import Spec
from simbackup.units import parse, parse_clock

LYING = (spec_devices.LogicalVolume, spec_images.Snapshot, spec_images.Mirror)
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
            speed=_or(host.speed, 1.0),
        )
        below = system.hosts[host.within] if host.within is not None else None
        system.hosts[name] = Host(system.network, f"hosts.{name}", machine, below)
    for name, link in spec.links.items():
        wires = _or(link.count, 1.0)
        system.networks[name] = Network(FlowLink(f"links.{name}", wires * link.rate.si), link.latency.si, link.rate.si)
    _place(system, spec)
    begins = placement(spec)
    for name, data in spec.data.items():
        system.data[name] = DataSet(
            name=name,
            volume=system.volumes[data.on],
            begin=begins[name],
            size=data.size.si,
            files=int(data.files.si) if data.files else 1,
            compression=_or(data.compression, 1.0),
            filesystem=_files(data.filesystem),
            database=_database(data.database),
            content=_or(data.content, data.size.si),
            cached=_or(data.cached, 0.0),
            together=data.layout == "together",
            file_size=_or(data.file_size, data.size.si / (data.files.si if data.files else 1.0)),
        )
    for name, workload in spec.workloads.items():
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
    for name, snapshot in system.snapshots.items():
        if not any(created(job) == name for job in spec.jobs.values()):
            snapshot.create()
            system.trace.event(0.0, f"devices.{name}", "is in place from the start, as no job creates it")


def _areas(system: System, spec: Spec) -> dict[str, Region]:
    """Where volumes, copy areas and mirrors lie, one behind the other on each device; the volumes are made."""
    ends = dict.fromkeys(spec.devices, 0.0)
    areas: dict[str, Region] = {}
    for name, device in spec.devices.items():
        size = taken(spec, device)
        if size is not None and isinstance(device, LYING):
            areas[name] = Region(system.volumes[device.on].region.store, ends[device.on], size)
            ends[device.on] += size
            system.taken[device.on] = ends[device.on]
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
        controller_rate=_or(device.controller_rate, math.inf),
        controller_overhead=device.controller_overhead.si,
        prefetches=device.prefetches,
    )
    return Raid(name, array)


def _library(system: System, name: str, device: spec_tape.TapeLibrary) -> Library:
    drive = device.drive
    parameters = tape_equations.TapeDrive(
        drive.native_rate.si, drive.cartridge_capacity.si, drive.tape_length.si, int(drive.passes.si),
        drive.read_speed.si, drive.search_speed.si, drive.load_time.si, drive.unload_time.si,
        drive.locate_overhead.si, drive.turn_time.si, drive.buffer.si, _or(drive.host_rate, math.inf),
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
        _or(filesystem.record, 0.0), _or(filesystem.resident, 0.0),
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


def _users(system: System, spec: Spec, name: str, workload: spec_jobs.Workload) -> Users:
    data = system.data[workload.data]
    spread = Spread(
        size=(workload.update_size or workload.read_size).si,
        working_set=data.size * _or(workload.working_set, 1.0),
        hot_data=_or(workload.hot_data, 1.0),
        hot_updates=_or(workload.hot_updates, 1.0),
    )
    transaction = Transaction(
        reads=workload.reads.si,
        read_size=workload.read_size.si,
        cpu=workload.cpu.si,
        updates=_or(workload.updates, 0.0),
        spread=spread,
        synchronous=workload.synchronous,
    )
    demand = Demand(
        transaction,
        workload.writes.si,
        workload.transactions.si if workload.transactions else None,
        _or(workload.clients, 1.0),
        _or(workload.think_time, 0.0),
    )
    return Users(
        name=name,
        data=workload.data,
        demand=demand,
        network=system.network,
        trace=system.trace,
        host=system.hosts[owner_of(spec, spec.data[workload.data].on) or ""],
        place=Place(data.volume, data.begin, data.size),
    )


def _tool(tool: software.BackupTool | None) -> Tool:
    if tool is None:
        return NO_TOOL
    return Tool(
        tool.start_time.si, tool.mount_time.si, _or(tool.check_cpu, 0.0), _or(tool.file_time, 0.0),
        _or(tool.file_marks, 0.0), tool.request.si if tool.request else None,
        tool.copy_cpu.si if tool.copy_cpu else None, _or(tool.file_cpu, 0.0),
        _or(tool.group_time, 0.0), _or(tool.index_record, 0.0),
        _or(tool.index_time, 0.0), _or(tool.system_state_time, 0.0),
    )  # fmt: skip


def _job(spec: Spec, name: str, job: spec_jobs.Job) -> Job:
    begin = 0.0
    if job.begin is not None:
        begin = parse_clock(job.begin) if ":" in job.begin else parse(job.begin, "s")
    schedule = Schedule(
        begin, job.after, job.every.si if job.every else None, _or(job.until, 0.0),
        job.window.si if job.window else None,
    )  # fmt: skip
    return Job(name, make_work(job, spec), schedule)


@singledispatch
def make_work(job: spec_jobs.Job, spec: Spec) -> Work:
    """The work that a job of a file asks for; register own methods here."""
    del spec
    raise TypeError(f"no work is known for {type(job).__name__}")


@make_work.register
def _(job: spec_jobs.Write, spec: Spec) -> Work:
    data = spec.data[job.data]
    host = owner_of(spec, data.on) or ""
    size = data.size.si * _or(job.portion, 1.0)
    if job.synchronous and job.request is not None:
        return SynchronousWrite(host, job.data, size, job.request.si, (job.over,) if job.over else ())
    return Write(host, job.data, size, job.cpu_per_byte.si if job.cpu_per_byte else None, flush=job.flush)


@make_work.register
def _(job: spec_jobs.CopyData, spec: Spec) -> Work:
    return Copy(owner_of(spec, spec.data[job.data].on) or "", job.data, job.to)


@make_work.register
def _(job: spec_jobs.CreateSnapshot, spec: Spec) -> Work:
    del spec
    return CreateSnapshot(job.snapshot)


@make_work.register
def _(job: spec_jobs.RemoveSnapshot, spec: Spec) -> Work:
    del spec
    return RemoveSnapshot(job.snapshot)


@make_work.register
def _(job: spec_jobs.Synchronise, spec: Spec) -> Work:
    del spec
    return Synchronise(job.mirror)


@make_work.register
def _(job: spec_jobs.Observe, spec: Spec) -> Work:
    del spec
    return Observe(job.workload, job.duration.si)


@make_work.register
def _(job: spec_jobs.Backup, spec: Spec) -> Work:
    host = owner_of(spec, spec.data[job.data].on) or ""
    way = way_to(spec, host, job.to) or ()
    if not isinstance(spec.devices[job.to], spec_tape.TapeLibrary):
        server = owner_of(spec, job.to) or ""
        return DiskBackup(host, job.data, job.to, server, way, job.method, _tool(job.tool), job.source)
    return TapeBackup(
        host, job.data, job.to, way, job.method, _tool(job.tool), job.source, int(_or(job.streams, 1.0)), job.pool
    )


@make_work.register
def _(job: spec_jobs.StartGroup, spec: Spec) -> Work:
    del spec
    return StartGroup(_tool(job.tool))


@make_work.register
def _(job: spec_jobs.SaveIndex, spec: Spec) -> Work:
    del spec
    return SaveIndex(job.of, _tool(job.tool))


@make_work.register
def _(job: spec_jobs.SystemState, spec: Spec) -> Work:
    del spec
    return SystemState(job.machine, job.data, _tool(job.tool))


@make_work.register
def _(job: spec_jobs.Suspend, spec: Spec) -> Work:
    return Suspend(job.machine, spec.hosts[job.machine].within or "", job.to)


@make_work.register
def _(job: spec_jobs.Resume, spec: Spec) -> Work:
    return Resume(job.machine, spec.hosts[job.machine].within or "")


def _engine(engine: software.BackupEngine) -> Engine:
    return Engine(
        engine.request_latency.si, engine.compress_cpu.si, engine.expand_cpu.si, int(engine.buffer_sets.si),
        engine.memory_limit.si,
    )  # fmt: skip


def _file(spec: Spec, host: str, to: str) -> File:
    if isinstance(spec.devices[to], spec_devices.Nul):
        return File(None, host, ())
    return File(to, owner_of(spec, to) or "", way_to(spec, host, to) or ())


def _loop(job: spec_jobs.NativeBackup) -> Loop:
    volumes = len(job.data)
    usual = default_buffers(len(job.to), volumes, int(job.engine.io_depth.si))
    size = (job.transfer_size or job.engine.transfer_size).si
    return Loop(int(job.buffers.si) if job.buffers else usual, size, job.compress)


@make_work.register
def _(job: spec_jobs.NativeBackup, spec: Spec) -> Work:
    host = owner_of(spec, spec.data[job.data[0]].on) or ""
    files = tuple(_file(spec, host, to) for to in job.to)
    return NativeBackup(host, job.data, files, _engine(job.engine), _loop(job))


@make_work.register
def _(job: spec_jobs.ImageBackup, spec: Spec) -> Work:
    del spec
    return ImageBackup(job.data, job.to, _tool(job.tool))


@make_work.register
def _(job: spec_jobs.DatabaseBackup, spec: Spec) -> Work:
    host = owner_of(spec, spec.data[job.data].on) or ""
    return DatabaseBackup(host, job.data, job.to, _tool(job.tool), job.method, job.snapshot)


@make_work.register
def _(job: spec_jobs.BinaryLog, spec: Spec) -> Work:
    data = spec.data[job.data]
    return BinaryLog(owner_of(spec, data.on) or "", job.data, job.to, _tool(job.tool), job.changed.si * data.size.si)


@make_work.register
def _(job: spec_jobs.Restore, spec: Spec) -> Work:
    saved = spec.jobs[job.restore]
    if not isinstance(saved, spec_jobs.AnyBackup):
        raise TypeError(f"{job.restore} is no backup")  # the schema's checks have seen to it
    if isinstance(saved, spec_jobs.NativeBackup):
        host = owner_of(spec, spec.data[saved.data[0]].on) or ""
        files = tuple(_file(spec, host, to) for to in saved.to)
        return NativeRestore(host, job.restore, saved.data, files, _engine(saved.engine), _loop(saved))
    to = job.to or saved.data
    host = owner_of(spec, spec.data[to].on) or ""
    tool, select, selection = _tool(saved.tool), job.select, None
    if select is not None:
        selection = Selection(int(select.files.si), select.size.si, select.at.si if select.at else None)
    if isinstance(saved, spec_jobs.ImageBackup):
        return ImageRestore(host, job.restore, to, selection, tool)
    if isinstance(saved, spec_jobs.Backup):
        way = way_to(spec, host, saved.to) or ()
        if not isinstance(spec.devices[saved.to], spec_tape.TapeLibrary):
            server = owner_of(spec, saved.to) or ""
            return DiskRestore(host, job.restore, to, server, way, selection, tool)
        return TapeRestore(host, job.restore, to, way, selection, tool, int(_or(job.streams, 1.0)))
    return DatabaseRestore(host, job.restore, to, tool, job.replay)


def _or(given: Given | None, otherwise: float) -> float:
    return given.si if given is not None else otherwise
