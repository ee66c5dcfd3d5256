"""What a site file says, made into what is planned: values replaced, and policies divided.

In an address, `*` stands for any text, so that `systems.db*` are all systems whose names begin so, and
`systems.policy:gold` are those whose `policy` is `gold`. A value such as `x2` multiplies what is there. Systems of a
policy with several targets, days or proxies are spread evenly over these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import cast

from simbackup import shelf
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.planning.policy import PolicySpec
from simbackup.planning.spec import SiteSpec
from simbackup.policies.clock import WEEKDAYS
from simbackup.policies.days import Days
from simbackup.schema import tree as trees
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import SECTIONS

FACTOR = re.compile(r"x\s*(\d+(?:\.\d+)?)")
"""A value that multiplies what is there."""
AMOUNT = re.compile(r"\s*(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)(.*)")
"""A number, and its unit."""


def overridden(tree: Node, overrides: Mapping[str, object]) -> Node:
    """The tree with the values at some addresses replaced.

    Raises
    ------
    InputError
        There is no part of that name, or a value changes nothing.
    """
    problems: list[Problem] = []
    for address, value in _spelled_out(tree, overrides, problems):
        node = trees.from_plain(value, Place("overrides"))
        section, *inside = address.split(".")
        named = tree.mapping[section].mapping if section in SECTIONS["site"] and section in tree.mapping else None
        if named is not None and inside and inside[0] not in named:
            message = f"there is no '{inside[0]}' under {section}"
            problems.append(Problem(node.place, address, message, choices(inside[0], named)))
            continue
        new = trees.at_path((section, *inside), node)
        below = _open(tree, new)
        problems += trees.without_effect(below, new)
        tree = trees.overlay(below, new)
    if problems:
        raise InputError(problems)
    return tree


def _spelled_out(tree: Node, overrides: Mapping[str, object], problems: list[Problem]) -> Iterator[tuple[str, object]]:
    """Each address for which one with `*` or `:` stands, and what a factor makes of the value there.

    Of a group, a factor leaves out those that state no such value, unless none does.
    """
    for address, value in overrides.items():
        node = trees.from_plain(value, Place("overrides"))
        groups = "*" in address or ":" in address
        found = list(matching(tree, tuple(address.split(".")))) if groups else [tuple(address.split("."))]
        if not found:
            problems.append(Problem(node.place, address, "names nothing in the site", "write a name, or 'db*'"))
        factor = FACTOR.fullmatch(node.value) if isinstance(node.value, str) else None
        if factor is None:
            yield from ((".".join(path), value) for path in found)
            continue
        times = {".".join(path): _times(_there(tree, path), float(factor[1])) for path in found}
        if found and not any(now is not None for now in times.values()):
            message = f"is no quantity that '{node.value}' could multiply"
            remedy = "name one that the file or its datasheet states, such as 'systems.*.change.daily'"
            problems.append(Problem(node.place, next(iter(times)), message, remedy))
        yield from ((here, trees.from_plain(now, node.place)) for here, now in times.items() if now is not None)


def matching(node: Node, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths below a node that a path with `*` or `:` stands for."""
    if not path:
        yield ()
        return
    first, *rest = path
    key, chosen, wanted = first.partition(":")
    for name, child in node.mapping.items():
        said = child.mapping.get(key) if chosen else None
        if fnmatchcase(name, first) if not chosen else said is not None and fnmatchcase(_word(said), wanted):
            yield from ((name, *below) for below in _below(child, tuple(rest)))


def _below(node: Node, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths that a path stands for; one without `*` or `:` stands for itself, also where nothing is yet."""
    return matching(node, path) if any("*" in step or ":" in step for step in path) else iter((path,))


def _word(node: Node) -> str:
    """What a key says in a word: its text, or the datasheet that it names."""
    return str(node.mapping["model"].value if "model" in node.mapping else node.value)


def _there(tree: Node, path: tuple[str, ...]) -> object:
    """The value at a path, in the file or in the datasheet that is named on the way; None if there is none."""
    node, sheet = tree, None
    for step in path:
        if isinstance(node.value, str) and shelf.exists(node.value):
            node = trees.spelled_out(node)
        sheet = sheet and sheet.mapping.get(step)
        model = node.mapping.get("model")
        if model is not None and shelf.exists(model.word):
            sheet = shelf.load_datasheet(model.word).tree.mapping["parameters"].mapping.get(step)
        below = node.mapping.get(step) or sheet
        if below is None:
            return None
        node = below
    return node.plain()


def _times(value: object, factor: float) -> object:
    """A quantity times a factor, with its range if it has one; None if it is no quantity."""
    if isinstance(value, Mapping):
        said = cast("Mapping[str, object]", value)
        changed = _times(said.get("value"), factor)
        ends = [_times(end, factor) for end in cast("list[object]", said.get("range") or [])]
        if changed is None or not ends:
            return changed
        return {"value": changed, "range": ends, "basis": "assumed", "why": f"{factor:g} times what was stated"}
    found = AMOUNT.fullmatch(str(value)) if value is not None else None
    if found is None or ":" in found[2]:
        return None
    return f"{float(found[1].replace('_', '')) * factor:.12g}{found[2]}"


def _open(below: Node, above: Node) -> Node:
    """A tree in which bare names of datasheets are parts, `{model: name}`, where `above` states keys of such a part.

    A device of its own kind replaces the name.
    """
    if not isinstance(above.value, dict) or "kind" in above.value:
        return below
    if isinstance(below.value, str):
        return trees.spelled_out(below) if shelf.exists(below.value) else below
    inner = {
        name: _open(child, above.value[name]) if name in above.value else child for name, child in below.mapping.items()
    }
    return Node(inner, below.place, below.key) if inner else below


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
