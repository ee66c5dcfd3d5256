"""Values at some addresses of a site file, replaced by others: those of the command line, and those that vary."""

from __future__ import annotations

from collections.abc import Mapping

from simbackup import shelf
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.schema import tree as trees
from simbackup.schema.file_kind import SECTIONS
from simbackup.schema.tree import Node


def overridden(tree: Node, overrides: Mapping[str, object]) -> Node:
    """The tree with the values at some addresses replaced.

    Raises
    ------
    InputError
        There is no part of that name, or a value changes nothing.
    """
    problems: list[Problem] = []
    for address, value in overrides.items():
        node = trees.from_plain(value, Place("overrides"))
        section, *inside = address.split(".")
        named = tree.mapping[section].mapping if section in SECTIONS["site"] and section in tree.mapping else None
        if named is not None and inside and inside[0] not in named:
            message = f"there is no '{inside[0]}' under {section}"
            problems.append(Problem(node.place, address, message, choices(inside[0], named)))
            continue
        new = trees.at_path((section, *inside), node)
        below = _open(tree, new)
        problems += trees.without_effect(below, new)
        tree = trees.overlay(below, new)
    if problems:
        raise InputError(problems)
    return tree


def _open(below: Node, above: Node) -> Node:
    """A tree in which bare names of datasheets are parts, `{model: name}`, where `above` states keys of such a part.

    A device of its own kind replaces the name.
    """
    if not isinstance(above.value, dict) or "kind" in above.value:
        return below
    if isinstance(below.value, str):
        return trees.spelled_out(below) if shelf.exists(below.value) else below
    inner = {
        name: _open(child, above.value[name]) if name in above.value else child for name, child in below.mapping.items()
    }
    return Node(inner, below.place, below.key) if inner else below
