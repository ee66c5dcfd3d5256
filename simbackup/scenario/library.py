"""What a scenario is completed from: datasheets, the works that they cite, and tables of fleets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from simbackup import shelf
from simbackup.schema.datasheet import own_sources
from simbackup.schema.inventory import Inventory, read_inventory
from simbackup.schema.tree import Node


@dataclass(frozen=True, slots=True)
class Holdings:
    """Datasheets, works and inventories by name; what it does not hold is read from the folders of today.

    A scenario holds those that it was completed from, so that it can be completed again after they have changed.
    """

    sheets: dict[str, Node] = field(default_factory=dict[str, Node])
    works: dict[str, Node] = field(default_factory=dict[str, Node])
    inventories: dict[str, Inventory] = field(default_factory=dict[str, Inventory])

    def has_sheet(self, name: str) -> bool:
        """Whether there is a datasheet of that name."""
        return name in self.sheets or shelf.exists(name)

    def has_inventory(self, name: str) -> bool:
        """Whether there is a table of that path."""
        return name in self.inventories or shelf.is_file(Path(name))

    def every_work(self) -> dict[str, Node]:
        """All works that may be cited, by key."""
        return {**shelf.sources(), **self.works}


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads from a library, and notes in another one what was read."""

    library: Holdings
    used: Holdings = field(default_factory=Holdings)

    def sheet(self, name: str) -> Node:
        """The tree of a datasheet.

        Raises
        ------
        InputError
            There is no such datasheet, or something in it is wrong.
        """
        held = self.library.sheets.get(name)
        self.used.sheets[name] = held if held is not None else shelf.load_datasheet(name).tree
        return self.used.sheets[name]

    def every_work(self) -> dict[str, Node]:
        """All works that may be cited, by key, with those that only datasheets which were read cite."""
        own = (own_sources(tree) for tree in self.used.sheets.values())
        return {**self.library.every_work(), **{key: node for works in own for key, node in works.items()}}

    def inventory(self, name: str) -> Inventory:
        """The table of a fleet.

        Raises
        ------
        InputError
            It cannot be read, or something in it is wrong.
        """
        path, held = Path(name), self.library.inventories.get(name)
        self.used.inventories[name] = held if held is not None else read_inventory(path, shelf.shown(path))
        return self.used.inventories[name]

    def cited(self, works: Mapping[str, Node], keys: Iterable[str]) -> Holdings:
        """What was read, with those of some works that have these keys."""
        self.used.works.update((key, works[key]) for key in sorted(keys))
        return self.used
