"""What parts can do for other parts. Rooms ask for a capability, never for a class of another room.

A capability is a class of specs. It says what its live part offers (`live_part`), which other devices it needs
(`ties`), how it is connected (`placed`), what bounds jobs (`pieces`), what results show of it (`figures`), and how it
may fail (`fails_as`). The devices with it are those that `system.of` finds for the class that `live_part` names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from simbackup.errors import choices
from simbackup.schema.origin import Unknown
from simbackup.schema.part import USE, Chosen, Figures, Part, Path
from simbackup.schema.quantity import PositiveSize, Text

if TYPE_CHECKING:
    from simbackup.devices.site import Site
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec
    from simbackup.schema.job import Restoring, Storing


@dataclass(frozen=True, slots=True)
class Media:
    """The disks on which a device stores its data."""

    raw: float
    """Bytes of all of them, parity and mirrors included."""
    solid: bool
    """Whether they are solid-state disks."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a device with a limit of its own: the keys of its number and of its times, empty if it has none.

    `waits` is the activity of a job that waits at the device until one is free; empty if jobs wait at the piece itself.
    """

    count: str = ""
    times: str = ""
    waits: str = ""


class Device(Part):
    """An entry under `devices:`."""

    drawn_as: ClassVar[str] = ""
    """The sign that it has in pictures; that of its kind by default."""
    pieces: ClassVar[Mapping[str, Piece]] = {}
    """Pieces that limit by themselves, by the name that they have in addresses."""
    each_time: ClassVar[frozenset[str]] = frozenset()
    """Keys of times that chance may draw anew each time that they pass."""
    fails_as: ClassVar[frozenset[str]] = frozenset({"device"})
    """Keys of a failure that may name it."""
    listed_last: ClassVar[bool] = False
    """Whether tables of results have it behind the links."""

    def ties(self) -> Iterator[tuple[str, str]]:
        """The devices that it needs, which are made before it, with the words for this in pictures."""
        return iter(())

    def placed(self, site: Site, live: Any) -> None:
        """Connect its live part, which has just been made, to other parts; nothing by default."""

    def lies_on(self) -> str | None:
        """The device that it lies on or in, whose host is its own; None if it stands by itself."""
        return None

    def inner(self) -> Mapping[str, tuple[str, Part, int]]:
        """Parts inside it that pictures show: by piece the name, the part, and how many there are."""
        return {}


class BackupTarget(Device):
    """A device that takes save sets of `image` and `file_level` backups."""

    def check_backup(self, checks: Checks, path: Path, job: Storing, saved: str) -> None:
        """Report what prevents that a save set of some data is written here."""

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report what prevents that a restore is read from here."""


class BlockDevice(BackupTarget):
    """A device that holds data and save sets at addresses."""

    live_part = "simbackup.devices.store:Store"

    if TYPE_CHECKING:
        capacity: PositiveSize  # some kinds work it out instead
    holds_volumes: ClassVar[bool] = True
    """Whether volumes may lie on it."""

    def figures(self) -> Figures:
        """How much it was used."""
        return {"": USE}

    def placed(self, site: Site, live: Any) -> None:
        """Connect it to its host, and make the volume that spans it."""
        site.attach(live)

    def capacity_bytes(self) -> float | None:
        """Bytes that it holds, its `capacity` unless overridden; None if its values do not go together."""
        return self.capacity.si if "capacity" in type(self).model_fields else None

    def media(self) -> Media | None:
        """The disks that one buys with it; None of a volume, whose device has them, and of rented storage."""
        return None

    def redundancy(self) -> tuple[int, int, int]:
        """Groups of disks that protect each other: how many, the disks of each, and how many may be missing."""
        return 1, 1, 0

    def check_backup(self, checks: Checks, path: Path, job: Storing, saved: str) -> None:
        """Report a disk without a host or room, and keys of tape."""
        with checks.about(*path):
            checks.owned(path, job.to, "to")
        for key in job.not_on_disk:
            if job.states(key):
                checks.report((*path, key), "has no effect on a backup to disk", "leave it out")
        data = checks.spec.data.get(saved)
        if data is not None:
            size = replace(data.size, si=data.size.si / job.kept_ratio(checks.spec))
            checks.free((*path, "to"), job.to, size, "a backup")


class RedundantDevice(BlockDevice):
    """A block device of several disks that keeps its data when one of them fails."""

    live_part = "simbackup.devices.raid.live:Redundant"
    fails_as = frozenset({"device", "disk", "sector"})

    def missing(self) -> bool:
        """Whether a disk has failed."""
        raise NotImplementedError

    def tolerance(self) -> int | None:
        """How many of its disks may fail before it loses data; None if it is not simulated without one."""
        raise NotImplementedError


class OnDevice(Device):
    """A device that takes room on another one, in the order of the file."""

    on: Text
    """The device that holds it, whose room it takes."""

    size_key: ClassVar[str] = "size"
    """The key that is wrong where there is too little room."""
    fails_as = frozenset()

    def lies_on(self) -> str | None:
        """The device below it."""
        return self.on

    def ties(self) -> Iterator[tuple[str, str]]:
        """The device below it."""
        yield self.on, "on"
        yield from super().ties()

    def room(self, spec: Spec, name: str) -> float | None:
        """Bytes that it takes there at the start, None if that cannot be said."""
        raise NotImplementedError

    def check(self, checks: Checks, path: Path) -> None:
        """Report a device below that does not hold volumes."""
        if isinstance(self.on, Unknown):
            return
        legal: Collection[str] = checks.block_devices()
        if path[-1] in legal:
            legal = [name for name in legal if name != path[-1]]
        if checks.name((*path, "on"), self.on, legal, "device"):
            below = checks.spec.devices[self.on]
            if isinstance(below, BlockDevice) and not below.holds_volumes:
                message = f"'{self.on}' is itself a logical volume"
                checks.report((*path, "on"), message, "put volumes on a disk or an array")
        elif self.on in checks.spec.devices:
            checks.report((*path, "on"), f"'{self.on}' is not a disk, array or volume", choices(self.on, legal))


