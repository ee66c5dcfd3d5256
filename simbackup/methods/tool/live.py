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
    """What a backup program adds.

    Seconds before it begins, seconds to mount a snapshot, core seconds for each byte that is read once more,
    seconds of messages about each file, tape marks of each file; bytes of a command to a tape drive, and seconds
    for which an idle drive stays loaded; bytes of a request and core seconds a byte when it searches for changes,
    when it copies, when that comes back, and at the server, there for each file, too; core seconds for each file
    that it saves, makes again (as for saving by default), and only looks at, the share of the first two that only
    one worker takes at a time, changes of attributes and flushes of each restored file, requests to a share for
    each of them, and for each that it only looks at; whether it knows the changed ones without looking; seconds to
    begin a group, bytes of index for each file, seconds to save the index and the state of an operating system; bytes
    of a part of an object, and parts that it holds in memory; bytes of the list that it sends for each file; bytes of a
    block of which it sends those that changed, at most so many if blocks grow with the root of the size of files, and
    of its checksum, core seconds at each end for a byte of checksums, and whether it makes them of all files; whether
    it reads its next request while it works on one, whether what it restores may still be in memory at its end, whether
    it reads and writes in turns, whether it walks all files
    before it saves any, whether a restore reads streams that lie interleaved on tape in one pass, what it reads to find
    files, whether it mounts images on a disk to take files from them, whether it copies the log of a database beside
    its files, and whether the threads of its compressor serve all workers together; bytes under way on each of its
    connections at most. Core seconds are those of the reference core.
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
    server_file_cpu: float = 0.0
    reads_records: bool = False
    tracks_files: bool = False
    part: float | None = None
    part_buffers: float | None = None
    file_cpu: float = 0.0
    make_cpu: float | None = None
    look_cpu: float = 0.0
    list_record: float = 0.0
    delta_block: float | None = None
    most_delta_block: float | None = None
    delta_checksum: float = 0.0
    delta_cpu: float = 0.0
    checksums: bool = False
    in_turn: float = 0.0
    attributes: float = 0.0
    share_calls: float = 0.0
    share_look_calls: float = 0.0
    file_flushes: float = 0.0
    reads_ahead: bool = False
    ends_in_cache: bool = False
    alternates: bool = False
    walks_first: bool = False
    one_pass: bool = True
    restore_reads: Reads = "wanted"
    mounts_images: bool = False
    copies_log: bool = False
    shares_threads: bool = False
    window: float | None = None
    scan_cpu: float | None = None
    group_time: float = 0.0
    index_record: float = 0.0
    index_time: float = 0.0
    system_state_time: float = 0.0
    further: float = 0.0
    further_served: float = 0.0
    """Bytes that the host which reads copies for further targets, for each byte of a save set, and that the server of
    the first target does."""

    def delta_blocks(self, file_size: float) -> float | None:
        """Bytes of a block in a file of so many bytes: `max(b, min(sqrt(s), m))` if blocks grow, b otherwise."""
        if self.delta_block is None or self.most_delta_block is None:
            return self.delta_block
        return max(self.delta_block, min(math.sqrt(file_size), self.most_delta_block))

    def awaited(self, pending: Sequence[Dirty]) -> Sequence[Dirty]:
        """What is on its way to disk, as far as it waits for that at its end."""
        return () if self.ends_in_cache else pending

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
