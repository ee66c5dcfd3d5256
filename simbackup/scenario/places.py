"""Where the parts of a scenario lie: who owns them, the links between them, and how much room they take."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import TYPE_CHECKING

from simbackup.schema.capability import BlockDevice, MediaLibrary, OnDevice

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec
    from simbackup.devices.host.spec import HostSpec
    from simbackup.devices.network.spec import LinkSpec
    from simbackup.schema.capability import Device
    from simbackup.schema.job import JobSpec, Restoring


class Places:
    """Questions to a scenario about where its parts lie."""

    __slots__ = ()

    if TYPE_CHECKING:
        hosts: dict[str, HostSpec]
        devices: dict[str, Device]
        links: dict[str, LinkSpec]
        data: dict[str, DataSpec]
        jobs: dict[str, JobSpec]

    def owner_of(self, device: str) -> str | None:
        """The host that owns a device, or the device on or in which it lies; None if no host does."""
        seen: set[str] = set()
        here: str | None = device
        while here is not None and here not in seen:
            owner = next((name for name, host in self.hosts.items() if here in host.owns), None)
            if owner is not None:
                return owner
            seen.add(here)
            part = self.devices.get(here)
            here = part.lies_on() if part is not None else None
        return None

    def host_of(self, data: str) -> str:
        """The host of a data set, which the checks have found."""
        return self.owner_of(self.data[data].on) or ""

    def way_to(self, host: str, device: str) -> tuple[str, ...] | None:
        """The links between a host and the library, or the host that owns the disk, that takes a backup; None if none."""
        owner = self.owner_of(device)
        if owner is None or isinstance(self.devices.get(device), MediaLibrary):
            return self.route(host, device)
        return () if owner == host else self.route(host, owner)

    def read_by(self, job: Restoring) -> str:
        """The device with the copy that a restore reads, the first unless it names one; empty if there is none."""
        return str(getattr(self.jobs.get(job.copied_by or job.restore), "to", None) or "")

    def placement(self) -> dict[str, float]:
        """Where each data set begins on its device, in bytes: as stated, or behind the one listed before it."""
        ends: dict[str, float] = {}
        begins: dict[str, float] = {}
        for name, data in self.data.items():
            begins[name] = data.at.si if data.at else ends.get(data.on, 0.0)
            ends[data.on] = max(ends.get(data.on, 0.0), begins[name] + data.size.si)
        return begins

    def data_end(self, device: str) -> float:
        """Bytes from the beginning of a device behind which none of its data sets lies."""
        begins = self.placement()
        return max((begins[name] + data.size.si for name, data in self.data.items() if data.on == device), default=0.0)

    def guaranteed(self, on: str) -> float:
        """Bytes that volumes, copy areas and mirrors take on a device at the start."""
        lying = ((name, part) for name, part in self.devices.items() if isinstance(part, OnDevice) and part.on == on)
        return sum(part.room(self, name) or 0.0 for name, part in lying)  # pyright: ignore[reportArgumentType]

    def block_devices(self) -> list[str]:
        """The names of disks, arrays and volumes."""
        return [name for name, device in self.devices.items() if isinstance(device, BlockDevice)]

    def route(self, begin: str, end: str) -> tuple[str, ...] | None:
        """The links on the way with the fewest links between two hosts or devices; None if there is no way.

        A device and the host that owns it are at one place, unless links lie between them: then these are its buses. A
        link may join another link, as a bridge joins a loop. Among ways of equal length the one whose links are listed
        first is taken.
        """
        named = {end for link in self.links.values() for end in link.joins}
        way = self._way(self._beside(named), begin, end)
        return self._way(self._beside(set()), begin, end) if way is None else way

    def _way(self, beside: dict[str, list[str]], begin: str, end: str) -> tuple[str, ...] | None:
        """The shortest way through what lies beside each other."""
        reached: dict[str, tuple[str, ...]] = {begin: ()}
        front = deque([begin])
        while front:
            here = front.popleft()
            for there in beside.get(here, []):
                way = (*reached[here], there) if there in self.links else reached[here]
                if there not in reached or len(way) < len(reached[there]):
                    reached[there] = way
                    front.append(there) if there in self.links else front.appendleft(there)
        return reached.get(end)

    def _beside(self, bused: Collection[str]) -> dict[str, list[str]]:
        """What lies beside each host, device and link; a device with buses lies beside these, not beside its host."""
        beside: dict[str, list[str]] = {}
        for host, part in self.hosts.items():
            for device in part.owns:
                if device not in bused:
                    beside.setdefault(host, []).append(device)
                    beside.setdefault(device, []).append(host)
        for link, part in self.links.items():
            for end in part.joins:
                beside.setdefault(end, []).append(link)
                beside.setdefault(link, []).append(end)
        return beside
