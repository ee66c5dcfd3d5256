"""Levers: what a planner would move, with its unit, its bounds, and the stops of its slider.

They are made from the settings of a scenario or a site. Stops are values first and texts second, and each text is read
back: what a table shows of a value is none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

from simbackup import shelf, units
from simbackup.errors import InputError
from simbackup.planning.hardware import grows_by_change
from simbackup.planning.site import PlannedSite
from simbackup.planning.windows import called
from simbackup.scenario import Scenario
from simbackup.schema.fleet import PARTS, PLACEHOLDER, Fleet
from simbackup.schema.quantity import LATEST, Frozen, Quantity, Unit
from simbackup.schema.reflection import about, mark_of, sheet_kind, text_of
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


PLANNED = (
    ("count", "count"), ("drives", "count"), ("disks", "count"), ("robots", "count"), ("at_once", "count"),
    ("streams", "count"), ("workers", "count"), ("multiplexing", "count"), ("rate", "B/s"), ("window", "s"),
    ("window", ""), ("size", "B"), ("files", "count"), ("daily", "1"), ("growth", "1"), ("model", ""), ("begin", ""),
    ("at", ""), ("age", ""), ("every", "s"), ("compression", "1"), ("reduction", "1"), ("clients", "count"),
    ("transactions", "1/s"),
)  # fmt: skip
"""Values that planners change, by key and unit, the most important first."""
FACTORS = (0.1, 0.2, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 10.0)
"""Stops of a slider, as multiples of the value."""
SPEEDS = (
    "10 Mb/s", "100 Mb/s", "1 Gb/s", "2.5 Gb/s", "5 Gb/s", "10 Gb/s", "25 Gb/s", "40 Gb/s", "50 Gb/s", "100 Gb/s",
    "200 Gb/s", "400 Gb/s",
)  # fmt: skip
"""Stops of the rate of a link: the nominal speeds of networks."""
ONE_BY_ONE = 16
"""Greatest number up to which a slider moves in steps of one."""
ALIKE = 3
"""Number of equal values of different parts from which on they move together."""
MOST = 14
"""Number of levers that are shown at once; the others are behind a fold."""
MOST_OF_A_KIND = 3
"""Greatest number of levers of one key among these."""
OF_FLEET = 3
"""Steps of the address of a value of the fleet itself, such as its number."""
OF_PARTS = frozenset({"devices", "links", "targets", "network"})
"""Sections whose datasheets planners exchange."""


@dataclass(frozen=True, slots=True)
class Lever:
    """A value that can be changed on the page, at one address or at several with the same value."""

    addresses: tuple[str, ...]
    """The addresses."""
    label: str
    """Its name."""
    about: str
    """What it means."""
    text: str
    """The value as text."""
    stops: tuple[str, ...]
    """The values of its slider; empty if it is typed."""
    bounds: str
    """Its bounds, in words."""
    basis: str
    """The kind of evidence for the value."""
    group: str
    """`first`, `more` (further values of the file) or `datasheet`."""
    worded: bool = False
    """Whether it is the name of a datasheet."""

    @property
    def title(self) -> str:
        """The title of its datasheet."""
        return shelf.title_of(self.text)

    @property
    def at(self) -> int:
        """The index of the stop that has its value; 0 if none has."""
        return self.stops.index(self.text) if self.text in self.stops else 0


def levers_of(settings: Iterable[Setting], stated: Iterable[str]) -> list[Lever]:
    """The levers of settings, those that planners move first; `stated` are the addresses that the file itself has.

    >>> from simbackup.scenario import load
    >>> from simbackup.web.levers import of_scenario
    >>> found = levers_of(of_scenario(load("teaching/one-file-from-tape")), ["devices.jukebox.drives"])
    >>> found[0].label, found[0].text, found[0].stops[:3]
    ('jukebox: drives', '2', ('1', '2', '3'))
    """
    own, order = frozenset(stated), {key: i for i, key in enumerate(PLANNED)}
    alike: dict[tuple[object, ...], list[Setting]] = {}
    for one in {each[:4]: each for each in settings}.values():
        section, tail = one.path[0], one.path[2:]
        same = (section, tail, one.part, one.key, _text(one.value)) if tail else one.path
        alike.setdefault(same, []).append(one)
    found: list[tuple[tuple[int, bool], Lever]] = []
    for group in alike.values():
        for together in [group] if len(group) >= ALIKE else [[one] for one in group]:
            rank = order.get((together[0].key, _unit(together[0])), len(order))
            if together[0].key == "model" and together[0].path[0] not in OF_PARTS:
                rank = len(order)
            # what a file may hold without a slider for it, a room of a package say, keeps nobody from his answer
            with suppress(InputError, ArithmeticError, LookupError, ValueError):
                found.append(((rank, together[0].address not in own), _lever(together, own)))
    return list(_grouped(sorted(found, key=lambda one: one[0]), len(order)))


def _grouped(found: Sequence[tuple[tuple[int, bool], Lever]], unplanned: int) -> Iterator[Lever]:
    """The levers with their group: few of each kind are among the first."""
    seen: dict[int, int] = {}
    first = 0
    for (rank, elsewhere), lever in found:
        seen[rank] = seen.get(rank, 0) + 1
        if rank < unplanned and seen[rank] <= MOST_OF_A_KIND and first < MOST:
            first += 1
            yield replace(lever, group="first")
        else:
            yield replace(lever, group="datasheet" if elsewhere else "more")


def _lever(together: Sequence[Setting], own: frozenset[str]) -> Lever:
    one = together[0]
    mark, text = mark_of(one.part, one.key, Unit), _text(one.value)
    basis = one.value.basis or "" if isinstance(one.value, Quantity) else ""
    stops = _stops(one, one.value, mark) if isinstance(one.value, Quantity) else ()
    meaning = text_of(one.part, one.key) or about(one.part)
    return Lever(
        tuple(each.address for each in together), _label(together), meaning, text, stops, _bounds(mark),
        basis or ("user" if one.address in own else "datasheet"), "first", one.key == "model",
    )  # fmt: skip


def _label(together: Sequence[Setting]) -> str:
    """The name of a lever: whose value it is, and which."""
    one = together[0]
    if one.path[0] == "fleets" and len(one.path) == OF_FLEET:
        return f"{one.path[1]}: number"
    of_site = one.path[0] not in {"fleets", "network"} and len(one.path) < OF_FLEET
    if of_site or one.path[0] == "network":
        return " ".join(one.path).replace("_", " ")
    owner, *rest = one.path[3:] if one.path[0] == "fleets" else one.path[1:]
    owner = re.sub(r"[-_]?\{[^}]*\}[-_]?", "", owner) or one.path[1]
    key = " ".join(step for step in rest if step != "device").replace("_", " ")
    if len(together) > 1:
        owner = called([each.path[1] for each in together]).partition(" (")[0]
    return key if owner.replace("_", " ") == key else f"{owner}: {key}"


def _text(value: Quantity | str) -> str:
    return value.text if isinstance(value, Quantity) else value


def _unit(one: Setting) -> str:
    return one.value.unit if isinstance(one.value, Quantity) else ""


def _bounds(mark: Unit | None) -> str:
    """The bounds of a value in words."""
    if mark is None:
        return ""
    least = (
        "more than 0" if mark.positive else f"at least {units.show_short(mark.least, mark.unit)}" if mark.least else ""
    )
    most = f"at most {units.show_short(mark.most, mark.unit)}" if mark.most not in {LATEST, float("inf")} else ""
    return ", ".join(filter(None, (least, most)))


def _stops(one: Setting, value: Quantity, mark: Unit | None) -> tuple[str, ...]:
    """Values around one that its part allows, within its bounds, and the ends of its range; its own text is one."""
    if not 0.0 < value.si < math.inf or value.si == LATEST:
        return ()
    wanted = {si: units.show_near(si, value.unit, like=value.text) for si in _wanted(value) if 0.0 < si < math.inf}
    if sheet_kind(one.part) == "network" and one.key == "rate":
        slow = units.parse(SPEEDS[0], value.unit)
        wanted = {si: text for si, text in wanted.items() if si < slow}
        wanted |= {units.parse(text, value.unit): text for text in SPEEDS}
    read = {units.parse(text, value.unit): text for text in wanted.values()}
    stops = {si: text for si, text in read.items() if (mark is None or mark.within(si)) and one.allows(si)}
    stops[value.si] = value.text
    return tuple(stops[si] for si in sorted(stops))


def _wanted(value: Quantity) -> Iterator[float]:
    """Values around one, and the ends of its range; whole ones where things are counted."""
    counted = value.unit == "count"
    if counted and value.si <= ONE_BY_ONE:
        around = [float(i) for i in range(1, int(max(2.0 * value.si, ONE_BY_ONE / 2)) + 1)]
    else:
        around = [value.si * factor for factor in FACTORS]
    wanted = (*around, *(end for end in (value.low, value.high) if end))
    yield from (float(round(each)) for each in wanted) if counted else wanted
