"""What has to agree between the parts of a scenario: names, sizes, order of jobs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from simbackup import units
from simbackup.equations import raid
from simbackup.errors import Problem, choices
from simbackup.schema.agreement import disagreements
from simbackup.schema.database_checks import database_backup, database_restore, workload_on_a_database
from simbackup.schema.devices import Disk, LogicalVolume, Raid, Snapshot, Ssd, TapeLibrary
from simbackup.schema.jobs import (
    AnyBackup,
    Backup,
    BinaryLog,
    CopyData,
    CreateSnapshot,
    Data,
    DatabaseBackup,
    Job,
    RemoveSnapshot,
    Restore,
    Write,
)
from simbackup.schema.quantity import Frozen, Given
from simbackup.schema.routes import route
from simbackup.schema.scenario import Spec
from simbackup.schema.tree import Node

GREATEST_RUNS = 100_000
"""Runs of one job that a scenario may ask for; three a day for ninety years are fewer."""
_TIES = re.compile(r"\.(owns|joins|on)\b")
BLOCK_KINDS = (Disk, Ssd, Raid, LogicalVolume)


def check(spec: Spec, tree: Node, before: Sequence[Problem] = ()) -> list[Problem]:
    """Everything in which the parts of a scenario disagree, as far as what was wrong `before` lets it be told."""
    checks = _Checks(spec, tree, tuple(before))
    checks.agreement()
    checks.hosts_and_links()
    for name, device in spec.devices.items():
        checks.device(name, device)
    checks.allocation()
    for name, data in spec.data.items():
        checks.data(name, data)
    for name, workload in spec.workloads.items():
        workload_on_a_database(checks, ("workloads", name), workload)
        if workload.data in spec.data:
            checks.owned(("workloads", name), spec.data[workload.data].on)
    for name, job in spec.jobs.items():
        checks.job(name, job)
    checks.order()
    return checks.problems


@dataclass(slots=True)
class _Checks:
    spec: Spec
    tree: Node
    before: tuple[Problem, ...] = ()
    problems: list[Problem] = field(default_factory=list[Problem])

    def report(self, path: tuple[str | int, ...], message: str, remedy: str) -> None:
        found, _ = self.tree.find(path)
        self.problems.append(Problem(found.place, ".".join(map(str, path)), message, remedy))

    def name(self, path: tuple[str | int, ...], name: str, legal: Iterable[str], what: str) -> bool:
        """Whether a name is one of the legal ones; if not, that is a problem."""
        names = list(legal)
        if name in names:
            return True
        if name not in self.named("data" if what == "data set" else f"{what}s"):
            # a part that is wrong in itself has been reported already
            self.report(path, f"there is no {what} '{name}'", choices(name, names))
        return False

    def named(self, section: str) -> Iterable[str]:
        """The names of a section, also those of parts that are wrong in themselves."""
        return self.tree.mapping[section].mapping if section in self.tree.mapping else ()

    def sound(self, *sections: str) -> bool:
        """Whether nothing in these sections was wrong so far, so that what is missing is missing indeed."""
        loose = [p.address for p in self.before] + [p.address for p in self.problems if _TIES.search(p.address)]
        return not any(address.split(".")[0] in sections for address in loose)

    def agreement(self) -> None:
        """The values of each part go together."""
        parts: dict[str, Mapping[str, Frozen]] = {
            "hosts": self.spec.hosts, "devices": self.spec.devices, "data": self.spec.data
        }  # fmt: skip
        for section, named in parts.items():
            for name, part in named.items():
                for paths, message, remedy in disagreements(part):
                    self.report(self.written([(section, name, *path) for path in paths]), message, remedy)

    def written(self, paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Of the paths of values that disagree the one that its author would change: own values before others'."""

        def distance(path: tuple[str, ...]) -> int:
            node, seen = self.tree.find(path)
            place = node.place
            if len(seen) < len(path) or place.file.startswith("models/"):
                return 3
            return 0 if not place.line else 1 if place.file == self.tree.place.file else 2

        return min(paths, key=distance)

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
        for link, part in self.spec.links.items():
            if len(set(part.joins)) < 2:  # noqa: PLR2004 (a link has two ends or more)
                self.report(("links", link, "joins"), "a link joins two or more", "name what it joins")
            legal = [*self.named("hosts"), *self.named("devices")]
            for i, end in enumerate(part.joins):
                if end not in legal:
                    message = f"there is no host or device '{end}'"
                    self.report(("links", link, "joins", i), message, choices(end, legal))

    def device(self, name: str, device: Frozen) -> None:
        path = ("devices", name)
        if isinstance(device, (LogicalVolume, Snapshot)):
            legal = [n for n in self.block_devices() if n != name]
            if self.name((*path, "on"), device.on, legal, "device"):
                self.on_a_real_device((*path, "on"), device.on)
            elif device.on in self.spec.devices:
                self.report((*path, "on"), f"'{device.on}' is no disk, array or volume", choices(device.on, legal))
        if isinstance(device, Snapshot):
            self.snapshot(path, device)

    def on_a_real_device(self, path: tuple[str | int, ...], on: str) -> None:
        if isinstance(self.spec.devices[on], LogicalVolume):
            self.report(path, f"'{on}' is itself a logical volume", "lay volumes on a disk or an array")

    def snapshot(self, path: tuple[str | int, ...], device: Snapshot) -> None:
        legal = [n for n, d in self.spec.devices.items() if isinstance(d, LogicalVolume)]
        if not self.name((*path, "of"), device.of, legal, "device") and device.of in self.spec.devices:
            self.report((*path, "of"), f"'{device.of}' is no logical volume", choices(device.of, legal))

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
        parts = [d for d in self.spec.devices.values() if isinstance(d, (LogicalVolume, Snapshot)) and d.on == data.on]
        whole = not isinstance(self.spec.devices[data.on], LogicalVolume)
        if whole and begin < sum(part.size.si for part in parts):
            message = f"would lie where the volumes and copy areas of '{data.on}' lie"
            self.report((*path, "on"), message, "lay it on a volume, or say 'at:' a place behind them")
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
        self.times(path, job)
        for key in ("data", "to") if isinstance(job, CopyData) else ("data",):
            if isinstance(job, Write | CopyData | AnyBackup):
                self.name((*path, key), str(getattr(job, key)), self.spec.data, "data set")
        if isinstance(job, Write):
            self.writer(path, job)
        if isinstance(job, CopyData) and job.data in self.spec.data:
            self.room(path, self.spec.data[job.data].size, job.to)
            self.at_one_host(path, job.data, self.spec.data[job.to].on if job.to in self.spec.data else None)
        if isinstance(job, Backup):
            self.backup(path, job)
        if isinstance(job, (DatabaseBackup, BinaryLog)):
            database_backup(self, path, job)
            self.at_one_host(path, job.data, job.to)
        if isinstance(job, (CreateSnapshot, RemoveSnapshot)):
            self.freezing((*path, "snapshot"), job.snapshot)
        if isinstance(job, Restore):
            self.restore(path, job)
        if isinstance(job, Write | CopyData | AnyBackup) and job.data in self.spec.data:
            self.owned(path, self.spec.data[job.data].on)

    def freezing(self, path: tuple[str | int, ...], name: str) -> None:
        """The snapshot that a job creates or removes is one."""
        legal = [n for n, d in self.spec.devices.items() if isinstance(d, Snapshot)]
        if not self.name(path, name, legal, "device") and name in self.spec.devices:
            self.report(path, f"'{name}' is no snapshot", choices(name, legal))

    def times(self, path: tuple[str | int, ...], job: Job) -> None:
        """After which jobs, when and how often the job begins."""
        listed = isinstance(self.tree.find((*path, "after"))[0].value, list)
        for i, other in enumerate(job.after):
            self.name((*path, "after", i) if listed else (*path, "after"), other, self.spec.jobs, "job")
        if job.begin is not None:
            self.time((*path, "begin"), job.begin)
        if (job.every is None) != (job.until is None):
            missing = "until" if job.until is None else "every"
            self.report(path, f"repeats without '{missing}'", "give both 'every' and 'until'")
        if job.every is not None and job.until is not None:
            if job.every.si <= 0:
                self.report((*path, "every"), "is no period", "write for example '1 day'")
            elif job.until.si / job.every.si > GREATEST_RUNS:
                message = f"the job would run more than {GREATEST_RUNS} times"
                self.report((*path, "every"), message, "write a longer period, or an earlier 'until'")

    def room(self, path: tuple[str | int, ...], size: Given, to: str) -> None:
        """The place that is written holds what is written to it."""
        target = self.spec.data.get(to)
        if target is not None and size.si > target.size.si:
            message = f"'{to}' is smaller than what is written to it, {units.show_short(size.si, 'B')}"
            self.report((*path, "to"), message, f"'{to}' holds {units.show_short(target.size.si, 'B')}")

    def at_one_host(self, path: tuple[str | int, ...], data: str, device: str | None) -> None:
        """Both places belong to one host: only backups to tape cross networks."""
        if data not in self.spec.data or device not in self.spec.devices:
            return
        hosts = [owner_of(self.spec, name) for name in (self.spec.data[data].on, device)]
        if None not in hosts and hosts[0] != hosts[1]:
            message = f"'{device}' belongs to '{hosts[1]}', and '{data}' to '{hosts[0]}'"
            self.report((*path, "to"), message, "only backups to tape cross networks; let one host own both")
        elif hosts[1] is None and hosts[0] is not None:
            self.owned(path, device, "to")

    def owned(self, path: tuple[str | int, ...], device: str, key: str = "data") -> None:
        if owner_of(self.spec, device) is None and device in self.block_devices() and self.sound("hosts", "devices"):
            message = f"no host owns '{device}', on which its data lie"
            self.report((*path, key), message, f"name '{device}' under 'owns' of a host")

    def time(self, path: tuple[str | int, ...], text: str) -> None:
        try:
            units.parse_clock(text) if ":" in text else units.parse(text, "s")
        except units.UnitError as error:
            what = str(error).split(";", maxsplit=1)[0]
            self.report(path, what, "write a time of day, '22:00', or a time after the start, '90 s'")

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
        if host is not None and route(self.spec, host, library) is None and self.sound("hosts", "devices", "links"):
            remedy = f"let a link join '{host}' and '{library}', or let '{host}' own it"
            self.report(path, f"there is no way from '{host}' to '{library}'", remedy)

    def restore(self, path: tuple[str | int, ...], job: Restore) -> None:
        legal = [n for n, j in self.spec.jobs.items() if isinstance(j, AnyBackup)]
        if not self.name((*path, "restore"), job.restore, legal, "job"):
            if job.restore in self.spec.jobs:
                self.report((*path, "restore"), f"'{job.restore}' is no backup", choices(job.restore, legal))
            return
        if job.to is not None:
            self.name((*path, "to"), job.to, self.spec.data, "data set")
        saved = self.spec.jobs[job.restore]
        if isinstance(saved, (DatabaseBackup, BinaryLog)):
            database_restore(self, path, job, saved)
            self.back_to_a_database(path, job, saved)
            return
        target = self.spec.data.get(job.to or "")
        if job.replay:
            self.report((*path, "replay"), "only logs of a database are replayed", "leave it out")
        if target is not None and isinstance(saved, Backup):
            self.owned(path, target.on, "to")
            self.connected((*path, "to"), target.on, saved.to)
        data = self.spec.data.get(saved.data) if isinstance(saved, Backup) else None
        if data is not None:
            self.extent(path, job, data)

    def extent(self, path: tuple[str | int, ...], job: Restore, data: Data) -> None:
        """What is restored was saved, and fits where it is written."""
        if job.to is not None:
            self.room(path, job.select.size if job.select else data.size, job.to)
        if job.select is None:
            return
        message = f"is more than '{job.restore}' saves"
        if job.select.size.si > data.size.si:
            self.report((*path, "select", "size"), message, "select less")
        if job.select.files.si > (data.files.si if data.files else 1.0):
            self.report((*path, "select", "files"), message, "say 'files:' of the data")

    def back_to_a_database(self, path: tuple[str | int, ...], job: Restore, saved: DatabaseBackup | BinaryLog) -> None:
        """The database that is restored has a host, and holds what was saved."""
        data = self.spec.data.get(saved.data)
        if job.to is not None and job.to in self.spec.data and data is not None:
            self.owned(path, self.spec.data[job.to].on, "to")
            self.at_one_host(path, job.to, saved.to)
            self.room(path, data.size, job.to)

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
