"""The work of a program from what files say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from simbackup.data.live import Files
from simbackup.equations.reduction import cost_of_coding, ratio_of_rest
from simbackup.late import late
from simbackup.methods.program.live import Program
from simbackup.methods.program.lowering import Group, Running, Step, TapeTarget
from simbackup.methods.program.sheet import CORES, CPU, STORED, GroupSpec, StepSpec, steps_of
from simbackup.methods.program.spec import DATA, TARGET, ProgramJobSpec
from simbackup.methods.reduction.make import reduction_of
from simbackup.methods.share.live import Share, share_of
from simbackup.parameters import parameters_of
from simbackup.schema.capability import BackupTarget, BlockDevice, MediaLibrary
from simbackup.schema.quantity import Quantity, si_or

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec
    from simbackup.scenario.spec import Spec


def make(job: ProgramJobSpec, spec: Spec) -> Program:
    """The operation of the program."""
    operation, data = job.program.operations[job.operation], spec.data[job.data]
    steps = steps_of(operation).values()
    coded = any(step.coded_byte is not None or step.hard_byte is not None for step in steps)
    ratio = data.compression.si if coded or job.compressor is not None else 1.0
    phases = {
        phase: tuple(_group(job, spec, name, group, ratio) for name, group in groups.items())
        for phase, groups in operation.phases.items()
    }
    return Program(
        runs=_running(job, spec), data=job.data, phases=phases, start=operation.start.si, ratio=ratio,
        since=None if job.since is None else job.since.si, new=None if job.new is None else job.new.si,
        codec=reduction_of(job.compressor, None, data), reads=job.save_set or "", copied_by=job.copied_by,
        saved_as="file_level" if job.by_file() else "image",
        tape=_tape(job, spec), resumes=operation.resumes,
        keeps=job.to if job.to is not None and isinstance(spec.devices.get(job.to), BackupTarget) else "",
    )  # fmt: skip


def _tape(job: ProgramJobSpec, spec: Spec) -> TapeTarget | None:
    """The library that is its target, and how its host, or the host of the program, commands the drives."""
    library = job.target or ""
    if not isinstance(spec.devices.get(library), MediaLibrary):
        return None
    block = job.block_size(spec)
    return TapeTarget(
        library, spec.way_to(spec.owner_of(library) or job.runs_on(spec), library) or (), _if_said(block),
        int(job.streams.si), int(job.multiplexing.si), job.pool,
    )  # fmt: skip


def _running(job: ProgramJobSpec, spec: Spec) -> Running:
    """Where the program runs, and the shares over which it reaches disks of other hosts."""
    host, shares = job.runs_on(spec), dict[str, tuple[Share, Share]]()
    bound = [name for name in (job.bound(TARGET, spec), *job.roles.values()) if name is not None]
    devices = [spec.data[name].on if name in spec.data else name for name in bound]
    owners = [spec.owner_of(name) for name in devices if isinstance(spec.devices.get(name), BlockDevice)]
    for keeper in {spec.reader_of(job.data, job.source), *owners} - {host}:
        to_read, to_write = (share_of(job.share, spec, keeper or "", makes=makes) for makes in (False, True))
        if keeper and to_read is not None and to_write is not None:
            shares[keeper] = to_read, to_write
    files = parameters_of(Files, job.filesystem) if job.filesystem is not None else None
    return Running(host, shares, files, job.source)


def _group(job: ProgramJobSpec, spec: Spec, name: str, group: GroupSpec, ratio: float) -> Group:
    """A group of workers."""
    workers = _workers(job, spec, group.workers, job.program.options)
    steps = tuple(_step(job, spec, each, step, (group, ratio)) for each, step in group.steps.items())
    buffered = group.buffer_size or group.buffer
    size = buffered.si if buffered is not None else 1.0
    return Group(name, workers, group.items.si, group.of, (size, group.buffer_size is not None), steps)


def _workers(job: ProgramJobSpec, spec: Spec, said: Quantity | str | None, options: Mapping[str, Quantity]) -> int:
    """How many workers a group has."""
    if said == CORES:
        return max(int(spec.hosts[job.runs_on(spec)].cores.si), 1)
    return int(si_or(options[said] if isinstance(said, str) else said, 1.0))


def _step(job: ProgramJobSpec, spec: Spec, name: str, step: StepSpec, within: tuple[GroupSpec, float]) -> Step:
    """A step, and the parts of the system where it is done."""
    (group, ratio), here = within, job.runs_on(spec)
    role, _, inside = (step.at or "").partition(".")
    name_of = job.bound(role, spec) or "" if role not in {"", CPU} else ""
    device = spec.data[name_of].on if name_of in spec.data else name_of
    owner = spec.owner_of(device) if device else None
    owner = spec.reader_of(job.data, job.source) if role == DATA else owner
    ways = (spec.way_to(here, device) or (), spec.way_from(here, device) or ()) if device else ((), ())
    return late(
        Step, name=name, place=inside if role != CPU else CPU, device=device,
        data=name_of if name_of in spec.data else "", host=owner if owner is not None and role != CPU else here,
        ways=ways, crosses=bool(device) and job.crosses(spec, role, device),
        do=lambda: step.do or "", item=lambda: si_or(step.item, 0.0),
        byte=lambda: _work(step, step.of or group.of, ratio, spec.data[job.data]), codec=lambda: step.codec or "",
        of=step.of or group.of, bytes=lambda: _bytes(step)[0], size=lambda: _bytes(step)[1],
        times=lambda: _if_said(step.times), request=lambda: _if_said(step.request),
        in_order=lambda: step.in_order, trips=lambda: si_or(step.trips, 0.0),
        wait=lambda: si_or(step.wait, 0.0), items=_if_said(step.items), every=lambda: step.every.si,
        lock=step.lock or "",
    )  # fmt: skip


def _work(step: StepSpec, of: str, ratio: float, data: DataSpec) -> float:
    """Seconds of the reference core for each byte that passes: of bytes that shrink, and of others."""
    each, coded = si_or(step.byte, 0.0), si_or(step.coded_byte, 0.0)
    if step.coded_byte is None and step.hard_byte is None:
        return each
    hard = si_or(data.incompressible, 0.0)
    soft = cost_of_coding(each, coded, ratio_of_rest(ratio, hard))
    if hard <= 0.0:
        return soft
    share = min(hard * ratio, 1.0) if of == STORED else hard
    return share * si_or(step.hard_byte, each + coded) + (1.0 - share) * soft


def _bytes(step: StepSpec) -> tuple[float, float]:
    """Bytes that a step moves for each byte of the portion, and for each item."""
    if step.bytes is None:
        return 1.0, 0.0
    return (step.bytes.si, 0.0) if step.bytes.unit == "1" else (0.0, step.bytes.si)


def _if_said(given: Quantity | None) -> float | None:
    """The SI value of a quantity, if a file states it."""
    return None if given is None else given.si