class VolumeDevice(OnDevice, BlockDevice):
    """A volume on a device."""

    live_part = "simbackup.devices.volume.live:Volume"
    holds_volumes: ClassVar[bool] = False
    overwrites: ClassVar[bool] = True
    """Whether new data go where the old ones lie, so that a frozen image has to keep copies of these."""

    size: PositiveSize
    """Its size."""

    def figures(self) -> Figures:
        """None: tables have the device below it."""
        return {}

    def capacity_bytes(self) -> float | None:
        """Its size in bytes."""
        return self.size.si

    def placed(self, site: Site, live: Any) -> None:
        """Let the device below count what it uses."""
        site.space(self.on).taken[live.name] = live.taken

    def room(self, spec: Spec, name: str) -> float | None:
        """All of its size."""
        del spec, name
        return self.size.si


class ImageDevice(Device):
    """A device that keeps a volume as it was."""

    live_part = "simbackup.devices.image:FrozenImage"
    fails_as = frozenset()

    of: Text
    """The volume that it keeps as it was."""

    times_of_volume: ClassVar[bool] = False
    """Whether its volume says how long it takes to create and remove one."""
    frozen_from_start: ClassVar[bool] = True
    """Whether it exists from the start if no job creates it."""

    def ties(self) -> Iterator[tuple[str, str]]:
        """The volume that it freezes."""
        yield from super().ties()
        yield self.of, "freezes"

    def placed(self, site: Site, live: Any) -> None:
        """Let a host that owns it read it on its own way, and create it if no job does."""
        site.freeze(live, create=self.frozen_from_start)

    def check(self, checks: Checks, path: Path) -> None:
        """Report an image of anything but a volume that is overwritten in place."""
        with checks.about(*path):
            super().check(checks, path)
        with checks.about(*path):
            self.check_frozen(checks, path)

    def check_frozen(self, checks: Checks, path: Path) -> None:
        """Report an image of anything but a volume that is overwritten in place."""
        legal = Chosen(checks.spec.devices, lambda device: isinstance(device, VolumeDevice) and device.overwrites)
        if checks.name((*path, "of"), self.of, legal, "device"):
            volume = checks.spec.devices[self.of]
            if isinstance(volume, VolumeDevice):
                self.check_volume(checks, path, volume)
        elif self.of in checks.spec.devices:
            checks.report((*path, "of"), f"'{self.of}' is not a logical volume", choices(self.of, legal))

    def check_volume(self, checks: Checks, path: Path, volume: VolumeDevice) -> None:
        """Report conflicts with the volume that it freezes; none unless overridden."""


class InVolume(ImageDevice):
    """A frozen image inside the volume that it freezes."""

    drawn_within: ClassVar[bool] = False
    """Whether pictures show it inside its volume."""

    def lies_on(self) -> str | None:
        """The volume."""
        return self.of

    def ties(self) -> Iterator[tuple[str, str]]:
        """The volume, inside which some pictures show it."""
        yield from super().ties()
        if self.drawn_within:
            yield self.of, "within"


class SplitMirror(ImageDevice):
    """A frozen image that is synchronised with its volume."""

    live_part = "simbackup.devices.mirror.live:Mirror"
    frozen_from_start = False

    def synchronised(self) -> bool:
        """Whether it is so at the start."""
        return False


class MediaLibrary(BackupTarget):
    """A library of cartridges that drives read and write one after the other."""

    live_part = "simbackup.devices.library:Library"
    listed_last = True
    fails_as = frozenset({"device", "drive", "robot"})

    def drive_count(self) -> int:
        """Number of drives."""
        raise NotImplementedError

    def pool_sizes(self) -> dict[str | None, int]:
        """Cartridges of each pool; those of no pool under None."""
        raise NotImplementedError

    def cartridge_bytes(self) -> float:
        """Bytes that a cartridge holds without compression."""
        raise NotImplementedError

    def never_loaded(self) -> float | None:
        """New cartridges of each pool; None if it makes no difference whether a cartridge is new."""
        return None


class ObjectTarget(BackupTarget):
    """A store of objects, which requests over connections write and read."""

    live_part = "simbackup.devices.object_store.live:ObjectStore"
    listed_last = True

    def part_requests(self, size: float) -> float:
        """Requests for the parts of an object of so many bytes, besides the one for the object; none by default."""
        del size
        return 0.0


class JobLimit(Device):
    """A limit of the jobs that run at once, which these name under `queues`."""

    live_part = "simbackup.devices.job_queue.live:JobQueue"
    fails_as = frozenset()


class Sink(Device):
    """A device that takes whatever is written and keeps nothing."""

    fails_as = frozenset()


class Service(Device):
    """A device that answers operations, and keeps nothing of them."""

    live_part = "simbackup.devices.service.live:Operations"
