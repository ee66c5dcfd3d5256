"""Parts of a scenario that are written like others: what differs is read, and all else is what the other has.

A site has thousands of parts of a few forms: the disk, the data and the jobs of each system, in each night.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError

from simbackup.scenario.alternatives import Choice
from simbackup.scenario.completion import Completed, counts_several
from simbackup.schema import tree as trees
from simbackup.schema.part import NAME, Part
from simbackup.schema.reflection import nested_sheets
from simbackup.schema.tree import Node

Address = tuple[str, ...]
SAYS_WHAT = frozenset({"model", "kind", "method", "operation"})
"""Keys on whose values depends what else a part may have."""
Difference = tuple[Address, Node, Node]
"""The path of a value, and the value in one part and in another."""


@dataclass(frozen=True, slots=True)
class ReadPart:
    """A part of a scenario as it was read."""

    node: Node
    """Its node before it was completed."""
    completed: Completed
    """What its datasheets added."""
    choices: tuple[Choice, ...]
    """Values of it that have alternatives."""
    spec: Part
    """The object that describes it."""
    cited: Collection[str]
    """The keys of the works that its values cite."""


def form_of(section: str, part: Node) -> Address | None:
    """What parts have in common of which one is read like another; None for restores, which depend on their backups."""
    return None if "restore" in part.mapping or not part.mapping else (section, *_form(part))


def _form(node: Node) -> Iterator[str]:
    for key, child in node.mapping.items():
        yield key
        if key in SAYS_WHAT or key in nested_sheets():
            yield child.word
        if child.is_quantity:
            yield str(child.plain())
        else:
            yield from _form(child)


def read_like(example: ReadPart, other: Address, path: Address, node: Node) -> ReadPart | None:
    """A part as it would be read, from another at `other` that differs in values alone; None if more differs."""
    if example.choices or NAME.match(path[-1]) is None:
        return None
    found = list(_differences(example.node, node))
    changed = [(at, old, new) for at, old, new in found if old.plain() != new.plain()]
    if not all(_is_plain(*one) for one in changed):
        return None
    log = _logged(example.completed, (".".join(other), ".".join(path)), found, changed)
    if log is None:
        return None
    whole = Node(example.completed.node.value, node.place, node.key)
    for at, _, new in found:
        bare = isinstance(new.value, str) and "model" in whole.find(at)[0].mapping  # the name of a datasheet alone
        whole = _with(whole, node, (*at, "model") if bare else at, new)
        if at == ("model",) and "kind" in whole.mapping and "kind" not in node.mapping:
            whole = _with(whole, node, ("kind",), Node(whole.mapping["kind"].value, new.place, new.key))
    try:
        values = {
            key: _reader(type(example.spec), key).validate_python(whole.mapping[key].plain())
            for key in dict.fromkeys(at[0] for at, _, _ in changed)
        }
    except ValidationError:
        return None
    done = Completed(whole, log, example.completed.sheets)
    return ReadPart(node, done, (), example.spec.model_copy(update=values), example.cited)


def _differences(old: Node, new: Node, at: Address = ()) -> Iterator[Difference]:
    """The values that are not the same in two parts, or stand at other places."""
    if old is new:
        return
    inside = [isinstance(each.value, dict) and bool(each.value) and not each.is_quantity for each in (old, new)]
    if all(inside) and [*old.mapping] == [*new.mapping]:
        for key, child in new.mapping.items():
            yield from _differences(old.mapping[key], child, (*at, key))
    elif any(inside) or old != new:
        yield at, old, new


def _is_plain(at: Address, old: Node, new: Node) -> bool:
    """Whether nothing else of a part depends on a value: it is a number, a text or a list, and names no datasheet."""
    items = new.value if isinstance(new.value, list) else [new]
    return (
        bool(at) and at[-1] not in SAYS_WHAT and at[-1] not in nested_sheets()
        and not isinstance(old.value, dict) and old.value is not None
        and all(not isinstance(item.value, dict | list) and item.value is not None for item in items)
        and counts_several((old, at)) == counts_several((new, at))
    )  # fmt: skip


def _with(whole: Node, node: Node, at: Address, new: Node) -> Node:
    """A completed part with another value at a path; what is on the way has the places that it has in `node`."""
    if not at:
        return new
    key, *rest = at
    inner = _with(whole.mapping[key], node.mapping.get(key, new), tuple(rest), new)
    return Node({**whole.mapping, key: inner}, node.place, node.key)


def _logged(
    of: Completed, names: tuple[str, str], found: Iterable[Difference], changed: Iterable[Difference]
) -> tuple[str, ...] | None:
    """What is logged of a part that has another name, and other values; None if a line more or less may be due."""
    old, new = names
    lines = dict(line.split(": ", 1) for line in of.log)
    for at, _, value in found:
        address = ".".join((old, *at))
        if address in lines:
            below = lines[address].rpartition(" -> ")[0]
            if below == trees.brief(value):
                return None
            lines[address] = f"{below} -> {trees.brief(value)} ({value.place})"
    known = {name for sheet in of.sheets.values() for name in sheet.mapping["parameters"].mapping}
    if any(".".join((old, *at)) not in lines and known.intersection(at) for at, _, _ in changed):
        return None
    return tuple(f"{new}{address.removeprefix(old)}: {line}" for address, line in lines.items())


@cache
def _reader(part: type[Part], key: str) -> TypeAdapter[Any]:
    """What reads the value of a key of a class."""
    field: Any = part.model_fields[key]
    whole: Any = Annotated[field.annotation, field]
    return TypeAdapter(whole)


def examples(parts: Mapping[Address, ReadPart]) -> dict[Address, Address]:
    """A part of each form, by that."""
    forms = ((form_of(path[0], part.node), path) for path, part in parts.items())
    return {form: path for form, path in forms if form is not None}
