"""Scenarios as they are written: in files, which may extend others, as text, or as mappings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simbackup import shelf
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.scenario.fleets import beside
from simbackup.schema import tree as trees
from simbackup.schema.tree import Node
from simbackup.shelf import is_file, is_folder

Source = str | Path | Mapping[str, object]
"""The path or the name of a file, YAML text of several lines, or a mapping of its sections."""
TEXT, MAPPING = "text", "mapping"
"""What messages name in place of a file."""
GREATEST_CHAIN = 20


def names(folder: str = "") -> list[str]:
    """The names of all scenarios that are found, such as `published/003-lvm-snapshots/same-disk`."""
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
    if path.name.endswith(".study.yaml") and is_file(path):
        raise InputError([Problem(Place(name), "", "is a study and no scenario", f"simbackup study {name}")])
    for file in (path, *(root / "scenarios" / f"{bare}.yaml" for root in shelf.roots())):
        if is_file(file) and not file.name.endswith(".study.yaml"):
            return file
    legal = names()
    tails = [text for text in legal if text.split("/")[-1] == bare.split("/")[-1]]
    remedy = f"did you mean '{tails[0]}'?" if tails else choices(bare, legal)
    if any(is_file(root / "scenarios" / f"{bare.removesuffix('.study')}.study.yaml") for root in shelf.roots()):
        remedy = f"it is a study: simbackup study {bare.removesuffix('.study')}"
    raise InputError([Problem(Place(name), "", "there is neither such a file nor such a scenario", remedy)])


def given(what: Source) -> Node | None:
    """The tree of a mapping, or of YAML text of several lines; None for a name or a path.

    >>> given({"title": "A"}).plain(), given("published/003-lvm-snapshots/same-disk")
    ({'title': 'A'}, None)
    """
    if isinstance(what, str) and "\n" in what:
        return trees.parse(what, TEXT)
    return trees.from_plain(what, Place(MAPPING)) if isinstance(what, Mapping) else None


def extended(what: Source, log: list[str]) -> tuple[Node, list[str]]:
    """The tree of a scenario laid over the files it extends, and the names of these, from its own on."""
    path = Path() if (tree := given(what)) is not None else find(str(what))
    folder = path if tree is not None else path.parent
    files: list[Node] = []
    chain: list[str] = []
    seen: list[Path] = []
    while True:
        if tree is None:
            seen.append(path.resolve())
            chain.append(shelf.shown(path).removeprefix("scenarios/").removesuffix(".yaml"))
            tree, folder = trees.read(path, shelf.shown(path)), path.parent
        tree = beside(tree, folder)
        files.append(tree)
        base = tree.mapping.get("extends")
        if base is None:
            break
        if not isinstance(base.value, str):
            raise InputError([Problem(base.place, "extends", "is no name of a file", "write one, such as base.yaml")])
        below = folder / base.value
        if not is_file(below) and base.value in names():
            below = find(base.value)
        if not is_file(below):
            around = below if is_folder(below) else below.parent
            near = [p.name for p in around.glob("*.yaml")] if is_folder(around) else []
            message = f"'{base.value}' is a folder" if around is below else f"there is no file '{base.value}'"
            raise InputError([Problem(base.place, "extends", message, choices(below.name, near))])
        if below.resolve() in seen or len(seen) > GREATEST_CHAIN:
            message = f"'{base.value}' leads back to this file"
            raise InputError([Problem(base.place, "extends", message, "break the circle")])
        path, tree = below, None
    merged = files[-1]
    for above in reversed(files[:-1]):
        quiet = Node({k: v for k, v in above.mapping.items() if k not in {"title", "question", "extends"}}, above.place)
        loud = trees.overlay(merged, quiet, "", log)
        merged = trees.overlay(
            loud, Node({k: v for k, v in above.mapping.items() if k not in quiet.mapping}, above.place)
        )
    return merged, chain
