"""What has to agree between the hosts, links, devices and data of a scenario: names, sizes, places."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from simbackup import units
from simbackup.equations import raid
from simbackup.errors import Problem, choices
from simbackup.schema.agreement import LEAST_CHUNKS, disagreements
from simbackup.schema.database_checks import Path
from simbackup.schema.devices import BLOCK_KINDS, Disk, Host, Link, LogicalVolume, Raid, Ssd, Volume
from simbackup.schema.frozen_images import Checkpoint, Clone, Mirror, RedirectSnapshot, Snapshot
from simbackup.schema.jobs import Data
from simbackup.schema.places import data_end, owner_of, placement, taken
from simbackup.schema.quantity import Frozen
from simbackup.schema.redirect_checks import aged, pointers
from simbackup.schema.scenario import KINDS, Spec
from simbackup.schema.tree import Node
from simbackup.schema.unknown import Unknown, UnknownError

_TIES = re.compile(r"\.(owns|joins|on)\b")


@dataclass(slots=True)
class PartChecks:
    """Hosts, links, devices and data: names, sizes, places."""

    spec: Spec
    tree: Node
    before: tuple[Problem, ...] = ()
    problems: list[Problem] = field(default_factory=list[Problem])
    waiting: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])
    """By the address of a part the addresses that have to be right before it can be checked further."""

    def report(self, path: Path, message: str, remedy: str) -> None:
        """Note a problem at a path."""
        found, _ = self.tree.find(path)
        problem = Problem(found.place, ".".join(map(str, path)), message, remedy)
        whole = f"{problem.address}." if len(path) > 2 else "\n"  # noqa: PLR2004 (section and name of a part)
        if not any(other.address == problem.address or other.address.startswith(whole) for other in self.before):
            self.problems.append(problem)

    def name(self, path: Path, name: str, legal: Iterable[str], what: str) -> bool:
        """Whether a name is one of the legal ones; if not, that is a problem."""
        section, names = "data" if what == "data set" else f"{what}s", list(legal)
        if self.pending(path, section, name):
            return False
        if name in names:
            self.placed(path, section, name)
            return True
        if name not in self.named(section):
            self.report(path, f"there is no {what} '{name}'", choices(name, names))
        return False

    def pending(self, path: Path, section: str, name: str) -> bool:
        """Whether a name is, or may be, that of a part that cannot be told before something else is right."""
        if name in self.named(section):
            waits_for = None if name in getattr(self.spec, section) else f"{section}.{name}"
        else:
            waits_for = self.lost(section)
        if waits_for is not None:
            self.wait(path, waits_for)
        return waits_for is not None

    def lost(self, section: str) -> str | None:
        """The address of what has to be right before it is known which parts a section has."""
        node = self.tree.mapping.get(section)
        if node is not None and node.value is not None and not isinstance(node.value, dict):
            return section
        wrong = (p.address.split(".")[:2] for p in self.before if p.address.startswith(("fleets", "extends")))
        return next((".".join(steps) for steps in wrong), None)

    def placed(self, path: Path, section: str, name: str) -> None:
        """Wait for the place of a part, and of what it lies on, where it is on nothing that there is."""
        seen = set[str]()
        while name not in seen:
            seen.add(name)
            on = getattr(getattr(self.spec, section)[name], "on", None)
            if on is None:
                return
            if on not in self.spec.devices:
                there = on in self.named("devices")
                self.wait(path, f"devices.{on}" if there else self.lost("devices") or f"{section}.{name}.on")
                return
            section, name = "devices", on

    def wait(self, path: Path, address: str) -> None:
        """Note that the part on a path was not checked further before what stands at an address is right."""
        own = ".".join(map(str, path[:2]))
        told = [problem.address for problem in (*self.before, *self.problems)]
        if "extends" in told and address not in told:
            address = "extends"
        if address != own and not address.startswith(f"{own}."):
            self.waiting.setdefault(own, {})[address] = None

    @contextmanager
    def about(self, *path: str | int) -> Generator[None]:
        """Check the part on a path as far as what is asked for is known."""
        try:
            yield
        except UnknownError as unknown:
            self.wait(path, unknown.address)

    def named(self, section: str) -> Iterable[str]:
        """The names of a section, also those of parts that are wrong in themselves."""
        return self.tree.mapping[section].mapping if section in self.tree.mapping else ()

    def sound(self, path: Path, *sections: str) -> bool:
        """Whether all that ties the parts of these sections together is known: what is missing is missing indeed."""
        loose = [p.address for p in (*self.before, *self.problems) if _TIES.search(p.address)]
        for section in sections:
            loose += [f"{section}.{name}" for name in self.named(section) if name not in getattr(self.spec, section)]
            loose += filter(None, [self.lost(section)])
        waits_for = [address for address in loose if address.split(".")[0] in {*sections, "fleets"}]
        for address in waits_for:
            self.wait(path, address)
        return not waits_for

    def baseless(self) -> None:
        """What is not known to be of any kind waits for the file that the scenario extends, if that is not there."""
        if any(problem.address == "extends" for problem in self.before):
            for section in ("devices", "jobs"):
                parts = self.tree.mapping[section].mapping if section in self.tree.mapping else {}
                for name, node in parts.items():
                    if not KINDS & node.mapping.keys():
                        self.wait((section, name), "extends")

    def agreement(self) -> None:
        """The values of each part go together."""
        parts: dict[str, Mapping[str, Frozen]] = {
            "hosts": self.spec.hosts, "devices": self.spec.devices, "data": self.spec.data
        }  # fmt: skip
        for section, named in parts.items():
            for name, part in named.items():
                with self.about(section, name):
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
            with self.about("hosts", host):
                self.within(host, part)
            with self.about("hosts", host):
                self.owning(host, part, owner)
        for link, part in self.spec.links.items():
            with self.about("links", link):
                self.joining(link, part)

    def owning(self, host: str, part: Host, owner: dict[str, str]) -> None:
        """What a host owns is there, and nobody else's."""
        for i, device in enumerate(part.owns):
            path = ("hosts", host, "owns", i)
            if self.name(path, device, self.spec.devices, "device") and device in owner:
                self.report(path, f"'{device}' is owned by '{owner[device]}' already", "a device has one host")
            owner.setdefault(device, host)

    def joining(self, link: str, part: Link) -> None:
        """A link joins hosts, devices and other links."""
        if len(set(part.joins)) < 2:  # noqa: PLR2004 (a link has two ends or more)
            lost = self.lost("hosts") or self.lost("devices")
            if lost is None:
                self.report(("links", link, "joins"), "a link joins two or more", "name what it joins")
            else:
                self.wait(("links", link), lost)
        legal = [*self.named("hosts"), *self.named("devices"), *(n for n in self.named("links") if n != link)]
        for i, end in enumerate(part.joins):
            path = ("links", link, "joins", i)
            if end in legal:
                continue
            lost = [section for section in ("hosts", "devices", "links") if self.pending(path, section, end)]
            if not lost:
                message = f"there is no host, device or other link '{end}'"
                self.report(path, message, choices(end, legal))

    def within(self, host: str, part: Host) -> None:
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
        if isinstance(device, (Volume, Snapshot, Mirror)) and not isinstance(device.on, Unknown):
            legal = [n for n in self.block_devices() if n != name]
            if self.name((*path, "on"), device.on, legal, "device"):
                self.on_a_real_device((*path, "on"), device.on)
            elif device.on in self.spec.devices:
                self.report((*path, "on"), f"'{device.on}' is no disk, array or volume", choices(device.on, legal))
        with self.about(*path):
            if isinstance(device, RedirectSnapshot | Clone):
                pointers(self, path, device)
            elif isinstance(device, Snapshot | Checkpoint | Mirror):
                self.frozen_image(path, device)

    def on_a_real_device(self, path: Path, on: str) -> None:
        """Volumes do not lie on volumes."""
        if isinstance(self.spec.devices[on], Volume):
            self.report(path, f"'{on}' is itself a logical volume", "lay volumes on a disk or an array")

    def frozen_image(self, path: Path, device: Snapshot | Checkpoint | Mirror) -> None:
        """What is frozen is a volume; a mirror lies on other disks, and a checkpoint has room behind the data."""
        legal = [n for n, d in self.spec.devices.items() if isinstance(d, LogicalVolume)]
        if not self.name((*path, "of"), device.of, legal, "device"):
            if device.of in self.spec.devices:
                self.report((*path, "of"), f"'{device.of}' is no logical volume", choices(device.of, legal))
            return
        volume = self.spec.devices[device.of]
        if isinstance(device, Mirror) and isinstance(volume, LogicalVolume) and volume.on == device.on:
            message = f"would lie on '{device.on}', as the volume does that it mirrors"
            self.report((*path, "on"), message, "lay it on disks of its own")
        if isinstance(device, Checkpoint) and isinstance(volume, LogicalVolume):
            free = volume.size.si - data_end(self.spec, device.of)
            if free < LEAST_CHUNKS * device.chunk.si and self.sound(path, "data"):
                message = f"the file system on '{device.of}' has no room for what is copied"
                self.report((*path, "of"), message, f"let '{device.of}' be larger than its data")

    def allocation(self) -> None:
        """Volumes and copy areas fit on their devices, one behind the other."""
        used: dict[str, float] = {}
        for name, device in self.spec.devices.items():
            with self.about("devices", name):
                self.allocated(name, device, used)

    def allocated(self, name: str, device: Frozen, used: dict[str, float]) -> None:
        """What lies on a device fits there behind what is `used` of it."""
        lying = isinstance(device, Volume | Snapshot | Mirror)
        size = taken(self.spec, device) if lying else None
        if not lying or size is None or device.on not in self.block_devices():
            return
        used[device.on] = used.get(device.on, 0.0) + size
        room = self.capacity(device.on)
        if room is not None and used[device.on] > room:
            short = units.show_short(used[device.on] - room, "B")
            message = f"does not fit on '{device.on}' behind what is there: {short} too much"
            key = ("devices", name, "on" if isinstance(device, Mirror) else "size")
            self.report(key, message, f"'{device.on}' holds {units.show_short(room, 'B')}")

    def capacity(self, name: str) -> float | None:
        """Bytes that a block device holds, if it can be told."""
        device = self.spec.devices.get(name)
        if isinstance(device, (Disk, Ssd)):
            return device.capacity.si
        if isinstance(device, Volume):
            return device.size.si
        if isinstance(device, Raid):
            disks, groups = int(device.disks.si), int(device.groups.si) if device.groups else 1
            odd, disks = (device.level == "10" and disks // groups % 2) or disks % groups, disks // groups
            if disks < raid.minimum_disks(device.level) or odd:
                return None
            return groups * raid.usable_capacity(device.level, disks, device.disk.capacity.si)
        return None

    def data(self, name: str, data: Data) -> None:
        """Data lie on a device that holds them, behind its volumes and copy areas."""
        path = ("data", name)
        if isinstance(data.on, Unknown):
            return
        if not self.name((*path, "on"), data.on, self.block_devices(), "device"):
            if data.on in self.spec.devices:
                message = f"'{data.on}' is no disk, array or volume"
                self.report((*path, "on"), message, choices(data.on, self.block_devices()))
            return
        with self.about(*path):
            self.cached(path, data)
        with self.about(*path):
            aged(self, path, data)
        with self.about(*path):
            self.lying(path, name, data)

    def lying(self, path: Path, name: str, data: Data) -> None:
        """A data set fits on its device, behind what lies there."""
        room, begin = self.capacity(data.on), self.begin(name, data)
        lying = [d for d in self.spec.devices.values() if isinstance(d, Volume | Snapshot | Mirror)]
        parts = [taken(self.spec, part) or 0.0 for part in lying if part.on == data.on]
        whole = not isinstance(self.spec.devices[data.on], Volume)
        if whole and begin < sum(parts):
            message = f"would lie where the volumes and copy areas of '{data.on}' lie"
            self.report((*path, "on"), message, "lay it on a volume, or say 'at:' a place behind them")
        if room is not None and begin + data.size.si > room:
            over = units.show_short(begin + data.size.si - room, "B")
            message = (
                f"does not fit on '{data.on}': it begins at {units.show_short(begin, 'B')} and is {over} too large"
            )
            self.report((*path, "size"), message, f"'{data.on}' holds {units.show_short(room, 'B')}")

    def cached(self, path: Path, data: Data) -> None:
        """What lies in memory fits there."""
        host = self.spec.hosts.get(owner_of(self.spec, data.on) or "")
        if data.cached is None or host is None:
            return
        bytes_there = data.cached.si * data.size.si
        if bytes_there > host.memory.si:
            message = f"{units.show_short(bytes_there, 'B')} do not fit into the memory of the host"
            self.report((*path, "cached"), message, f"it has {units.show_short(host.memory.si, 'B')}")

    def begin(self, name: str, data: Data) -> float:
        """Where a data set begins on its device."""
        return placement(self.spec, data.on)[name] if name in self.spec.data else (data.at.si if data.at else 0.0)
