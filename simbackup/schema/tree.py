"""Trees of values; every key and every value has its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from simbackup.errors import Place, Problem

Scalar = str | int | float | bool | None
PART_KEYS = frozenset({"model", "kind", "method", "restore"})
"""Keys that say what a part is."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a file and the places of the value and of its key."""

    value: dict[str, Node] | list[Node] | Scalar
    place: Place
    key: Place = field(default=Place(""))
    way: bool = False
    """Whether it is only on the way to a value that is set; merged over another, it leaves that one its place."""

    @property
    def mapping(self) -> dict[str, Node]:
        """The children by name; empty for anything but a mapping."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def word(self) -> str:
        """The value as one word of a message."""
        if isinstance(self.value, bool):
            return str(self.value).lower()
        kinds = {"dict": "a mapping", "list": "a list", "NoneType": "nothing"}
        return kinds.get(type(self.value).__name__, str(self.value))

    @property
    def is_quantity(self) -> bool:
        """Whether this is a value with its origin, `{value: ..., basis: ...}`, which is replaced as a whole.

        A part is none, even if one of its keys is `value`, nor are parts one of which has that name.
        """
        inside = self.mapping
        return "value" in inside and not inside["value"].mapping and not PART_KEYS & inside.keys()

    def plain(self) -> Any:
        """The value as dicts, lists and scalars, without places."""
        value = self.value
        if isinstance(value, dict):
            return {n: c.plain() if isinstance(c.value, (dict, list)) else c.value for n, c in value.items()}
        if isinstance(value, list):
            return [child.plain() for child in value]
        return value

    def find(self, path: tuple[str | int, ...]) -> tuple[Node, tuple[str | int, ...]]:
        """The deepest node on a path, and the part of the path that exists."""
        node, seen = self, list[str | int]()
        for step in path:
            child: Node | None = None
            if isinstance(node.value, dict):
                child = node.value.get(str(step))
            elif isinstance(node.value, list) and isinstance(step, int) and 0 <= step < len(node.value):
                child = node.value[step]
            if child is None:
                break
            node = child
            seen.append(step)
        return node, tuple(seen)

    def leaves(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node]]:
        """Every value that is not a mapping, and every quantity, with its path."""
        if isinstance(self.value, dict) and not self.is_quantity:
            for name, child in self.value.items():
                yield from child.leaves((*path, name))
        else:
            yield path, self


def from_plain(value: object, place: Place) -> Node:
    """A tree of a value that was given in Python or on the command line, all at one place; nodes in it keep theirs."""
    if isinstance(value, Node):
        return value
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value)
        return Node({str(name): from_plain(child, place) for name, child in entries.items()}, place, place)
    if isinstance(value, (list, tuple)):
        return Node([from_plain(item, place) for item in cast("Sequence[object]", value)], place, place)
    if value is None or isinstance(value, (str, int, float, bool)):
        return Node(value, place, place)
    return Node(str(value), place, place)


def overlay(below: Node, above: Node, address: str = "", log: list[str] | None = None) -> Node:
    """The tree of `below` with `above` merged over it: mappings merge, all else is replaced and logged old -> new."""
    if (
        isinstance(below.value, dict) and isinstance(above.value, dict)
        and not below.is_quantity and not above.is_quantity
    ):  # fmt: skip
        merged = dict(below.value)
        for name, child in above.value.items():
            inner = f"{address}.{name}" if address else name
            merged[name] = overlay(merged[name], child, inner, log) if name in merged else child
        where = below if above.way else above
        return Node(merged, where.place, where.key, above.way and below.way)
    if log is not None and _alone(below).plain() != _alone(above).plain():
        log.append(f"{address}: {brief(below)} -> {brief(above)} ({above.place})")
    return above


def without_effect(below: Node, above: Node, path: tuple[str, ...] = ()) -> Iterator[Problem]:
    """A problem for each empty mapping of `above` that would be merged over one with keys, which changes nothing."""
    if isinstance(below.value, dict) and isinstance(above.value, dict) and below.value:
        if path and not above.value:
            remedy = "name the keys to change, or write null for one that is to be removed"
            yield Problem(above.place, ".".join(path), "is empty, and so changes nothing", remedy)
        for name, child in above.value.items():
            if name in below.value:
                yield from without_effect(below.value[name], child, (*path, name))


def brief(node: Node) -> str:
    """The value as it is shown in the log of overrides."""
    value = node.mapping["value"] if node.is_quantity else _alone(node)
    return str(value.plain())


def spelled_out(node: Node) -> Node:
    """A bare name of a datasheet, `disk/x`, as the part that it stands for, `{model: disk/x}`; others as they are."""
    return Node({"model": node}, node.place, node.key) if isinstance(node.value, str) else node


def _alone(node: Node) -> Node:
    """The name alone of a datasheet, `{model: disk/x}`; anything else as it is."""
    return node.mapping["model"] if node.mapping.keys() == {"model"} else node


def at_path(path: tuple[str, ...], node: Node) -> Node:
    """The tree in which only a node is, at a path."""
    for name in reversed(path):
        node = Node({name: node}, node.place, node.key, way=True)
    return node


def set_path(root: Node, path: tuple[str, ...], node: Node) -> Node:
    """The tree in which the value at a path is replaced by a node (mappings on the way are made)."""
    return overlay(root, at_path(path, node))
