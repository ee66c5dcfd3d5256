"""Redirect-on-write volumes, their snapshots and clones, and the data on them, of what a file says."""

from __future__ import annotations

from simbackup.devices.changes import Spread
from simbackup.devices.redirect.fragments import Redirect
from simbackup.devices.redirect.live import RedirectSnapshot, RedirectVolume, Space
from simbackup.devices.store import Region
from simbackup.devices.times import Times
from simbackup.scenario.spec import Spec
from simbackup.schema import devices as spec_devices
from simbackup.schema import frozen_images as spec_images
from simbackup.schema import jobs as spec_jobs
from simbackup.schema.quantity import si_or
from simbackup.system import System


def redirect_volume(
    system: System, name: str, device: spec_devices.RedirectVolume, room: tuple[Region, Space]
) -> RedirectVolume:
    """The volume that a file describes, in a part of a device and in what all volumes there share."""
    parameters = Redirect(
        device.block.si, device.run.si, device.request.si, device.write_latency.si,
        device.read_ahead.si if device.read_ahead else None,
    )  # fmt: skip
    area, space = room
    begin = min(area.begin, area.store.size - device.size.si)  # one that takes what it uses may reach over others' room
    place = (area.store, max(begin, 0.0), min(device.size.si, area.store.size))
    guaranteed = device.guarantee == "volume"
    return RedirectVolume(
        system.env, name, place, parameters=parameters, space=space, guaranteed=guaranteed, trace=system.trace
    )


def pointers(
    system: System, spec: Spec, name: str, device: spec_images.RedirectSnapshot | spec_images.Clone
) -> RedirectSnapshot:
    """The snapshot or clone that a file describes."""
    origin, volume = spec.devices[device.of], system.volumes[device.of]
    if not isinstance(origin, spec_devices.RedirectVolume) or not isinstance(volume, RedirectVolume):
        raise TypeError(f"{device.of} is no redirect-on-write volume")  # the schema's checks have seen to it
    clone = isinstance(device, spec_images.Clone)
    return RedirectSnapshot(
        name, volume, Times(origin.create_time.si, origin.remove_time.si), trace=system.trace,
        autodelete=not clone and device.autodelete,
        guarantee=origin.size.si if clone and device.guarantee == "volume" else 0.0,
    )  # fmt: skip


def lay_out(system: System, name: str, data: spec_jobs.Data) -> None:
    """Lay data where they lie at the beginning: in sequence, or moved about by the updates before."""
    there = system.data[name]
    if not isinstance(there.volume, RedirectVolume):
        return
    there.volume.allocated.add(there.begin, there.begin + there.size)
    if data.aged is not None:
        aged = data.aged
        spread = Spread(
            aged.update_size.si, there.size * si_or(aged.working_set, 1.0), si_or(aged.hot_data, 1.0),
            si_or(aged.hot_updates, 1.0),
        )  # fmt: skip
        there.volume.updated(f"data.{name}", (there.begin, there.size), spread, aged.updates.si)
