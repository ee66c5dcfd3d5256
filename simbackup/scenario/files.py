"""Scenarios as they are written: in files, which may extend others, as text, or as mappings."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path

from simbackup import shelf
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.schema import tree as trees
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
