"""What all parts of a scenario have in common: checks, facts, names of other parts, and parameters from a datasheet."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar, cast

from simbackup import units
from simbackup.schema.quantity import Frozen, Quantity

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


BINARY = {"TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10}
CLOCK = "time of day"
"""Unit of a time of day: seconds since midnight, shown as hours and minutes."""
THOUSAND = 1000


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about a part: a text, or an amount in an SI unit and what it is an amount of.

    >>> str(Fact("native", 5e6, 5e6, "B/s")), str(Fact("files", 20, 3000, "count")), str(Fact("RAID 10"))
    ('5 MB/s native', '20 to 3,000 files', 'RAID 10')
    """

    text: str
    low: float | None = None
    high: float | None = None
    unit: str = ""

    @classmethod
    def of(cls, amount: float, unit: str, text: str = "") -> Self:
        """An amount of one value."""
        return cls(text, amount, amount, unit)

    @property
    def amount(self) -> str:
        """The amount with its unit, or from the least to the greatest; empty if it is a text alone."""
        if self.low is None or self.high is None:
            return ""
        low, high = (_shown(amount, self.unit) for amount in (self.low, self.high))
        return low if low == high else f"{low} to {high}"

    def __str__(self) -> str:
        return f"{self.amount} {self.text}".strip()


@dataclass(frozen=True, slots=True)
class Made:
    """The make and model of a part, which its datasheet titles; a reader of facts looks the title up."""

    part: Frozen
    before: str = ""


Facts = Iterator[Fact | Made]


def amount(given: Quantity | None, text: str = "") -> Iterator[Fact]:
    """An amount, if there is one."""
    if given is not None:
        yield Fact.of(given.si, given.unit, text)


def number(given: Quantity | None, one: str, more: str = "") -> Iterator[Fact]:
    """So many of a thing, in the singular where it is one."""
    if given is not None:
        yield Fact.of(given.si, "count", one if given.si == 1 else more or f"{one}s")


def made(part: Frozen | None, before: str = "") -> Iterator[Made]:
    """The make and model of a part, if there is one."""
    if part is not None:
        yield Made(part, before)


def _shown(amount: float, unit: str) -> str:
    """An amount for tables; of bytes in binary units where it is a whole number of these, as memory is."""
    if unit == CLOCK:
        return units.show_clock(amount)
    whole = unit == "B" and amount % THOUSAND != 0
    for name, size in BINARY.items() if whole else ():
        if amount % size == 0:
            return f"{amount / size:,.0f} {name}"
    return units.show_short(amount, unit)


Figures = Mapping[str, tuple[str, ...]]
"""Columns by what follows the name of a part in addresses: empty for the part itself, `drive.1` for a piece of it."""

USE = ("busy", "busy_s", "bytes", "peak", "active", "saturated")
"""How much a device was used."""
RUN = ("start", "end", "elapsed", "bytes", "files", "rate", "transfer_rate", "waits", "lock", "due")
"""What every run of a job has."""
IMPACT = ("offered", "served", "rate", "lost")
"""What a job costs every workload."""


AnyPart = TypeVar("AnyPart", bound=Frozen)
Path = tuple[str | int, ...]
"""The path of a value in a scenario, such as `("devices", "cow", "size")`."""
Rules = Iterator[tuple[tuple[str, ...], str, str]]
"""Values of one part that conflict: their keys, such as `size`, or `windows.saturday` for one inside a mapping; what is
wrong; what would be right."""

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
"""Names of parts."""
AMOUNTS = ("capacity", "size", "rate")


class Part(Frozen):
    """A part of a scenario: a device, a data set, a workload or a job, or what one of them holds."""

    live_part: ClassVar[str] = ""
    """What its live part offers: `module:class`, stated by each capability."""
    one_of: ClassVar[tuple[str, ...]] = ()
    """Keys of which it has exactly one; its `rules` say so, and editors know it."""

    def check(self, checks: Checks, path: Path) -> None:
        """Report conflicts of the part with other parts of its scenario; none unless overridden."""

    def figures(self) -> Figures:
        """Columns that tables of results have of the part; none unless overridden."""
        return {}

    def facts(self) -> Facts:
        """Facts about the part, the most important first: its size and rate unless overridden."""
        for name in AMOUNTS:
            given = getattr(self, name, None)
            if isinstance(given, Quantity):
                yield from amount(given)


class Modelled(Frozen):
    """Any part of a scenario that may take its parameters from a datasheet."""

    sheet: ClassVar[str | None] = None
    """The kind of datasheet that it takes parameters from, where its class does not say so."""
    model: str | None = None
    """The datasheet for its parameters, `kind/name`; values written here override it."""


