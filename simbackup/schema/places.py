"""Where the parts of a scenario lie: who owns them, where on their devices they begin, and how much room they take."""

from __future__ import annotations

from simbackup.schema.devices import LogicalVolume, RedirectVolume, Volume
from simbackup.schema.frozen_images import Checkpoint, Clone, Mirror, RedirectSnapshot, Snapshot
from simbackup.schema.jobs import CreateSnapshot, DatabaseBackup, ImageBackup, Job
from simbackup.schema.quantity import Frozen
from simbackup.schema.routes import route
from simbackup.schema.scenario import Spec
from simbackup.schema.tape import TapeLibrary


def owner_of(spec: Spec, device: str) -> str | None:
    """The host that owns a device, or the device below a volume, a copy area or a mirror."""
    part = spec.devices.get(device)
    direct = next((name for name, host in spec.hosts.items() if device in host.owns), None)
    if direct is not None:
        return direct
    below = part.on if isinstance(part, (Volume, Snapshot, Mirror)) else device
    if isinstance(part, Checkpoint | RedirectSnapshot | Clone):
        return owner_of(spec, part.of) if isinstance(spec.devices.get(part.of), Volume) else None
    return next((name for name, host in spec.hosts.items() if below in host.owns), None)


def way_to(spec: Spec, host: str, device: str) -> tuple[str, ...] | None:
    """The links between a host and the library, or the host that owns the disk, that takes a backup; None if none."""
    owner = owner_of(spec, device)
    to_tape = isinstance(spec.devices.get(device), TapeLibrary)
    if to_tape or owner is None:
        return route(spec, host, device)
    return () if owner == host else route(spec, host, owner)


def placement(spec: Spec, on: str | None = None) -> dict[str, float]:
    """Where each data set, or each on one device, begins there, in bytes: as told, or behind the one listed before."""
    ends: dict[str, float] = {}
    begins: dict[str, float] = {}
    for name, data in spec.data.items():
        if on is not None and data.on != on:
            continue
        begins[name] = data.at.si if data.at else ends.get(data.on, 0.0)
        ends[data.on] = max(ends.get(data.on, 0.0), begins[name] + data.size.si)
    return begins


def data_end(spec: Spec, device: str) -> float:
    """Bytes from the beginning of a device behind which none of its data sets lies."""
    begins = placement(spec, device)
    return max((begin + spec.data[name].size.si for name, begin in begins.items()), default=0.0)


def taken(spec: Spec, device: Frozen) -> float | None:
    """Bytes that a volume, a copy area or a mirror takes on the device that it lies on; None for what takes none."""
    if isinstance(device, RedirectVolume) and device.guarantee == "none":
        return min(data_end(spec, next(n for n, d in spec.devices.items() if d is device)), device.size.si)
    if isinstance(device, Volume | Snapshot):
        return device.size.si
    if isinstance(device, Mirror):
        origin = spec.devices.get(device.of)
        return origin.size.si if isinstance(origin, LogicalVolume) else None
    return None


def guaranteed(spec: Spec, on: str) -> float:
    """Bytes that what lies on a device takes there at the start."""
    return sum(taken(spec, part) or 0.0 for part in spec.devices.values() if getattr(part, "on", None) == on)


def created(job: Job) -> str | None:
    """The frozen image that a job creates, if it creates one."""
    if isinstance(job, ImageBackup):
        return job.to
    return job.snapshot if isinstance(job, CreateSnapshot | DatabaseBackup) else None


def pool_sizes(library: TapeLibrary) -> dict[str | None, int]:
    """Cartridges of each pool of a library; those of no pool under None."""
    named: dict[str | None, int] = {name: int(number.si) for name, number in (library.pools or {}).items()}
    rest = int((library.cartridges or library.slots).si) - sum(named.values())
    return {None: max(rest, 0), **named}
