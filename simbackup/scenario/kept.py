"""A scenario as a result stores it: the text of its file, what completed it, and the complete scenario."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from simbackup import shelf
from simbackup.errors import InputError, Place, ResultError
from simbackup.scenario.files import Holdings, find
from simbackup.scenario.loading import load
from simbackup.scenario.scenario import Scenario, finished
from simbackup.schema import tree as trees
from simbackup.schema.inventory import Inventory
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
        """The place at a line and a column of the file that has a number in this table."""
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


@dataclass(frozen=True, slots=True)
class Kept:
    """Everything that a scenario was made from, so that neither its file nor any datasheet is needed again."""

    name: str
    """Its name."""
    base: str | None
    """The published scenario that it extends; None without one."""
    hash: str
    """Its hash."""
    read_log: tuple[str, ...]
    """What was merged when its file was read."""
    source: Node
    """Its tree before overrides."""
    overrides: dict[str, Node]
    """Values that replaced those of the file, by address."""
    factors: tuple[Mapping[str, float], ...]
    """Factors by which values were multiplied, by address, in order."""
    library: Holdings
    """The datasheets, works and inventories that it uses."""

    def scenario(self) -> Scenario:
        """The scenario as it was run.

        Raises
        ------
        InputError
            This version of the program refuses the scenario.
        ResultError
            This version of the program reads another scenario from it.
        """
        made = finished(self.name, self.source, self.overrides, self.read_log, self.base, library=self.library)
        if _scaled(made, self.factors).hash != self.hash:
            raise ResultError(f"this version of simbackup reads '{self.name}' differently; run it again")
        return _scaled(made, self.factors)

    def changed(self) -> bool:
        """Whether its file now gives another scenario; False if the file is gone, or there was none."""
        try:
            path = find(self.name)
        except InputError:
            return False
        if shelf.shown(path) != self.source.place.file:
            return False
        try:
            return _scaled(load(self.name, self.overrides), self.factors).hash != self.hash
        except InputError:
            return True


def _scaled(scenario: Scenario, factors: tuple[Mapping[str, float], ...]) -> Scenario:
    for each in factors:
        scenario = scenario.scaled(each)
    return scenario


def as_plain(scenario: Scenario) -> dict[str, Any]:
    """A scenario as JSON holds it; `resolved` and `sources` are for readers, the rest also makes it again."""
    files, library = FileTable(), scenario.library
    return {
        "name": scenario.name, "base": scenario.base, "hash": scenario.hash, "log": list(scenario.read_log),
        "factors": [dict(each) for each in scenario.factors],
        "resolved": scenario.tree.plain(),
        "sources": {key: node.plain() for key, node in library.works.items()},
        "written": packed(_portable(scenario.source), files),
        "overrides": {address: packed(node, files) for address, node in scenario.overrides.items()},
        "datasheets": {name: packed(node, files) for name, node in sorted(library.sheets.items())},
        "inventories": {
            _shown(name): [list(table.columns), *([packed(row[c], files) for c in table.columns] for row in table.rows)]
            for name, table in library.inventories.items()
        },
        "files": list(files),
    }  # fmt: skip


def from_plain(plain: Mapping[str, Any]) -> Kept:
    """A scenario that `as_plain` wrote.

    Raises
    ------
    ValueError, TypeError, LookupError, AttributeError
        This is none.
    """
    files, place = FileTable(plain["files"]), Place("models/sources.yaml")
    library = Holdings(
        {name: unpacked(node, files) for name, node in plain["datasheets"].items()},
        {key: trees.from_plain(work, place) for key, work in plain["sources"].items()},
        {
            name: Inventory(tuple(columns), tuple(_row(columns, row, files) for row in rows))
            for name, (columns, *rows) in plain["inventories"].items()
        },
    )
    overrides = {address: unpacked(node, files) for address, node in plain["overrides"].items()}
    return Kept(
        plain["name"], plain["base"], plain["hash"], tuple(plain["log"]), unpacked(plain["written"], files), overrides,
        tuple(dict(each) for each in plain["factors"]), library,
    )  # fmt: skip


def _row(columns: list[str], cells: list[Any], files: FileTable) -> dict[str, Node]:
    return {name: unpacked(cell, files) for name, cell in zip(columns, cells, strict=True)}


def _shown(name: str) -> str:
    """The path of a table as results name it, whatever folder the program stands in."""
    return shelf.shown(Path(name))


def _portable(source: Node) -> Node:
    """The tree in which the tables of fleets have the names under which they are kept."""
    fleets = source.mapping.get("fleets")
    if fleets is None or not isinstance(fleets.value, dict):
        return source
    inside: dict[str, Node] = {}
    for name, fleet in fleets.value.items():
        table = fleet.mapping.get("inventory")
        named = replace(table, value=_shown(str(table.value))) if table is not None else None
        inside[name] = fleet if named is None else replace(fleet, value={**fleet.mapping, "inventory": named})
    return replace(source, value={**source.mapping, "fleets": replace(fleets, value=inside)})
