"""Live redirect-on-write volumes, snapshots and clones from its spec."""

from __future__ import annotations

from typing import cast

from simbackup.devices.image import Times
from simbackup.devices.redirect.fragments import Redirect
from simbackup.devices.redirect.live import RedirectSnapshot, RedirectVolume
from simbackup.devices.redirect.spec import CloneSpec, RedirectSnapshotSpec, RedirectVolumeSpec
from simbackup.devices.site import Site
from simbackup.devices.volume.live import Volume
from simbackup.parameters import parameters_of


def make_volume(site: Site, volume: RedirectVolumeSpec) -> RedirectVolume:
    """The volume, in the room reserved for it and in what all volumes of its device share."""
    area, size = site.room, volume.size.si
    begin = min(area.begin, area.store.size - size)  # one that takes what it uses may reach over others' room
    place = (area.store, max(begin, 0.0), min(size, area.store.size))
    return RedirectVolume(
        site.system.env, site.address, place, parameters=parameters_of(Redirect, volume),
        space=site.system.spaces[volume.on], guaranteed=volume.guarantee == "volume", trace=site.system.trace,
    )  # fmt: skip


def make_snapshot(site: Site, snapshot: RedirectSnapshotSpec) -> RedirectSnapshot:
    """A snapshot, which may be deleted where room is short."""
    volume, times, _ = _origin(site, snapshot.of)
    return RedirectSnapshot(site.address, volume, times, trace=site.system.trace, autodelete=snapshot.autodelete)


def make_clone(site: Site, clone: CloneSpec) -> RedirectSnapshot:
    """A clone, which may be guaranteed as much room as its volume."""
    volume, times, size = _origin(site, clone.of)
    guarantee = size if clone.guarantee == "volume" else 0.0
    return RedirectSnapshot(site.address, volume, times, trace=site.system.trace, guarantee=guarantee)


def _origin(site: Site, of: str) -> tuple[RedirectVolume, Times, float]:
    """The volume that an image freezes, the times that it takes, and the bytes of the volume."""
    said = cast("RedirectVolumeSpec", site.spec.devices[of])  # the checks have found it
    volume = cast("RedirectVolume", site.system.of(Volume)[of])
    return volume, Times(said.create_time.si, said.remove_time.si), said.size.si
