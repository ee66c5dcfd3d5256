"""The hosts, devices and links of a site as parts of a scenario, and which of them handle the data of a system."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from simbackup.equations.change import YEAR, Change, Turn
from simbackup.errors import Place
from simbackup.planning.loading import SiteFile
from simbackup.planning.night import DAY, Night, has_weekdays, night_suffix
from simbackup.planning.spec import SiteSpec, growth_on
from simbackup.policies.clock import WEEKDAYS
from simbackup.schema.quantity import Quantity, Unit
from simbackup.schema.registry import method_kinds, sheets
from simbackup.schema.tree import Node

GROWING = "capacity"
NETWORK = "network"
"""The network of a site; also what a datastore names as its link that is on it."""
UNLIMITED = "1 PB/s"
"""Rate of the port of a switch at which a line ends: the line has a rate of its own."""
MOST_ENDS_OF_A_LINE = 2


def whole_bytes(size: float) -> str:
    """Bytes as a scenario states them: whole, and one at least, however small a system is.

    >>> whole_bytes(1e12), whole_bytes(0.02)
    ('1000000000000 B', '1 B')
    """
    return f"{max(size, 1.0):.0f} B"


def machine_of(file: SiteFile, system: str) -> str:
    """The kind of machine of a system; empty if it shares a host."""
    given = file.spec.systems[system]
    return "" if given.host is not None else given.machine or next(iter(file.spec.machines))


def datastore_of(spec: SiteSpec, system: str) -> str:
    """The datastore whose device holds the data of a system on a shared host: that of its own, or of the first one."""
    name = spec.systems[system].datastore or next(iter(spec.datastores), "")
    return spec.datastores[name].lies_on or name


def places_of(spec: SiteSpec, system: str) -> set[str]:
    """The places of a system: that of its machine, or those of its host and of its datastore."""
    given = spec.systems[system]
    if given.host is None:
        return {spec.machines[given.machine or next(iter(spec.machines))].place}
    return {spec.place_of(given.host), spec.place_of(datastore_of(spec, system))}


def on_devices(spec: SiteSpec, jobs: dict[str, Any]) -> dict[str, Any]:
    """Jobs that name the devices of the targets to which they go, as their methods call them."""
    return {name: _on_device(spec, job) if job.get("to") in spec.targets else job for name, job in jobs.items()}


def _on_device(spec: SiteSpec, job: dict[str, Any]) -> dict[str, Any]:
    """A job that names the device of its target."""
    key = "to" if job["method"] not in method_kinds() or "to" in fields_of(job["method"]) else "target"
    return {name: value for name, value in job.items() if name != "to"} | {key: spec.device_of(job["to"])}


def fields_of(method: str) -> Collection[str]:
    """The keys of the jobs of a method."""
    return method_kinds()[method].spec.model_fields


def real_host(spec: SiteSpec, host: str) -> str:
    """The host itself, or that on which it is a virtual machine."""
    return spec.hosts[host].within or host


def readers_of(file: SiteFile, system: str, *, logs: bool = False) -> tuple[str, ...]:
    """The hosts that handle the data of a system in a backup or restore: that which has its disk comes first.

    A proxy reads from the datastore itself, or requests the data from the host of the system. Transaction logs are
    saved by the system itself. A machine of its own is called like its system.
    """
    own = file.spec.systems[system].host or system
    proxy = None if logs else file.proxies.get(system)
    if proxy is None:
        return (own,)
    return (proxy,) if file.spec.hosts[proxy].share is None else (own, proxy)


def sharing(file: SiteFile, system: str) -> dict[str, Any]:
    """What a backup or restore says of the proxy that requests the data over the network; nothing without one."""
    *_, last = readers_of(file, system)
    share = file.part("hosts", last, "share") if last == file.proxies.get(system) else None
    return {} if share is None else {"share": {**share.mapping, "host": last}}


def users_of(file: SiteFile, datastore: str) -> list[str]:
    """The hosts that reach a datastore, in the order of the file; none if nothing lies there."""
    spec, found = file.spec, set[str]()
    for name, system in spec.systems.items():
        if system.host is not None and datastore_of(spec, name) == datastore:
            found |= {real_host(spec, host) for host in (system.host, readers_of(file, name)[0])}
    return [host for host in spec.hosts if host in found]


@dataclass
class Switch:
    """What a switch joins: parts at ports of its own rate, and lines, which have rates of their own."""

    ends: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])

    def link(self, stated: Node | None) -> dict[str, Any]:
        """It as a link, with what the site states of its ports; where a line ends, only the line is a limit."""
        said: dict[str, Any] = dict(stated.mapping) if stated is not None else {}
        joins = [*self.ends, *self.lines]
        if self.lines and not self.ends:
            said["rate"] = UNLIMITED
        elif self.lines and len(joins) > MOST_ENDS_OF_A_LINE:
            own: Mapping[str, Node] = said["ports"].mapping if "ports" in said else {}
            said["ports"] = {**dict.fromkeys(self.lines, UNLIMITED), **own}
        return {**said, "joins": joins}


def site_parts(file: SiteFile, night: Night) -> dict[str, Any]:
    """Hosts, devices, links and data of the site, without jobs.

    Each system with a machine of its own is a host with a device. Each shared host is one host. Each datastore is one
    device, on which every system has a volume that belongs to the host which reads it. Hosts are joined by the network,
    by a line of their own to it, or by the switch of an uplink, which is a line, too.
    """
    spec = file.spec
    parts: dict[str, Any] = {
        "title": Node(f"{spec.title}: {night.day}", Place(file.name)),
        "hosts": {}, "devices": {}, "links": {}, "data": {}, "jobs": {},
    }  # fmt: skip
    if has_weekdays(file):
        parts["first_day"] = WEEKDAYS[night.day.weekday()]
    switches = {NETWORK: Switch()}
    _add_hosts(file, parts, switches)
    _add_targets(file, night, parts, switches[NETWORK])
    _add_datastores(file, parts, switches[NETWORK])
    _add_systems(file, night, parts)
    switches[NETWORK].ends += _machines(spec)
    for name, switch in switches.items():
        parts["links"][name] = switch.link(file.part("network"))
    return parts


def _machines(spec: SiteSpec) -> list[str]:
    """The systems with machines of their own."""
    return [name for name, system in spec.systems.items() if system.host is None]


def _add_hosts(file: SiteFile, parts: dict[str, Any], switches: dict[str, Switch]) -> None:
    """Add the shared hosts, each with its way to the network."""
    for name in file.spec.uplinks:
        if any(host.uplink == name for host in file.spec.hosts.values()):
            switch = f"{name}-switch"
            line = file.part("uplinks", name)
            parts["links"][name] = {**(line.mapping if line else {}), "joins": [switch, NETWORK]}
            switches[switch] = Switch(lines=[name])
            switches[NETWORK].lines.append(name)
    for name, host in file.spec.hosts.items():
        parts["hosts"][name] = _owning(file.part("hosts", name, "host"))
        if host.within is not None:
            parts["hosts"][name]["within"] = host.within
            continue
        to = NETWORK if host.uplink is None else f"{host.uplink}-switch"
        line = file.part("hosts", name, NETWORK)
        if line is None:
            switches[to].ends.append(name)
        else:
            parts["links"][f"{name}-network"] = {**line.mapping, "joins": [name, to]}
            switches[to].lines.append(f"{name}-network")


def _add_targets(file: SiteFile, night: Night, parts: dict[str, Any], network: Switch) -> None:
    """Add the targets, with hosts of their own or shared ones."""
    spec = file.spec
    for name, target in spec.targets.items():
        if spec.device_of(name) != name:
            continue
        hosts = spec.hosts_of(name)
        if not target.beside and hosts[0] not in spec.hosts:
            parts["hosts"][hosts[0]] = _owning(file.part("targets", name, "host"))
            own = file.part("targets", name, NETWORK)
            if own is None:
                network.ends.append(hosts[0])
            else:
                ends = [hosts[0], *_machines(spec)]
                if spec.hosts:
                    ends.append(NETWORK)
                    network.lines.append(f"{name}-network")
                parts["links"][f"{name}-network"] = {**own.mapping, "joins": ends}
        device = file.part("targets", name, "device")
        if device is not None and name in night.new:
            device = Node({**device.mapping, "new_cartridges": Node(night.new[name], device.place)}, device.place)
        parts["devices"][name] = device
        link = file.part("targets", name, "link")
        if link is None:
            parts["hosts"][hosts[0]]["owns"].append(name)
        else:
            parts["links"][f"{name}-link"] = {**link.mapping, "joins": [*hosts, name]}
        if night.used.get(name, 0.0) > 0.0:
            parts["data"][f"{name}-older"] = {"on": name, "size": whole_bytes(night.used[name])}


def _add_datastores(file: SiteFile, parts: dict[str, Any], network: Switch) -> None:
    """Add the datastores that hold something: inside their host, on the network, or behind links to their hosts."""
    for name, datastore in file.spec.datastores.items():
        hosts = users_of(file, name)
        if not hosts:
            continue
        parts["devices"][name] = file.part("datastores", name, "device")
        link = file.part("datastores", name, "link")
        if link is None:
            parts["hosts"][hosts[0]]["owns"].append(name)
        elif datastore.link == NETWORK:
            network.ends.append(name)
        else:
            parts["links"][f"{name}-link"] = {**link.mapping, "joins": [*hosts, name]}


def _add_systems(file: SiteFile, night: Night, parts: dict[str, Any]) -> None:
    """Add the data of each system, for each night as large as they are by then, and what holds them."""
    nights, ages = {name: {"": None} for name in file.spec.systems}, dict[str, float]()
    for run in night.runs:
        for name in of_policy(file, run.policy):
            nights[name][night_suffix(run.later)] = None
            ages[f"{name}{night_suffix(run.later)}"] = run.age or DAY
    for name, suffixes in nights.items():
        saved = {f"{name}{suffix}": night.factors.get(f"{name}{suffix}", 1.0) for suffix in suffixes}
        size, machine = file.spec.systems[name].size.si, machine_of(file, name)
        if machine:
            parts["hosts"][name] = _owning(file.part("machines", machine, "host"))
        _add_disk(file, name, f"{name}-disk", size * max(saved.values()), parts)
        on = {"on": f"{name}-disk"} | ({"at": "0 B"} if len(saved) > 1 or not machine else {})
        for each, factor in saved.items():
            parts["data"][f"{each}-data"] = on | _data(file, name, factor, ages.get(each, DAY))


def add_log(file: SiteFile, name: str, log: str, size: float, parts: dict[str, Any]) -> None:
    """Add so many bytes of transaction logs of a system, and what holds them."""
    _add_disk(file, name, log, size, parts, logs=True)
    parts["data"][f"{log}-data"] = {"on": log, "size": whole_bytes(size)}


def _add_disk(file: SiteFile, name: str, disk: str, size: float, parts: dict[str, Any], *, logs: bool = False) -> None:
    """Add the disk of a system, which belongs to the host that reads it: a device of its own, or a volume."""
    machine = machine_of(file, name)
    if machine:
        parts["devices"][disk] = _holding(file.part("machines", machine, "storage"), size)
    else:
        on = datastore_of(file.spec, name)
        parts["devices"][disk] = {"kind": "logical_volume", "on": on, "size": whole_bytes(size)}
    parts["hosts"][readers_of(file, name, logs=logs)[0]]["owns"].append(disk)


def of_policy(file: SiteFile, policy: str) -> list[str]:
    """The systems that follow a policy."""
    return file.following.get(policy, [])


def _owning(host: Node | None) -> dict[str, Any]:
    return {**(host.mapping if host else {}), "owns": list[str]()}


def _holding(device: Node | None, size: float) -> dict[str, Any]:
    """A device that is as large as its data, if it is one whose capacity is a plain number."""
    made: dict[str, Any] = dict(device.mapping) if device else {}
    kind = str(made["model"].word if "model" in made else made["kind"].word).partition("/")[0]
    sheet = sheets().get(kind)
    if sheet is not None and GROWING in sheet.model_fields:
        made[GROWING] = whole_bytes(size * 1.25)
    return made


def growth_of(file: SiteFile, name: str) -> Change:
    """How a system grows: by its own growth, by that of its `change`, or by that of the site."""
    spec, change, start = file.spec, file.part("systems", name, "change"), file.spec.start
    system, size = spec.systems[name], spec.systems[name].size.si
    if system.growth is not None or system.growth_from:
        return grows(system.growth, system.growth_from, size, start)
    if change is not None and grows_by_change(file, name):
        return Change(growth=Unit("1").read(change.mapping["growth"].plain()).si)
    return grows(spec.growth, spec.growth_from, file.size, start)


def grows_by_change(file: SiteFile, name: str) -> bool:
    """Whether a system states no growth, and its `change` does."""
    system, change = file.spec.systems[name], file.part("systems", name, "change")
    return system.growth is None and not system.growth_from and change is not None and "growth" in change.mapping


def grows(growth: Quantity | None, later: Mapping[date, str], size: float, start: date) -> Change:
    """How data of so many bytes in all grow: at first, and from some dates on."""
    first = Change() if growth is None else Change()._replace(**_rate(growth, size))
    turns: list[Turn] = []
    for day, text in sorted(later.items()):
        said = growth_on(text)
        turn = Turn((day - start).days * DAY - DAY / 2.0)
        rate = {"growth": 0.0, "added": 0.0} | _rate(said, size)
        turns.append(turn._replace(step=said.si / size) if said.unit == "B" else turn._replace(**rate))
    return first._replace(turns=tuple(turns))


def _rate(growth: Quantity, size: float) -> dict[str, float]:
    """A yearly growth: a share, compounded, or the share of the data at the start that is added."""
    return {"growth": growth.si} if growth.unit == "1" else {"added": growth.si * YEAR / size}


def _data(file: SiteFile, name: str, factor: float, age: float) -> dict[str, Any]:
    """The data of a system that are larger than at the start by a factor, with a base of some age in seconds."""
    system = file.spec.systems[name]
    data: dict[str, Any] = {"size": whole_bytes(system.size.si * factor)}
    if system.files is not None:
        data["files"] = max(round(system.files.si * factor), 1)
    for key in ("filesystem", "change", "database"):
        part = file.part("systems", name, key)
        if part is not None:
            data[key] = part
    compression = file.tree.mapping["systems"].mapping[name].mapping.get("compression")
    if compression is not None and system.compression is not None:
        data["compression"] = compression  # with its range, if it states one
    change = data.get("change")
    own, stated = system.growth is not None or system.growth_from, change is not None and "growth" in change.mapping
    if change is not None and (own or ((file.spec.growth is not None or file.spec.growth_from) and not stated)):
        grown, said = growth_of(file, name).before(factor, age), change.mapping.get("replaced")
        data["change"] = {**change.mapping, "growth": grown.growth}
        if grown.replaced:
            anew = grown.replaced + (Unit("1").read(said.plain()).si if said is not None else 0.0)
            data["change"]["replaced"] = min(anew, 1.0)
    return data
