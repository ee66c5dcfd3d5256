"""What the checks of all rooms need: reports, names, owners, room and ways."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simbackup import units
from simbackup.errors import Problem, choices
from simbackup.scenario.spec import KINDS, Spec
from simbackup.schema.capability import BlockDevice, Device, ImageDevice, OnDevice
from simbackup.schema.job import Restoring
from simbackup.schema.origin import UnknownError
from simbackup.schema.part import Part, Path
from simbackup.schema.quantity import DURATION, LATEST, Quantity
from simbackup.schema.tree import Node

_TIES = re.compile(r"\.(owns|joins|on)\b")
CROSSING = "image, file_level, copy_save_set, program, database_native, logical_dump and hot_copy"
"""Methods whose bytes cross networks."""


class About:
    """Where a part is checked: what finds a value unknown ends there, and the part waits for that value."""

    __slots__ = ("_checks", "_path")

    def __init__(self, checks: Checks, path: Path) -> None:
        self._checks = checks
        self._path = path

    def __enter__(self) -> None:
        """Nothing: checks of the part follow."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, UnknownError):
            self._checks.wait(self._path, error.address)
            return True
        return False


@dataclass(slots=True)
class Checks:
    """The checks of one scenario: its spec, and the problems found so far."""

    spec: Spec
    tree: Node
    before: tuple[Problem, ...] = ()
    problems: list[Problem] = field(default_factory=list[Problem])
    waiting: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])
    """By the address of a part: the addresses to fix before it can be checked further."""

    def report(self, path: Path, message: str, remedy: str) -> None:
        """Note a problem at a path, unless one was reported there before."""
        found, _ = self.tree.find(path)
        problem = Problem(found.place, ".".join(map(str, path)), message, remedy)
        whole = f"{problem.address}." if len(path) > 2 else "\n"  # noqa: PLR2004 (section and name of a part)
        if not any(other.address == problem.address or other.address.startswith(whole) for other in self.before):
            self.problems.append(problem)

    def name(self, path: Path, name: str, legal: Collection[str], what: str) -> bool:
        """Whether a name is one of the legal ones; reports it if not, unless it waits for another problem."""
        section = "data" if what == "data set" else f"{what}s"
        if self.pending(path, section, name):
            return False
        if name in legal:
            self._placed(path, section, name)
            return True
        if name not in self.named(section):
            self.report(path, f"there is no {what} '{name}'", choices(name, legal))
        return False

    def moment(self, path: Path, text: str) -> None:
        """Report what is neither a time of day nor a time after the start."""
        try:
            seconds = units.parse_moment(text)
        except units.UnitError as error:
            what = str(error).split(";", maxsplit=1)[0]
            self.report(path, what, "write a time of day, '22:00', or a time after the start, '90 s'")
            return
        if not 0.0 <= seconds <= LATEST:
            self.report(path, f"{text} is out of bounds", DURATION.remedy(seconds))

    def street(self, path: Path, name: str) -> None:
        """Report what is neither a link nor a port of one, and a link that is crossed from port to port."""
        link = name.partition(".")[0]
        if self.name(path, link if name in self.spec.streets else name, self.spec.links, "link"):
            own = [street for street in self.spec.streets if street.partition(".")[0] == link]
            if name not in own:
                self.report(path, f"'{link}' is a switch, with a port for each part", f"name a port: {', '.join(own)}")

    def pending(self, path: Path, section: str, name: str) -> bool:
        """Whether a name is, or may be, that of a part that is unknown until something else is right."""
        if name in self.named(section):
            waits_for = None if name in getattr(self.spec, section) else f"{section}.{name}"
        else:
            waits_for = self.lost(section)
        if waits_for is not None:
            self.wait(path, waits_for)
        return waits_for is not None

    def lost(self, section: str) -> str | None:
        """The address to fix before it is known which parts a section has."""
        node = self.tree.mapping.get(section)
        if node is not None and node.value is not None and not isinstance(node.value, dict):
            return section
        wrong = (p.address.split(".")[:2] for p in self.before if p.address.startswith(("fleets", "extends")))
        return next((".".join(steps) for steps in wrong), None)

    def _placed(self, path: Path, section: str, name: str) -> None:
        """Wait for the place of a part, and of what it is on, if that is unknown."""
        seen = set[str]()
        while name not in seen:
            seen.add(name)
            part: Part = getattr(self.spec, section)[name]
            on: str | None = vars(part).get("on")
            if on is None:
                return
            if on not in self.spec.devices:
                there = on in self.named("devices")
                self.wait(path, f"devices.{on}" if there else self.lost("devices") or f"{section}.{name}.on")
                return
            section, name = "devices", on

    def wait(self, path: Path, address: str) -> None:
        """Note that the part on a path cannot be checked further until the value at an address is right."""
        own = ".".join(map(str, path[:2]))
        reported = [problem.address for problem in (*self.before, *self.problems)]
        if "extends" in reported and address not in reported:
            address = "extends"
        if address != own and not address.startswith(f"{own}."):
            self.waiting.setdefault(own, {})[address] = None

    def about(self, *path: str | int) -> About:
        """Inside, the part on a path is checked as far as the values needed are known."""
        return About(self, path)

    def named(self, section: str) -> Collection[str]:
        """The names of a section, also those of parts that are wrong in themselves."""
        return self.tree.mapping[section].mapping if section in self.tree.mapping else ()

    def sound(self, path: Path, *sections: str) -> bool:
        """Whether all connections between parts of these sections are known, so that what is missing is an error."""
        if not self.before and not self.problems:
            return True
        loose = [p.address for p in (*self.before, *self.problems) if _TIES.search(p.address)]
        for section in sections:
            loose += [f"{section}.{name}" for name in self.named(section) if name not in getattr(self.spec, section)]
            loose += filter(None, [self.lost(section)])
        waits_for = [address for address in loose if address.split(".")[0] in {*sections, "fleets"}]
        for address in waits_for:
            self.wait(path, address)
        return not waits_for

    def baseless(self) -> None:
        """Let parts without a kind wait for the file that the scenario extends, if that is missing."""
        if any(problem.address == "extends" for problem in self.before):
            for section in ("devices", "jobs"):
                parts = self.tree.mapping[section].mapping if section in self.tree.mapping else {}
                for name, node in parts.items():
                    if not KINDS & node.mapping.keys():
                        self.wait((section, name), "extends")

    def written(self, paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Of the paths of conflicting values the one that its author would change: own values before others'."""

        def distance(path: tuple[str, ...]) -> int:
            node, seen = self.tree.find(path)
            place = node.place
            if len(seen) < len(path) or place.file.startswith("models/"):
                return 3
            return 0 if not place.line else 1 if place.file == self.tree.place.file else 2

        return min(paths, key=distance)

    def block_devices(self) -> Mapping[str, Device]:
        """The disks, arrays and volumes by name."""
        return self.spec.block_devices()

    def block_device(self, path: Path, name: str) -> bool:
        """Whether a name is that of a disk, array or volume; reports it if not."""
        if self.name(path, name, self.block_devices(), "device"):
            return True
        if name in self.spec.devices:
            self.report(path, f"'{name}' is not a disk, array or volume", choices(name, self.block_devices()))
        return False

    def data_set(self, path: Path, name: str, key: str = "data", *, owned: bool = True) -> bool:
        """Whether a job names a data set under a key, whose device a host owns; reports it if not."""
        known = False
        with self.about(*path):
            known = self.name((*path, key), name, self.spec.data, "data set")
        with self.about(*path):
            if known and owned and key == "data":
                self.owned(path, self.spec.data[name].on)
        return known

    def frozen_image(self, path: Path, name: str, kind: type[Device] = ImageDevice, what: str = "snapshot") -> bool:
        """Whether a device that a job uses as a frozen image is one; reports it if not."""
        legal = self.spec.devices_with(kind)
        if self.name(path, name, legal, "device"):
            return True
        if name in self.spec.devices:
            self.report(path, f"'{name}' is not a {what}", choices(name, legal))
        return False

    def freezes(self, path: Path, image: str, data: str) -> None:
        """Report a frozen image of another volume than that of some data."""
        device, on = self.spec.devices[image], self.spec.data[data].on
        if isinstance(device, ImageDevice) and device.of != on:
            message = f"'{image}' is an image of '{device.of}', but '{data}' is on '{on}'"
            self.report(path, message, f"take a frozen image of '{on}'")

    def capacity(self, name: str) -> float | None:
        """Bytes that a block device holds, if known."""
        device = self.spec.devices.get(name)
        return device.capacity_bytes() if isinstance(device, BlockDevice) else None

    def room(self, path: Path, size: Quantity, to: str) -> None:
        """Report a data set that is smaller than what is written to it."""
        target = self.spec.data.get(to)
        if target is not None and size.si > target.size.si:
            message = f"'{to}' is smaller than what is written to it, {units.show_short(size.si, 'B')}"
            self.report((*path, "to"), message, f"'{to}' holds {units.show_short(target.size.si, 'B')}")

    def free(self, path: Path, device: str, size: Quantity, what: str) -> None:
        """Report a device without room behind its volumes and data."""
        room, behind = self.capacity(device), max(self.spec.data_end(device), self.spec.guaranteed(device))
        if room is not None and behind + size.si > room:
            message = f"'{device}' has no room for {what} of {units.show_short(size.si, 'B')}"
            self.report(path, message, f"{units.show_short(max(room - behind, 0.0), 'B')} are free")

    def at_one_host(self, path: Path, data: str, device: str | None) -> None:
        """Report places of different hosts, for methods that do not cross networks."""
        if data not in self.spec.data or device not in self.spec.devices:
            return
        hosts = [self.spec.owner_of(name) for name in (self.spec.data[data].on, device)]
        if None not in hosts and hosts[0] != hosts[1]:
            message = f"'{device}' belongs to '{hosts[1]}', and '{data}' to '{hosts[0]}'"
            remedy = f"let one host own both; only {CROSSING} cross networks"
            self.report((*path, "to"), message, remedy)
        elif hosts[1] is None and hosts[0] is not None:
            self.owned(path, device, "to")

    def owned(self, path: Path, device: str, key: str = "data") -> None:
        """Report data on a device that no host owns."""
        if self.spec.owner_of(device) is not None or device not in self.block_devices():
            return
        if self.sound(path, "hosts", "devices"):
            message = f"no host owns '{device}', which holds the data"
            self.report((*path, key), message, f"add '{device}' to 'owns' of a host")

    def connected(self, path: Path, device: str, target: str) -> None:
        """Report a target that the data's host cannot reach."""
        host = self.spec.owner_of(device)
        lost = host is not None and self.spec.way_to(host, target) is None
        if lost and self.sound(path, "hosts", "devices", "links"):
            remedy = f"let a link join '{host}' and '{target}', or let '{host}' own it"
            self.report(path, f"there is no connection from '{host}' to '{target}'", remedy)

    def extent(self, path: Path, job: Restoring, data: Any, *, whole: bool) -> None:
        """Report a selection larger than the save set, and a target that is too small."""
        if job.to is not None:
            self.room(path, job.select.size if job.select and not whole else data.size, job.to)
        if job.select is None:
            return
        message = f"is more than '{job.restore}' saves"
        if job.select.size.si > data.size.si:
            self.report((*path, "select", "size"), message, "select less")
        if job.select.files.si > data.number:
            self.report((*path, "select", "files"), message, "give the data 'files:'")

    def nothing_replayed(self, path: Path, job: Restoring) -> None:
        """Report a replay of anything but logs of a database."""
        if job.replay:
            self.report((*path, "replay"), "only logs of a database can be replayed", "leave it out")

    def allocation(self) -> None:
        """Report volumes and copy areas that do not fit on their devices."""
        used: dict[str, float] = {}
        for name, device in self.spec.devices.items():
            with self.about("devices", name):
                self._allocated(name, device, used)

    def _allocated(self, name: str, device: Device, used: dict[str, float]) -> None:
        """Report parts that do not fit on a device behind what is `used` of it."""
        size = device.room(self.spec, name) if isinstance(device, OnDevice) else None
        if not isinstance(device, OnDevice) or size is None or device.on not in self.block_devices():
            return
        used[device.on] = used.get(device.on, 0.0) + size
        room = self.capacity(device.on)
        if room is not None and used[device.on] > room:
            short = units.show_short(used[device.on] - room, "B")
            message = f"does not fit on '{device.on}' behind its other contents: {short} too much"
            remedy = f"'{device.on}' holds {units.show_short(room, 'B')}"
            self.report(("devices", name, device.size_key), message, remedy)
