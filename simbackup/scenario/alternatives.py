"""Values that are one of several: a layout in words, a kind of array, a datasheet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from simbackup.errors import Place, Problem
from simbackup.schema.origin import Origin
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate

EXAMPLE = "{value: together, alternatives: [scattered], why: ...}"


@dataclass(frozen=True, slots=True)
class Choice:
    """A value with alternatives, all equally likely."""

    address: str
    """The address of the value, such as `devices.disk.model`."""
    options: tuple[object, ...]
    """The alternatives; the stated one is the first."""
    why: str
    """Why the stated value is reasonable."""
    place: Place
    """Where it is stated."""
    shared: str | None = None
    """The name by which several values share the choice; None without one."""


def settled(
    tree: Node, problems: list[Problem], known: Mapping[tuple[str, ...], Sequence[Choice]] | None = None
) -> tuple[Node, list[Choice]]:
    """The tree in which each value that has alternatives is the stated one, and the choices that were in it.

    Parts whose paths are `known` are settled already; the choices that were in them come with them.
    """
    found: list[Choice] = []
    return _settled(tree, (), found, problems, known or {}), found


def _settled(
    node: Node,
    path: tuple[str, ...],
    found: list[Choice],
    problems: list[Problem],
    known: Mapping[tuple[str, ...], Sequence[Choice]],
) -> Node:
    if path in known:
        found += known[path]
        return node
    inside = node.mapping
    is_quantity = "value" in inside and node.is_quantity
    if is_quantity and "alternatives" in inside:
        address, before = ".".join(path), len(problems)
        origin = validate(Origin, node, address, problems)
        if origin is not None:
            problems += _wrong(origin, node, address)
        if origin is not None and len(problems) == before:
            options = (origin.value, *origin.alternatives)
            found.append(Choice(address, options, origin.why or "", node.place, origin.shared))
        value = inside["value"]
        return Node(value.value, node.place, node.key)
    if is_quantity:
        return node
    changed: dict[str, Node] = {}
    for name, child in inside.items():
        if (
            isinstance(child.value, dict)
            and (other := _settled(child, (*path, name), found, problems, known)) is not child
        ):
            changed[name] = other
    return Node({**inside, **changed}, node.place, node.key) if changed else node


def _wrong(origin: Origin, node: Node, address: str) -> Iterator[Problem]:
    """What is wrong with a value that has alternatives."""
    if origin.basis not in {None, "assumed"}:
        place, message = node.mapping["basis"].place, f"a value with basis '{origin.basis}' cannot have alternatives"
        yield Problem(place, f"{address}.basis", message, "write basis: assumed, or leave the alternatives out")
    if not origin.why:
        yield Problem(node.place, address, "a value with alternatives needs a reason", f"write for example '{EXAMPLE}'")
    if origin.range is not None:
        message = "has both a range and alternatives"
        yield Problem(
            node.mapping["range"].place, address, message, "write a range for a number, alternatives for words"
        )
    if not origin.alternatives:
        yield Problem(
            node.mapping["alternatives"].place, address, "has no alternatives", "list the others, or leave it out"
        )
    elif origin.value in origin.alternatives:
        message = f"'{origin.value}' is its own alternative"
        yield Problem(node.mapping["alternatives"].place, address, message, "list only the others")
