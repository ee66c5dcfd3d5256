"""Site files: read, checked, and reported with every problem at its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from simbackup import shelf
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.planning.failure import DISK, SECTOR, legal, parts_that_fail
from simbackup.planning.policy import BY_FILE, LOADED, PLAIN, PROGRAM, PolicySpec, SnapshotsSpec
from simbackup.planning.rewriting import divided, overridden, proxies
from simbackup.planning.spec import SiteSpec
from simbackup.policies.clock import WEEKDAYS
from simbackup.scenario.topology import circles
from simbackup.schema import tree as trees
from simbackup.schema.capability import ImageDevice
from simbackup.schema.part import NAME, disagreements
from simbackup.schema.quantity import Frozen
from simbackup.schema.registry import DeviceKind, device_kinds
from simbackup.schema.retired import retired_sheet
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import SECTIONS, parse, read, refuse_others, refuse_unreachable

Source = str | Path | Mapping[str, object]
FOLLOWING = ("ratio", "last", "generations")
"""Keys of a job that a plan finds by itself."""


@dataclass(frozen=True)
class SiteFile:
    """What a site file says, its tree with the places, and that tree before policies were divided."""

    name: str
    spec: SiteSpec
    tree: Node
    source: Node

    @cached_property
    def proxies(self) -> Mapping[str, str]:
        """The proxy that reads the data of each system which has one."""
        return proxies(self.spec)

    @cached_property
    def size(self) -> float:
        """Bytes of all systems at the start."""
        return sum(each.size.si for each in self.spec.systems.values())

    @cached_property
    def following(self) -> Mapping[str, list[str]]:
        """The systems that follow each policy that any follows."""
        found: dict[str, list[str]] = {}
        for name, system in self.spec.systems.items():
            found.setdefault(system.policy, []).append(name)
        return found

    def method_of(self, system: str) -> str:
        """How a system is backed up: by the method of its policy, or else by its own."""
        given = self.spec.systems[system]
        return self.spec.policies[given.policy].method or (BY_FILE if given.by_file() else "image")

    def operations(self, policy: str) -> Collection[str]:
        """The operations of the program of a policy; none without one."""
        program = self.part("policies", policy, PROGRAM)
        whole = over_datasheet(program, PROGRAM, f"policies.{policy}.program", []) if program is not None else None
        return whole.mapping["operations"].mapping if whole is not None and "operations" in whole.mapping else ()

    def written(self, policy: str) -> str:
        """The policy in the file of which one is a part, or itself."""
        policies, name = self.source.mapping["policies"].mapping, policy
        while name not in policies and "-" in name:
            name = name.rpartition("-")[0]
        return name if name in policies else policy

    def written_system(self, system: str) -> str:
        """The entry in the file which stands for several systems of which one is this, or the system itself."""
        systems, name = self.source.mapping["systems"].mapping, system
        while name not in systems and name[-1:].isdigit():
            name = name[:-1]
        return name if name in systems else system

    def part(self, *path: str) -> Node | None:
        """A part of a scenario in it, with a bare name of a datasheet written as `{model: name}`; None without one."""
        found, seen = self.tree.find(path)
        if len(seen) < len(path) or found.value is None:
            return None
        return trees.spelled_out(found)


def read_site(what: Source, overrides: Mapping[str, object] | None = None) -> SiteFile:
    """The site of a file, of YAML text of several lines, or of a mapping, with the values at some addresses replaced.

    Raises
    ------
    InputError
        Everything that is wrong with it, each with its place.
    """
    twice: list[Problem] = []
    if isinstance(what, Mapping):
        tree, name = trees.from_plain(what, Place("site")), "site"
    elif isinstance(what, str) and "\n" in what:
        tree, name = parse(what, "site", twice), "site"
    else:
        path = found(str(what))
        tree, name = read(path, shelf.shown(path), twice), path.stem.removesuffix(".site")
    try:
        refuse_others(tree, "site")
        site = site_of(overridden(tree, overrides or {}), name)
    except InputError as error:
        raise InputError([*twice, *error.problems, *error.notes]) from None
    if twice:
        raise InputError(twice)
    return site


def found(name: str) -> Path:
    """The file of a site, by path, or by the name of one that comes along, such as `planning/forty-systems`.

    Raises
    ------
    InputError
        There is no such file.
    """
    bare = name.removesuffix(".site.yaml").removeprefix("scenarios/")
    places = [root / "scenarios" / f"{bare}.site.yaml" for root in shelf.roots()]
    for path in (Path(name), *places):
        if shelf.is_file(path):
            return path
    refuse_unreachable(Path(name), name)
    known = [
        path.relative_to(root / "scenarios").as_posix().removesuffix(".site.yaml")
        for root in shelf.roots()
        for path in (root / "scenarios").rglob("*.site.yaml")
        if path.parent.name != "templates"
    ]
    remedy = f"{choices(bare, known)}; simbackup plan init writes one"
    raise InputError([Problem(Place(name), "", "there is no such site file", remedy)])


def site_of(tree: Node, name: str, source: Node | None = None) -> SiteFile:
    """The site of a tree; `source` is that before policies were divided."""
    problems: list[Problem] = []
    tree = _priced(tree, problems)
    spec = validate(SiteSpec, tree, "", problems)
    if spec is not None:
        problems.extend(_conflicts(spec, tree))
        problems.extend(_unknown_names(spec, tree))
    if problems or spec is None:
        remedy = "correct the other mistakes first"
        problems.append(Problem(tree.place, "", "its parts were not checked further", remedy, closing=True))
        raise InputError(problems)
    if any(system.states("count") for system in spec.systems.values()):
        return site_of(_counted(spec, tree), name, source or tree)
    if any(policy.spread or len(policy.to) > 1 for policy in spec.policies.values()):
        return site_of(divided(spec, tree), name, source or tree)
    return SiteFile(name, spec, tree, source or tree)


def _counted(spec: SiteSpec, tree: Node) -> Node:
    """The tree in which each entry that stands for several systems is as many, called after it with a number.

    Raises
    ------
    InputError
        One of these names is already that of another system.
    """
    found, written = dict[str, Node](), tree.mapping["systems"]
    for name, node in written.mapping.items():
        many = int(spec.systems[name].count.si) if spec.systems[name].states("count") else 0
        inner = Node({key: child for key, child in node.mapping.items() if key != "count"}, node.place, node.key)
        for each in [f"{name}{i:0{len(str(many))}}" for i in range(1, many + 1)] or [name]:
            if each in found or (many and each in written.mapping):
                message = f"is as many systems, and there is another one called '{each}'"
                raise InputError([Problem(node.key, f"systems.{name}", message, "rename one of them")])
            found[each] = inner
    return Node({**tree.mapping, "systems": Node(found, written.place, written.key)}, tree.place, tree.key)


def _priced(tree: Node, problems: list[Problem]) -> Node:
    """The tree with the prices of the site, and those of targets, merged over their datasheets."""
    tree = _with_prices(tree, "", problems)
    targets = tree.mapping.get("targets")
    if targets is None or not targets.mapping:
        return tree
    each = {name: _with_prices(target, f"targets.{name}.", problems) for name, target in targets.mapping.items()}
    return Node({**tree.mapping, "targets": Node(each, targets.place, targets.key)}, tree.place, tree.key)


def _with_prices(part: Node, address: str, problems: list[Problem]) -> Node:
    """The site or a target with its prices merged over the datasheet that they name."""
    prices = part.mapping.get("prices")
    if prices is None:
        return part
    given = over_datasheet(prices, "prices", f"{address}prices", problems)
    rest = {name: child for name, child in part.mapping.items() if name != "prices"}
    return Node(rest if given is None else {**rest, "prices": given}, part.place, part.key)


def over_datasheet(part: Node, kind: str, address: str, problems: list[Problem]) -> Node | None:
    """A part merged over the datasheet of a kind that it names, if any; None after adding that there is none."""
    given = trees.spelled_out(part)
    named = given.mapping.get("model")
    if named is None:
        return given
    try:
        sheet = shelf.load_datasheet(named.word)
    except InputError as error:
        legal = [each for each in shelf.names() if each.startswith(f"{kind}/")]
        retired, message = retired_sheet(named.word), f"there is no datasheet '{named.word}'"
        remedy = retired.instead if retired is not None else choices(named.word, legal)
        missing = Problem(named.place, f"{address}.model", message, remedy, retired=retired)
        problems += error.problems if named.word in legal else [missing]
        return None
    return trees.overlay(sheet.tree.mapping["parameters"], given)


def _parts(spec: SiteSpec) -> Iterator[tuple[tuple[str, ...], Frozen]]:
    yield (), spec
    for section in SECTIONS["site"]:
        for name, part in getattr(spec, section).items():
            if isinstance(part, Frozen):
                yield (section, name), part
    for name, policy in spec.policies.items():
        for copy, part in policy.copies.items():
            yield ("policies", name, "copies", copy), part


def _conflicts(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    for path, part in _parts(spec):
        for found_here in disagreements(part):
            here = (*path, *found_here.paths[0])
            yield _problem(tree, here, found_here.message, found_here.remedy)


def _unknown_names(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    """Report names that refer to nothing, and names that a scenario could not use."""
    for section in ("machines", "hosts", "datastores", "uplinks", "targets", "systems"):
        for name in getattr(spec, section):
            if NAME.match(name) is None:
                message = "is not a name: letters, digits, '-' and '_', beginning with a letter"
                yield _problem(tree, (section, name), message, "rename it", key=True)
    for path, message, remedy in taken(spec):
        yield _problem(tree, path, message, remedy, key=True)
    yield from _systems(spec, tree)
    yield from _policies(spec, tree)
    yield from _targets(spec, tree)
    yield from _devices(spec, tree)
    yield from _hosts(spec, tree)
    yield from _places(spec, tree)
    yield from _datastores(spec, tree)
    yield from _failures(spec, tree)
    yield from _purchases(spec, tree)
    yield from _costs(spec, tree)


def _failures(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    """Report failures of parts that the site does not have."""
    for name, failure in spec.failures.items():
        if NAME.match(name) is None:
            message = "is not a name: letters, digits, '-' and '_', beginning with a letter"
            yield _problem(tree, ("failures", name), message, "rename it", key=True)
        if failure.what and not parts_that_fail(spec, failure):
            wanted = {
                "host": "host", "device": "target or datastore", "link": "link", "drive": "tape library",
                "robot": "tape library", DISK: "array", SECTOR: "array", "cartridge": "tape library",
            }  # fmt: skip
            yield from _known(
                tree, ("failures", name, failure.what), failure.name, legal(spec, failure.what), wanted[failure.what]
            )


def _purchases(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    """Report purchases that change a part which is not there."""
    for name, purchase in spec.purchases.items():
        for address in purchase.set:
            above = tuple(address.split("."))[:2]
            groups = any(sign in address for sign in "*:")
            if not groups and len(tree.find(above)[1]) < len(above):
                node = tree.find(("purchases", name, "set"))[0].mapping[address]
                message, remedy = "is not there", "write an address of the site, such as targets.pool.device.disks"
                yield Problem(node.key, f"purchases.{name}.set", f"'{address}' {message}", remedy)


def _costs(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    """Report costs of parts that are not there, costs without a currency, and hours without a price."""
    if spec.costs and spec.prices is None:
        yield _problem(tree, ("costs",), "has no currency", "write 'prices:' of the site, with a currency", key=True)
    parts, seen = {*spec.targets, *spec.hosts, *spec.uplinks}, dict[str, str]()
    for name, one in spec.costs.items():
        if one.of is not None:
            yield from _known(tree, ("costs", name, "of"), one.of, parts, "target, host or uplink")
            if one.of in seen:
                message = f"'{seen[one.of]}' says what '{one.of}' costs, too"
                yield _problem(tree, ("costs", name, "of"), message, "say it once")
            seen[one.of] = name
        if one.weekly is not None and spec.prices is not None and spec.prices.hour is None:
            message, remedy = (
                "has no price: the prices of the site have no 'hour'",
                "write for example 'hour: 60' there",
            )
            yield _problem(tree, ("costs", name, "weekly"), message, remedy)
        for key in ("bought", "life"):
            if getattr(one, key) is not None and one.price is None:
                yield _problem(tree, ("costs", name, key), "has no effect without a price", "write 'price:', too")


def _devices(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    """Report machines and datastores whose device is none."""
    devices = {("machines", name, "storage"): machine.storage for name, machine in spec.machines.items()}
    own = {name: datastore for name, datastore in spec.datastores.items() if datastore.lies_on is None}
    devices |= {("datastores", name, "device"): datastore.device for name, datastore in own.items()}
    for path, storage in devices.items():
        if not isinstance(storage, str) and not (isinstance(storage, Mapping) and {"model", "kind"} & storage.keys()):
            message = "is neither a datasheet nor a mapping with a model or a kind"
            yield _problem(tree, path, message, "write for example 'ssd/nvme-gen3-2018'")


def _hosts(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    """Report uplinks and hosts that are not there, and virtual machines in virtual machines."""
    for name, host in spec.hosts.items():
        if host.uplink is not None:
            yield from _known(tree, ("hosts", name, "uplink"), host.uplink, spec.uplinks, "uplink")
        if host.within is not None:
            real = [other for other, one in spec.hosts.items() if other != name and one.within is None]
            yield from _known(tree, ("hosts", name, "within"), host.within, real, "host that is no virtual machine")


def _datastores(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    """Report datastores on the device of none, and those that several hosts would have inside."""
    own = [name for name, datastore in spec.datastores.items() if datastore.lies_on is None]
    for name, datastore in spec.datastores.items():
        if datastore.lies_on is not None:
            yield from _known(tree, ("datastores", name, "device"), datastore.lies_on, own, "datastore with a device")
            for key, what in (("link", "how its device is reached"), ("place", "where its device is")):
                if getattr(datastore, key) is not None:
                    message = f"'{datastore.lies_on}' says {what}"
                    yield _problem(tree, ("datastores", name, key), message, "leave it out")
    for name, hosts in _users(spec).items():
        if len(hosts) > 1 and spec.datastores[name].link is None:
            message = f"serves {len(hosts)} hosts ({', '.join(sorted(hosts))}), and has no link to them"
            remedy = "write for example 'link: network/fibre-channel-16g'"
            yield _problem(tree, ("datastores", name), message, remedy, key=True)


def _users(spec: SiteSpec) -> dict[str, set[str]]:
    """The hosts that reach each datastore, as far as the names of a site are known."""
    users: dict[str, set[str]] = {}
    read_by = proxies(spec) if all(system.policy in spec.policies for system in spec.systems.values()) else {}
    for name, system in spec.systems.items():
        datastore = system.datastore or next(iter(spec.datastores), "")
        if system.host is None or datastore not in spec.datastores:
            continue
        proxy = read_by.get(name)
        reader = proxy if proxy in spec.hosts and spec.hosts[proxy].share is None else system.host
        hosts = {spec.hosts[host].within or host for host in (system.host, reader) if host in spec.hosts}
        users.setdefault(spec.datastores[datastore].lies_on or datastore, set()).update(hosts)
    return {name: hosts for name, hosts in users.items() if name in spec.datastores}


def _places(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    """Report systems that have no place, or two."""
    for name, system in spec.systems.items():
        here = ("systems", name)
        if system.host is None:
            if system.datastore is not None:
                yield _problem(tree, (*here, "datastore"), "needs a 'host'", "name the host on which the system runs")
            elif not spec.machines:
                yield _problem(tree, here, "has no host", "write 'host:' and a name under 'hosts'", key=True)
            continue
        if system.machine is not None:
            message = "has a machine of its own and shares a host"
            yield _problem(tree, (*here, "machine"), message, "leave out 'machine' or 'host'")
        yield from _known(tree, (*here, "host"), system.host, spec.hosts, "host")
        if system.datastore is not None:
            yield from _known(tree, (*here, "datastore"), system.datastore, spec.datastores, "datastore")
        elif not spec.datastores:
            yield _problem(tree, here, "has no datastore", "describe it under 'datastores'", key=True)


def _systems(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    for name, system in spec.systems.items():
        yield from _known(tree, ("systems", name, "policy"), system.policy, spec.policies, "policy")
        if system.machine is not None:
            yield from _known(tree, ("systems", name, "machine"), system.machine, spec.machines, "machine")
        for other in system.needs:
            yield from _known(tree, ("systems", name, "needs"), other, spec.systems, "system")
        policy = spec.policies.get(system.policy)
        method = policy.method if policy is not None else None
        if (system.by_file() if method is None else method == BY_FILE) and system.filesystem is None:
            yield _problem(tree, ("systems", name, "method"), "needs a 'filesystem'", "name a datasheet filesystem/...")
        if method is not None and system.method is not None:
            message = f"the policy '{system.policy}' says how its systems are backed up"
            yield _problem(tree, ("systems", name, "method"), message, "leave it out")
        if method in LOADED and system.database is None:
            remedy = "write for example 'database: database/postgresql'"
            yield _problem(tree, ("systems", name), f"needs a 'database' for '{method}'", remedy, key=True)
    for first, *_ in circles({name: system.needs for name, system in spec.systems.items()}):
        yield _problem(tree, ("systems", first, "needs"), f"'{first}' needs itself", "break the circle")


def _policies(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    for name, policy in spec.policies.items():
        for i, to in enumerate(policy.to):
            here = ("policies", name, "to", str(i)) if len(policy.to) > 1 else ("policies", name, "to")
            yield from _known(tree, here, to, spec.targets, "target")
            if to in policy.to[:i]:
                yield _problem(tree, here, f"'{to}' is named twice", "name each target once")
        yield from _divided(spec, tree, name)
        yield from _deduplicating(spec, tree, name)
        for i, proxy in enumerate(policy.proxy):
            here = ("policies", name, "proxy", str(i)) if len(policy.proxy) > 1 else ("policies", name, "proxy")
            yield from _known(tree, here, proxy, spec.hosts, "host")
        for i, to in enumerate(policy.logs.to if policy.logs is not None else ()):
            yield from _known(tree, ("policies", name, "logs", "to", str(i)), to, spec.targets, "target")
        if policy.staging is not None:
            yield from _known(tree, ("policies", name, "staging", "on"), policy.staging.on, spec.targets, "target")
        yield from _snapshots(tree, name, policy)
        yield from _copies(spec, tree, name)


def _divided(spec: SiteSpec, tree: Node, name: str) -> Iterator[Problem]:
    """Report policies that are called like a part of one that is divided."""
    policy = spec.policies[name]
    for part in (*(policy.to if len(policy.to) > 1 else ()), *(WEEKDAYS if policy.spread else ())):
        if f"{name}-{part}" in spec.policies:
            message = f"a part of '{name}', which is divided, has this name"
            yield _problem(tree, ("policies", f"{name}-{part}"), message, "rename it", key=True)


def _deduplicating(spec: SiteSpec, tree: Node, name: str) -> Iterator[Problem]:
    """Report a method of which a plan does not know what is new to a target that deduplicates."""
    policy = spec.policies[name]
    if policy.method not in {None, *PLAIN}:
        for to in (to for to in policy.to if to in spec.targets and spec.targets[to].deduplication is not None):
            message = f"'{to}' deduplicates, and a plan does not know what is new there of '{policy.method}'"
            yield _problem(tree, ("policies", name, "method"), message, "write another target, or no method")


def _snapshots(tree: Node, name: str, policy: PolicySpec) -> Iterator[Problem]:
    """Report snapshots that are made by nothing that freezes data."""
    if policy.snapshots is None:
        return
    path = ("policies", name, "snapshots", "image")
    found = image_kind(policy.snapshots)
    if found is None or not issubclass(found.spec, ImageDevice):
        legal = [kind for kind, each in device_kinds().items() if issubclass(each.spec, ImageDevice)]
        remedy = f"write a datasheet of one of these kinds: {', '.join(legal)}"
        yield _problem(tree, path, f"'{policy.snapshots.image}' does not freeze data", remedy)
        return
    problems: list[Problem] = []
    over_datasheet(tree.find(path)[0], found.name, ".".join(path), problems)
    yield from problems


def image_kind(snapshots: SnapshotsSpec) -> DeviceKind | None:
    """The kind of device that freezes the data for snapshots, None if there is none of that name."""
    given = snapshots.image
    named = given if isinstance(given, str) else str(given.get("model", given.get("kind", "")))
    return device_kinds().get(named.partition("/")[0])


def _copies(spec: SiteSpec, tree: Node, name: str) -> Iterator[Problem]:
    policy = spec.policies[name]
    for copy, part in policy.copies.items():
        here = ("policies", name, "copies", copy, "to")
        yield from _known(tree, here, part.to, spec.targets, "target")
        if part.to in policy.to:
            yield _problem(tree, here, f"'{part.to}' already takes the backups", "name another target")
        known = [to for to in policy.to if to in spec.targets]
        plain = next((to for to in known if spec.targets[to].deduplication is None), None)
        if plain is not None and part.to in spec.targets and spec.targets[part.to].deduplication is not None:
            message = f"'{part.to}' deduplicates, but '{plain}', which it gets copies from, does not"
            remedy = f"write 'deduplication:' under targets.{plain}, too, or write 'reduction:' here instead"
            yield _problem(tree, ("targets", part.to, "deduplication"), message, remedy)


def _targets(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    yield from _currencies(spec, tree)
    for name in spec.targets:
        given = spec.targets[name].deduplication
        for key in (key for key in FOLLOWING if isinstance(given, Mapping) and key in given):
            here, message = ("targets", name, "deduplication", key), "follows from the calendar of the plan"
            yield _problem(tree, here, message, "leave it out", key=True)
        yield from _owners(spec, tree, name)
        yield from _library(spec, tree, name)


def _owners(spec: SiteSpec, tree: Node, name: str) -> Iterator[Problem]:
    """Report a target that no host reaches, or whose shared host it joins to the network once more."""
    target = spec.targets[name]
    if target.beside:
        others = [other for other, one in spec.targets.items() if other != name and one.host is not None]
        for beside in target.beside:
            yield from _known(tree, ("targets", name, "beside"), beside, [*others, *spec.hosts], "target with a host")
        if len(target.beside) > 1 and target.link is None:
            yield _problem(tree, ("targets", name), "has several hosts and no link", "write 'link:', which joins them")
    elif target.host is None and spec.targets[name].shares_with is None:
        yield _problem(tree, ("targets", name), "has no host", "write 'host:', or 'beside:' another target")
    elif isinstance(target.host, str) and "/" not in target.host:
        yield from _known(tree, ("targets", name, "host"), target.host, spec.hosts, "host")
        if target.network is not None:
            message = f"'{target.host}' is a host of the site, and has its own way to the network"
            yield _problem(tree, ("targets", name, "network"), message, f"write it under hosts.{target.host}")


def _library(spec: SiteSpec, tree: Node, name: str) -> Iterator[Problem]:
    """Report a library that is shared with a target which has none of its own."""
    shared = spec.targets[name].shares_with
    if shared is None:
        return
    others = [other for other, one in spec.targets.items() if other != name and one.shares_with is None]
    yield from _known(tree, ("targets", name, "device"), shared, others, "target with a device of its own")
    for key in ("host", "beside", "link", "network"):
        if getattr(spec.targets[name], key):
            yield _problem(tree, ("targets", name, key), f"'{shared}' says how its library is reached", "leave it out")


def _currencies(spec: SiteSpec, tree: Node) -> Iterator[Problem]:
    """Report a target whose prices are in another currency than those of the others."""
    priced = [(("targets", name, "prices"), target.prices) for name, target in spec.targets.items()]
    first = spec.prices or next((prices for _, prices in priced if prices is not None), None)
    for path, prices in priced:
        if first is not None and prices is not None and prices.currency != first.currency:
            message = f"is in {prices.currency}, and other prices of the site are in {first.currency}"
            yield _problem(tree, path, message, f"write all prices in {first.currency}")


def _known(tree: Node, path: tuple[str, ...], name: str, legal: Any, what: str) -> Iterator[Problem]:
    if name not in legal:
        yield _problem(tree, path, f"there is no {what} '{name}'", choices(name, legal))


def _problem(tree: Node, path: tuple[str, ...], message: str, remedy: str, *, key: bool = False) -> Problem:
    node, _ = tree.find(path)
    return Problem(node.key if key else node.place, ".".join(path), message, remedy)


WHOLE = frozenset({"network", "server-queue"})
"""Names of parts that every scenario of a site may have."""
ENDINGS = frozenset({
    "data", "disk", "host", "link", "log", "log-data", "logs", "merge", "network", "older", "overtime", "overtime-logs",
    "queue", "switch", "synthetic-full", "turn",
})  # fmt: skip
"""What follows the name of a system, a target, a host or a kind of machine in the names of what belongs to it."""
NUMBERED = re.compile(r"(night)?\d+\Z")
"""What follows the name of a system in those of its jobs: a night, or the place in a chain."""
NAMED = ("machines", "hosts", "datastores", "uplinks", "targets", "systems")


def taken(spec: SiteSpec) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Names that something else has: the place, the message, and a remedy."""
    copies = {copy for policy in spec.policies.values() for copy in policy.copies}
    owners: dict[str, str] = {}
    named = [(section, name) for section in NAMED for name in getattr(spec, section)]
    for section, name in named:
        other = owners.setdefault(name, section)
        if section != other and {section, other} != {"machines", "systems"}:
            yield (section, name), f"is also the name of one of the {other}", "rename one of them"
    for section, name in named:
        if name in WHOLE:
            yield (section, name), "is the name of a part that every plan has", "rename it"
        for owner, ending in _splits(name):
            if owner in owners and _is_ending(ending, copies):
                yield (section, name), f"is also what a plan calls a part of '{owner}'", "rename one of them"
    yield from _copy_names(spec)


def _copy_names(spec: SiteSpec) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Copies whose names no job could have, or other jobs have."""
    for policy, part in spec.policies.items():
        for copy in part.copies:
            here = ("policies", policy, "copies", copy)
            if NAME.match(copy) is None:
                yield here, "is not a name: letters, digits, '-' and '_', beginning with a letter", "rename it"
            elif _is_ending(copy, set()):
                yield here, "is also what a plan calls a part of each system", "rename it"


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """A name divided at each of its hyphens."""
    for found in re.finditer("-", name):
        yield name[: found.start()], name[found.end() :]


def _is_ending(text: str, copies: set[str]) -> bool:
    """Whether a plan may write it behind a name: an ending, a copy, a number, or one of these behind a number."""
    first, _, rest = text.partition("-")
    if NUMBERED.match(first) is not None:
        return not rest or _is_ending(rest, copies)
    return text in ENDINGS or text in copies
