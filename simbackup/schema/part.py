"""What all parts of a scenario have in common: checks, facts, names of other parts, and parameters from a datasheet."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar, cast

from simbackup.schema.facts import Facts, Figures, amount
from simbackup.schema.quantity import Frozen, Quantity

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


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
    elif isinstance(value, Mapping):
        for name, child in cast("Mapping[str, object]", value).items():
            yield from held(child, (*path, name))


def quantities_of(part: Frozen, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Quantity]]:
    """Every quantity that a file states of a part, with its path, which begins with that of the part."""
    for name in filter(part.states, type(part).model_fields):
        for where, value in held(getattr(part, name), (*path, name)):
            if isinstance(value, Quantity):
                yield where, value
            else:
                yield from quantities_of(value, where)


def scaled(part: AnyPart, factors: Mapping[str, float], address: str = "") -> AnyPart:
    """A part with the quantities at some addresses multiplied by factors, unchecked; they begin with its `address`."""
    changed: dict[str, object] = {}
    for name in filter(part.states, type(part).model_fields):
        value = getattr(part, name)
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
    for name in type(part).model_fields:
        for where, inner in held(getattr(part, name), (*path, name)):
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
