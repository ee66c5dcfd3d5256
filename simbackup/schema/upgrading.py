"""The text of a file with what earlier versions had rewritten; all else, comments too, stays letter by letter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

import yaml

from simbackup.errors import Place, Problem
from simbackup.schema.retired import LEFT_OUT, Retired
from simbackup.schema.yaml_file import plain_scalar

Steps = tuple[str | int, ...]
"""The way to a part of a file: keys, and numbers in lists."""


class _Entry(NamedTuple):
    """A key and its value, with the letters at which they begin and end."""

    key: yaml.ScalarNode
    value: yaml.Node

    @property
    def begin(self) -> int:
        return self.key.start_mark.index

    @property
    def end(self) -> int:
        return self.value.end_mark.index


class _Found(NamedTuple):
    """The mapping that states something retired, its key there, and what replaces that."""

    path: Steps
    key: str
    retired: Retired


def upgraded(text: str, name: str, problems: Iterable[Problem]) -> tuple[str, list[Problem]]:
    """The text of a file with all rewritten that can be done mechanically, and the problems left for a person.

    Parameters
    ----------
    text
        YAML.
    name
        How `problems` name the file; what they say of others is left alone.
    problems
        What `check` reports; of a text that is no YAML, all are left.
    """
    try:
        tree: Any = _composed(text)
    except yaml.YAMLError:
        return text, list(problems)
    every = [each for each in problems if each.retired is not None and each.place.file == name]
    found = [(problem, _found(tree, problem.place, problem.retired)) for problem in every]
    left: list[tuple[Problem, _Found | None]] = []
    for problem, where in found:
        after = _rewritten(text, where) if where is not None else None
        if after is None:
            left.append((problem, where))
        else:
            text = after
    return text, [problem for problem, where in left if where is None or _stated(text, where)]


def _stated(text: str, where: _Found) -> bool:
    """Whether it is still there, and has not gone with another one that held it."""
    return any(entry.key.value == where.key for entry in _entries(text, where.path)[0])


def _composed(text: str) -> Any:
    """The nodes of a text, which know where they begin and end."""
    return cast("Any", yaml).compose(text, Loader=yaml.SafeLoader)


def _found(node: yaml.Node | None, place: Place, retired: Retired, path: Steps = ()) -> _Found | None:
    """The key that is retired at a line and column, which are its own or those of its value; None if there is none."""
    for step, key, value in _children(node):
        here = [value.start_mark] if isinstance(value, yaml.ScalarNode) else []
        here += [key.start_mark] if key is not None else []
        if key is not None and any((mark.line + 1, mark.column + 1) == (place.line, place.column) for mark in here):
            return _Found(path, key.value, retired)
        if (inner := _found(value, place, retired, (*path, step))) is not None:
            return inner
    return None


def _children(node: yaml.Node | None) -> list[tuple[str | int, yaml.Node | None, yaml.Node]]:
    """The values in a mapping or a list: the step that leads there, the key if there is one, and the value."""
    if isinstance(node, yaml.MappingNode):
        return [(key.value, key, value) for key, value in node.value]
    return [(i, None, value) for i, value in enumerate(node.value)] if isinstance(node, yaml.SequenceNode) else []


def _entries(text: str, path: Steps) -> tuple[list[_Entry], bool]:
    """The entries of the mapping at a path, and whether it is written in braces."""
    node: Any = _composed(text)
    for step in path:
        node = next(value for name, _, value in _children(node) if name == step)
    return [_Entry(*each) for each in node.value], bool(node.flow_style)


def _rewritten(text: str, where: _Found) -> str | None:
    """The text with one thing rewritten; None if only a person can say what to write."""
    entries, braces = _entries(text, where.path)
    stated = {entry.key.value: _plain(entry.value) for entry in entries}
    changes = where.retired.rewrite(stated, where.key) if where.retired.rewrite is not None else None
    if changes is None:
        return None
    here, edits = next(entry for entry in entries if entry.key.value == where.key), list[tuple[int, int, str]]()
    for entry in entries:
        if changes.get(entry.key.value, LEFT_OUT) is not LEFT_OUT:
            edits.append((entry.value.start_mark.index, entry.end, _text(changes[entry.key.value])))
    between = ", " if braces else f"\n{' ' * here.key.start_mark.column}"
    new = {key: value for key, value in changes.items() if value is not LEFT_OUT and key not in stated}
    of_line = text.find("\n", here.end)
    end = here.end if braces or of_line < 0 else of_line
    edits.append((end, end, "".join(f"{between}{key}: {_text(value)}" for key, value in new.items())))
    for begin, end, written in sorted(edits, reverse=True):
        text = text[:begin] + written + text[end:]
    for key in stated:
        if changes.get(key) is LEFT_OUT:
            text = _without(text, where.path, key)
    return text


def _without(text: str, path: Steps, key: str) -> str:
    """The text without an entry of a mapping: with its comma, or with its lines."""
    entries, braces = _entries(text, path)
    at = next(i for i, entry in enumerate(entries) if entry.key.value == key)
    entry = entries[at]
    if braces and at + 1 < len(entries):
        return text[: entry.begin] + text[entries[at + 1].begin :]
    if braces:
        return text[: entries[at - 1].end if at else entry.begin] + text[entry.end :]
    begin, end = text.rfind("\n", 0, entry.begin) + 1, text.find("\n", len(text[: entry.end].rstrip()))
    return text[:begin] + text[end + 1 if end >= 0 else len(text) :]


def _plain(node: yaml.Node) -> Any:
    """A value as it is written: a scalar, or what a mapping or a list holds."""
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.style else plain_scalar(node.value)
    if isinstance(node, yaml.MappingNode):
        return {key.value: _plain(value) for key, value in node.value}
    return [_plain(value) for value in node.value]


def _text(value: object) -> str:
    """A value as one writes it in a file."""
    words: Mapping[object, str] = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else str(value)
