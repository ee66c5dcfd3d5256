"""Small scenarios of one system: a restore from a snapshot, and the rebuild of its array."""

from __future__ import annotations

from datetime import date
from typing import Any

from simbackup.errors import InputError
from simbackup.planning.hardware import GROWING, NETWORK, datastore_of, machine_of, real_host, whole_bytes
from simbackup.planning.loading import image_kind
from simbackup.planning.night import DAY, Night
from simbackup.planning.origins import scenario_of
from simbackup.planning.scenarios import site_parts
from simbackup.planning.site import Client, PlannedSite
from simbackup.protection.durability import DiskGroup
from simbackup.protection.spec import LossSpec
from simbackup.run import ran
from simbackup.schema.capability import BlockDevice, OnDevice, RedundantDevice, SplitMirror
from simbackup.schema.tree import Node, spelled_out
from simbackup.uncertainty.whole import deviation_at

ROOM = 0.2
"""Share of the data for which a volume has room besides, and a copy area: it has no effect on a restore."""
YEAR = 365.0 * DAY


def from_snapshot(site: PlannedSite, client: Client, day: date, *, one_file: bool) -> tuple[float, float]:
    """Seconds in which a snapshot brings the data of a system back, and the deviation that the model leaves out.

    Parameters
    ----------
    site
        The site.
    client
        The system.
    day
        The day, by which the data have grown.
    one_file
        Whether one file of average size is wanted; data of a single file come back as a whole.
    """
    parts, name = _alone(site, client, day), client.name
    policy = site.file.spec.policies[client.policy]
    disk, data = storage_of(site, name), parts["data"][f"{name}-data"]
    volume, image = f"{name}-volume", f"{name}-image"
    own, host = next(iter(parts["hosts"].items()))
    size = client.size_at((day - site.start).days * DAY)
    kind = image_kind(policy.snapshots) if policy.snapshots is not None else None
    given = site.file.part("policies", client.policy, "snapshots", "image")
    if kind is None or given is None:
        raise ValueError(f"'{client.policy}' has no snapshots")
    if machine_of(site.file, name) and GROWING in parts["devices"][disk]:
        parts["devices"][disk][GROWING] = whole_bytes((1.0 + 3.0 * ROOM) * size)
    made: dict[str, Any] = {**spelled_out(given).mapping, "of": volume}
    if issubclass(kind.spec, OnDevice):
        made.setdefault("on", disk)
        if issubclass(kind.spec, SplitMirror):
            made["on"] = f"{name}-mirror-disk"
            parts["devices"][made["on"]] = parts["devices"][disk]
            if disk in host["owns"]:
                host["owns"].append(made["on"])
            else:
                parts["links"][f"{made['on']}-link"] = parts["links"][f"{disk}-link"] | {"joins": [own, made["on"]]}
        elif "size" in kind.spec.model_fields:
            made.setdefault("size", whole_bytes(ROOM * size))
    parts["devices"] |= {volume: {"kind": "logical_volume", "on": disk, "size": whole_bytes(size + ROOM * size)}}
    parts["devices"][image] = made
    if disk not in host["owns"]:  # it is behind a link
        host["owns"] += [volume, image]
    parts["data"][f"{name}-data"] = {**data, "on": volume}
    tool = site.file.part("policies", client.policy, "tool")
    saved: dict[str, Any] = {"method": "frozen_image", "data": f"{name}-data", "to": image}
    back: dict[str, Any] = {"restore": name, "after": name}
    if one_file and client.files > 1.0:
        back["select"] = {"files": 1, "size": whole_bytes(size / client.files), "at": 0.5}
    parts["jobs"] = {name: saved | ({"tool": tool} if tool is not None else {}), f"back-{name}": back}
    result = ran(scenario_of(site.file, parts, f"on {day}"))
    seconds = float(next(row["elapsed"] for row in result.job_rows if row["job"] == f"back-{name}"))
    return seconds, deviation_at(result.scenario, f"jobs.back-{name}.elapsed")


def disk_group(site: PlannedSite, client: Client, loss: LossSpec) -> tuple[int, DiskGroup] | None:
    """The groups of disks that hold the data of a system: how many, and one of them, in years.

    The time of a rebuild is simulated on the array by itself. None if the rate of failures is unknown, or the rebuild
    of such an array is not simulated.
    """
    if loss.yearly is None:
        return None
    device = site.first_night.spec.devices[storage_of(site, client.name)]
    if not isinstance(device, BlockDevice):
        return None
    groups, disks, tolerated = device.redundancy()
    rebuild = _rebuild(site, client) / YEAR if tolerated and isinstance(device, RedundantDevice) else 1.0
    if not rebuild:
        return None
    return groups, DiskGroup(disks, tolerated, loss.yearly.si, rebuild, loss.unreadable.si if tolerated else 0.0)


def _rebuild(site: PlannedSite, client: Client) -> float:
    """Seconds in which the array of a system rebuilds a disk; 0 if that is not simulated."""
    parts, disk = _alone(site, client, site.start), storage_of(site, client.name)
    parts["devices"][disk] = {**parts["devices"][disk], "failed": 1}
    parts["jobs"] = {"rebuild": {"method": "rebuild", "of": disk}}
    try:
        result = ran(scenario_of(site.file, parts))
    except InputError:
        return 0.0
    return float(result.job_rows[0]["elapsed"])


def storage_of(site: PlannedSite, system: str) -> str:
    """The device on which the data of a system lie: that of its machine, or of its datastore."""
    return f"{system}-disk" if machine_of(site.file, system) else datastore_of(site.file.spec, system)


def _alone(site: PlannedSite, client: Client, day: date) -> dict[str, Any]:
    """The host of a system with its storage and data, and nothing else of the site."""
    factor = client.size_at((day - site.start).days * DAY) / client.size
    parts = site_parts(site.file, Night(day, (), {client.name: factor}))
    name, disk, spec = client.name, storage_of(site, client.name), site.file.spec
    given = spec.systems[name].host
    host = name if given is None else real_host(spec, given)
    device, links = parts["devices"][disk], dict[str, Any]()
    if given is not None and spec.datastores[disk].link is not None:
        link = f"{disk}-link"
        links[link] = {**parts["links"][link if link in parts["links"] else NETWORK], "joins": [host, disk]}
    return parts | {
        "hosts": {host: {**parts["hosts"][host], "owns": [] if links else [disk]}},
        "devices": {disk: device.mapping if isinstance(device, Node) else device},
        "data": {f"{name}-data": {**parts["data"][f"{name}-data"], "on": disk}},
        "links": links, "jobs": dict[str, Node](),
    }  # fmt: skip
