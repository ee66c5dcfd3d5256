"""The settings of a scenario or a site that a page can move, each with its address, its class and its key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, cast

from simbackup.planning.hardware import grows_by_change
from simbackup.planning.site import PlannedSite
from simbackup.scenario import Scenario
from simbackup.schema.fleet import PARTS, PLACEHOLDER, Fleet
from simbackup.schema.quantity import Frozen, Quantity, Unit
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import SECTIONS

WORDS = frozenset({"window", "at", "begin", "age"})
"""Keys of times that are written as text, such as `20:00 to 06:00`."""


class Setting(NamedTuple):
    """A value of a file: its path, the class that reads it, its key there, and what it is."""

    path: tuple[str, ...]
    part: type[Frozen]
    key: str
    value: Quantity | str
    whole: Frozen | None = None
    """The part itself, where the key is one of its own."""

    def allows(self, si: float) -> bool:
        """Whether the other values of the part allow a number in the place of this one."""
        if self.whole is None or not isinstance(self.value, Quantity):
            return True
        moved = self.whole.model_copy(update={self.key: replace(self.value, si=si)})
        return not any(self.key in keys for keys, _, _ in moved.rules())

    @property
    def address(self) -> str:
        """Its address in the file."""
        return ".".join(self.path)


def of_scenario(scenario: Scenario) -> Iterator[Setting]:
    """The settings of a scenario; those of a fleet once, at the address of the template."""
    template = {part: tuple(address.split(".")) for address, parts in scenario.fleets.items() for part in parts[:1]}
    made = {part for parts in scenario.fleets.values() for part in parts}
    for name, fleet in scenario.source.mapping.get("fleets", Node({}, scenario.source.place)).mapping.items():
        count = fleet.mapping.get("count")
        if count is not None:
            given = Unit("count").read(count.plain())
            yield Setting(("fleets", name, "count"), Fleet, "count", given)
    for section in PARTS:
        for name, part in getattr(scenario.spec, section).items():
            address = f"{section}.{name}"
            if address in made and address not in template:
                continue
            for one in inside(part, (section, name)):
                path = (*template[address], *one.path[2:]) if address in template else one.path
                if address not in template or not _filled(scenario.source, path):
                    yield one._replace(path=path)


def _filled(source: Node, path: tuple[str, ...]) -> bool:
    """Whether a value of a template differs between rows."""
    node, found = source.find(path)
    return len(found) == len(path) and PLACEHOLDER.search(str(node.plain())) is not None


def of_site(site: PlannedSite) -> Iterator[Setting]:
    """The settings of a site, with those of its devices, links and changes at their addresses in its file."""
    spec = site.file.spec
    yield from inside(spec, ())
    for section in SECTIONS["site"]:
        for name, part in getattr(spec, section).items():
            yield from inside(part, (section, name)) if isinstance(part, Frozen) else ()
    for one in of_scenario(site.first_night):
        path = _in_site(one.path, site)
        if path is not None:
            yield one._replace(path=path)


def _in_site(path: tuple[str, ...], site: PlannedSite) -> tuple[str, ...] | None:
    """Where a site file has a value of its first night; None where it has it elsewhere."""
    section, name, *rest = path
    spec, systems = site.file.spec, site.file.spec.systems
    if section == "devices":
        owner = "targets" if name in spec.targets else "datastores" if name in spec.datastores else ""
        return (owner, name, "device", *rest) if owner else None
    if section == "links":
        if name == "network":
            return ("network", *rest) if rest[0] not in {"joins", "ports"} else None
        if name in spec.uplinks:
            return ("uplinks", name, *rest)
        owner, _, which = name.rpartition("-")
        owners = {"targets": ("link", "network"), "hosts": ("network",), "datastores": ("link",)}
        within = [one for one, keys in owners.items() if owner in getattr(spec, one) and which in keys]
        return (within[0], owner, which, *rest) if within else None
    own = name.removesuffix("-data")
    if section == "data" and rest[0] == "change" and own in systems:
        of_site = rest[1:] == ["growth"] and not grows_by_change(site.file, own)
        return None if of_site else ("systems", own, *rest)
    return None


def inside(part: Frozen, path: tuple[str, ...]) -> Iterator[Setting]:
    """The quantities, times and datasheets of a part, and of the parts inside it."""
    for key in filter(part.states, type(part).model_fields):
        value, here = getattr(part, key), (*path, key)
        if isinstance(value, Quantity) or (isinstance(value, str) and (key in WORDS or key == "model")):
            yield Setting(here, type(part), key, value, part)
        elif isinstance(value, Frozen):
            yield from inside(value, here)
        elif isinstance(value, dict) and path:
            for name, inner in cast("dict[str, object]", value).items():
                if isinstance(inner, Quantity):
                    yield Setting((*here, name), type(part), key, inner)
                elif isinstance(inner, Frozen):
                    yield from inside(inner, (*here, name))
