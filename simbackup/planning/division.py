"""Spreads systems evenly over the days, targets and proxies that a policy names."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from simbackup.planning.policy import PolicySpec
from simbackup.planning.spec import SiteSpec
from simbackup.policies.clock import WEEKDAYS
from simbackup.policies.days import Days
from simbackup.schema.tree import Node

Use = tuple[str, str]
"""Something that backups share, and the day on which they use it; no day for one that takes backups on all."""
WEEKS = 52
"""Weeks over which full backups on days of their own are counted."""


def divided(spec: SiteSpec, tree: Node) -> Node:
    """The tree in which each policy with several targets is one for each, and else one that spreads one for each day.

    Each system follows one of the parts: the largest of all policies first, each that part whose network, host and
    target have least to do so far, on its day where it has one. Parts that get no system are left out. A policy with
    several targets that also spreads still has to be divided by days.
    """
    policies, systems = dict(tree.mapping["policies"].mapping), dict(tree.mapping["systems"].mapping)
    parts = {name: found for name, policy in spec.policies.items() if (found := _parts(policy))}
    load, chosen = _fixed(spec, parts), dict[str, set[str]]()
    own = {name: system for name, system in spec.systems.items() if system.policy in parts}
    for name in sorted(own, key=lambda each: -own[each].size.si):
        system = own[name]
        uses = {part: _uses(spec, spec.policies[system.policy], part) for part in parts[system.policy]}
        part = min(uses, key=lambda each: sum(load.get(use, 0.0) for use in uses[each]))
        for use in uses[part]:
            load[use] = load.get(use, 0.0) + system.size.si
        systems[name] = _with(systems[name], "policy", f"{system.policy}-{part}")
        chosen.setdefault(system.policy, set()).add(part)
    for name, among in parts.items():
        node = policies.pop(name)
        for part in (part for part in among if part in chosen.get(name, {part})):
            policies[f"{name}-{part}"] = _part(spec.policies[name], node, part)
    changed = {
        "policies": _like(tree.mapping["policies"], policies),
        "systems": _like(tree.mapping["systems"], systems),
    }
    return Node({**tree.mapping, **changed}, tree.place, tree.key)


def proxies(spec: SiteSpec) -> dict[str, str]:
    """The proxy that reads the data of each system whose policy names any.

    The largest systems choose first, each the proxy that has least to read so far.
    """
    load, found = dict[str, float](), dict[str, str]()
    for name in sorted(spec.systems, key=lambda each: -spec.systems[each].size.si):
        among = spec.policies[spec.systems[name].policy].proxy
        if among:
            found[name] = min(among, key=lambda each: load.get(each, 0.0))
            load[found[name]] = load.get(found[name], 0.0) + spec.systems[name].size.si
    return found


def _parts(policy: PolicySpec) -> tuple[str, ...]:
    """The targets or the days among which the systems of a policy are divided; none if they are not."""
    return policy.to if len(policy.to) > 1 else WEEKDAYS if policy.spread else ()


def _uses(spec: SiteSpec, policy: PolicySpec, part: str) -> list[Use]:
    """What a full backup by a part of a policy uses: the network of all, the host of its target, and its target."""
    target, day = (policy.target, part) if len(policy.to) == 1 else (part, "")
    return [("network", day), (f"host {spec.hosts_of(target)[0]}", day), (f"target {target}", day)]


def _fixed(spec: SiteSpec, parts: Mapping[str, tuple[str, ...]]) -> dict[Use, float]:
    """Bytes of full backups that are on days of their own, by what they use; those of some weeks count in part."""
    load: dict[Use, float] = {}
    last = spec.start + timedelta(days=7 * WEEKS - 1)
    for name, policy in spec.policies.items():
        if name in parts:
            continue
        size = sum(system.size.si for system in spec.systems.values() if system.policy == name)
        for day in Days(policy.schedule.get("full", ()), policy.without).between(spec.start, last):
            for use in _uses(spec, policy, WEEKDAYS[day.weekday()]):
                load[use] = load.get(use, 0.0) + size / WEEKS
    return load


def _part(policy: PolicySpec, node: Node, part: str) -> Node:
    """A policy that sends all to one of its targets, or whose full backups are on one day."""
    if len(policy.to) > 1:
        return _with(node, "to", part)
    on_the_day = {**node.mapping, "schedule": _with(node.mapping["schedule"], "full", part)}
    return _like(node, {key: child for key, child in on_the_day.items() if key != "spread"})


def _with(node: Node, key: str, value: str) -> Node:
    """A node in which a key says something else, at its place."""
    before = node.mapping[key]
    return _like(node, {**node.mapping, key: Node(value, before.place, before.key)})


def _like(node: Node, inner: dict[str, Node]) -> Node:
    return Node(inner, node.place, node.key)
