"""Where the parts of a scenario lie: who owns them, where on their devices they begin, and how much room they take."""

from __future__ import annotations

from simbackup.devices.mirror.spec import MirrorSpec
from simbackup.devices.redirect.spec import CloneSpec, RedirectSnapshotSpec, RedirectVolumeSpec
from simbackup.devices.snapshot.spec import CheckpointSpec, SnapshotSpec
from simbackup.devices.tape.spec import TapeLibrarySpec
from simbackup.devices.volume.spec import LogicalVolumeSpec, Volume
from simbackup.methods.database.spec import DatabaseBackupSpec
from simbackup.methods.frozen_image.spec import FrozenImageBackupSpec
from simbackup.methods.snapshot.spec import CreateSnapshotSpec
from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import Frozen
from simbackup.schema.routes import route
from simbackup.schema.scenario import Spec


def owner_of(spec: Spec, device: str) -> str | None:
    """The host that owns a device, or the device below a volume, a copy area or a mirror."""
    part = spec.devices.get(device)
    direct = next((name for name, host in spec.hosts.items() if device in host.owns), None)
    if direct is not None:
        return direct
    below = part.on if isinstance(part, (Volume, SnapshotSpec, MirrorSpec)) else device
    if isinstance(part, CheckpointSpec | RedirectSnapshotSpec | CloneSpec):
        return owner_of(spec, part.of) if isinstance(spec.devices.get(part.of), Volume) else None
    return next((name for name, host in spec.hosts.items() if below in host.owns), None)


def way_to(spec: Spec, host: str, device: str) -> tuple[str, ...] | None:
    """The links between a host and the library, or the host that owns the disk, that takes a backup; None if none."""
    owner = owner_of(spec, device)
    to_tape = isinstance(spec.devices.get(device), TapeLibrarySpec)
    if to_tape or owner is None:
        return route(spec, host, device)
    return () if owner == host else route(spec, host, owner)


def placement(spec: Spec) -> dict[str, float]:
    """Where each data set begins on its device, in bytes: as told, or behind the one listed before it."""
    ends: dict[str, float] = {}
    begins: dict[str, float] = {}
    for name, data in spec.data.items():
        begins[name] = data.at.si if data.at else ends.get(data.on, 0.0)
        ends[data.on] = max(ends.get(data.on, 0.0), begins[name] + data.size.si)
    return begins


def data_end(spec: Spec, device: str) -> float:
    """Bytes from the beginning of a device behind which none of its data sets lies."""
    begins = placement(spec)
    return max((begins[name] + data.size.si for name, data in spec.data.items() if data.on == device), default=0.0)


def taken(spec: Spec, device: Frozen) -> float | None:
    """Bytes that a volume, a copy area or a mirror takes on the device that it lies on; None for what takes none."""
    if isinstance(device, RedirectVolumeSpec) and device.guarantee == "none":
        return min(data_end(spec, next(n for n, d in spec.devices.items() if d is device)), device.size.si)
    if isinstance(device, Volume | SnapshotSpec):
        return device.size.si
    if isinstance(device, MirrorSpec):
        origin = spec.devices.get(device.of)
        return origin.size.si if isinstance(origin, LogicalVolumeSpec) else None
    return None


def guaranteed(spec: Spec, on: str) -> float:
    """Bytes that what lies on a device takes there at the start."""
    return sum(taken(spec, part) or 0.0 for part in spec.devices.values() if getattr(part, "on", None) == on)


def created(job: JobSpec) -> str | None:
    """The frozen image that a job creates, if it creates one."""
    if isinstance(job, FrozenImageBackupSpec):
        return job.to
    return job.snapshot if isinstance(job, CreateSnapshotSpec | DatabaseBackupSpec) else None


def pool_sizes(library: TapeLibrarySpec) -> dict[str | None, int]:
    """Cartridges of each pool of a library; those of no pool under None."""
    named: dict[str | None, int] = {name: int(number.si) for name, number in (library.pools or {}).items()}
    rest = int((library.cartridges or library.slots).si) - sum(named.values())
    return {None: max(rest, 0), **named}
