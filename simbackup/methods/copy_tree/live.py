"""A copy of a tree of files onto another."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.network.live import travelling
from simbackup.devices.shape import FlowShape
from simbackup.equations.change import differs
from simbackup.equations.deduplication import touched_chunks
from simbackup.late import Late, changed, late
from simbackup.methods.file_backup.portion import Portion, portion
from simbackup.methods.file_backup.walk import Walkers, walking
from simbackup.methods.file_backup.walkers import walkers
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.making import beside, filling
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

HELD = 2
"""Files that a receiver handles at once."""
LEAST = 1e-12
"""Share of changed files below which none has changed."""


@dataclass(frozen=True, slots=True)
class CopyTree(Late):
    """A copy of the files of one data set to the place of another: all of them, or those that have changed.

    The walk of the source, the transfer, and the walk of what is already at the target run in parallel. A program that
    alternates reads a file and then writes it; another does both at once, at the pace of the slower. A program that
    sends changed blocks reads the changed files at both ends and writes them whole; one that compares checksums reads
    all files. Its sender begins when the receiver has made the checksums of one changed file, and the receiver reads
    old blocks a second time to write the new file, unless they are still in memory. A program that walks first lists
    all files at both ends before it sends any. The list also crosses the networks.

    A program that writes to a share waits for the other host with each file: for the round trips of its requests over
    all networks, for the work of that host, and for the creation of the file (Callaghan, Pawlowski and Staubach, "NFS
    Version 3 Protocol Specification", RFC 1813, 1995, for the calls of a file; holds if a client has one request in
    flight).
    """

    hosts: tuple[str, str]
    """The hosts of sender and receiver."""
    ends: tuple[str, str]
    """The data sets of sender and receiver."""
    networks: tuple[str, ...]
    """The links from sender to receiver."""
    tool: Tool = NO_TOOL
    """The program."""
    since: float | None = None
    """Seconds of changes that are copied; None to copy all files."""
    workers: int = 1
    """Workers that walk at once."""
    method: str = "copy_tree"

    def run(self, system: System, job: str) -> Steps:
        """Start the program, then compare and send; done when all is on the receiver's disk, or in its memory."""
        data, target = (system.data[end] for end in self.ends)
        part = portion(data, self.since, by_file=True)
        yield from prepare(system, job, data, self.tool, part.files)
        files = 0.0 if self.since is None or (self._tracked and not self._by_block) else float(target.files)
        first = min(part.share * files, 1.0) if self._by_block else 0.0  # no file differs where so little has changed
        others = files - first
        looks = [self._look(system, job, 1, (part.share * files - first) / others, others)] if others > 0.0 else []
        if self.tool.walks_first and not self._tracked:
            yield from side_by_side(system, [self._look(system, job, 0, 0.0), *looks])
            looks = []
        if first:
            yield from self._look(system, job, 1, 1.0, first)
        yield from side_by_side(system, [self._send(system, job, part), *looks])
        return Moved(part.size, part.files)

    def _send(self, system: System, job: str, part: Portion) -> Process:
        """Walk the source, and write what is sent at the target."""
        target, to = system.data[self.ends[1]], self.hosts[1]
        made = self.tool.made(part.files / part.size)._replace(file_cpu=0.0)  # the sender counts it
        shape = self._reading(system, part)
        networks = [system.networks[name] for name in self.networks]
        shape = self.tool.sending(shape, networks, share=self._sent(system))
        shared = self.tool.share_calls if networks else 0.0
        if self.hosts[0] != to:
            files = 0.0 if shared else made.per_byte
            shape = self.tool.serving(shape, system.hosts[to], files, (self._sent(system), 2.0))
        shape = self._again(system, shape, target)
        if self.tool.alternates or shared:
            shape = shape.following(travelling(networks, shared * made.per_byte))
            if shared:  # whose answers come after its work, for each worker on a thread of its own
                server = system.hosts[to]
                answering = server.seconds(self.tool.server_file_cpu) * made.per_byte
                shape = server.working(shape, answering).after(answering, server.cpu.name, Activity.WAIT_FOR_REQUESTS)
            shape = filling(shape, system.hosts[to], target, made)
        else:
            shape = shape.in_parallel_with(filling(FlowShape(), system.hosts[to], target, made))
        place = VolumeRange(target.volume, target.begin, part.size, beside(target, made))
        dirty = yield from system.write(job, to, place, shape, Activity.COPY)
        yield from system.written_back(job, self.tool.awaited([dirty]))

    def _again(self, system: System, shape: FlowShape, target: DataSet) -> FlowShape:
        """The shape when the receiver reads old blocks a second time to write the new file.

        They are still in memory if two files fit: this one, and the next, whose checksums are made meanwhile.
        """
        host = system.hosts[self.hosts[1]]
        if not self._by_block or HELD * target.size / max(target.files, 1) <= host.machine.memory:
            return shape
        read = target.volume.region.part(target.begin, target.size).streaming("read").part(1.0 - self._sent(system))
        return shape.plus(read.demands, read.moves, read.places)

    @property
    def _tracked(self) -> bool:
        """Whether the program knows the changed files without looking at all files."""
        return self.since is not None and self.tool.tracks_files

    @property
    def _by_block(self) -> bool:
        """Whether it sends only changed blocks of files that both ends have."""
        return self.since is not None and self.hosts[0] != self.hosts[1] and self.tool.delta_block is not None

    def _sent(self, system: System) -> float:
        """Bytes that cross networks for each byte of changed files."""
        data = system.data[self.ends[0]]
        block = self.tool.delta_blocks(data.size / max(data.files, 1))
        if not self._by_block or block is None or self.since is None or data.change is None or data.file_change is None:
            return 1.0
        within = min(differs(data.change, self.since) / max(differs(data.file_change, self.since), LEAST), 1.0)
        return touched_chunks(within, data.run, block)

    def _reading(self, system: System, part: Portion) -> FlowShape:
        """What each byte of changed files loads at the source, including files that are only examined."""
        data, host = system.data[self.ends[0]], system.hosts[self.hosts[0]]
        copies = 2.0 if self.hosts[0] == self.hosts[1] else 1.0
        before = self.tool.walks_first and not self._tracked
        if before and not part.whole and not self.tool.checksums:  # the others were looked at before
            region = data.volume.region.part(data.begin, data.size)
            data = changed(data, size=part.size, files=max(round(part.files), 1), scattered=1.0)
            shape = walking(host, data, region, self._sender(system))
            shape = host.then(shape, host.seconds(self.tool.delta_cpu) if self._by_block else 0.0, Activity.CHECK)
        else:
            shape = self._walk(host, data, self._sender(system), part.share).times(1.0 / part.size)
        sent = self._sent(system)  # what the other end has is read and compared, and neither encrypted nor packed
        return host.then(shape, self.tool.copying(host, copies) * sent + (1.0 - sent) / host.copy_rate)

    def _sender(self, system: System) -> Walkers:
        """The workers that walk the source."""
        return changed(walkers(system, self.tool, self.workers, None), tracked=lambda: self._tracked)

    def _look(self, system: System, job: str, end: int, changed: float, files: float | None = None) -> Process:
        """Examine all files of one end, or a number of them, and read those whose checksums are made."""
        host, who, data = system.hosts[self.hosts[end]], self._sender(system), system.data[self.ends[end]]
        if end:
            who = late(
                Walkers, workers=self.workers, reads_records=lambda: self.tool.reads_records,
                tracked=lambda: self.tool.tracks_files,
            )  # fmt: skip
        walk = self._walk(host, data, who, changed if self._by_block else 0.0)
        walk = walk.times(1.0 / data.files)
        if end and self.tool.share_look_calls:
            networks = [system.networks[name] for name in self.networks]
            walk = walk.following(travelling(networks, self.tool.share_look_calls))
        flow = walk.start(system.network, job, Activity.WALK, float(data.files) if files is None else files)
        yield flow.done
        system.account(job, flow)

    def _walk(self, host: Host, data: DataSet, who: Walkers, changed: float) -> FlowShape:
        """What a walk over all files of one end loads, including files that are read."""
        region, all_of_them = (
            data.volume.region.part(data.begin, data.size),
            self.since is not None and self.tool.checksums,
        )
        read = 1.0 if all_of_them else changed
        size = max(data.size * read, 1.0)
        walk = walking(host, data, region, who, read).times(size)
        summed = size if read > 0.0 and (all_of_them or self._by_block) else 0.0
        return host.then(walk, host.seconds(self.tool.delta_cpu) * summed, Activity.CHECK) if summed else walk
