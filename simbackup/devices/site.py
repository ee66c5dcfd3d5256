"""The arguments of a device's `make`: its name, the live system, the scenario, and the space reserved for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.devices.space import Space
from simbackup.devices.store import Over, Region, Store
from simbackup.devices.volume.live import Volume

if TYPE_CHECKING:
    from simbackup.devices.image import FrozenImage
    from simbackup.scenario.spec import Spec
    from simbackup.system import System


@dataclass(frozen=True, slots=True)
class Site:
    """What the `make` of a device, and the `placed` of its capabilities, may use."""

    system: System
    spec: Spec
    name: str
    area: Region | None = None
    """The room on another device that is reserved for it, if it takes any."""

    @property
    def address(self) -> str:
        """Its address, such as `devices.disk`."""
        return f"devices.{self.name}"

    @property
    def room(self) -> Region:
        """The room on another device that is reserved for it.

        Raises
        ------
        ValueError
            It takes none.
        """
        if self.area is None:
            raise ValueError(f"{self.address} takes no room on another device")
        return self.area

    def attach(self, store: Store) -> None:
        """Connect a block device to the host that owns it, and make the volume that spans it."""
        owner = self.spec.owner_of(self.name)
        way = self.spec.route(owner, self.name) if owner is not None else None
        store.path = tuple(self.system.networks[link] for link in way or ())
        self.system.of(Volume)[self.name] = Volume(self.system.env, self.address, Region(store, 0.0, store.size))

    def volume(self, name: str) -> Volume:
        """A volume by its name."""
        return self.system.of(Volume)[name]

    def space(self, on: str) -> Space:
        """The space of a device that volumes, copy areas and mirrors share."""
        return self.system.spaces.setdefault(on, Space(self.system.of(Store)[on].size))

    def reserved(self, on: str, size: float, user: str) -> Region:
        """The next bytes of a device, as the host of their user reaches it."""
        end = self.system.taken.get(on, 0.0)
        self.system.taken[on] = end + size
        self.space(on).taken[self.address] = lambda: size
        return Region(self.reached(user, on), end, size)

    def reached(self, name: str, on: str) -> Store:
        """The device that a volume is on, as the host of the volume reaches it."""
        spec, store = self.spec, self.volume(on).region.store
        host, keeper = spec.owner_of(name), spec.owner_of(on)
        around = host
        while around is not None and around != keeper:  # a guest reaches the disks of its host without a network
            around = spec.hosts[around].within
        if host is None or around is not None:
            return store
        way = spec.route(host, on)
        return Over(store, tuple(self.system.networks[link] for link in way)) if way else store

    def freeze(self, image: FrozenImage, *, create: bool) -> None:
        """Let a host that owns a frozen image read it on its own way; `create` it unless a job does."""
        below = self.spec.below(self.name)
        if below is not None and self.name in self.spec.mounted:
            self.system.mounted[self.name] = self.reached(self.name, below)
        if create and self.name not in self.spec.created:
            image.create()
            self.system.trace.event(0.0, self.address, "exists from the start, as no job creates it")
