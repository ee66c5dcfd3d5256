"""Restores of native backups from a copy on tape: the drive reads while the volumes of the database are written."""

from __future__ import annotations

from collections.abc import Sequence

from simbackup.catalogue import Copy
from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host
from simbackup.devices.library import Drive
from simbackup.devices.shape import FlowShape
from simbackup.methods.file_backup.passes import Pass
from simbackup.methods.tape_reader import TapeReader
from simbackup.methods.tool.live import NO_TOOL
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


def from_tape(
    system: System, job: str, parts: Sequence[DataSet], read: tuple[Copy, tuple[str, ...]], expands: tuple[Host, float]
) -> Process:
    """Read a copy over networks, one cartridge after the other, and write all parts in proportion to their bytes.

    A host `expands` what was compressed, some core seconds for each byte, on all its cores. Buffers are filled while
    others are emptied, beside the cache of the operating system.
    """
    (copy, networks), (host, seconds) = read, expands
    size = sum(part.size for part in parts)
    reader = TapeReader(copy, networks, NO_TOOL)
    on = reader.cartridges(0.0, size)

    def taken(drive: Drive, each: Pass) -> Process:
        stream = reader.stream(system, each)
        shape = reader.reading(system, drive, stream, (host, 0.0))
        shape = host.on_threads(shape, seconds, host.machine.cores)
        for part in parts:
            there = _written(part).part(part.size / size)
            shape = shape.plus(there.demands, there.moves, there.places)
        shape = system.bounded(job, shape._replace(sent=1.0 / copy.compression))
        amount = sum(run.size for run in each)
        flow = shape.start(system.network, job, Activity.RESTORE, amount, law=drive.law(stream))
        yield flow.done
        system.account(job, flow)

    yield from reader.in_turn(system, job, (list(on), on), taken)


def _written(part: DataSet) -> FlowShape:
    """How a byte of a part of the database loads its device."""
    return part.volume.region.part(part.begin, part.size).streaming("write")
