"""The kinds of devices, methods and workloads, found in their rooms and in installed packages.

A room is a package or module with some of these names:

- `KINDS`: the kinds that a scenario may name (`DeviceKind`, `MethodKind`, `WorkloadKind`),
- `SECTIONS`: the class of all parts of a section of a scenario, by section,
- `SHEETS`: the kinds of datasheets that stand for its parts, by name,
- `LOOKS`: how pictures draw its parts, by kind.

The rooms of this package are in `simbackup.devices`, `simbackup.methods` and `simbackup.workloads`, with these names in
their `spec` or in themselves. Other packages name theirs by entry points of the groups of these names.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, NamedTuple, cast, get_args

from simbackup.errors import SimbackupError
from simbackup.schema.capability import Device
from simbackup.schema.failure import FailureSpec
from simbackup.schema.job import JobSpec
from simbackup.schema.part import Part
from simbackup.schema.quantity import Frozen
from simbackup.schema.workload import WorkloadSpec

FAMILIES = ("simbackup.devices", "simbackup.methods", "simbackup.workloads")
"""The packages that hold rooms, and the groups of entry points."""
OFFERS = ("KINDS", "SECTIONS", "SHEETS", "LOOKS")
"""What a room may offer."""
CORE = ("simbackup.data.spec", "simbackup.planning", "simbackup.protection")
"""Rooms of what every scenario has besides hosts and links, and of what plans and lists of losses have."""


class Look(NamedTuple):
    """The sign of a kind of part as an SVG path in a square of 16 by 16, and the colours of its box."""

    path: str
    fill: str
    border: str


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """A kind of device: its name in files, its spec, and the function that makes it live.

    `make` names a function `module:name` that takes a `simbackup.devices.site.Site` and the spec, and returns the live
    part.
    """

    name: str
    spec: type[Device]
    make: str


@dataclass(frozen=True, slots=True)
class MethodKind:
    """A method: its names in files, what a job of it may say, and what makes its work.

    `make` names a function `module:name` that takes the spec of a job and of its scenario, and returns the work.
    `restore` likewise takes the spec of a restore, of the backup that it restores, and of the scenario.
    """

    names: tuple[str, ...]
    spec: type[JobSpec]
    make: str
    restore: str = ""


@dataclass(frozen=True, slots=True)
class WorkloadKind:
    """A kind of workload; `make` names a function that takes the live system, the scenario, an address, the spec."""

    name: str
    spec: type[WorkloadSpec]
    make: str


Kind = DeviceKind | MethodKind | WorkloadKind


class RoomError(SimbackupError):
    """An installed package offers a room that cannot be used."""


@cache
def rooms() -> tuple[ModuleType, ...]:
    """The modules of all rooms: those of this package by name, then those of installed packages."""
    own: list[ModuleType] = []
    for family in FAMILIES:
        package = import_module(family)
        names = (room.name for room in pkgutil.iter_modules(package.__path__) if room.ispkg)
        own += [_offering(f"{family}.{name}") for name in names]
    own += [import_module(name) for name in CORE]
    return (*own, *(_loaded(point) for family in FAMILIES for point in offered(family)))


def _offering(name: str) -> ModuleType:
    """The module of a room that says what it offers: the package itself, or its `spec`."""
    room = import_module(name)
    return room if any(hasattr(room, each) for each in OFFERS) else import_module(f"{name}.spec")


def offered(group: str) -> list[EntryPoint]:
    """What installed packages offer in a group, in order."""
    return sorted(_all_offered().select(group=group))


_all_offered = cache(entry_points)
"""What installed packages offer: it takes as long to find that of one group as that of all."""


def _loaded(point: Any) -> ModuleType:
    what = f"the room '{point.name}' of {point.group} ({point.value})"
    try:
        room = cast("ModuleType", point.load())
    except Exception as error:  # whatever an installed package raises
        raise RoomError(f"{what} cannot be loaded: {error}") from error
    if not any(hasattr(room, name) for name in OFFERS):
        raise RoomError(f"{what} cannot be used: it has none of {', '.join(OFFERS)}")
    for kind in getattr(room, "KINDS", ()):
        if not isinstance(kind, Kind):
            raise RoomError(f"{what} cannot be used: {kind!r} in its KINDS is not a kind of device, method or workload")
        for name in _unsaid(kind):
            message = f"{kind.spec.__name__} has no `{_key(kind)}` that may be '{name}'"
            raise RoomError(f'{what} cannot be used: {message}; write `{_key(kind)}: Literal["{name}"]`')
        for name, base in _taken(kind):
            message = f"'{name}' is a key of {kind.spec.__name__} and a method of {base}"
            raise RoomError(f"{what} cannot be used: {message}; give the key another name")
    return room


def _key(kind: Kind) -> str:
    """The key by which a file names a kind."""
    return "method" if isinstance(kind, MethodKind) else "kind"


def _unsaid(kind: Kind) -> list[str]:
    """The names of a kind that its class does not allow in a file."""
    field = kind.spec.model_fields.get(_key(kind))
    legal = get_args(field.annotation) if field is not None else ()
    return [name for name in (kind.names if isinstance(kind, MethodKind) else (kind.name,)) if name not in legal]


def _taken(kind: Kind) -> list[tuple[str, str]]:
    """Keys of a kind that have the name of a method of its base classes, with the class."""
    return [
        (name, base.__name__)
        for name in kind.spec.model_fields
        for base in kind.spec.__mro__[1:]
        if callable(vars(base).get(name))
    ]


def _kinds(family: type[Any]) -> list[Any]:
    return [kind for room in rooms() for kind in getattr(room, "KINDS", ()) if isinstance(kind, family)]


@cache
def device_kinds() -> Mapping[str, DeviceKind]:
    """The kinds of devices by name."""
    return _unique((kind.name, kind) for kind in _kinds(DeviceKind))


@cache
def method_kinds() -> Mapping[str, MethodKind]:
    """The methods by each of their names, `restore` among them."""
    return _unique((name, kind) for kind in _kinds(MethodKind) for name in kind.names)


@cache
def workload_kinds() -> Mapping[str, WorkloadKind]:
    """The kinds of workloads by name."""
    return _unique((kind.name, kind) for kind in _kinds(WorkloadKind))


@cache
def sheets() -> Mapping[str, type[Frozen]]:
    """What a datasheet of each kind has to say."""
    return _unique(_offers("SHEETS"))


@cache
def sections() -> Mapping[str, type[Part]]:
    """What a part of each section says whose parts are all of one class: hosts, links, data, failures."""
    return _unique([("failures", FailureSpec), *_offers("SECTIONS")])


@cache
def looks() -> Mapping[str, Look]:
    """How pictures draw each kind of part."""
    return dict(_offers("LOOKS"))


def kind_of(part: Frozen) -> Any:
    """The kind that a part of a scenario is of.

    Raises
    ------
    KeyError
        No room offers the class of the part.
    """
    return _by_class()[type(part)]


@cache
def _by_class() -> Mapping[type[Frozen], Kind]:
    return {kind.spec: kind for family in (DeviceKind, MethodKind, WorkloadKind) for kind in _kinds(family)}


@cache
def function(name: str) -> Callable[..., Any]:
    """The function that a kind names as `module:name`, imported when it is first used.

    Raises
    ------
    RoomError
        There is no such function, or its module cannot be imported.
    """
    module, _, attribute = name.partition(":")
    try:
        return cast("Callable[..., Any]", getattr(import_module(module), attribute))
    except Exception as error:  # whatever the module of an installed package raises
        raise RoomError(f"a room names '{name}', which cannot be loaded: {error}") from error


def _offers(name: str) -> Iterator[tuple[str, Any]]:
    """What the rooms offer under one of the names of `OFFERS`, by key."""
    return ((key, what) for room in rooms() for key, what in getattr(room, name, {}).items())


def _unique(named: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """What has a name, by its name; two rooms may not claim one."""
    found: dict[str, Any] = {}
    for name, what in named:
        if name in found:
            one, other = (getattr(each, "make", each) for each in (found[name], what))
            raise RoomError(f"two rooms offer '{name}': {one} and {other}")
        found[name] = what
    return dict(sorted(found.items()))
