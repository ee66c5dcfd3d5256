"""What a scenario takes from the files that it extends, what it changes, and what it removes."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace
from pathlib import Path

from simbackup import shelf
from simbackup.errors import Problem, choices
from simbackup.files import GREATEST_TEXT, content, whole
from simbackup.scenario.files import Source, find, given, names
from simbackup.scenario.fleets import beside
from simbackup.scenario.spec import SECTIONS
from simbackup.schema import tree as trees
from simbackup.schema.fleet import PARTS
from simbackup.schema.reflection import nested_part, nested_sheets
from simbackup.schema.registry import device_kinds, method_kinds
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import read, refuse_others
from simbackup.shelf import is_file, is_folder

GREATEST_CHAIN = 20
_EXTENDS = re.compile(r"^extends:[ ]+(.+?)[ ]*(?: #.*)?$", re.MULTILINE)
_NAMED, _NAMED_INSIDE = 2, 4
"""Steps of the address of a part, and of a part of a fleet or of a pool of a library."""
_REFERRING = ("hosts", "devices", "data", "jobs")
"""Sections whose parts may name a datasheet for something inside them."""


def extended(what: Source, log: list[str], problems: list[Problem]) -> tuple[Node, list[str]]:
    """The tree of a scenario merged over the files it extends, and the names of these, from its own on.

    Raises
    ------
    InputError
        A file cannot be read or is not valid YAML; all other problems are added to `problems`.
    """
    files: list[Node] = []
    chain: list[str] = []
    seen: list[Path] = []
    tree = given(what, problems)
    below: Path | None = None
    if tree is None:
        below = find(str(what))
    else:
        tree = beside(tree, Path())
        files.append(tree)
        below = _base(tree.mapping.get("extends"), Path(), seen, problems)
    while below is not None:
        path = below
        seen.append(whole(path))
        tree = beside(read(path, shelf.shown(path), problems), path.parent)
        files.append(tree)
        chain.append(shelf.shown(path).removeprefix("scenarios/").removesuffix(".yaml"))
        below = _base(tree.mapping.get("extends"), path.parent, seen, problems)
    refuse_others(files[-1], "scenario")
    merged = files[-1]
    for above in reversed(files[:-1]):
        quiet = Node({k: v for k, v in above.mapping.items() if k not in {"title", "question", "extends"}}, above.place)
        loud = lay_over(merged, quiet, log, problems)
        merged = trees.overlay(
            loud, Node({k: v for k, v in above.mapping.items() if k not in quiet.mapping}, above.place)
        )
    return merged, chain


def _base(named: Node | None, folder: Path, seen: list[Path], problems: list[Problem]) -> Path | None:
    """The file that a file in a folder extends, by its path from there or by the name of a scenario."""
    if named is None:
        return None
    if not isinstance(named.value, str):
        problems.append(Problem(named.place, "extends", "is not the name of a file", "write one, such as base.yaml"))
        return None
    below = folder / named.value
    if not is_file(below) and named.value in names():
        below = find(named.value)
    if not is_file(below):
        around = below if is_folder(below) else below.parent
        near = [p.name for p in around.glob("*.yaml")] if is_folder(around) else []
        message = f"'{named.value}' is a folder" if around is below else f"there is no file '{named.value}'"
        problems.append(Problem(named.place, "extends", message, choices(below.name, near)))
    elif len(seen) > GREATEST_CHAIN and whole(below) not in seen:
        message = f"more than {GREATEST_CHAIN} files extend each other"
        problems.append(Problem(named.place, "extends", message, "let the file extend one further below"))
    elif whole(below) in seen:
        problems.append(Problem(named.place, "extends", f"'{named.value}' leads back to this file", "break the circle"))
    else:
        return below
    return None


def is_extended(path: Path) -> bool:
    """Whether a file beside this one, or any scenario that is found by its name, extends it."""
    near = {*path.parent.glob("*.yaml")}
    for root in shelf.roots():
        near.update((root / "scenarios").rglob("*.yaml"))
    return any(
        whole(other.parent / named.strip("'\" ")) == whole(path)
        for other in near
        for named in _EXTENDS.findall(_text(other))
    )


def _text(path: Path) -> str:
    """The text of a file that lies beside others; empty if it cannot be read."""
    try:
        return content(path, GREATEST_TEXT).decode("utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return ""


def lay_over(below: Node, above: Node, log: list[str], problems: list[Problem]) -> Node:
    """The tree of the file below with that of the file above merged over it.

    A datasheet that is named alone below may be changed in part above, and a part that is `null` above is removed.
    """
    problems += trees.without_effect(below, above)
    below, above = _removed(references(below), above, (), log, problems)
    return trees.overlay(below, above, "", log)


def _removed(
    below: Node, above: Node, path: tuple[str, ...], log: list[str], problems: list[Problem]
) -> tuple[Node, Node]:
    """Both trees without the parts that are `null` above; reports those that are not below."""
    left, kept = dict(below.mapping), dict(above.mapping)
    for name, child in above.mapping.items():
        here = (*path, name)
        address = ".".join(here)
        if child.value is None and _is_part(here):
            del kept[name]
            if name in left:
                log.append(f"{address}: removed ({child.place})")
                del left[name]
            else:
                message = f"there is no '{name}' to remove"
                problems.append(Problem(child.place, address, message, choices(name, left)))
        elif child.mapping and len(path) < _NAMED_INSIDE:
            base = left.get(name, Node({}, child.place))
            inner, kept[name] = _removed(base, child, here, log, problems)
            if name in left and isinstance(base.value, dict):
                left[name] = inner
    return replace(below, value=left), replace(above, value=kept)


def _is_part(path: tuple[str, ...]) -> bool:
    """Whether a path leads to something with a name: a part, a fleet, a part of one, or a pool."""
    if len(path) == _NAMED:
        return path[0] in {*PARTS, "fleets"}
    return len(path) == _NAMED_INSIDE and (path[0] == "fleets" or path[2] == "pools")


def references(tree: Node, done: Container[tuple[str, ...]] = ()) -> Node:
    """The tree in which a bare name of a datasheet, `disk: disk/x`, is written `disk: {model: disk/x}`.

    Parts whose paths are `done` stay as they are.
    """
    sections: dict[str, Node] = dict(tree.mapping)
    for section in _REFERRING:
        parts = sections.get(section)
        if parts is None or not isinstance(parts.value, dict):
            continue
        written = {name: part if (section, name) in done else _reference(part) for name, part in parts.value.items()}
        sections[section] = Node(written, parts.place, parts.key)
    fleets = sections.get("fleets")
    if fleets is not None and isinstance(fleets.value, dict):
        inside = {name: references(fleet) if fleet.mapping else fleet for name, fleet in fleets.value.items()}
        sections["fleets"] = Node(inside, fleets.place, fleets.key)
    return Node(sections, tree.place, tree.key)


def _reference(part: Node) -> Node:
    if not isinstance(part.value, dict):
        return part
    said = next((part.mapping[key].word for key in ("kind", "method", "model") if key in part.mapping), "")
    kind = device_kinds().get(said.partition("/")[0]) or method_kinds().get(said)
    named = {
        key: trees.spelled_out(part.value[key])
        for key in nested_sheets()
        if key in part.value
        and (kind is None or key not in kind.spec.model_fields or nested_part(kind.spec, key) is not None)
    }
    return Node({**part.value, **named}, part.place, part.key) if named else part


def override(tree: Node, address: str, node: Node, log: list[str], problems: list[Problem]) -> Node:
    """The tree with the value at an address replaced."""
    first, *inside = address.split(".")
    if first not in SECTIONS or not all(inside) or first == "extends":
        legal = [section for section in SECTIONS if section != "extends"]
        holding = [section for section in legal if first in tree.mapping.get(section, Node({}, tree.place)).mapping]
        remedy = f"did you mean '{holding[0]}.{address}'?" if holding else choices(first, legal)
        problems.append(Problem(node.place, address, "is not the address of a value", remedy))
        return tree
    section = tree.mapping.get(first, Node({}, tree.place))
    if inside and first not in {"title", "question"} and inside[0] not in section.mapping:
        message = f"there is no '{inside[0]}' under {first}"
        problems.append(Problem(node.place, address, message, choices(inside[0], section.mapping)))
        return tree
    if inside and first in PARTS:
        above = trees.at_path(tuple(inside[1:]), node)
        if not _removes(above, (first, inside[0])):
            return _over_part(tree, section, (first, inside[0]), above, log, problems)
    return lay_over(tree, trees.at_path((first, *inside), node), log, problems)


def _removes(above: Node, path: tuple[str, ...]) -> bool:
    """Whether a part is `null` in what is merged over the value at a path, or that value itself."""
    if above.value is None:
        return _is_part(path)
    inside = above.mapping if len(path) < _NAMED_INSIDE else {}
    return any(_removes(child, (*path, name)) for name, child in inside.items())


def _over_part(
    tree: Node, section: Node, part: tuple[str, str], above: Node, log: list[str], problems: list[Problem]
) -> Node:
    """The tree with a tree that removes nothing merged over one part of a section; the others stay as they are."""
    first, name = part
    below = section.mapping[name]
    problems += trees.without_effect(below, above, part)
    below = _reference(below) if first in _REFERRING else below
    made = trees.overlay(below, above, f"{first}.{name}", log)
    parts = Node({**section.mapping, name: made}, section.place, section.key)
    return Node({**tree.mapping, first: parts}, tree.place, tree.key)
