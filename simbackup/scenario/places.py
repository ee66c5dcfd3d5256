"""Where the parts of a scenario are: their owners, the links between them, and the room that they take."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from simbackup.devices.network.spec import BACK, way_through
from simbackup.scenario.topology import Topology, along
from simbackup.schema.capability import BlockDevice, ImageDevice, MediaLibrary, ObjectTarget, OnDevice, SplitMirror
from simbackup.schema.job import Copying
from simbackup.schema.origin import UnknownError

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec
    from simbackup.devices.host.spec import HostSpec
    from simbackup.devices.network.spec import LinkSpec
    from simbackup.schema.capability import Device
    from simbackup.schema.job import JobSpec, Restoring

REACHED = (MediaLibrary, ObjectTarget)
"""Devices that links reach themselves, whoever owns them."""


class Places:
    """Answers to where the parts of a scenario are; repeated lookups are cached."""

    if TYPE_CHECKING:
        hosts: dict[str, HostSpec]
        devices: dict[str, Device]
        links: dict[str, LinkSpec]
        data: dict[str, DataSpec]
        jobs: dict[str, JobSpec]

    @cached_property
    def _owners(self) -> tuple[Mapping[str, str], UnknownError | None]:
        """The host that owns each device, up to the first host whose devices are unknown."""
        owners: dict[str, str] = {}
        try:
            for host, part in self.hosts.items():
                for device in part.owns:
                    owners.setdefault(device, host)
        except UnknownError as unknown:
            return owners, unknown
        return owners, None

    def owner_of(self, device: str) -> str | None:
        """The host that owns a device, or the device on or in which it is; None if no host does."""
        owners, unknown = self._owners
        for here in self._downwards(device):
            if here in owners:
                return owners[here]
            if unknown is not None:
                raise UnknownError(unknown.address)
        return None

    def store_of(self, device: str) -> str:
        """The device on or in which a device lies in the end, itself if it stands by itself."""
        *_, last = self._downwards(device)
        return last

    def _downwards(self, device: str) -> Iterator[str]:
        """A device, and those on or in which it lies, one below the other."""
        return along(device, lambda name: part.lies_on() if (part := self.devices.get(name)) is not None else None)

    def host_of(self, data: str) -> str:
        """The host of a data set, which the checks have found."""
        return self.owner_of(self.data[data].on) or ""

    @cached_property
    def mounted(self) -> Mapping[str, str]:
        """The frozen images that a host owns, and this host."""
        owners, unknown = self._owners
        if unknown is not None:
            raise UnknownError(unknown.address)
        return {name: host for name, host in owners.items() if isinstance(self.devices.get(name), ImageDevice)}

    def read_at(self, data: str, image: str | None) -> str:
        """The device whose host reads data for a backup: the frozen image if a host owns it, or that of the data."""
        return image if image is not None and image in self.mounted else self.data[data].on

    def reader_of(self, data: str, image: str | None) -> str:
        """The host that reads data for a backup, which the checks have found."""
        return self.owner_of(self.read_at(data, image)) or ""

    def below(self, device: str) -> str | None:
        """The disk or array from which a volume or a frozen image is read; None for other devices."""
        *_, last = along(device, self._image_of)
        part = self.devices.get(last)
        return part.lies_on() if isinstance(part, OnDevice) else None

    def _image_of(self, device: str) -> str | None:
        """What a device is a frozen image of, unless it holds all of its data itself."""
        part = self.devices.get(device)
        return part.of if isinstance(part, ImageDevice) and not isinstance(part, SplitMirror) else None

    def reaches(self, host: str, device: str) -> bool:
        """Whether a host reaches a disk or array: its own, that of the host it runs on, by links, or without any."""
        keeper = self.owner_of(device)
        if keeper in [*along(host, lambda name: self.hosts[name].within if name in self.hosts else None)]:
            return True
        if keeper is None and not any(device in link.joins for link in self.links.values()):
            return True
        return self.route(host, device) is not None

    def way_to(self, host: str, device: str) -> tuple[str, ...] | None:
        """The links from a host to what takes a backup: a library, a store, or the host of a disk; None if none."""
        end = self._end(device)
        return () if end == host else self.route(host, end)

    def way_from(self, host: str, device: str) -> tuple[str, ...] | None:
        """The links of `way_to`, in the same order, in the direction of what comes back."""
        end = self._end(device)
        way = () if end == host else self.route(end, host)
        return None if way is None else way[::-1]

    def _end(self, device: str) -> str:
        """Where the way to a device ends: at the device, or at the host whose disk it is."""
        owner = self.owner_of(device)
        return device if owner is None or isinstance(self.devices.get(device), REACHED) else owner

    @cached_property
    def _data_on(self) -> Mapping[str, tuple[str, ...]]:
        """The data sets on each device, in the order of the file."""
        found: dict[str, list[str]] = {}
        for name, data in self.data.items():
            found.setdefault(data.on, []).append(name)
        return {device: tuple(names) for device, names in found.items()}

    def data_on(self, device: str) -> tuple[str, ...]:
        """The data sets on a device, in the order of the file."""
        return self._data_on.get(device, ())

    @cached_property
    def created(self) -> frozenset[str | None]:
        """The frozen images that jobs create."""
        return frozenset(job.creates() for job in self.jobs.values())

    @cached_property
    def _copies(self) -> Mapping[str, tuple[Copying, ...]]:
        """The jobs that copy the save sets of each backup, in the order of the file."""
        found: dict[str, list[Copying]] = {}
        for job in self.jobs.values():
            if isinstance(job, Copying):
                found.setdefault(job.save_set, []).append(job)
        return {backup: tuple(copies) for backup, copies in found.items()}

    def copies_of(self, backup: str) -> tuple[Copying, ...]:
        """The jobs that copy the save sets of a backup, in the order of the file."""
        return self._copies.get(backup, ())

    @cached_property
    def _begins(self) -> dict[str, Mapping[str, float]]:
        """Where data sets begin on the devices that were asked for so far."""
        return {}

    def read_by(self, job: Restoring) -> str:
        """The device with the copy that a restore reads, the first unless it names one; empty if there is none."""
        return str(getattr(self.jobs.get(job.copied_by or job.restore), "to", None) or "")

    def placement(self) -> dict[str, float]:
        """Where each data set begins on its device, in bytes: as stated, or behind the one listed before it."""
        return {name: self.begins_on(data.on)[name] for name, data in self.data.items()}

    def begins_on(self, on: str) -> Mapping[str, float]:
        """Where each data set on a device begins there, in bytes."""
        if on not in self._begins:
            begins: dict[str, float] = {}
            end = 0.0
            for name in self.data_on(on):
                data = self.data[name]
                begins[name] = data.at.si if data.at else end
                end = max(end, begins[name] + data.size.si)
            self._begins[on] = begins
        return self._begins[on]

    def data_end(self, device: str) -> float:
        """Bytes from the beginning of a device up to the end of its last data set."""
        begins = self.begins_on(device)
        return max((begin + self.data[name].size.si for name, begin in begins.items()), default=0.0)

    @cached_property
    def _parts_on(self) -> Mapping[str, tuple[tuple[str, OnDevice], ...]]:
        """Volumes, copy areas and mirrors on each device, in the order of the file."""
        found: dict[str, list[tuple[str, OnDevice]]] = {}
        for name, part in self.devices.items():
            if isinstance(part, OnDevice):
                found.setdefault(part.on, []).append((name, part))
        return {device: tuple(parts) for device, parts in found.items()}

    def guaranteed(self, on: str) -> float:
        """Bytes that volumes, copy areas and mirrors take on a device at the start."""
        lying = self._parts_on.get(on, ())
        return sum(part.room(self, name) or 0.0 for name, part in lying)  # pyright: ignore[reportArgumentType]

    @cached_property
    def _with_capability(self) -> dict[type[Device], Mapping[str, Device]]:
        """The devices that have a capability, for those that were asked for so far."""
        return {}

    def devices_with(self, capability: type[Device]) -> Mapping[str, Device]:
        """The devices that have a capability, by name."""
        if capability not in self._with_capability:
            found = {name: device for name, device in self.devices.items() if isinstance(device, capability)}
            self._with_capability[capability] = found
        return self._with_capability[capability]

    def block_devices(self) -> Mapping[str, Device]:
        """The disks, arrays and volumes by name."""
        return self.devices_with(BlockDevice)

    def route(self, begin: str, end: str) -> tuple[str, ...] | None:
        """The links on the way with the fewest links between two hosts or devices; None if there is no way.

        A device and the host that owns it are at one place, unless links are between them: then these are its buses. A
        link may join another link, as a bridge joins a loop. Among ways of equal length the one whose links are listed
        first is taken. Between two hosts, links of `storage` are taken only if there is no other way. A link with a
        capacity of its own in the other direction is named with `BACK` where it is crossed from an end that it lists
        later to one that it lists earlier, and a switch with the parts between which it is crossed (`way_through`).
        """
        passed = self._between_hosts.way(begin, end) if begin in self.hosts and end in self.hosts else None
        if passed is None:
            passed = self._beside_buses.way(begin, end)
        if passed is None:
            passed = self._beside_owners.way(begin, end)
        if passed is None:
            return None
        steps = zip(passed, passed[1:], (*passed[2:], ""), strict=False)
        return tuple(self._direction(*step) for step in steps if step[1] in self.links)

    @cached_property
    def _beside_buses(self) -> Topology:
        """The network in which a device that links join is beside these links."""
        return self._topology({end for link in self.links.values() for end in link.joins}, self.links)

    @cached_property
    def _between_hosts(self) -> Topology:
        """That network without the links that carry only what hosts exchange with devices."""
        links = {name: link for name, link in self.links.items() if not link.storage}
        if len(links) == len(self.links):
            return self._beside_buses
        return self._topology({end for link in self.links.values() for end in link.joins}, links)

    @cached_property
    def _beside_owners(self) -> Topology:
        """The network in which every device is beside its owner."""
        return self._topology(set(), self.links)

    def _direction(self, before: str, link: str, after: str) -> str:
        """A link, and that it is crossed backwards if both directions differ; what joins it comes before all others."""
        if self.links[link].ported(self.ends_of(link)):
            return way_through(link, before, after)
        if self.links[link].duplex == "half":
            return link
        places = self._joined[link]
        return link + BACK if places.get(before, -1) > places.get(after, -1) else link

    @cached_property
    def _joined(self) -> Mapping[str, Mapping[str, int]]:
        """The ends of each link by their places in its list."""
        return {link: {end: place for place, end in enumerate(part.joins)} for link, part in self.links.items()}

    def ends_of(self, link: str) -> tuple[str, ...]:
        """All that a link joins: the parts that it lists, and the other links that list it, each once."""
        return self._ends[link]

    @cached_property
    def _ends(self) -> Mapping[str, tuple[str, ...]]:
        """All that each link joins."""
        found = {link: dict.fromkeys(part.joins) for link, part in self.links.items()}
        for link, part in self.links.items():
            for end in part.joins:
                if end in found and end != link:
                    found[end][link] = None
        return {link: tuple(ends) for link, ends in found.items()}

    @cached_property
    def streets(self) -> tuple[str, ...]:
        """The names of all links and ports that requests can cross by themselves, in each direction."""
        return tuple(s for link, part in self.links.items() for s in part.streets(link, self.ends_of(link)))

    def _topology(self, bused: Collection[str], links: Mapping[str, LinkSpec]) -> Topology:
        """The network of hosts, devices and links; a device with buses is beside these, not beside its host.

        A virtual machine that no link joins is beside its host, whose links it uses.
        """
        beside: dict[str, dict[str, int]] = {}

        def join(one: str, other: str) -> None:
            for here, there in ((one, other), (other, one)):
                near = beside.setdefault(here, {})
                near.setdefault(there, len(near))

        linked = {end for link in self.links.values() for end in link.joins}
        for host, part in self.hosts.items():
            if part.within is not None and host not in linked:
                join(host, part.within)
            for device in part.owns:
                if device not in bused:
                    join(host, device)
        for link, part in links.items():
            for end in part.joins:
                join(end, link)
        return Topology(beside, links)
