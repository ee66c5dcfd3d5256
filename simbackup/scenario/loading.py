"""Scenarios by path or by name, loaded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simbackup import datasheets
from simbackup.datasheets import is_file, is_folder
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.scenario.inheritance import extended, references
from simbackup.scenario.scenario import Scenario, finished
from simbackup.schema import tree as trees
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import a_folder


def names(folder: str = "") -> list[str]:
    """The names of all scenarios that are found, such as `teaching/mount-queue`."""
    found = {
        path.relative_to(root / "scenarios").with_suffix("").as_posix()
        for root in datasheets.roots()
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
    for file in (path, *(root / "scenarios" / f"{bare}.yaml" for root in datasheets.roots())):
        if is_file(file) and not file.name.endswith(".study.yaml"):
            return file
    _no_folder(name, path, bare)
    legal = names()
    tails = [text for text in legal if text.split("/")[-1] == bare.split("/")[-1]]
    remedy = f"did you mean '{tails[0]}'?" if tails else choices(bare, legal)
    if any(is_file(root / "scenarios" / f"{bare.removesuffix('.study')}.study.yaml") for root in datasheets.roots()):
        remedy = f"it is a study: simbackup study {bare.removesuffix('.study')}"
    raise InputError([Problem(Place(name), "", "there is neither such a file nor such a scenario", remedy)])


def _no_folder(name: str, path: Path, bare: str) -> None:
    """Tell that a name is one of a folder, and what there is in it."""
    if is_folder(path):
        raise InputError([a_folder(path, name)])
    if bare and any(is_folder(root / "scenarios" / bare) for root in datasheets.roots()):
        raise InputError([Problem(Place(name), "", "is a folder of scenarios", choices("", names(bare)))])


def load(name: str | Path, overrides: Mapping[str, object] | None = None) -> Scenario:
    """The scenario of a path or a name, with the values at some addresses replaced.

    Raises
    ------
    InputError
        Everything that is wrong with the file, at once, each with its place.

    >>> load("published/003-lvm-snapshots/same-disk").title
    'dd of 2 GiB over a file, snapshot on the same disk'
    """
    log: list[str] = []
    problems: list[Problem] = []
    tree, chain = extended(find(str(name)), log, problems)
    base = next((text for text in chain[1:] if text.startswith("published/")), None)
    nodes = {address: _node(value) for address, value in (overrides or {}).items()}
    return finished(str(name), references(tree), nodes, tuple(log), base, before=problems)


def _node(value: object) -> Node:
    return value if isinstance(value, Node) else trees.from_plain(value, Place("with_"))
