"""What has to agree between the jobs of a scenario and all else in it: names, sizes, ways, order."""

from __future__ import annotations

from typing import Any

from simbackup import units
from simbackup.errors import choices
from simbackup.schema.database_checks import Path, database_backup, database_restore
from simbackup.schema.devices import BLOCK_KINDS
from simbackup.schema.frozen_images import FrozenImage, Mirror
from simbackup.schema.jobs import (
    AnyBackup,
    Backup,
    BinaryLog,
    CopyData,
    CreateSnapshot,
    Data,
    DatabaseBackup,
    ImageBackup,
    Job,
    NativeBackup,
    Observe,
    RemoveSnapshot,
    Restore,
    Resume,
    SaveIndex,
    Suspend,
    Synchronise,
    SystemState,
    Write,
)
from simbackup.schema.native_checks import native_backup, native_restore
from simbackup.schema.part_checks import PartChecks
from simbackup.schema.places import data_end, owner_of, pool_sizes, taken, way_to
from simbackup.schema.quantity import Given
from simbackup.schema.tape import TapeLibrary

GREATEST_RUNS = 100_000
"""Runs of one job that a scenario may ask for; three a day for ninety years are fewer."""


class JobChecks(PartChecks):
    """Jobs: what they name, when they run, what fits where."""

    def job(self, name: str, job: Job) -> None:
        """Everything that a job has to agree with."""
        path = ("jobs", name)
        for steps in (self.waits, self.times, self.repeats, self.names, self.agrees, self.named_parts, self.its_data):
            with self.about(*path):
                steps(path, job)

    def names(self, path: Path, job: Job) -> None:
        """The data sets that a job names are there."""
        if isinstance(job, Write | CopyData | AnyBackup) and not isinstance(job, NativeBackup):
            for key in ("data", "to") if isinstance(job, CopyData) else ("data",):
                with self.about(*path):
                    self.name((*path, key), str(getattr(job, key)), self.spec.data, "data set")

    def agrees(self, path: Path, job: Job) -> None:
        """What a job of its kind has to agree with."""
        checks: dict[type[Job], Any] = {
            SaveIndex: self.index, Suspend: self.machine, Resume: self.machine, SystemState: self.machine,
            Write: self.writer, Backup: self.backup, ImageBackup: self.image_backup, Restore: self.restore,
        }  # fmt: skip
        if type(job) in checks:
            checks[type(job)](path, job)
        if isinstance(job, NativeBackup):
            native_backup(self, path, job)
        if isinstance(job, CopyData) and job.data in self.spec.data:
            self.room(path, self.spec.data[job.data].size, job.to)
            self.at_one_host(path, job.data, self.spec.data[job.to].on if job.to in self.spec.data else None)
        if isinstance(job, (DatabaseBackup, BinaryLog)):
            database_backup(self, path, job)
            self.at_one_host(path, job.data, job.to)

    def its_data(self, path: Path, job: Job) -> None:
        """A host owns the device of the data."""
        if isinstance(job, NativeBackup) or not isinstance(job, Write | CopyData | AnyBackup):
            return
        if job.data in self.spec.data:
            self.owned(path, self.spec.data[job.data].on)

    def named_parts(self, path: Path, job: Job) -> None:
        """The frozen images and the users that a job names are such."""
        if isinstance(job, (CreateSnapshot, RemoveSnapshot)):
            self.freezing((*path, "snapshot"), job.snapshot)
        if isinstance(job, Synchronise):
            self.freezing((*path, "mirror"), job.mirror, Mirror, "mirror")
        if isinstance(job, Observe):
            self.name((*path, "workload"), job.workload, self.spec.workloads, "workload")

    def freezing(self, path: Path, name: str, kind: Any = FrozenImage, what: str = "snapshot") -> bool:
        """Whether the frozen image that a job creates, removes, synchronises or reads is one."""
        legal = [n for n, d in self.spec.devices.items() if isinstance(d, kind)]
        if self.name(path, name, legal, "device"):
            return True
        if name in self.spec.devices:
            self.report(path, f"'{name}' is no {what}", choices(name, legal))
        return False

    def index(self, path: Path, job: SaveIndex) -> None:
        """The index keeps the files of backups."""
        legal = [n for n, j in self.spec.jobs.items() if isinstance(j, Backup | ImageBackup | SystemState)]
        for name in job.of:
            if not self.name((*path, "of"), name, legal, "job") and name in self.spec.jobs:
                self.report((*path, "of"), f"'{name}' is no backup of files", choices(name, legal))

    def machine(self, path: Path, job: Suspend | Resume | SystemState) -> None:
        """What is suspended is a virtual machine, and its memory goes to a disk of its host."""
        known = self.name((*path, "machine"), job.machine, self.spec.hosts, "host")
        if isinstance(job, SystemState):
            if job.data is not None:
                self.name((*path, "data"), job.data, self.spec.data, "data set")
            return
        if not known:
            return
        below = self.spec.hosts[job.machine].within
        if below is None:
            self.report((*path, "machine"), f"'{job.machine}' is no virtual machine", "say 'within:' of that host")
        if isinstance(job, Suspend):
            if not self.name((*path, "to"), job.to, self.block_devices(), "device"):
                if job.to in self.spec.devices:
                    message = f"'{job.to}' is no disk, array or volume"
                    self.report((*path, "to"), message, choices(job.to, self.block_devices()))
                return
            owner = owner_of(self.spec, job.to)
            if below is not None and owner != below and self.sound(path, "hosts", "devices"):
                message = f"'{job.to}' does not belong to '{below}', on which '{job.machine}' runs"
                self.report((*path, "to"), message, f"name a disk or volume of '{below}'")
            else:
                self.free((*path, "to"), job.to, self.spec.hosts[job.machine].memory, "the memory")

    def image_backup(self, path: Path, job: ImageBackup) -> None:
        """The frozen image that is the backup freezes the data."""
        if self.freezing((*path, "to"), job.to) and job.data in self.spec.data:
            self.freezes((*path, "to"), job.to, job.data)

    def freezes(self, path: Path, image: str, data: str) -> None:
        """A frozen image freezes the volume of some data."""
        device, on = self.spec.devices[image], self.spec.data[data].on
        if isinstance(device, FrozenImage) and device.of != on:
            message = f"'{image}' freezes '{device.of}', and '{data}' lies on '{on}'"
            self.report(path, message, f"take a frozen image of '{on}'")

    def times(self, path: Path, job: Job) -> None:
        """When the job begins and has to end."""
        with self.about(*path):
            if job.begin is not None:
                self.time((*path, "begin"), job.begin)
        if job.deadline is not None:
            self.clock((*path, "deadline"), job.deadline)

    def waits(self, path: Path, job: Job) -> None:
        """After which jobs the job begins."""
        listed = isinstance(self.tree.find((*path, "after"))[0].value, list)
        for i, other in enumerate(job.after):
            self.name((*path, "after", i) if listed else (*path, "after"), other, self.spec.jobs, "job")

    def repeats(self, path: Path, job: Job) -> None:
        """How often the job begins."""
        if (job.every is None) != (job.until is None):
            missing = "until" if job.until is None else "every"
            self.report(path, f"repeats without '{missing}'", "give both 'every' and 'until'")
        if job.every is not None and job.until is not None:
            if job.every.si <= 0:
                self.report((*path, "every"), "is no period", "write for example '1 day'")
            elif job.until.si / job.every.si > GREATEST_RUNS:
                message = f"the job would run more than {GREATEST_RUNS} times"
                self.report((*path, "every"), message, "write a longer period, or an earlier 'until'")

    def room(self, path: Path, size: Given, to: str) -> None:
        """The place that is written holds what is written to it."""
        target = self.spec.data.get(to)
        if target is not None and size.si > target.size.si:
            message = f"'{to}' is smaller than what is written to it, {units.show_short(size.si, 'B')}"
            self.report((*path, "to"), message, f"'{to}' holds {units.show_short(target.size.si, 'B')}")

    def at_one_host(self, path: Path, data: str, device: str | None) -> None:
        """Both places belong to one host: only backups to tape cross networks."""
        if data not in self.spec.data or device not in self.spec.devices:
            return
        hosts = [owner_of(self.spec, name) for name in (self.spec.data[data].on, device)]
        if None not in hosts and hosts[0] != hosts[1]:
            message = f"'{device}' belongs to '{hosts[1]}', and '{data}' to '{hosts[0]}'"
            self.report(
                (*path, "to"), message, "let one host own both: only image and file_level backups cross networks"
            )
        elif hosts[1] is None and hosts[0] is not None:
            self.owned(path, device, "to")

    def owned(self, path: Path, device: str, key: str = "data") -> None:
        """A host owns the device that data lie on."""
        if owner_of(self.spec, device) is not None or device not in self.block_devices():
            return
        if self.sound(path, "hosts", "devices"):
            message = f"no host owns '{device}', on which its data lie"
            self.report((*path, key), message, f"name '{device}' under 'owns' of a host")

    def time(self, path: Path, text: str) -> None:
        """A time of day, or a time after the start."""
        try:
            units.parse_clock(text) if ":" in text else units.parse(text, "s")
        except units.UnitError as error:
            what = str(error).split(";", maxsplit=1)[0]
            self.report(path, what, "write a time of day, '22:00', or a time after the start, '90 s'")

    def clock(self, path: Path, text: str) -> None:
        """A time of day."""
        try:
            units.parse_clock(text)
        except units.UnitError as error:
            self.report(path, str(error).split(";", maxsplit=1)[0], "write one, such as '06:00'")

    def writer(self, path: Path, job: Write) -> None:
        """A writer makes requests one by one, or leaves it to the page cache."""
        if job.synchronous and job.request is None:
            self.report(
                path,
                "a synchronous writer needs the size of its requests",
                "write for example 'request: 4 KiB'",
            )
        if not job.synchronous and job.request is not None:
            self.report(
                (*path, "request"),
                "says nothing of a writer through the page cache",
                "add 'synchronous: true'",
            )
        if job.over is not None:
            self.name((*path, "over"), job.over, self.spec.links, "link")

    def backup(self, path: Path, job: Backup) -> None:
        """A backup: where it goes, the way there, the room, its source."""
        legal = [n for n, d in self.spec.devices.items() if isinstance(d, (TapeLibrary, *BLOCK_KINDS))]
        if not self.name((*path, "to"), job.to, legal, "device"):
            if job.to in self.spec.devices:
                self.report((*path, "to"), f"'{job.to}' takes no backup", choices(job.to, legal))
            return
        library, data = self.spec.devices[job.to], self.spec.data.get(job.data)
        with self.about(*path):
            if isinstance(library, TapeLibrary):
                self.onto_tape(path, job, library)
            else:
                self.onto_disk(path, job)
        with self.about(*path):
            if data is not None:
                self.connected((*path, "to"), data.on, job.to)
        with self.about(*path):
            if job.source is not None and self.freezing((*path, "source"), job.source) and data is not None:
                self.freezes((*path, "source"), job.source, job.data)
        if job.method == "file_level" and data is not None and data.filesystem is None:
            message = f"a file-level backup needs the file system of '{job.data}'"
            self.report((*path, "method"), message, f"write 'filesystem: filesystem/...' under data.{job.data}")

    def onto_tape(self, path: Path, job: Backup, library: TapeLibrary) -> None:
        """The library has the pool, the room and the drives."""
        data = self.spec.data.get(job.data)
        with self.about(*path):
            self.enough_drives(path, job, job.to)
        if data is not None:
            self.pool(path, job, library, data)

    def enough_drives(self, path: Path, job: Backup | Restore, name: str) -> None:
        """The library has a drive for each stream."""
        library = self.spec.devices.get(name)
        if isinstance(library, TapeLibrary) and job.streams is not None and job.streams.si > library.drives.si:
            message = f"'{name}' has fewer drives than that, {library.drives.si:.0f}"
            self.report((*path, "streams"), message, f"write {library.drives.si:.0f} or fewer")

    def onto_disk(self, path: Path, job: Backup) -> None:
        """The disk has a host and room; streams and pools are those of tape."""
        self.owned(path, job.to, "to")
        for key in ("streams", "pool"):
            if getattr(job, key) is not None:
                self.report((*path, key), "says nothing of a backup onto a disk", "leave it out")
        data = self.spec.data.get(job.data)
        if data is not None:
            self.free((*path, "to"), job.to, data.size, "a backup")

    def free(self, path: Path, device: str, size: Given, what: str) -> None:
        """A device has room behind its volumes and data."""
        room, lying = self.capacity(device), [d for d in self.spec.devices.values() if getattr(d, "on", None) == device]
        behind = max(data_end(self.spec, device), sum(taken(self.spec, part) or 0.0 for part in lying))
        if room is not None and behind + size.si > room:
            message = f"'{device}' has no room for {what} of {units.show_short(size.si, 'B')}"
            self.report(path, message, f"{units.show_short(max(room - behind, 0.0), 'B')} of it are free")

    def pool(self, path: Path, job: Backup, library: TapeLibrary, data: Data) -> None:
        """The pool that is written is one of the library's, and holds the save set."""
        pools = pool_sizes(library)
        if job.pool not in pools:
            message = f"'{job.to}' has no pool '{job.pool}'"
            self.report((*path, "pool"), message, choices(str(job.pool), library.pools or ()))
            return
        room = pools[job.pool] * library.drive.cartridge_capacity.si * _ratio(data.compression)
        if data.size.si > room:
            pool = f"pool '{job.pool}'" if job.pool else "pool"
            message = f"the save set is larger than the {pool} of '{job.to}'"
            self.report((*path, "to"), message, f"its cartridges hold {units.show_short(room, 'B')} of such data")

    def connected(self, path: Path, device: str, library: str) -> None:
        """The data's host reaches the library."""
        host = owner_of(self.spec, device)
        lost = host is not None and way_to(self.spec, host, library) is None
        if lost and self.sound(path, "hosts", "devices", "links"):
            remedy = f"let a link join '{host}' and '{library}', or let '{host}' own it"
            self.report(path, f"there is no way from '{host}' to '{library}'", remedy)

    def restore(self, path: Path, job: Restore) -> None:
        """A restore: of a backup, onto data that a host owns."""
        legal = [n for n, j in self.spec.jobs.items() if isinstance(j, AnyBackup)]
        if not self.name((*path, "restore"), job.restore, legal, "job"):
            if job.restore in self.spec.jobs:
                self.report((*path, "restore"), f"'{job.restore}' is no backup", choices(job.restore, legal))
            return
        if job.to is not None:
            self.name((*path, "to"), job.to, self.spec.data, "data set")
        saved = self.spec.jobs[job.restore]
        target = self.spec.data.get(job.to or "")
        if job.rounds is not None and not isinstance(saved, NativeBackup):
            self.report((*path, "rounds"), "only buffers of a 'database_native' backup go round", "leave it out")
        if isinstance(saved, NativeBackup):
            native_restore(self, path, job, saved)
        elif isinstance(saved, (DatabaseBackup, BinaryLog)):
            database_restore(self, path, job, saved)
            self.back_to_a_database(path, job, saved)
        elif isinstance(saved, Backup | ImageBackup):
            self.files_back(path, job, saved, target)

    def files_back(self, path: Path, job: Restore, saved: Backup | ImageBackup, target: Data | None) -> None:
        """Files or images come back to where they can be reached, and where they fit."""
        if job.replay:
            self.report((*path, "replay"), "only logs of a database are replayed", "leave it out")
        if isinstance(saved, ImageBackup) and target is not None:
            self.owned(path, target.on, "to")
            self.at_one_host((*path, "to"), job.to or "", saved.to)
        if isinstance(saved, Backup):
            self.enough_drives(path, job, saved.to)
        if target is not None and isinstance(saved, Backup):
            self.owned(path, target.on, "to")
            self.connected((*path, "to"), target.on, saved.to)
        on_disk = isinstance(saved, Backup) and not isinstance(self.spec.devices.get(saved.to), TapeLibrary)
        if job.streams is not None and (on_disk or isinstance(saved, ImageBackup)):
            self.report((*path, "streams"), "says nothing of a restore from disk", "leave it out")
        data = self.spec.data.get(saved.data)
        if data is not None:
            whole = on_disk and isinstance(saved, Backup) and saved.method == "image"
            self.extent(path, job, data, whole=whole)

    def extent(self, path: Path, job: Restore, data: Data, *, whole: bool) -> None:
        """What is restored was saved, and fits where it is written; an image on disk comes back whole."""
        if job.to is not None:
            self.room(path, job.select.size if job.select and not whole else data.size, job.to)
        if job.select is None:
            return
        message = f"is more than '{job.restore}' saves"
        if job.select.size.si > data.size.si:
            self.report((*path, "select", "size"), message, "select less")
        if job.select.files.si > (data.files.si if data.files else 1.0):
            self.report((*path, "select", "files"), message, "say 'files:' of the data")

    def back_to_a_database(self, path: Path, job: Restore, saved: DatabaseBackup | BinaryLog) -> None:
        """The database that is restored has a host, and holds what was saved."""
        data = self.spec.data.get(saved.data)
        if job.to is not None and job.to in self.spec.data and data is not None:
            self.owned(path, self.spec.data[job.to].on, "to")
            self.at_one_host(path, job.to, saved.to)
            self.room(path, data.size, job.to)

    def order(self) -> None:
        """No job waits for itself."""
        for name in self.spec.jobs:
            with self.about("jobs", name):
                self.circle(name)

    def circle(self, name: str) -> None:
        """A job does not wait for itself."""
        seen, front = set[str](), list(self.spec.jobs[name].after)
        while front:
            other = front.pop()
            if other == name:
                self.report(("jobs", name, "after"), "the job would wait for itself", "break the circle")
                break
            if other not in seen and other in self.spec.jobs:
                seen.add(other)
                front.extend(self.spec.jobs[other].after)


def _ratio(given: Given | None) -> float:
    return given.si if given else 1.0
