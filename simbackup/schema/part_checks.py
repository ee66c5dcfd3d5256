"""What has to agree between the hosts, links, devices and data of a scenario: names, sizes, places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from simbackup import units
from simbackup.data.spec import DataSpec
from simbackup.devices.disk.spec import DiskSpec
from simbackup.devices.host.spec import HostSpec
from simbackup.devices.mirror.spec import MirrorSpec
from simbackup.devices.raid.spec import RaidSpec
from simbackup.devices.redirect.spec import CloneSpec, RedirectSnapshotSpec
from simbackup.devices.snapshot.spec import CheckpointSpec, SnapshotSpec
from simbackup.devices.ssd.spec import SsdSpec
from simbackup.devices.volume.spec import BLOCK_KINDS, LogicalVolumeSpec, Volume
from simbackup.equations import raid
from simbackup.errors import Problem, choices
from simbackup.schema.agreement import LEAST_CHUNKS, disagreements
from simbackup.schema.places import data_end, owner_of, placement, taken
from simbackup.schema.quantity import Frozen
from simbackup.schema.redirect_checks import aged, pointers
from simbackup.schema.scenario import Spec
from simbackup.schema.tree import Node

_TIES = re.compile(r"\.(owns|joins|on)\b")


@dataclass(slots=True)
class PartChecks:
    """Hosts, links, devices and data: names, sizes, places."""

    spec: Spec
    tree: Node
    before: tuple[Problem, ...] = ()
    problems: list[Problem] = field(default_factory=list[Problem])

    def report(self, path: tuple[str | int, ...], message: str, remedy: str) -> None:
        """Note a problem at a path."""
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
        """The names of disks, arrays and volumes."""
        return [name for name, device in self.spec.devices.items() if isinstance(device, BLOCK_KINDS)]

    def hosts_and_links(self) -> None:
        """Each device has one host, and links join what there is."""
        owner: dict[str, str] = {}
        for host, part in self.spec.hosts.items():
            self.within(host, part)
            for i, device in enumerate(part.owns):
                path = ("hosts", host, "owns", i)
                if self.name(path, device, self.spec.devices, "device") and device in owner:
                    self.report(path, f"'{device}' is owned by '{owner[device]}' already", "a device has one host")
                owner.setdefault(device, host)
        for link, part in self.spec.links.items():
            if len(set(part.joins)) < 2:  # noqa: PLR2004 (a link has two ends or more)
                self.report(("links", link, "joins"), "a link joins two or more", "name what it joins")
            legal = [*self.named("hosts"), *self.named("devices"), *(n for n in self.named("links") if n != link)]
            for i, end in enumerate(part.joins):
                if end not in legal:
                    message = f"there is no host, device or other link '{end}'"
                    self.report(("links", link, "joins", i), message, choices(end, legal))

    def within(self, host: str, part: HostSpec) -> None:
        """A virtual machine is on a real host, and as fast."""
        real = [name for name in self.named("hosts") if name != host]
        if part.within is not None and part.speed is not None:
            self.report(("hosts", host, "speed"), "a virtual machine is as fast as its host", "leave it out")
        path, whole = ("hosts", host, "within"), [name for name, h in self.spec.hosts.items() if h.within is None]
        if part.within == host:
            self.report(path, f"'{host}' would run on itself", choices(host, whole))
        elif part.within is not None and self.name(path, part.within, real, "host"):
            below = self.spec.hosts.get(part.within)
            if below is not None and below.within is not None:
                remedy = f"write '{below.within}'" if below.within in whole else choices(part.within, whole)
                self.report(path, f"'{part.within}' is itself a virtual machine", remedy)

    def device(self, name: str, device: Frozen) -> None:
        """A device lies on another one that there is."""
        path = ("devices", name)
        if isinstance(device, (Volume, SnapshotSpec, MirrorSpec)):
            legal = [n for n in self.block_devices() if n != name]
            if self.name((*path, "on"), device.on, legal, "device"):
                self.on_a_real_device((*path, "on"), device.on)
            elif device.on in self.spec.devices:
                self.report((*path, "on"), f"'{device.on}' is no disk, array or volume", choices(device.on, legal))
        if isinstance(device, RedirectSnapshotSpec | CloneSpec):
            pointers(self, path, device)
        elif isinstance(device, SnapshotSpec | CheckpointSpec | MirrorSpec):
            self.frozen_image(path, device)

    def on_a_real_device(self, path: tuple[str | int, ...], on: str) -> None:
        """Volumes do not lie on volumes."""
        if isinstance(self.spec.devices[on], Volume):
            self.report(path, f"'{on}' is itself a logical volume", "lay volumes on a disk or an array")

    def frozen_image(self, path: tuple[str | int, ...], device: SnapshotSpec | CheckpointSpec | MirrorSpec) -> None:
        """What is frozen is a volume; a mirror lies on other disks, and a checkpoint has room behind the data."""
        legal = [n for n, d in self.spec.devices.items() if isinstance(d, LogicalVolumeSpec)]
        if not self.name((*path, "of"), device.of, legal, "device"):
            if device.of in self.spec.devices:
                self.report((*path, "of"), f"'{device.of}' is no logical volume", choices(device.of, legal))
            return
        volume = self.spec.devices[device.of]
        if isinstance(device, MirrorSpec) and isinstance(volume, LogicalVolumeSpec) and volume.on == device.on:
            message = f"would lie on '{device.on}', as the volume does that it mirrors"
            self.report((*path, "on"), message, "lay it on disks of its own")
        if isinstance(device, CheckpointSpec) and isinstance(volume, LogicalVolumeSpec):
            free = volume.size.si - data_end(self.spec, device.of)
            if free < LEAST_CHUNKS * device.chunk.si and self.sound("data"):
                message = f"the file system on '{device.of}' has no room for what is copied"
                self.report((*path, "of"), message, f"let '{device.of}' be larger than its data")

    def allocation(self) -> None:
        """Volumes and copy areas fit on their devices, one behind the other."""
        used: dict[str, float] = {}
        for name, device in self.spec.devices.items():
            size = taken(self.spec, device)
            lying = isinstance(device, Volume | SnapshotSpec | MirrorSpec)
            if not lying or size is None or device.on not in self.block_devices():
                continue
            used[device.on] = used.get(device.on, 0.0) + size
            room = self.capacity(device.on)
            if room is not None and used[device.on] > room:
                short = units.show_short(used[device.on] - room, "B")
                message = f"does not fit on '{device.on}' behind what is there: {short} too much"
                key = ("devices", name, "on" if isinstance(device, MirrorSpec) else "size")
                self.report(key, message, f"'{device.on}' holds {units.show_short(room, 'B')}")

    def capacity(self, name: str) -> float | None:
        """Bytes that a block device holds, if it can be told."""
        device = self.spec.devices.get(name)
        if isinstance(device, (DiskSpec, SsdSpec)):
            return device.capacity.si
        if isinstance(device, Volume):
            return device.size.si
        if isinstance(device, RaidSpec):
            disks, groups = int(device.disks.si), int(device.groups.si) if device.groups else 1
            odd, disks = (device.level == "10" and disks // groups % 2) or disks % groups, disks // groups
            if disks < raid.minimum_disks(device.level) or odd:
                return None
            return groups * raid.usable_capacity(device.level, disks, device.disk.capacity.si)
        return None

    def data(self, name: str, data: DataSpec) -> None:
        """Data lie on a device that holds them, behind its volumes and copy areas."""
        path = ("data", name)
        if not self.name((*path, "on"), data.on, self.block_devices(), "device"):
            if data.on in self.spec.devices:
                message = f"'{data.on}' is no disk, array or volume"
                self.report((*path, "on"), message, choices(data.on, self.block_devices()))
            return
        room, begin = self.capacity(data.on), self.begin(name, data)
        lying = [d for d in self.spec.devices.values() if isinstance(d, Volume | SnapshotSpec | MirrorSpec)]
        parts = [taken(self.spec, part) or 0.0 for part in lying if part.on == data.on]
        whole = not isinstance(self.spec.devices[data.on], Volume)
        if whole and begin < sum(parts):
            message = f"would lie where the volumes and copy areas of '{data.on}' lie"
            self.report((*path, "on"), message, "lay it on a volume, or say 'at:' a place behind them")
        self.cached(path, data)
        aged(self, path, data)
        if room is not None and begin + data.size.si > room:
            over = units.show_short(begin + data.size.si - room, "B")
            message = (
                f"does not fit on '{data.on}': it begins at {units.show_short(begin, 'B')} and is {over} too large"
            )
            self.report((*path, "size"), message, f"'{data.on}' holds {units.show_short(room, 'B')}")

    def cached(self, path: tuple[str | int, ...], data: DataSpec) -> None:
        """What lies in memory fits there."""
        host = self.spec.hosts.get(owner_of(self.spec, data.on) or "")
        if data.cached is None or host is None:
            return
        bytes_there = data.cached.si * data.size.si
        if bytes_there > host.memory.si:
            message = f"{units.show_short(bytes_there, 'B')} do not fit into the memory of the host"
            self.report((*path, "cached"), message, f"it has {units.show_short(host.memory.si, 'B')}")

    def begin(self, name: str, data: DataSpec) -> float:
        """Where a data set begins on its device."""
        return placement(self.spec)[name] if name in self.spec.data else (data.at.si if data.at else 0.0)
