"""The work of each job of a scenario, made of what its file says."""

from __future__ import annotations

from functools import singledispatch

from simbackup.devices.tape import spec as spec_tape
from simbackup.equations.buffers import default_buffers
from simbackup.methods.copy.live import Copy
from simbackup.methods.database.live import BinaryLog, DatabaseBackup, DatabaseRestore
from simbackup.methods.file_backup.disk import DiskBackup, DiskRestore
from simbackup.methods.file_backup.tape import TapeBackup
from simbackup.methods.file_backup.tape_restore import TapeRestore
from simbackup.methods.frozen_image.live import FrozenImageBackup, FrozenImageRestore
from simbackup.methods.group.live import SaveIndex, StartGroup, SystemState
from simbackup.methods.job import Work
from simbackup.methods.native.live import Engine, File, Loop, NativeBackup, NativeRestore
from simbackup.methods.observe.live import Observe
from simbackup.methods.selection import Selection
from simbackup.methods.snapshot.live import CreateSnapshot, RemoveSnapshot, Synchronise
from simbackup.methods.tool.live import NO_TOOL, Tool
from simbackup.methods.virtual_machine.live import Resume, Suspend
from simbackup.methods.write.live import SynchronousWrite, Write
from simbackup.scenario.spec import Spec
from simbackup.schema import devices as spec_devices
from simbackup.schema import jobs as spec_jobs
from simbackup.schema import software
from simbackup.schema.places import owner_of, way_to
from simbackup.schema.quantity import si_or


def _host(spec: Spec, data: str) -> str:
    """The host of a data set, which the checks have found."""
    return owner_of(spec, spec.data[data].on) or ""


def _tool(tool: software.BackupTool | None) -> Tool:
    if tool is None:
        return NO_TOOL
    return Tool(
        tool.start_time.si, tool.mount_time.si, si_or(tool.check_cpu, 0.0), si_or(tool.file_time, 0.0),
        si_or(tool.file_marks, 0.0), tool.request.si if tool.request else None,
        tool.copy_cpu.si if tool.copy_cpu else None, si_or(tool.file_cpu, 0.0),
        si_or(tool.group_time, 0.0), si_or(tool.index_record, 0.0),
        si_or(tool.index_time, 0.0), si_or(tool.system_state_time, 0.0),
    )  # fmt: skip


@singledispatch
def make_work(job: spec_jobs.Job, spec: Spec) -> Work:
    """The work that a job of a file asks for; register own methods here."""
    del spec
    raise TypeError(f"no work is known for {type(job).__name__}")


@make_work.register
def _(job: spec_jobs.Write, spec: Spec) -> Work:
    data = spec.data[job.data]
    host = _host(spec, job.data)
    size = data.size.si * si_or(job.portion, 1.0)
    if job.synchronous and job.request is not None:
        return SynchronousWrite(host, job.data, size, job.request.si, (job.over,) if job.over else ())
    return Write(host, job.data, size, job.cpu_per_byte.si if job.cpu_per_byte else None, flush=job.flush)


@make_work.register
def _(job: spec_jobs.CopyData, spec: Spec) -> Work:
    return Copy(_host(spec, job.data), job.data, job.to)


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
    host = _host(spec, job.data)
    way = way_to(spec, host, job.to) or ()
    if not isinstance(spec.devices[job.to], spec_tape.TapeLibrary):
        server = owner_of(spec, job.to) or ""
        return DiskBackup(host, job.data, job.to, server, way, job.method, _tool(job.tool), job.source)
    return TapeBackup(
        host, job.data, job.to, way, job.method, _tool(job.tool), job.source, int(si_or(job.streams, 1.0)), job.pool
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
        return File(None, ())
    return File(to, way_to(spec, host, to) or ())


def _loop(job: spec_jobs.NativeBackup, rounds: str | None) -> Loop:
    volumes = len(job.data)
    usual = default_buffers(len(job.to), volumes, int(job.engine.io_depth.si))
    size = (job.transfer_size or job.engine.transfer_size).si
    services = job.service_times or "exponential" if rounds == "by_event" else None
    return Loop(int(job.buffers.si) if job.buffers else usual, size, job.compress, services)


@make_work.register
def _(job: spec_jobs.NativeBackup, spec: Spec) -> Work:
    host = _host(spec, job.data[0])
    files = tuple(_file(spec, host, to) for to in job.to)
    return NativeBackup(host, job.data, files, _engine(job.engine), _loop(job, job.rounds))


@make_work.register
def _(job: spec_jobs.ImageBackup, spec: Spec) -> Work:
    del spec
    return FrozenImageBackup(job.data, job.to, _tool(job.tool))


@make_work.register
def _(job: spec_jobs.DatabaseBackup, spec: Spec) -> Work:
    host = _host(spec, job.data)
    return DatabaseBackup(host, job.data, job.to, _tool(job.tool), job.method, job.snapshot)


@make_work.register
def _(job: spec_jobs.BinaryLog, spec: Spec) -> Work:
    data = spec.data[job.data]
    return BinaryLog(_host(spec, job.data), job.data, job.to, _tool(job.tool), job.changed.si * data.size.si)


@make_work.register
def _(job: spec_jobs.Restore, spec: Spec) -> Work:
    saved = spec.jobs[job.restore]
    if not isinstance(saved, spec_jobs.AnyBackup):
        raise TypeError(f"{job.restore} is no backup")  # the schema's checks have seen to it
    if isinstance(saved, spec_jobs.NativeBackup):
        host = _host(spec, saved.data[0])
        files, loop = tuple(_file(spec, host, to) for to in saved.to), _loop(saved, job.rounds or saved.rounds)
        return NativeRestore(host, job.restore, saved.data, files, _engine(saved.engine), loop)
    to = job.to or saved.data
    host = _host(spec, to)
    tool, select, selection = _tool(saved.tool), job.select, None
    if select is not None:
        selection = Selection(int(select.files.si), select.size.si, select.at.si if select.at else None)
    if isinstance(saved, spec_jobs.ImageBackup):
        return FrozenImageRestore(host, job.restore, to, selection, tool)
    if isinstance(saved, spec_jobs.Backup):
        way = way_to(spec, host, saved.to) or ()
        if not isinstance(spec.devices[saved.to], spec_tape.TapeLibrary):
            server = owner_of(spec, saved.to) or ""
            return DiskRestore(host, job.restore, to, server, way, selection, tool)
        return TapeRestore(host, job.restore, to, way, selection, tool, int(si_or(job.streams, 1.0)))
    return DatabaseRestore(host, job.restore, to, tool, job.replay)
