"""YAML files, read as trees: every key and value has its place; and what kind of file a tree is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, cast

from simbackup.errors import InputError, Place, Problem, choices
from simbackup.files import GREATEST, GREATEST_TEXT, content, unreachable
from simbackup.schema import usual_yaml
from simbackup.schema.tree import Node, Scalar

GREATEST_DEPTH = 60
GREATEST_NODES = 1_000_000
_INT = re.compile(r"[-+]?(0|[1-9][0-9_]*)\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?\Z")
_WORDS: dict[str, Scalar] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_REMEDIES = {
    "\\t": "indent with spaces",
    "mapping values": "line it up with the keys next to it, or put a text with ': ' in quotes",
    "another document": "write one document in a file",
    "is nested too deeply": "write it out flat",
    "undefined alias": "write its anchor, '&name', above it",
    usual_yaml.TOO_MANY: usual_yaml.WRITE_A_TABLE,
}
_CORE_TAGS = frozenset({"map", "seq", "str", "int", "float", "bool", "null", "timestamp", "merge", "value"})


def read(path: Path, shown: str | None = None, twice: list[Problem] | None = None) -> Node:
    """The tree of a YAML 1.2 file; keys that appear twice are added to `twice`, if it is given.

    Raises
    ------
    InputError
        The file cannot be read, is not valid YAML, repeats a key, or is nested too deeply.
    """
    name = shown or str(path)
    return parse(read_text(path, name, GREATEST_TEXT), name, twice)


def read_text(path: Path, name: str, most: int = GREATEST) -> str:
    """The text of a UTF-8 file of at most so many bytes that is shown as `name`.

    Raises
    ------
    InputError
        It cannot be read, or is not UTF-8.
    """
    data = b""
    try:
        data = content(path, most)
        return data.decode("utf-8")
    except IsADirectoryError:
        raise InputError([a_folder(path, name)]) from None
    except OSError as error:
        raise InputError([Problem(Place(name), "", f"cannot be read ({error.strerror})")]) from None
    except UnicodeDecodeError as error:
        place = _place_after(data[: error.start].decode("utf-8"), name)
        raise InputError([Problem(place, "", "is not UTF-8 text", "save the file as UTF-8")]) from None


def a_folder(path: Path, name: str) -> Problem:
    """Report a folder that is named instead of a file."""
    inside = [each.name for each in path.glob("*.yaml")]
    remedy = f"name a file in it; {choices('', inside)}" if inside else "name a file"
    return Problem(Place(name), "", "is a folder", remedy)


def refuse_unreachable(path: Path, name: str) -> None:
    """Refuse a path at which something is that cannot be reached, such as a link that leads to itself."""
    if reason := unreachable(path):
        raise InputError([Problem(Place(name), "", reason)])


def _place_after(text: str, name: str) -> Place:
    """The place of what follows a text."""
    return Place(name, text.count("\n") + 1, len(text) - text.rfind("\n"))


def parse(text: str, name: str, twice: list[Problem] | None = None) -> Node:
    """The tree of YAML 1.2 text; `name` is shown as its file. Keys that appear twice are added to `twice`, if given."""
    tree, found = _parsed(text, name)
    if found and twice is None:
        raise InputError(found)
    if twice is not None:
        twice += found
    return tree


@lru_cache(maxsize=32)
def _parsed(text: str, name: str) -> tuple[Node, tuple[Problem, ...]]:
    """The tree of a text and its keys that appear twice. The same text is parsed once, as trees never change."""
    try:
        root = usual_yaml.composed(text, GREATEST_DEPTH, GREATEST_NODES)
    except usual_yaml.TooManyError:
        raise InputError([Problem(Place(name, 1, 1), "", usual_yaml.TOO_MANY, usual_yaml.WRITE_A_TABLE)]) from None
    if root is None:
        root = _composed(text, name)
    if root is None:
        raise InputError([Problem(Place(name, 1, 1), "", "is empty", "a file begins with a title")])
    problems: list[Problem] = []
    twice: list[Problem] = []
    tree = _Walk(name, problems, twice).node(root, (), Place(name, 1, 1), 0)
    if problems:
        raise InputError([*problems, *twice])
    if not isinstance(tree.value, dict):
        raise InputError([Problem(tree.place, "", "is not a mapping", "a file is a mapping that begins with a title")])
    return tree, tuple(twice)


def _composed(text: str, name: str) -> Any:
    """The root node of a text; None if it is empty. Reads all forms of YAML 1.2, and says what is wrong and where."""
    from ruamel.yaml import YAML  # noqa: PLC0415 (33 ms, paid only where a file needs it)
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415
    from ruamel.yaml.reader import ReaderError  # noqa: PLC0415

    from simbackup.schema.limits import (  # noqa: PLC0415 (they import it, too)
        ShallowScanner,
        TooDeepError,
        TooLongError,
        expansion_problems,
    )

    try:
        reader: Any = YAML(typ="safe", pure=True)
        reader.Scanner = ShallowScanner
        reader.composer.warn_double_anchors = False  # YAML 1.2 lets an anchor be set anew
        root: Any = reader.compose(text)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    except MarkedYAMLError as error:
        reported = cast("Any", error)
        mark = reported.problem_mark or reported.context_mark
        place = Place(name, mark.line + 1, mark.column + 1) if mark else Place(name, 1, 1)
        what = str(reported.problem or reported.context).removeprefix("but ")
        remedy = next((text for part, text in _REMEDIES.items() if part in what), "check indentation and quotes")
        message = what if isinstance(error, (TooDeepError, TooLongError)) else f"is not valid YAML: {what}"
        raise InputError([Problem(place, "", message, remedy)]) from None
    except ReaderError as error:
        reported = cast("Any", error)
        place = _place_after(text[: reported.position], name)
        raise InputError([Problem(place, "", f"is not valid YAML: {reported.reason}", "write plain text")]) from None
    except RecursionError:
        raise InputError([Problem(Place(name, 1, 1), "", "is nested too deeply", "write it out flat")]) from None
    except (YAMLError, ValueError) as error:
        message = f"is not valid YAML: {str(error).splitlines()[0] if str(error) else 'it is nested too deeply'}"
        raise InputError([Problem(Place(name, 1, 1), "", message, "check unusual characters and nesting")]) from None
    problems = [] if root is None else expansion_problems(root, name)
    if problems:
        raise InputError(problems)
    return root


def plain_scalar(text: str) -> Scalar:
    """What a text without quotes means in YAML 1.2: a number, a truth value, nothing, or itself."""
    if text in _WORDS:
        return _WORDS[text]
    digits = text.replace("_", "")
    if _INT.match(text):
        return int(digits) if len(digits) < 400 else text  # noqa: PLR2004 (longer ones are no counts)
    return float(digits) if _FLOAT.match(text) and len(digits) < 400 else text  # noqa: PLR2004


def _with_commas(raw: Any) -> list[tuple[Any, Any]]:
    """The entries of a mapping in braces, of which one such as `{size: 1,5 GB}` is one entry and not two."""
    entries: list[tuple[Any, Any]] = []
    for key, value in raw.value:
        before = entries[-1][1] if entries else None
        stray = raw.flow_style and key.id == value.id == "scalar" and key.value[:1].isdigit() and value.value == ""
        if stray and before is not None and before.id == "scalar" and before.value[-1:].isdigit():
            entries[-1] = entries[-1][0], copy(before)  # another value may be an alias of it
            entries[-1][1].value = f"{before.value},{key.value}"
        else:
            entries.append((key, value))
    return entries


@dataclass(slots=True)
class _Walk:
    """Turns composed YAML nodes into a tree and collects what is wrong with them."""

    name: str
    problems: list[Problem]
    twice: list[Problem]
    nodes: int = 0
    above: set[int] = field(default_factory=set[int])
    """The composed nodes around the present one."""

    def node(self, raw: Any, path: tuple[str, ...], key: Place, depth: int) -> Node:
        place = Place(self.name, raw.start_mark.line + 1, raw.start_mark.column + 1)
        self.nodes += 1
        if self.nodes == GREATEST_NODES:
            self.report(place, path, usual_yaml.TOO_MANY, usual_yaml.WRITE_A_TABLE)
        if depth > GREATEST_DEPTH:
            self.report(place, path[:3], "is nested too deeply", "write it out flat")
        if id(raw) in self.above:
            self.report(place, path, "contains itself", "write it out flat")
        if depth > GREATEST_DEPTH or self.nodes >= GREATEST_NODES or id(raw) in self.above:
            return Node(None, place, key)
        tag = str(raw.tag or "map").removeprefix("tag:yaml.org,2002:")
        if tag not in _CORE_TAGS:
            self.report(place, path, f"has the tag {tag}", "write plain values without tags")
            return Node(None, place, key)
        if raw.id not in {"mapping", "sequence"}:
            return Node(self.scalar(raw, place, path), place, key)
        self.above.add(id(raw))
        inside: dict[str, Node] | list[Node] = (
            self.mapping(raw, path, depth)
            if raw.id == "mapping"
            else [self.node(item, (*path, str(i)), place, depth + 1) for i, item in enumerate(raw.value)]
        )
        self.above.remove(id(raw))
        return Node(inside, place, key)

    def mapping(self, raw: Any, path: tuple[str, ...], depth: int) -> dict[str, Node]:
        children: dict[str, Node] = {}
        for key_node, value_node in _with_commas(raw):
            place = Place(self.name, key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if key_node.id != "scalar" or key_node.value == "<<":
                reported = {"scalar": "'<<'", "sequence": "a list"}.get(key_node.id, "a mapping")
                self.report(place, path, f"{reported} is not a key", "keys are plain names; merge files with 'extends'")
                continue
            name = self.text(key_node, place, path)
            if name is None:
                continue
            if name in children:
                first = children[name].key
                message = f"appears twice (first in line {first.line})"
                self.twice.append(Problem(place, ".".join((*path, name)), message, "keep one of the two"))
                continue
            child = self.node(value_node, (*path, name), place, depth + 1)
            # an empty value has the place of its key, not of the next line
            children[name] = replace(child, place=place) if child.value is None and not value_node.value else child
        return children

    def scalar(self, raw: Any, place: Place, path: tuple[str, ...]) -> Scalar:
        text = self.text(raw, place, path)
        return text if text is None or raw.style else plain_scalar(text)

    def text(self, raw: Any, place: Place, path: tuple[str, ...]) -> str | None:
        """The text of a scalar; JSON writes rare characters as two halves, which are joined here."""
        try:
            return str(raw.value).encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self.report(place, path, "contains half a character", "write the whole one")
            return None

    def report(self, place: Place, path: tuple[str, ...], message: str, remedy: str) -> None:
        self.problems.append(Problem(place, ".".join(path), message, remedy))


FileKind = Literal["scenario", "site", "study"]
SECTIONS: dict[FileKind, tuple[str, ...]] = {
    "scenario": ("extends", "hosts", "devices", "links", "data", "workloads", "jobs", "fleets"),
    "site": ("machines", "hosts", "datastores", "uplinks", "targets", "policies", "systems"),
    "study": ("scenarios", "vary", "show", "optimise"),
}
"""Sections that files of a kind have, in their order in a file; of those that several kinds have, the first counts."""
COMMANDS: dict[FileKind, str] = {"scenario": "run", "site": "plan run", "study": "study"}


def kind_of(sections: Iterable[str]) -> FileKind | None:
    """The kind of a file by its sections: the one that most of them belong to, None if none belongs to any.

    >>> kind_of(["title", "systems", "policies"]), kind_of(["title"])
    ('site', None)
    """
    present = frozenset(sections)
    shares = {kind: len(present.intersection(own)) for kind, own in SECTIONS.items()}
    likeliest = max(SECTIONS, key=shares.__getitem__)
    return likeliest if shares[likeliest] else None


def refuse_others(tree: Node, wanted: FileKind) -> None:
    r"""Check that a file is not one of another kind.

    Raises
    ------
    InputError
        The file has sections of another kind, and none of its own.

    >>> from simbackup.schema.yaml_file import parse
    >>> refuse_others(parse("systems: {}\npolicies: {}\n", "site.yaml"), "scenario")
    Traceback (most recent call last):
    simbackup.errors.InputError: site.yaml:1:1: is a site, not a scenario; use 'simbackup plan run'
    """
    kind = kind_of(tree.mapping)
    others = {section for each, own in SECTIONS.items() if each != wanted for section in own}
    if kind is None or kind == wanted or not tree.mapping.keys().isdisjoint(set(SECTIONS[wanted]) - others):
        return
    message = f"is a {kind}, not a {wanted}"
    raise InputError([Problem(tree.place, "", message, f"use 'simbackup {COMMANDS[kind]}'")])
