"""How much a YAML file holds once each alias stands for what it names, told before anything is built of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from simbackup.errors import Place, Problem

GREATEST_REPETITION = 20_000
"""Values that the aliases of a file may repeat."""


def expansion_problems(root: Any, name: str) -> list[Problem]:
    """What is wrong with the aliases below a composed node of the file `name`: that they repeat too much, or a circle.

    Each node is looked at once, however often aliases name it.
    """
    sizes: dict[int, int] = {}
    written = 0
    stack: list[tuple[Any, Iterator[Any]]] = [(root, _children(root))]
    above = {id(root)}
    while stack:
        node, rest = stack[-1]
        child = next(rest, None)
        if child is None:
            stack.pop()
            above.remove(id(node))
            written += 1
            sizes[id(node)] = 1 + sum(sizes[id(each)] for each in _children(node))
            if sizes[id(node)] - written > GREATEST_REPETITION:
                return [_problem(node, name, "the file expands to too many values", "write out what is repeated")]
        elif id(child) in above:
            return [_problem(child, name, "contains itself", "write it out flat")]
        elif id(child) not in sizes:
            stack.append((child, _children(child)))
            above.add(id(child))
    return []


def _children(node: Any) -> Iterator[Any]:
    """The nodes right below a composed node: the items of a list, the keys and values of a mapping."""
    if node.id == "sequence":
        yield from node.value
    elif node.id == "mapping":
        for pair in cast("list[tuple[Any, Any]]", node.value):
            yield from pair


def _problem(node: Any, name: str, message: str, remedy: str) -> Problem:
    return Problem(Place(name, node.start_mark.line + 1, node.start_mark.column + 1), "", message, remedy)
