"""Trees as JSON: each value with the places of itself and of its key, files by their number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from simbackup.errors import Place
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import GREATEST_DEPTH


class FileTable:
    """Names of files, each with the number that it has in places."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        for name in names:
            self.number(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def number(self, name: str) -> int:
        """The number of a file, which may be a new one."""
        if name not in self._numbers:
            self._numbers[name] = len(self._names)
            self._names.append(name)
        return self._numbers[name]

    def place(self, number: int, line: int, column: int) -> Place:
        """A place in the file of a number."""
        return Place(self._names[number], line, column)


def packed(node: Node, files: FileTable) -> list[Any]:
    """A tree as lists: a value, then file, line and column of it and of its key.

    >>> packed(Node("8 KiB", Place("a.yaml", 3, 9), Place("a.yaml", 3, 2)), FileTable())
    ['8 KiB', 0, 3, 9, 0, 3, 2]
    """
    inside: Any = node.value
    if isinstance(node.value, dict):
        inside = {name: packed(child, files) for name, child in node.value.items()}
    elif isinstance(node.value, list):
        inside = [packed(child, files) for child in node.value]
    places = ((files.number(place.file), place.line, place.column) for place in (node.place, node.key))
    return [inside, *(number for place in places for number in place)]


def unpacked(plain: object, files: FileTable, depth: int = 0) -> Node:
    """The tree that was packed.

    Raises
    ------
    ValueError, TypeError, LookupError
        This is none.
    """
    inside, *numbers = cast("list[Any]", plain)
    if depth > GREATEST_DEPTH or len(numbers) != 6 or not all(type(number) is int for number in numbers):  # noqa: PLR2004
        raise ValueError("is not a tree")
    value = inside
    if isinstance(inside, dict):
        value = {name: unpacked(child, files, depth + 1) for name, child in cast("dict[str, Any]", inside).items()}
    elif isinstance(inside, list):
        value = [unpacked(child, files, depth + 1) for child in cast("list[Any]", inside)]
    return Node(value, files.place(*numbers[:3]), files.place(*numbers[3:]))