class Disagreement(NamedTuple):
    """Values of one part that conflict: their paths in it, what is wrong, what would be right."""

    paths: tuple[tuple[str, ...], ...]
    message: str
    remedy: str


def held(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Frozen | Quantity]]:
    """The quantity or the part that a key holds at a path, or all those that its mappings hold by name.

    >>> [where for where, _ in held({"jobs": Quantity(4.0, "count", "4"), "note": "text"}, ("options",))]
    [('options', 'jobs')]
    """
    if isinstance(value, Quantity | Frozen):
        yield path, value
    elif isinstance(value, dict):
        for name, child in cast("Mapping[str, object]", value).items():
            yield from held(child, (*path, name))


def quantities_of(part: Frozen, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Quantity]]:
    """Every quantity that a file states of a part, with its path, which begins with that of the part."""
    for name, value in part.stated():
        if isinstance(value, Quantity):
            yield (*path, name), value
        elif isinstance(value, Frozen | dict):
            for where, inner in held(cast("object", value), (*path, name)):
                if isinstance(inner, Quantity):
                    yield where, inner
                else:
                    yield from quantities_of(inner, where)


def scaled(part: AnyPart, factors: Mapping[str, float], address: str = "") -> AnyPart:
    """A part with the quantities at some addresses multiplied by factors, unchecked; they begin with its `address`."""
    changed: dict[str, object] = {}
    for name, value in part.stated():
        if isinstance(value, Quantity | Frozen | dict):
            changed[name] = _times(cast("object", value), f"{address}.{name}" if address else name, factors)
    return part.model_copy(update=changed)


def _times(value: object, here: str, factors: Mapping[str, float]) -> object:
    """What a key holds, with some of its quantities multiplied."""
    if isinstance(value, Quantity):
        return value.scaled(factors[here]) if here in factors else value
    if isinstance(value, Frozen):
        return scaled(value, factors, here)
    if isinstance(value, dict):
        return {k: _times(v, f"{here}.{k}", factors) for k, v in cast("dict[str, object]", value).items()}
    return value


def disagreements(part: Frozen, path: tuple[str, ...] = ()) -> Iterator[Disagreement]:
    """All conflicts among the values of a part, and of the parts inside it."""
    for names, message, remedy in part.rules():
        yield Disagreement(tuple((*path, *name.split(".")) for name in names), message, remedy)
    for name, value in part:
        if not isinstance(value, Frozen | dict):
            continue
        for where, inner in held(cast("object", value), (*path, name)):
            if isinstance(inner, Frozen):
                yield from disagreements(inner, where)


@dataclass(frozen=True, slots=True)
class Refers:
    """Marks a key that names other parts: what its part does to them, and the sections in which a name is looked for.

    Pictures draw an arrow for it. They know `reads` and `observes` (the arrow leads to the job), `restores`, `indexes`
    and `copies` (the method is "of" the other job), `writes`, `changes`, `acts on`, `crosses`, `replays`, `uses`,
    `works on` and `follows`; any other verb is written beside its arrow.

    >>> Refers("reads", "devices", "data").sections
    ('devices', 'data')
    """

    does: str
    sections: tuple[str, ...]

    def __init__(self, does: str, *sections: str) -> None:
        object.__setattr__(self, "does", does)
        object.__setattr__(self, "sections", sections)


OF_DATA = Refers("reads", "data")
ONTO_DATA = Refers("writes", "data")
ONTO_DEVICE = Refers("writes", "devices")


class Chosen(Collection[str]):
    """The names of the parts for which a condition holds, in their order; only those asked for are looked at.

    >>> big = Chosen({"a": 1, "b": 20, "c": 30}, lambda size: size > 10)
    >>> "b" in big, "a" in big, list(big)
    (True, False, ['b', 'c'])
    """

    def __init__(self, parts: Mapping[str, Any], condition: Callable[[Any], bool]) -> None:
        self._parts = parts
        self._condition = condition

    def __contains__(self, name: object) -> bool:
        return name in self._parts and self._condition(self._parts[str(name)])

    def __iter__(self) -> Iterator[str]:
        return (name for name, part in self._parts.items() if self._condition(part))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def of_class(parts: Mapping[str, Any], capability: type) -> Chosen:
    """The names of the parts of a capability.

    >>> list(of_class({"a": 1, "b": "text"}, str))
    ['b']
    """
    return Chosen(parts, lambda part: isinstance(part, capability))
