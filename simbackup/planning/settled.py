"""A site with what its failures cost: which backups and copies do not come about, until a day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime

from simbackup.planning.failure import outages, unreadable
from simbackup.planning.ledger import Ledger, evenings
from simbackup.planning.loading import site_of
from simbackup.planning.nights import Nights
from simbackup.planning.playing import Play, of_site
from simbackup.planning.site import NOTHING_LACKS, Lacking, PlannedSite, numbers
from simbackup.schema.tree import Node


def settled(site: PlannedSite, last: date, play: Play | None = None) -> PlannedSite:
    """The site with what does not come about, or becomes unreadable, until a day.

    The nights in which something fails are simulated.

    What fails in a night decides what later nights have to save, so this is repeated until nothing changes. Systems
    of a policy that do not fail alike get policies of their own.
    """
    return _with_unreadable(_with_lacking(site, last, play) if outages(site.file.spec, last) else site, last)


def _with_unreadable(site: PlannedSite, last: date) -> PlannedSite:
    """The site with the save sets on cartridges that become unreadable until a day."""
    found: dict[str, dict[tuple[str, datetime], datetime]] = {}
    for target, at in unreadable(site.file.spec, last):
        ledger = Ledger(site)
        for _ in ledger.days(at):
            pass
        for policy, copy, number in ledger.on_newest_cartridge(target):
            due = ledger.stocks[policy].times[number]
            found.setdefault(policy, {}).setdefault((copy, due), at)
    return replace(site, unreadable=found) if found else site


def _with_lacking(site: PlannedSite, last: date, play: Play | None) -> PlannedSite:
    """The site with what does not come about until a day."""
    lacking: Mapping[str, Lacking] = {
        system.name: found for system in site.systems if (found := site.lacking_of(system.policy))
    }
    seen: list[Mapping[str, Lacking]] = []
    while lacking not in seen:
        seen.append(lacking)
        lacking = Nights(site, evenings([*Ledger(site).days(last)]), of_site(play, site)).sample_failures()
        site = _lacking(site, lacking)
    return site


def _lacking(site: PlannedSite, lacking: Mapping[str, Lacking]) -> PlannedSite:
    """The site in which some things do not come about, with policies divided as far as their systems differ in that."""
    alike: dict[str, dict[tuple[tuple[datetime, frozenset[str]], ...], list[str]]] = {}
    for system in site.systems:
        found = tuple(sorted(lacking.get(system.name, NOTHING_LACKS).items(), key=lambda each: each[0]))
        alike.setdefault(system.policy, {}).setdefault(found, []).append(system.name)
    tree, parts, taken = site.file.tree, dict[str, Lacking](), {*site.file.spec.policies}
    policies, systems = dict[str, Node](), dict(tree.mapping["systems"].mapping)
    for name, node in tree.mapping["policies"].mapping.items():
        for i, (what, those) in enumerate(alike.get(name, {(): []}).items()):
            part = name if not i else next(each for n in range(2, 10**6) if (each := f"{name}-{n}") not in taken)
            taken.add(part)
            policies[part], parts[part] = node, dict(what)
            for system in those if i else ():
                before = systems[system]
                policy = before.mapping["policy"]
                inner = {**before.mapping, "policy": Node(part, policy.place, policy.key)}
                systems[system] = Node(inner, before.place, before.key)
    if len(policies) == len(site.file.spec.policies):
        return replace(site, lacking=parts)
    above = tree.mapping["policies"], tree.mapping["systems"]
    changed = {
        key: Node(inner, node.place, node.key)
        for key, inner, node in zip(("policies", "systems"), (policies, systems), above, strict=True)
    }
    apart = site_of(Node({**tree.mapping, **changed}, tree.place, tree.key), site.file.name, site.file.source)
    return replace(numbers(apart), lacking=parts)
