"""The parts of a scenario that name a datasheet, laid over it."""

from __future__ import annotations

from collections.abc import Sequence

from simbackup import datasheets
from simbackup.datasheets import Datasheet
from simbackup.errors import InputError, Problem, choices
from simbackup.schema import tree as trees
from simbackup.schema.reflection import nested_sheets
from simbackup.schema.registry import device_kinds
from simbackup.schema.tree import Node


def complete(tree: Node, log: list[str], problems: list[Problem]) -> tuple[Node, set[str]]:
    """The tree in which each part with a `model` stands on its datasheet, and the parts that found none."""
    unresolved: set[str] = set()
    sections: dict[str, Node] = dict(tree.mapping)
    for section, kinds in _kinds().items():
        parts = sections.get(section)
        if parts is None or not isinstance(parts.value, dict):
            continue
        done: dict[str, Node] = {}
        for name, part in parts.value.items():
            before, address = len(problems), f"{section}.{name}"
            done[name] = _on_datasheet(part, address, kinds, log, problems)
            if len(problems) > before:
                unresolved.add(address)
        sections[section] = Node(done, parts.place, parts.key)
    return Node(sections, tree.place, tree.key), unresolved


def _kinds() -> dict[str, tuple[str, ...]]:
    """Kinds of datasheets that the parts of each section may name."""
    devices = tuple(device_kinds())
    return {
        "hosts": ("host",), "devices": devices, "links": ("network",), "data": ("population",),
        "workloads": ("workload",), "jobs": (),
    }  # fmt: skip


def _on_datasheet(part: Node, address: str, kinds: Sequence[str], log: list[str], problems: list[Problem]) -> Node:
    """A part laid over its datasheet, and its nested parts likewise."""
    if not isinstance(part.value, dict):
        return part
    inner = dict(part.value)
    for key, kind in nested_sheets().items():
        if key in inner:
            inner[key] = _on_datasheet(inner[key], f"{address}.{key}", (kind,), log, problems)
    part = Node(inner, part.place, part.key)
    named = inner.get("model")
    if named is None or not kinds:
        return part
    sheet = _sheet(named, f"{address}.model", kinds, problems)
    below = dict(sheet.tree.mapping["parameters"].mapping) if sheet else {}
    if len(kinds) > 1:
        told = Node(named.word.split("/", maxsplit=1)[0], named.place, named.key)
        own = inner.get("kind", told)
        if sheet and own.value != told.value:
            message = f"'{named.value}' is no {own.word}"
            problems.append(Problem(own.place, f"{address}.kind", message, "leave 'kind' out: the model tells it"))
            return part
        if told.value in kinds:
            below["kind"] = told
    return trees.overlay(Node(below, part.place, part.key), part, address, log)


def _sheet(named: Node, address: str, kinds: Sequence[str], problems: list[Problem]) -> Datasheet | None:
    """The datasheet that a part names, or None after what is wrong was added to `problems`."""
    name = named.word
    if not isinstance(named.value, str):
        message = "is no name of a datasheet"
    elif name.split("/", maxsplit=1)[0] not in kinds and datasheets.exists(name):
        message = f"'{name}' is no {kinds[0] if len(kinds) == 1 else 'device'}"
    elif not datasheets.exists(name):
        message = f"there is no datasheet '{name}'"
    else:
        try:
            return datasheets.load_datasheet(name)
        except InputError as error:
            problems.extend(error.problems)
            return None
    near = [legal for legal in datasheets.names() if legal.split("/", maxsplit=1)[0] in kinds]
    problems.append(Problem(named.place, address, message, choices(name, near)))
    return None
