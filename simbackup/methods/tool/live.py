"""What a backup program adds to the copying."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.catalogue import NO_REDUCTION, Reduction
from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import Dirty
from simbackup.devices.network.live import Network
from simbackup.devices.shape import FlowShape
from simbackup.late import Late, changed
from simbackup.methods.making import FilesMade
from simbackup.methods.selection import Reads
from simbackup.system import System
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class Tool(Late):
    """What a backup program adds to reading, moving and writing bytes.

    Core seconds are those of the reference core. Keys that end in `_cpu` count for each byte, unless they name a file.
    """

    start_time: float = 0.0
    """Seconds before it begins."""
    mount_time: float = 0.0
    """Seconds to mount a snapshot."""
    check_cpu: float = 0.0
    """Core seconds for each byte that is read once more to check it."""
    file_time: float = 0.0
    """Seconds of messages about each file."""
    file_marks: float = 0.0
    """Tape marks of each file."""
    block: float | None = None
    """Bytes of a command to a tape drive."""
    unload_after: float | None = None
    """Seconds for which an idle drive stays loaded."""
    request: float | None = None
    """Bytes of a request for the source."""
    copy_cpu: float | None = None
    """Core seconds for each byte that it copies."""
    restore_cpu: float | None = None
    """Core seconds for each byte that comes back."""
    server_cpu: float | None = None
    """Core seconds for each byte at its server."""
    server_file_cpu: float = 0.0
    """Core seconds for each file at its server."""
    reads_records: bool = False
    """Whether it also reads the records of files that it looks at and does not save."""
    tracks_files: bool = False
    """Whether it knows which files have changed without looking at them."""
    part: float | None = None
    """Bytes of a part of an object."""
    part_buffers: float | None = None
    """Parts of an object that it holds in memory."""
    file_cpu: float = 0.0
    """Core seconds for each file that it saves."""
    make_cpu: float | None = None
    """Core seconds for each file that a restore makes; None for those of saving it."""
    look_cpu: float = 0.0
    """Core seconds for each file that it only looks at."""
    list_record: float = 0.0
    """Bytes of the list of files that it sends, for each file."""
    delta_block: float | None = None
    """Bytes of a block, where it sends the blocks of a file that have changed."""
    most_delta_block: float | None = None
    """Bytes of a block at most, where blocks grow with the square root of the size of a file."""
    delta_checksum: float = 0.0
    """Bytes of the checksum of a block."""
    delta_cpu: float = 0.0
    """Core seconds at each end for each byte of which a checksum is made."""
    checksums: bool = False
    """Whether it makes checksums of all files."""
    in_turn: float = 0.0
    """Share of `file_cpu` and `make_cpu` (0 to 1) that only one worker at a time spends."""
    attributes: float = 0.0
    """Changes of attributes of each restored file."""
    share_calls: float = 0.0
    """Requests to a share for each file that it saves."""
    share_look_calls: float = 0.0
    """Requests to a share for each file that it only looks at."""
    file_flushes: float = 0.0
    """Flushes of each restored file."""
    reads_ahead: bool = False
    """Whether it reads the next request while it works on one."""
    ends_in_cache: bool = False
    """Whether what it restores may still be in memory at its end."""
    resumes: bool = False
    """Whether a job that is tried again sends only what its last attempt has not stored."""
    alternates: bool = False
    """Whether it reads and writes in turns."""
    walks_first: bool = False
    """Whether it walks all files before it saves any."""
    one_pass: bool = True
    """Whether a restore reads streams that lie interleaved on a tape in one pass."""
    restore_reads: Reads = "wanted"
    """What a restore reads to find files."""
    mounts_images: bool = False
    """Whether it mounts images on a disk to take files from them."""
    copies_log: bool = False
    """Whether it copies the log of a database beside its files."""
    shares_threads: bool = False
    """Whether the threads of its compressor serve all workers together."""
    window: float | None = None
    """Bytes under way on each of its connections at most."""
    scan_cpu: float | None = None
    """Core seconds for each byte in which it searches for changes."""
    group_time: float = 0.0
    """Seconds from the start of a group of save sets until the first of them begins."""
    index_record: float = 0.0
    """Bytes of index for each file."""
    index_time: float = 0.0
    """Seconds to save the index."""
    system_state_time: float = 0.0
    """Seconds to save the state of an operating system."""
    further: float = 0.0
    """Bytes that the host which reads copies for further targets, for each byte of a save set."""
    further_served: float = 0.0
    """Bytes that the server of the first target copies for further targets, for each byte of a save set."""

    def delta_blocks(self, file_size: float) -> float | None:
        """Bytes of a block in a file of so many bytes: `max(b, min(sqrt(s), m))` if blocks grow, b otherwise."""
        if self.delta_block is None or self.most_delta_block is None:
            return self.delta_block
        return max(self.delta_block, min(math.sqrt(file_size), self.most_delta_block))

    def awaited(self, pending: Sequence[Dirty]) -> Sequence[Dirty]:
        """What is on its way to disk, as far as it waits for that at its end."""
        return () if self.ends_in_cache and not self.file_flushes else pending

    def made(self, per_byte: float) -> FilesMade:
        """What it adds to files that it makes of bytes that come back, if it makes any."""
        if per_byte <= 0.0:
            return FilesMade(0.0)
        each = self.file_cpu if self.make_cpu is None else self.make_cpu
        return FilesMade(per_byte, each, self.attributes, self.file_flushes)

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
        """The shape of bytes that go over networks, too: while the next are read, or by turns with reading.

        `loaded` shapes cross the networks already; `share` are the bytes that cross them for each byte. Round trips
        over those `travelled` count elsewhere.
        """
        if networks and not loaded:
            shape = shape.over(networks, share, connections, self.window)
        shape = shape._replace(sent=share)
        for network in networks if networks and self.alternates else ():
            shape = shape.after(share / network.rate, network.link.name, Activity.TRANSFER, idle=True)
            if self.request is not None and not any(network is other for other in travelled):
                travel = share * network.latency / self.request
                shape = shape.after(travel, network.link.name, Activity.TRAVEL, idle=True)
        return shape

    def coding(self, how: Reduction, parts: Callable[[], int]) -> Reduction:
        """How each of so many workers or streams compresses: with threads of its own, or its part of a pool."""
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
        """Seconds of a core of a host for each byte that comes back; as for copying unless it says something else."""
        return host.seconds(self.restore_cpu) if self.restore_cpu is not None else self.copying(host, copies)

    def copying_back(self, host: Host) -> float:
        """Seconds of a core of a host for each byte of a database that comes back, by default those of a copy."""
        return host.seconds(self.restore_cpu) if self.restore_cpu is not None else 1.0 / host.copy_rate

    def serving(
        self, shape: FlowShape, server: Host, files: float = 0.0, handled: tuple[float, float] = (1.0, 2.0)
    ) -> FlowShape:
        """The shape of bytes, and of so many files in each, that a server on another host takes or sends.

        One thread of it does so for each stream. `handled` are the bytes that it takes or sends for each byte, and
        those that it copies, which count unless the program states its own cost.
        """
        passed, copied = handled
        stated = self.server_cpu
        each = server.seconds(stated) * passed if stated is not None else copied / server.copy_rate
        each += self.further_served / server.copy_rate
        each += server.seconds(self.server_file_cpu) * files if files else 0.0
        return server.on_threads(shape, each, 1.0 / max(shape.workers, 1))

    def copying(self, host: Host, copies: float = 2.0) -> float:
        """Seconds of a core of a host for each byte that passes through: its own, or those of so many copies."""
        own = host.seconds(self.copy_cpu) if self.copy_cpu is not None else copies / host.copy_rate
        return own + self.further / host.copy_rate


NO_TOOL = Tool()
"""A program that adds nothing."""


def prepare(system: System, job: str, data: DataSet, tool: Tool, files: float) -> Generator[simpy.Event, Any, None]:
    """Start the program, with its messages about each file."""
    with system.clock.span(job, f"data.{data.name}", Activity.START):
        yield system.env.timeout(tool.start_time)
    with system.clock.span(job, f"data.{data.name}", Activity.PREPARE):
        yield system.env.timeout(tool.file_time * files)
