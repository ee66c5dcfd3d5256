"""Keys and parts of a site file that have no effect: which they are, and where they would act."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from simbackup.errors import Problem
from simbackup.planning.hardware import datastore_of, machine_of, real_host
from simbackup.planning.night import Night
from simbackup.planning.origins import SECTIONS, Origins, Path, scenario_of
from simbackup.planning.policy import BY_FILE, LOADED, PROGRAM, PolicySpec
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import PlannedSite
from simbackup.run import reads_of
from simbackup.scenario.idle_keys import meaning, stated

Idle = tuple[Path, str]
"""A path in the site file, and where what stands there would act."""
CALENDAR = frozenset({"daily", "weekly", "monthly", "yearly"})
"""Rules of retention that count by the calendar."""


def idle_keys(site: PlannedSite) -> list[Problem]:
    """A warning for each key without effect, at its place; one for all systems, and for all days of a policy."""
    origins, tree = Origins(site.file, {}), site.file.source
    alike: dict[tuple[str, Path, str], dict[str, Problem]] = {}
    for path, where in (
        *_made(), *_systems(site), *_machines(site), *_targets(site), *_policies(site), *_growth(site),
        *_in_nights(site),
    ):  # fmt: skip
        for here in _written(origins, path):
            node, seen = tree.find(here)
            if len(seen) == len(here) and node.value is not None:
                address = ".".join(here)
                problem = Problem(node.key, address, "has no effect here", where, "warning")
                alike.setdefault((here[0], here[2:], where), {}).setdefault(address, problem)
    return [_first(list(each.values())) for each in alike.values()]


def _first(alike: list[Problem]) -> Problem:
    first, *others = alike
    more = f" ('{first.address.split('.')[1]}', and {len(others)} more like it)" if others else ""
    return replace(first, message=first.message + more)


def _written(origins: Origins, path: Path) -> list[Path]:
    """The paths as they are written; `*` stands for every name."""
    if "*" not in path:
        return [origins.written(path)]
    before = path[: path.index("*")]
    node, seen = origins.file.source.find(before)
    names = node.mapping if len(seen) == len(before) else {}
    return [each for name in names for each in _written(origins, (*before, name, *path[len(before) + 1 :]))]


def _in_nights(site: PlannedSite) -> Iterator[Idle]:
    """Keys of parts of a scenario that no night reads: neither the first, nor later ones, nor a restore of either.

    Of systems that are alike but for their sizes, one stands for all, and so does one of policies that say the same and
    have such systems.
    """
    texts, read, alike, policies = dict[Path, str](), set[Path](), *_alike(site)
    chosen = {*map(site.file.written_system, alike)}
    for night in (Night.first(site.file), Night.later(site.file)):
        parts = night_scenario(site.file, night)
        if not parts["jobs"]:
            continue
        origins = Origins(site.file, parts)
        scenario = scenario_of(site.file, _of_some(parts, origins, site, alike))
        found = reads_of(scenario)
        if found is None:
            return  # a night that is too long, or does not end well, says nothing of keys
        read |= {origins.known_path(address) for address in found}
        for steps, _, part in stated(scenario, site.file.source.place.file):
            path = origins.known_path(".".join(steps))
            own = path[0] != "systems" or path[1] in chosen
            if own and path[-1:] == steps[-1:] and len(path) > len(("systems", "name", "key")):
                texts[path] = meaning(part, steps[-1])
    for path, text in texts.items():
        if path not in read:
            same = {"systems": alike, "policies": policies}.get(path[0], {})
            for name in same.get(path[1], (path[1],)):
                yield (path[0], name, *path[2:]), text


def _of_some(
    parts: Mapping[str, Any], origins: Origins, site: PlannedSite, systems: Collection[str]
) -> Mapping[str, Any]:
    """A night in which only some systems are saved, each of which is restored after that."""
    found = dict(parts)
    for section in SECTIONS:
        of = {name: origins.origin(section, name).system for name in found[section]}
        found[section] = {name: part for name, part in found[section].items() if of[name] in {"", *systems}}
    for name, link in found["links"].items():
        ends = [end for end in link["joins"] if end in systems or end not in site.file.spec.systems]
        found["links"][name] = {**link, "joins": ends}
    for name, host in found["hosts"].items():
        found["hosts"][name] = {**host, "owns": [device for device in host["owns"] if device in found["devices"]]}
    saved = [job for job in found["jobs"] if job in systems]
    found["jobs"] |= {f"back-{job}": {"restore": job, "after": job} for job in saved}
    return found


def _alike(site: PlannedSite) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The first of each kind of systems, with all of this kind; and the first of policies that are alike, with these.

    Systems of a kind state the same keys, machine and method, and follow policies that are alike. Such policies say the
    same, and have systems of the same kinds.
    """
    of: dict[str, tuple[object, ...]] = {}
    kinds: dict[str, set[tuple[object, ...]]] = {}
    for name, system in site.file.spec.systems.items():
        said = site.file.part("systems", name)
        keys = [path for path, _ in said.leaves()] if said is not None else []
        places = system.machine, system.host, system.datastore, site.file.proxies.get(name)
        of[name] = places, getattr(system, "method", ""), tuple(keys)
        kinds.setdefault(system.policy, set()).add(of[name])
    policies: dict[tuple[object, ...], list[str]] = {}
    for name, theirs in kinds.items():
        said = site.file.part("policies", name)
        alike = str(said.plain()) if said is not None else "", frozenset(theirs)
        policies.setdefault(alike, []).append(name)
    first = {name: names[0] for names in policies.values() for name in names}
    systems: dict[tuple[object, ...], list[str]] = {}

    def own(name: str) -> bool:
        policy = site.file.spec.systems[name].policy
        return first[policy] == policy

    for name in sorted(of, key=own, reverse=True):  # one that follows the first policy comes first
        systems.setdefault((first[site.file.spec.systems[name].policy], of[name]), []).append(name)
    return {names[0]: names for names in systems.values()}, {names[0]: names for names in policies.values()}


