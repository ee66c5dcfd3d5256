"""Policies that are divided, over days of the week or among targets, each part with about as much to save."""

from __future__ import annotations

from simbackup.planning.policy import PolicySpec
from simbackup.planning.spec import SiteSpec
from simbackup.policies.clock import WEEKDAYS
from simbackup.schema.tree import Node


def divided(spec: SiteSpec, tree: Node) -> Node:
    """The tree in which each policy with several targets is one for each, and else one that spreads one for each day.

    Each system follows one of the parts: the largest first, each that which has least so far. Parts that get none are
    left out. A policy with several targets that also spreads still has to be divided by days.
    """
    policies, systems = dict(tree.mapping["policies"].mapping), dict(tree.mapping["systems"].mapping)
    for name, policy in spec.policies.items():
        parts = policy.to if len(policy.to) > 1 else WEEKDAYS if policy.spread else ()
        if not parts:
            continue
        node = policies.pop(name)
        load = dict.fromkeys(parts, 0.0)
        own = {key: system for key, system in spec.systems.items() if system.policy == name}
        for key in sorted(own, key=lambda key: -own[key].size.si):
            part = min(load, key=lambda each: load[each])
            load[part] += own[key].size.si
            systems[key] = _with(systems[key], "policy", f"{name}-{part}")
        for part in (part for part in parts if load[part] or not own):
            policies[f"{name}-{part}"] = _part(policy, node, part)
    changed = {
        "policies": _like(tree.mapping["policies"], policies),
        "systems": _like(tree.mapping["systems"], systems),
    }
    return Node({**tree.mapping, **changed}, tree.place, tree.key)


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
