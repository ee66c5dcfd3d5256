"""Scenarios as they are written, in files, as text, or as mappings; and what completes them: datasheets, tables."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from simbackup import shelf
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.schema import tree as trees
from simbackup.schema.datasheet import own_sources
from simbackup.schema.inventory import Inventory, read_inventory
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import a_folder, parse, refuse_unreachable
from simbackup.shelf import is_file, is_folder

Source = str | Path | Mapping[str, object]
"""The path or the name of a file, YAML text of several lines, or a mapping of its sections."""
TEXT, MAPPING = "text", "mapping"
"""What messages name in place of a file."""
YAML = {".yaml", ".yml"}


def names(folder: str = "") -> list[str]:
    """The names of all scenarios that are found, such as `teaching/bottleneck-moves`."""
    found = {
        path.relative_to(root / "scenarios").with_suffix("").as_posix()
        for root in shelf.roots()
        for path in (root / "scenarios" / folder).rglob("*.yaml")
        if path.stem not in {"measured", "calibration"} and "." not in path.stem
    }
    return sorted(found)


def find(name: str) -> Path:
    """The file of a scenario, by path or by name.

    Raises
    ------
    InputError
        There is neither such a file nor such a name.
    """
    path = Path(name)
    bare = name.removesuffix(".yaml").removeprefix("scenarios/")
    for file in (path, *(root / "scenarios" / f"{bare}.yaml" for root in shelf.roots())):
        if is_file(file):
            return file
    _no_folder(name, path, bare)
    refuse_unreachable(path, name)
    legal = names()
    tails = [text for text in legal if text.split("/")[-1] == bare.split("/")[-1]]
    close = tails or _files_like(path)
    remedy = f"did you mean '{close[0]}'?" if close else choices(bare, legal)
    for kind, command in {"study": "study", "site": "plan run"}.items():
        other = bare.removesuffix(f".{kind}")
        if any(is_file(root / "scenarios" / f"{other}.{kind}.yaml") for root in shelf.roots()):
            remedy = f"it is a {kind}: simbackup {command} {other}"
    raise InputError([Problem(Place(name), "", "there is no file or scenario of this name", remedy)])


def _files_like(path: Path) -> list[str]:
    """The file beside a path whose name is most like its own, such as night.yaml for night.yml."""
    if not is_folder(path.parent):
        return []
    try:
        files = sorted(each.name for each in path.parent.iterdir() if each.suffix in YAML)
    except OSError:  # a folder that may be entered but not listed
        return []
    name = path.name if path.suffix in YAML else f"{path.name}.yaml"
    return [str(path.with_name(each)) for each in difflib.get_close_matches(name, files, n=1, cutoff=0.75)]


def _no_folder(name: str, path: Path, bare: str) -> None:
    """Refuse the name of a folder, and say what there is in it."""
    if is_folder(path):
        raise InputError([a_folder(path, name)])
    if bare and any(is_folder(root / "scenarios" / bare) for root in shelf.roots()):
        raise InputError([Problem(Place(name), "", "is a folder of scenarios", choices("", names(bare)))])


def given(what: Source, twice: list[Problem] | None = None) -> Node | None:
    """The tree of a mapping, or of YAML text of several lines; None for a name or a path.

    Keys that appear twice are added to `twice`, if it is given.

    >>> given({"title": "A"}).plain(), given("published/003-lvm-snapshots/same-disk")
    ({'title': 'A'}, None)
    """
    if isinstance(what, str) and "\n" in what:
        return parse(what, TEXT, twice)
    return trees.from_plain(what, Place(MAPPING)) if isinstance(what, Mapping) else None


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
        """Whether there is an inventory at that path."""
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
