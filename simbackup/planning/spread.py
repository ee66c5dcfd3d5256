"""Policies whose full backups are spread over the week: one for each day, with about as much to save."""

from __future__ import annotations

from simbackup.planning.spec import SiteSpec
from simbackup.policies.days import WEEKDAYS
from simbackup.schema.tree import Node


def spread(spec: SiteSpec, tree: Node) -> Node:
    """The tree in which each policy that spreads is one for each day of the week, and each system follows one of them.

    The largest systems come first, each to the day that has least so far. Days that get none have no policy.
    """
    policies, systems = dict(tree.mapping["policies"].mapping), dict(tree.mapping["systems"].mapping)
    for name, policy in spec.policies.items():
        if not policy.spread:
            continue
        node = policies.pop(name)
        load = dict.fromkeys(WEEKDAYS, 0.0)
        own = {key: system for key, system in spec.systems.items() if system.policy == name}
        for key in sorted(own, key=lambda key: -own[key].size.si):
            day = min(load, key=lambda each: load[each])
            load[day] += own[key].size.si
            told = systems[key]
            followed = told.mapping["policy"]
            inner = {**told.mapping, "policy": Node(f"{name}-{day}", followed.place, followed.key)}
            systems[key] = Node(inner, told.place, told.key)
        for day in (day for day in WEEKDAYS if load[day] or not own):
            policies[f"{name}-{day}"] = _on(node, day)
    changed = {
        "policies": _like(tree.mapping["policies"], policies),
        "systems": _like(tree.mapping["systems"], systems),
    }
    return Node({**tree.mapping, **changed}, tree.place, tree.key)


def _on(policy: Node, day: str) -> Node:
    """A policy whose full backups are on one day."""
    schedule = policy.mapping["schedule"]
    full = schedule.mapping["full"]
    days = Node({**schedule.mapping, "full": Node(day, full.place, full.key)}, schedule.place, schedule.key)
    inner = {key: child for key, child in policy.mapping.items() if key != "spread"}
    return Node({**inner, "schedule": days}, policy.place, policy.key)


def _like(node: Node, inner: dict[str, Node]) -> Node:
    return Node(inner, node.place, node.key)
