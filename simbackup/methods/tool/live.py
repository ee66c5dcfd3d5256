"""The costs of a backup program as numbers, and how they change a shape."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import simpy

from simbackup.catalogue import NO_REDUCTION, Reduction
from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import Dirty
from simbackup.devices.network.live import Network
from simbackup.devices.shape import FlowShape
from simbackup.late import Late, changed
from simbackup.methods.job import passing
from simbackup.methods.making import FilesMade
from simbackup.methods.selection import Reads
from simbackup.parameters import parameters_of
from simbackup.system import System
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.methods.tool.spec import BackupToolSpec


@dataclass(frozen=True, slots=True)
class Tool(Late):
    """What a backup program adds to reading, moving and writing bytes.

    Core seconds are those of the reference core. Keys that end in `_cpu` count for each byte, unless they name a file.
    Fields are those of `BackupToolSheet`, in SI units.
    """

    start_time: float = 0.0
    mount_time: float = 0.0
    check_cpu: float = 0.0
    file_time: float = 0.0
    file_marks: float = 0.0
    block: float | None = None
    unload_after: float | None = None
    request: float | None = None
    copy_cpu: float | None = None
    restore_cpu: float | None = None
    server_cpu: float | None = None
    part: float | None = None
    file_cpu: float = 0.0
    make_cpu: float | None = None
    look_cpu: float = 0.0
    attributes: float = 0.0
    reads_ahead: bool = False
    ends_in_cache: bool = False
    resumes: bool = False
    alternates: bool = False
    restore_reads: Reads = "wanted"
    mounts_images: bool = False
    copies_log: bool = False
    shares_threads: bool = False
    scan_cpu: float | None = None
    further: float = 0.0
    """Bytes that the host which reads copies for further targets, for each byte of a save set."""
    further_served: float = 0.0
    """Bytes that the server of the first target copies for further targets, for each byte of a save set."""

    def awaited(self, pending: Sequence[Dirty]) -> Sequence[Dirty]:
        """The pending writes that it waits for at its end."""
        return () if self.ends_in_cache else pending

    def made(self, per_byte: float) -> FilesMade:
        """The costs of files that it creates, given the files for each byte."""
        if per_byte <= 0.0:
            return FilesMade(0.0)
        each = self.file_cpu if self.make_cpu is None else self.make_cpu
        return FilesMade(per_byte, each, self.attributes)

    def sending(
        self,
        shape: FlowShape,
        networks: Sequence[Network],
        connections: int = 1,
        *,
        loaded: bool = False,
        share: float = 1.0,
        travelled: Sequence[Network] = (),
    ) -> FlowShape:
        """The shape of bytes that also cross networks: in parallel with reading the next, or alternating with it.

        `loaded` shapes cross the networks already; `share` is the number of bytes that cross them for each byte. Round
        trips over the networks in `travelled` are counted elsewhere.
        """
        if networks and not loaded:
            shape = shape.over(networks, share, connections)
        shape = shape._replace(sent=share)
        for network in networks if networks and self.alternates else ():
            shape = shape.after(share / network.rate, network.link.name, Activity.TRANSFER, idle=True)
            if self.request is not None and not any(network is other for other in travelled):
                travel = share * network.latency / self.request
                shape = shape.after(travel, network.link.name, Activity.TRAVEL, idle=True)
        return shape

    def coding(self, how: Reduction, parts: Callable[[], int]) -> Reduction:
        """The compression of each of so many workers or streams: by threads of its own, or by a part of a pool."""
        if how is NO_REDUCTION:
            return how

        def shared() -> bool:
            return parts() > 1 and self.shares_threads

        return changed(
            how,
            threads=lambda: how.threads / parts() if shared() else how.threads,
            overlapped=lambda: shared() or how.overlapped,
        )

    def restoring(self, host: Host, copies: float = 2.0) -> float:
        """Core seconds of a host for each restored byte; those of copies unless the program states its own."""
        return host.seconds(self.restore_cpu) if self.restore_cpu is not None else self.copying(host, copies)

    def copying_back(self, host: Host) -> float:
        """Core seconds of a host for each restored byte of a database; one copy unless the program states its own."""
        return host.seconds(self.restore_cpu) if self.restore_cpu is not None else 1.0 / host.copy_rate

    def serving(self, shape: FlowShape, server: Host, handled: tuple[float, float] = (1.0, 2.0)) -> FlowShape:
        """The shape of bytes that a server on another host takes or sends.

        One thread of it does so for each stream. `handled` are the bytes that it takes or sends for each byte, and
        those that it copies, which count unless the program states its own cost.
        """
        passed, copied = handled
        stated = self.server_cpu
        each = server.seconds(stated) * passed if stated is not None else copied / server.copy_rate
        each += self.further_served / server.copy_rate
        return server.on_threads(shape, each, 1.0 / max(shape.workers, 1))

    def copying(self, host: Host, copies: float = 2.0) -> float:
        """Core seconds of a host for each byte that passes through: the program's own, or those of so many copies."""
        own = host.seconds(self.copy_cpu) if self.copy_cpu is not None else copies / host.copy_rate
        return own + self.further / host.copy_rate


NO_TOOL = Tool()
"""A program that adds nothing."""


def prepare(system: System, job: str, data: DataSet, tool: Tool, files: float) -> Generator[simpy.Event, Any, None]:
    """Start the program, with its messages about each file."""
    yield from passing(system, job, f"data.{data.name}", Activity.START, tool.start_time)
    yield from passing(system, job, f"data.{data.name}", Activity.PREPARE, tool.file_time * files)


def tool_of(said: BackupToolSpec | None) -> Tool:
    """The program that runs a job; one that adds nothing where the file names none."""
    return NO_TOOL if said is None else parameters_of(Tool, said)
