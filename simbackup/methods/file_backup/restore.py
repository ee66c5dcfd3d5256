"""Restores of image and file-level backups: from disks, from objects, and the chain of save sets of a restore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simbackup import units
from simbackup.catalogue import Copy, Reduction, SaveSet, first_copy
from simbackup.data.live import DataSet
from simbackup.devices.host.page_cache import Dirty
from simbackup.devices.object_store.live import Objects, ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region
from simbackup.methods.database.live import DatabaseRestore
from simbackup.methods.file_backup.backup import objects_of
from simbackup.methods.file_backup.disk import MountedImage, lying, mounted, seek
from simbackup.methods.file_backup.tape_restore import TapeRestore, WayBack
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.making import NONE, FilesMade
from simbackup.methods.reduction.live import expanded, given_back
from simbackup.methods.selection import Piece, gathered, passed_over
from simbackup.methods.tool.live import prepare
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


@dataclass(frozen=True, slots=True)
class DiskRestore(WayBack):
    """A restore from a disk of any host to the place of a data set.

    Files can be selected from a file-level backup, and from an image that the program mounts on the disk; otherwise an
    image is restored as a whole.
    """

    def bring_back(self, system: System, job: str, saved: SaveSet, copy: Copy) -> Steps:
        """Read the wanted files at the server, send them, and write them; done when they are on disk, or in memory."""
        target, image = system.data[self.to], self._mounted(system, saved, copy)
        by_file = saved.method == "file_level" or image is not None
        files, pieces, total, made, extra = self.wanted(system, job, saved, by_file=by_file, selects=by_file)
        yield from prepare(system, job, target, self.tool, files)
        if image is not None:
            yield from image.mount(system, job, self.tool.mount_time)
        networks = [system.networks[name] for name in self.networks]
        pending: list[Dirty] = []
        whole = image is None and copy.reduction.ratio > 1.0  # it expands from the beginning on, and only there
        over = passed_over(saved, pieces, self.tool.restore_reads) if whole else []

        def stream(parts: Sequence[Piece], way: DiskRestore = self, made: FilesMade = made) -> Process:
            for begin, size, number in gathered(parts):
                source, runs = lying(system, copy, begin, size), float(number)
                if image is not None:
                    each = files * size / total  # files that lie together are found one by one, too
                    yield from image.find(system, job, each)
                    runs = each * image.runs(total / files)
                yield from seek(system, job, source, networks, 0.0 if over else runs)
                shape = self._copying(system, source, target, made, copy.reduction)
                shape = given_back(shape, system, copy.extents[0].medium, copy.reduction)
                connections = self.connections if networks else 1
                shape = self.tool.sending(shape, networks, connections, share=1.0 / copy.reduction.returned)
                place = self.place(target, begin, size, extra)
                activity = Activity.RESTORE if way.kept == self.kept else Activity.READ
                pending.extend((yield from way.take(system, job, place, shape, activity)))

        with self.shut_out(system):
            if over:
                yield from stream(over, self.unkept, NONE)
            yield from side_by_side(system, [stream(parts) for parts in self._streams(pieces)])
            yield from system.written_back(job, self.tool.awaited(pending))
        return Moved(total, float(files))

    def _mounted(self, system: System, saved: SaveSet, copy: Copy) -> MountedImage | None:
        """The image from which selected files are taken; None unless the program mounts it."""
        if self.selection is None or saved.method != "image" or not self.tool.mounts_images:
            return None
        return mounted(system, system.hosts[self.server], saved.data, lying(system, copy, 0.0, saved.size))

    def _streams(self, pieces: Sequence[tuple[float, float]]) -> list[Sequence[tuple[float, float]]]:
        """The pieces of each stream: an equal part of each, or some of them whole."""
        if len(pieces) > 1 or (self.selection is not None and self.selection.files < self.streams):
            return [pieces[number :: self.streams] for number in range(self.streams)]
        return [
            [(begin + number * size / self.streams, size / self.streams) for begin, size in pieces]
            for number in range(self.streams)
        ]

    def _copying(self, system: System, source: Region, target: DataSet, made: FilesMade, how: Reduction) -> FlowShape:
        """What a restored byte loads: disk and cores of the server, and in parallel those of another host."""
        host, server = system.hosts[self.runs], system.hosts[self.server]
        copy = self.tool.restoring(host, self.copies)
        if server is host:
            read = host.reading(source, copy * how.fetched, request=self.tool.request).times(1.0 / how.fetched)
            return self.making(system, expanded(read, host, host, how), target, made)
        read = server.reading(source, request=self.tool.request).times(1.0 / how.fetched)
        read = self.served(system, expanded(read, None, server, how), how.handled(written=False))
        turns = self.tool.alternates
        taken = expanded(host.then(read if turns else FlowShape(), copy), host, None, how)
        taken = self.making(system, taken, target, made)
        if turns:
            return taken
        # the requests of whoever makes files, or else those of whoever reads, meet others in queues
        return taken.in_parallel_with(read) if made.per_byte else read.in_parallel_with(taken)


@dataclass(frozen=True, slots=True)
class ObjectRestore(WayBack):
    """A restore from objects to the place of a data set; files can be selected from a file-level backup."""

    def bring_back(self, system: System, job: str, saved: SaveSet, copy: Copy) -> Steps:
        """Request the wanted files, and write them as they come; done when they are on disk."""
        target, by_file = system.data[self.to], saved.method == "file_level"
        files, pieces, total, made, extra = self.wanted(system, job, saved, by_file=by_file, selects=by_file)
        chosen = self.selection if by_file else None
        yield from prepare(system, job, target, self.tool, files)
        begin, size = pieces[0] if chosen is None else (pieces[0][0], total)  # selected files come side by side
        there, chunk = copy.fetched, copy.reduction.together
        if chunk is not None:  # a piece of an object for each run of chunks
            each = min(chunk, self.object_size or chunk, total / there)
            objects = Objects(each, total / there / each, self.tool.part)
        elif chosen is None:
            objects = objects_of(size / there, saved.files, saved.method, self.object_size, self.tool)
        else:
            objects = Objects(total / files / there, files, self.tool.part)
        asked = objects.number if chunk is None else total / there / (self.object_size or objects.size)
        with self.shut_out(system):
            yield from system.of(ObjectStore)[copy.target].retrieve(system.clock, job, asked)
            shape = self._copying(system, copy, objects, target, made, job=job)
            place = self.place(target, begin, size, extra)
            dirty = yield from self.take(system, job, place, shape, Activity.RESTORE)
            yield from system.written_back(job, self.tool.awaited(dirty))
        return Moved(total, float(files))

    def _copying(
        self, system: System, copy: Copy, objects: Objects, target: DataSet, made: FilesMade, *, job: str
    ) -> FlowShape:
        """What a restored byte loads: the store, the way, and the processor of the host that writes it."""
        host, networks = system.hosts[self.runs], [system.networks[name] for name in self.networks]
        shape = host.then(FlowShape(), self.tool.restoring(host, self.copies))
        shape = self.making(system, shape, target, made)
        shape = expanded(shape, host, None, copy.reduction).times(copy.fetched)
        store, objects = system.of(ObjectStore)[copy.target], objects._replace(by_turns=self.tool.alternates)
        shape = store.carrying(shape, "read", objects, networks, self.connections, drawn=system.drawn(job))
        shape = shape.times(1.0 / copy.fetched)
        shape = self.served(system, shape, copy.reduction.handled(written=False))
        return given_back(shape, system, copy.target, copy.reduction)


Way = TapeRestore | DiskRestore | ObjectRestore
"""How a save set is restored from a device."""
INCREMENTAL = "incremental"
ORDER = {"full": 0, "differential": 1, "cumulative": 2, INCREMENTAL: 3}
"""Order of levels: a save set replaces earlier ones of its own or a higher order, except among incrementals."""


@dataclass(frozen=True, slots=True)
class Restore:
    """A restore of the newest save set of a backup, with those based on it.

    Save sets of `replay` follow, oldest first: all incrementals since, and the newest of other levels. A full backup
    among them, as a target makes it of incrementals, replaces all before it. After a full backup into which later ones
    were written, what they replaced is applied. Selected files are found in one of these save sets.
    """

    backup: str
    """The job of the backup."""
    copy: str | None
    """The job whose copy is read; None for the first copy that still exists."""
    ways: Mapping[str, Way]
    """How to restore from each device."""
    replay: tuple[str, ...] = ()
    """Jobs whose save sets follow."""
    logs: DatabaseRestore | None = None
    """How to replay logs of a database at the end; None to replay none."""
    method: str = "restore"

    def expected(self, system: System) -> float:
        """Bytes of all save sets that it reads."""
        return sum(saved.size for saved, _ in self._chain(system))

    def run(self, system: System, job: str) -> Steps:
        """Look the copies up in the catalogue, and restore them."""
        moved, chain = Moved(0.0, 0.0), self._chain(system)
        for saved, copy in chain:
            way = self.ways[copy.target]
            some = saved.method == "file_level" or isinstance(way, TapeRestore)
            chosen = way.selection if some or (isinstance(way, DiskRestore) and way.tool.mounts_images) else None
            if chosen is not None and chosen.within(saved) != chosen:
                what = f"{units.show_short(saved.size, 'B')} in {max(int(saved.files), 1):,} files"
                system.trace.note(system.env.now, job, f"finds less than 'select' asks for, as only {what} were saved")
            later = yield from way.bring_back(system, job, saved, copy)
            moved = Moved(moved.bytes + later.bytes, moved.files + later.files)
        if self.logs is None:
            return moved
        newest, read = chain[-1]
        more = yield from self.logs.replayed(system, job, newest, read.target)
        return moved._replace(bytes=moved.bytes + more)

    def _chain(self, system: System) -> list[tuple[SaveSet, Copy]]:
        """The save sets to read with their copies, without those that a later one replaces."""
        first, copy = system.saved(self.backup, self.copy, instead=True)
        since = [system.catalogue.since(f"jobs.{name}", first.time) for name in self.replay]
        chain = [first]
        for above in sorted((one for sets in since for one in sets), key=lambda one: one.time):
            chain = [one for one in chain if ORDER[one.level] < ORDER[above.level] or above.level == INCREMENTAL]
            chain.append(above)
        read = [(saved, copy if saved is first else first_copy(saved)) for saved in chain]
        if read[0][0] is first and self.ways[copy.target].selection is None:
            read[1:1] = [(aside, aside.copies[0]) for aside in copy.undone]
        return read