def _made() -> Iterator[Idle]:
    """Keys of parts that the plan writes itself."""
    for section in ("machines", "hosts", "targets"):
        yield (section, "*", "host", "owns"), "the plan decides what a host owns"
    yield ("hosts", "*", "host", "within"), "'within' of the host itself says on which other one it runs"
    links = ("targets", "link"), ("targets", "network"), ("hosts", "network"), ("datastores", "link")
    for path in (("network",), ("uplinks", "*"), *((section, "*", key) for section, key in links)):
        yield (*path, "joins"), "the plan decides what a link joins"
    yield ("machines", "*", "storage", "capacity"), "the plan makes storage as large as the data on it"


def _systems(site: PlannedSite) -> Iterator[Idle]:
    for name, system in site.file.spec.systems.items():
        policy = site.file.spec.policies[system.policy]
        if policy.logs is None:
            yield ("systems", name, "log"), "it is only used with 'logs' of a policy"
        if (
            policy.compressor is None
            and not policy.compress
            and not any(site.targets[to].tape for to in _targets_of(policy))
        ):
            yield ("systems", name, "compression"), "it is only used on tape; a disk or a store has 'reduction'"
        if all(site.targets[to].tape for to in _targets_of(policy)):
            yield (
                ("systems", name, "reduction"),
                "it is only used on disks and in object stores; a tape has 'compression'",
            )
        if system.growth is not None or system.growth_from:
            yield ("systems", name, "change", "growth"), "the 'growth' of the system is used instead"
        if site.file.method_of(name) not in {BY_FILE, PROGRAM}:
            yield ("systems", name, "filesystem"), "it is only used in file_level backups"


def _machines(site: PlannedSite) -> Iterator[Idle]:
    spec, systems = site.file.spec, site.file.spec.systems
    machines = {machine_of(site.file, name) for name in systems}
    targets = {host for name in spec.targets for host in spec.hosts_of(name)}
    hosts = targets | {host for name in systems for host in (systems[name].host, site.file.proxies.get(name)) if host}
    hosts |= {real_host(spec, host) for host in hosts if host in spec.hosts}
    datastores = {datastore_of(spec, name) for name in systems if systems[name].host}
    datastores |= {system.datastore for system in systems.values() if system.datastore}
    uplinks = {spec.hosts[host].uplink for host in spec.hosts}
    for section, used, by in (
        ("machines", machines, "no system uses it"), ("datastores", datastores, "no system uses it"),
        ("hosts", hosts, "no system, no policy and no target uses it"), ("uplinks", uplinks, "no host uses it"),
    ):  # fmt: skip
        for name in getattr(spec, section).keys() - used:
            yield (section, name), by


def _targets(site: PlannedSite) -> Iterator[Idle]:
    spec = site.file.spec
    followed = [spec.policies[name] for name in {system.policy for system in spec.systems.values()}]
    used = {to for policy in followed for to in _targets_of(policy)}
    hosts = {beside for target in spec.targets.values() for beside in target.beside}
    synthetic = {policy.target for policy in followed if "synthetic_full" in policy.schedule}
    for name, target in site.targets.items():
        here = ("targets", name)
        if name not in used | hosts:
            yield here, "no policy that has systems names it, so nothing is saved there"
            continue
        if not target.tape:
            for key in ("offsite", "cartridges", "pool"):
                yield (*here, key), "it is only used in tape libraries"
        if not target.stores_objects:
            yield (*here, "object_size"), "it is only used in object stores"
        if target.tape and name in used:
            yield (*here, "reduction"), "on tape, the 'compression' of a system is used instead"
        if name not in synthetic or not target.on_disk or target.chunking is not None:
            yield (
                (*here, "clones"),
                "it is only used where a disk takes synthetic full backups, without 'deduplication'",
            )


def _targets_of(policy: PolicySpec) -> Iterator[str]:
    """The targets that a policy names."""
    yield policy.target
    yield from (copy.to for copy in policy.copies.values())
    if policy.logs is not None:
        yield from policy.logs.to
    if policy.staging is not None:
        yield policy.staging.on


def _policies(site: PlannedSite) -> Iterator[Idle]:
    for name, policy in site.file.spec.policies.items():
        here, systems = ("policies", name), site.of_policy(name)
        if not systems:
            yield here, "no system follows it"
            continue
        if not any(system.by_file for system in systems) and policy.method not in LOADED:
            yield (*here, "workers"), "they are only used in file_level backups, logical dumps and hot copies"
        if not site.targets[policy.target].tape:
            yield (*here, "staging"), "it is only used for backups to a tape library"
        for path, kept in (
            ((), policy.retention),
            *((("copies", key), c.retention) for key, c in policy.copies.items()),
        ):
            if kept is not None and all(getattr(kept, key) is None for key in CALENDAR):
                yield (*here, *path, "retention", "of"), "it is only used with daily, weekly, monthly or yearly"


def _growth(site: PlannedSite) -> Iterator[Idle]:
    if each_grows_by_itself(site):
        yield from (((key,), "each system states its own") for key in ("growth", "growth_from"))


def each_grows_by_itself(site: PlannedSite) -> bool:
    """Whether each system states its own growth, so that the growth of the site does nothing."""
    systems = site.file.spec.systems
    changes = {name: site.file.part("systems", name, "change") for name in systems}
    return all(
        systems[name].growth is not None
        or bool(systems[name].growth_from)
        or (change is not None and "growth" in change.mapping)
        for name, change in changes.items()
    )
