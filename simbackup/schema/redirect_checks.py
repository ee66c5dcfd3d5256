"""What has to agree between redirect-on-write volumes, their snapshots and clones, and the data that they hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from simbackup import units
from simbackup.data.spec import DataSpec
from simbackup.devices.redirect.spec import CloneSpec, RedirectSnapshotSpec, RedirectVolumeSpec
from simbackup.errors import choices
from simbackup.schema.database_checks import Path, Reporter
from simbackup.schema.places import created, guaranteed


class Namer(Reporter, Protocol):
    """What also knows names and sizes."""

    def name(self, path: Path, name: str, legal: Iterable[str], what: str) -> bool:
        """Whether a name is one of the legal ones."""
        ...

    def capacity(self, name: str) -> float | None:
        """Bytes that a block device holds."""
        ...


def pointers(checks: Namer, path: Path, device: RedirectSnapshotSpec | CloneSpec) -> None:
    """What is frozen is a redirect-on-write volume; a clone that is there from the start has its room."""
    spec = checks.spec
    legal = [n for n, d in spec.devices.items() if isinstance(d, RedirectVolumeSpec)]
    if not checks.name((*path, "of"), device.of, legal, "device"):
        if device.of in spec.devices:
            message = f"'{device.of}' is no redirect-on-write volume"
            checks.report((*path, "of"), message, choices(device.of, legal))
        return
    if not isinstance(device, CloneSpec) or any(created(job) == path[-1] for job in spec.jobs.values()):
        return
    volume = spec.devices[device.of]
    room = checks.capacity(volume.on) if isinstance(volume, RedirectVolumeSpec) else None
    if device.guarantee == "volume" and isinstance(volume, RedirectVolumeSpec) and room is not None:
        free = room - guaranteed(spec, volume.on)
        if volume.size.si > free:
            message = f"has no guarantee of {units.show_short(volume.size.si, 'B')} on '{volume.on}'"
            remedy = f"{units.show_short(max(free, 0.0), 'B')} of it are free; or write 'guarantee: none'"
            checks.report((*path, "of"), message, remedy)


def aged(checks: Reporter, path: Path, data: DataSpec) -> None:
    """Only what is written to free places is moved about by updates."""
    if data.aged is None:
        return
    device = checks.spec.devices.get(data.on)
    if device is not None and not isinstance(device, RedirectVolumeSpec):
        message = f"updates move nothing on '{data.on}', which is written in place"
        checks.report((*path, "aged"), message, "leave it out, or lay the data on a redirect_volume")
    if (data.aged.hot_data is None) != (data.aged.hot_updates is None):
        checks.report((*path, "aged"), "hot_data and hot_updates go together", "give both, or neither")
