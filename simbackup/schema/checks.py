"""What has to agree between the parts of a scenario: names, sizes, order of jobs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from simbackup import units
from simbackup.equations import raid
from simbackup.errors import Problem, choices
from simbackup.schema.devices import (
    Disk,
    DiskParameters,
    LogicalVolume,
    Raid,
    Snapshot,
    Ssd,
    TapeLibrary,
)
from simbackup.schema.jobs import Backup, CopyData, CreateSnapshot, Data, Job, RemoveSnapshot, Restore, Write
from simbackup.schema.quantity import Frozen, Given
from simbackup.schema.routes import route
from simbackup.schema.scenario import Spec
from simbackup.schema.tree import Node

BLOCK_KINDS = (Disk, Ssd, Raid, LogicalVolume)


def check(spec: Spec, tree: Node) -> list[Problem]:
    """Everything in which the parts of a scenario disagree."""
    checks = _Checks(spec, tree)
    checks.hosts_and_links()
    for name, device in spec.devices.items():
        checks.device(name, device)
    checks.allocation()
    for name, data in spec.data.items():
        checks.data(name, data)
    for name, job in spec.jobs.items():
        checks.job(name, job)
    checks.order()
    return checks.problems


@dataclass(slots=True)
class _Checks:
    spec: Spec
    tree: Node
    problems: list[Problem] = field(default_factory=list[Problem])

    def report(self, path: tuple[str | int, ...], message: str, remedy: str) -> None:
        found, _ = self.tree.find(path)
        self.problems.append(Problem(found.place, ".".join(map(str, path)), message, remedy))

    def name(self, path: tuple[str | int, ...], name: str, legal: Iterable[str], what: str) -> bool:
        """Whether a name is one of the legal ones; if not, that is a problem."""
        names = list(legal)
        if name in names:
            return True
        section, _ = self.tree.find((f"{what}s",) if what != "data set" else ("data",))
        if name not in section.mapping:  # a part that is wrong in itself has been reported already
            self.report(path, f"there is no {what} '{name}'", choices(name, names))
        return False

    def block_devices(self) -> list[str]:
        return [name for name, device in self.spec.devices.items() if isinstance(device, BLOCK_KINDS)]

    def hosts_and_links(self) -> None:
        owner: dict[str, str] = {}
        for host, part in self.spec.hosts.items():
            for i, device in enumerate(part.owns):
                path = ("hosts", host, "owns", i)
                if self.name(path, device, self.spec.devices, "device") and device in owner:
                    self.report(path, f"'{device}' is owned by '{owner[device]}' already", "a device has one host")
                owner.setdefault(device, host)
            if part.dirty_background.si > part.dirty_limit.si:
                message = "write-back would begin above the limit at which writers wait"
                self.report(("hosts", host, "dirty_background"), message, "make it at most dirty_limit")
        for link, part in self.spec.links.items():
            for i, end in enumerate(part.joins):
                legal = [*self.spec.hosts, *self.spec.devices]
                if end not in legal:
                    self.report(
                        ("links", link, "joins", i),
                        f"there is no host or device '{end}'",
                        choices(end, legal),
                    )

    def device(self, name: str, device: Frozen) -> None:
        path = ("devices", name)
        if isinstance(device, Disk) and device.inner_rate.si > device.outer_rate.si:
            self.report((*path, "inner_rate"), "exceeds outer_rate", "addresses begin in the faster, outer zone")
        if isinstance(device, Disk):
            self.seeks(path, device)
        if isinstance(device, Raid):
            self.array(path, device)
        if isinstance(device, (LogicalVolume, Snapshot)):
            legal = [n for n in self.block_devices() if n != name]
            if self.name((*path, "on"), device.on, legal, "device"):
                self.on_a_real_device((*path, "on"), device.on)
            elif device.on in self.spec.devices:
                self.report((*path, "on"), f"'{device.on}' is no disk, array or volume", choices(device.on, legal))
        if isinstance(device, Snapshot):
            self.snapshot(path, device)
        if isinstance(device, TapeLibrary):
            self.library(path, device)

    def array(self, path: tuple[str | int, ...], device: Raid) -> None:
        self.seeks((*path, "disk"), device.disk)
        least = raid.minimum_disks(device.level)
        if device.disks.si < least:
            message = f"level {device.level} needs {least} disks or more"
            self.report((*path, "disks"), message, f"write {least} or more")
        if device.level == "10" and device.disks.si % 2:
            self.report((*path, "disks"), "mirrors come in pairs", "write an even number")

    def on_a_real_device(self, path: tuple[str | int, ...], on: str) -> None:
        if isinstance(self.spec.devices[on], LogicalVolume):
            self.report(path, f"'{on}' is itself a logical volume", "lay volumes on a disk or an array")

    def seeks(self, path: tuple[str | int, ...], disk: DiskParameters) -> None:
        if not disk.track_to_track_seek.si <= disk.average_seek.si <= disk.full_stroke_seek.si:
            message = "is not between track_to_track_seek and full_stroke_seek"
            self.report((*path, "average_seek"), message, "order the three seek times")

    def snapshot(self, path: tuple[str | int, ...], device: Snapshot) -> None:
        legal = [n for n, d in self.spec.devices.items() if isinstance(d, LogicalVolume)]
        if device.of in self.spec.devices and device.of not in legal:
            self.report((*path, "of"), f"'{device.of}' is no logical volume", choices(device.of, legal))
        else:
            self.name((*path, "of"), device.of, legal, "device")
        chunk = int(device.chunk.si)
        if chunk & (chunk - 1) or chunk % 512:
            self.report((*path, "chunk"), "is no power of two of 512 bytes or more", "write for example 8 KiB")
        if device.size.si < 3 * chunk:
            message = "the copy area has no room for one chunk and its metadata"
            self.report((*path, "size"), message, f"write at least {units.show(3.0 * chunk, 'B')}")
        if device.in_flight.si < chunk:
            self.report((*path, "in_flight"), "is smaller than one chunk", "write at least the chunk size")
        if device.record.si > chunk:
            self.report((*path, "record"), "is larger than a chunk", "the metadata of a chunk fits into one")

    def library(self, path: tuple[str | int, ...], device: TapeLibrary) -> None:
        if device.drives.si > device.bays.si:
            message = f"the library has bays for {int(device.bays.si)} drives"
            self.report((*path, "drives"), message, f"write {int(device.bays.si)} or less")
        if device.cartridges and device.cartridges.si > device.slots.si:
            message = f"the library has {int(device.slots.si)} slots"
            self.report((*path, "cartridges"), message, f"write {int(device.slots.si)} or less")

    def allocation(self) -> None:
        """Volumes and copy areas fit on their devices, one behind the other."""
        used: dict[str, float] = {}
        for name, device in self.spec.devices.items():
            if not isinstance(device, (LogicalVolume, Snapshot)) or device.on not in self.block_devices():
                continue
            used[device.on] = used.get(device.on, 0.0) + device.size.si
            room = self.capacity(device.on)
            if room is not None and used[device.on] > room:
                short = units.show_short(used[device.on] - room, "B")
                message = f"does not fit on '{device.on}' behind what is there: {short} too much"
                self.report(("devices", name, "size"), message, f"'{device.on}' holds {units.show_short(room, 'B')}")

    def capacity(self, name: str) -> float | None:
        """Bytes that a block device holds, if it can be told."""
        device = self.spec.devices.get(name)
        if isinstance(device, (Disk, Ssd)):
            return device.capacity.si
        if isinstance(device, LogicalVolume):
            return device.size.si
        if isinstance(device, Raid):
            disks = int(device.disks.si)
            odd = device.level == "10" and disks % 2
            if disks < raid.minimum_disks(device.level) or odd:
                return None
            return raid.usable_capacity(device.level, disks, device.disk.capacity.si)
        return None

    def data(self, name: str, data: Data) -> None:
        path = ("data", name)
        if not self.name((*path, "on"), data.on, self.block_devices(), "device"):
            if data.on in self.spec.devices:
                message = f"'{data.on}' is no disk, array or volume"
                self.report((*path, "on"), message, choices(data.on, self.block_devices()))
            return
        room, begin = self.capacity(data.on), self.begin(name, data)
        if room is not None and begin + data.size.si > room:
            over = units.show_short(begin + data.size.si - room, "B")
            message = (
                f"does not fit on '{data.on}': it begins at {units.show_short(begin, 'B')} and is {over} too large"
            )
            self.report((*path, "size"), message, f"'{data.on}' holds {units.show_short(room, 'B')}")

    def begin(self, name: str, data: Data) -> float:
        """Where a data set begins on its device."""
        return placement(self.spec)[name] if name in self.spec.data else (data.at.si if data.at else 0.0)

    def job(self, name: str, job: Job) -> None:
        path = ("jobs", name)
        for i, other in enumerate(job.after):
            where = (
                (*path, "after", i) if isinstance(self.tree.find((*path, "after"))[0].value, list) else (*path, "after")
            )
            self.name(where, other, self.spec.jobs, "job")
        self.times(path, job)
        for key in ("data", "to") if isinstance(job, CopyData) else ("data",):
            if isinstance(job, (Write, CopyData, Backup)):
                self.name((*path, key), str(getattr(job, key)), self.spec.data, "data set")
        if isinstance(job, Write):
            self.writer(path, job)
        if isinstance(job, Backup):
            self.backup(path, job)
        if isinstance(job, (CreateSnapshot, RemoveSnapshot)):
            legal = [n for n, d in self.spec.devices.items() if isinstance(d, Snapshot)]
            self.name((*path, "snapshot"), job.snapshot, legal, "device")
        if isinstance(job, Restore):
            self.restore(path, job)
        if isinstance(job, (Write, CopyData, Backup)) and job.data in self.spec.data:
            self.owned(path, self.spec.data[job.data].on)

    def times(self, path: tuple[str | int, ...], job: Job) -> None:
        """When the job begins and how often."""
        if job.begin is not None:
            self.time((*path, "begin"), job.begin)
        if (job.every is None) != (job.until is None):
            missing = "until" if job.until is None else "every"
            self.report(path, f"repeats without '{missing}'", "give both 'every' and 'until'")
        if job.every is not None and job.every.si <= 0:
            self.report((*path, "every"), "is no period", "write for example '1 day'")

    def owned(self, path: tuple[str | int, ...], device: str) -> None:
        if owner_of(self.spec, device) is None and device in self.block_devices():
            message = f"no host owns '{device}', on which its data lie"
            self.report((*path, "data"), message, f"name '{device}' under 'owns' of a host")

    def time(self, path: tuple[str | int, ...], text: str) -> None:
        try:
            units.parse_clock(text) if ":" in text else units.parse(text, "s")
        except units.UnitError as error:
            self.report(path, str(error), "write a time of day '22:00' or a time after the start '90 s'")

    def writer(self, path: tuple[str | int, ...], job: Write) -> None:
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

    def backup(self, path: tuple[str | int, ...], job: Backup) -> None:
        legal = [n for n, d in self.spec.devices.items() if isinstance(d, TapeLibrary)]
        if not self.name((*path, "to"), job.to, legal, "device"):
            if job.to in self.spec.devices:
                self.report((*path, "to"), f"'{job.to}' is no tape library", choices(job.to, legal))
            return
        library, data = self.spec.devices[job.to], self.spec.data.get(job.data)
        if isinstance(library, TapeLibrary) and data is not None:
            cartridges = (library.cartridges or library.slots).si
            self.connected((*path, "to"), data.on, job.to)
            room = cartridges * library.drive.cartridge_capacity.si * _ratio(data.compression)
            if data.size.si > room:
                message = f"the save set is larger than the pool of '{job.to}'"
                self.report((*path, "to"), message, f"its cartridges hold {units.show_short(room, 'B')} of such data")

        if job.method == "file_level" and data is not None and data.filesystem is None:
            message = f"a file-level backup needs the file system of '{job.data}'"
            self.report((*path, "method"), message, f"write 'filesystem: filesystem/...' under data.{job.data}")

    def connected(self, path: tuple[str | int, ...], device: str, library: str) -> None:
        """The data's host reaches the library."""
        host = owner_of(self.spec, device)
        if host is not None and route(self.spec, host, library) is None:
            remedy = f"let a link join '{host}' and '{library}', or let '{host}' own it"
            self.report(path, f"there is no way from '{host}' to '{library}'", remedy)

    def restore(self, path: tuple[str | int, ...], job: Restore) -> None:
        legal = [n for n, j in self.spec.jobs.items() if isinstance(j, Backup)]
        if not self.name((*path, "restore"), job.restore, legal, "job"):
            if job.restore in self.spec.jobs:
                self.report((*path, "restore"), f"'{job.restore}' is no backup", choices(job.restore, legal))
            return
        if job.to is not None:
            self.name((*path, "to"), job.to, self.spec.data, "data set")
        saved = self.spec.jobs[job.restore]
        target = self.spec.data.get(job.to or "")
        if target is not None and isinstance(saved, Backup):
            self.owned(path, target.on)
            self.connected((*path, "to"), target.on, saved.to)
        data = self.spec.data.get(saved.data) if isinstance(saved, Backup) else None
        if job.select is not None and data is not None:
            if job.select.size.si > data.size.si:
                self.report((*path, "select", "size"), f"is more than '{job.restore}' saves", "select less")
            if job.select.files.si > (data.files.si if data.files else 1.0):
                self.report(
                    (*path, "select", "files"),
                    f"is more than '{job.restore}' saves",
                    "say 'files:' of the data",
                )

    def order(self) -> None:
        """No job waits for itself."""
        for name in self.spec.jobs:
            seen, front = set[str](), list(self.spec.jobs[name].after)
            while front:
                other = front.pop()
                if other == name:
                    self.report(("jobs", name, "after"), "the job would wait for itself", "break the circle")
                    break
                if other not in seen and other in self.spec.jobs:
                    seen.add(other)
                    front.extend(self.spec.jobs[other].after)


def owner_of(spec: Spec, device: str) -> str | None:
    """The host that owns a device, or the device below a volume."""
    part = spec.devices.get(device)
    below = part.on if isinstance(part, (LogicalVolume, Snapshot)) else device
    return next((name for name, host in spec.hosts.items() if device in host.owns or below in host.owns), None)


def placement(spec: Spec) -> dict[str, float]:
    """Where each data set begins on its device, in bytes: as told, or behind the one listed before it."""
    ends: dict[str, float] = {}
    begins: dict[str, float] = {}
    for name, data in spec.data.items():
        begins[name] = data.at.si if data.at else ends.get(data.on, 0.0)
        ends[data.on] = max(ends.get(data.on, 0.0), begins[name] + data.size.si)
    return begins


def _ratio(given: Given | None) -> float:
    return given.si if given else 1.0
