"""The text of a file with values replaced, or what earlier versions had rewritten; comments stay letter by letter."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError

from simbackup.errors import InputError, Place, Problem
from simbackup.schema.fleet import PLACEHOLDER
from simbackup.schema.retired import LEFT_OUT, Retired
from simbackup.schema.yaml_file import parse, plain_scalar

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


WIDE = 4096
"""Letters of a line before it is broken: never."""


def edited(text: str, changes: Mapping[str, str | Mapping[str, str]], name: str) -> str:
    r"""The text of a file with the values at some addresses replaced, or added where it has none.

    Parameters
    ----------
    text
        YAML, as `simbackup check` accepts it.
    changes
        Values by address, as one would write them in a file. A text is one value, whatever its letters; a mapping
        replaces all that is there.
    name
        What messages show as its file.

    Raises
    ------
    InputError
        The text is not valid YAML, or an address leads through something that is not a mapping.

    >>> edited("title: A  # mine\ndevices: {sda: disk/x}\n", {"devices.sda.capacity": "2 TB"}, "a.yaml")
    'title: A  # mine\ndevices: {sda: {model: disk/x, capacity: 2 TB}}\n'
    """
    if not changes:
        return text
    parse(text, name)  # reports what is wrong in the words of `check`
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = WIDE
    try:
        tree: Any = yaml.load(text)  # pyright: ignore[reportUnknownMemberType]
    except YAMLError as error:
        raise InputError([Problem(Place(name), "", f"cannot be changed here ({error})", "edit its text")]) from None
    for address, value in changes.items():
        _put(tree, steps(address), _written(value), address)
    written = io.StringIO()
    yaml.dump(tree, written)  # pyright: ignore[reportUnknownMemberType]
    return written.getvalue()


def _written(value: str | Mapping[str, str]) -> object:
    """A value as the tree of a file has it."""
    if isinstance(value, str):
        return plain_scalar(value.strip())
    made: Any = CommentedMap({key: plain_scalar(text.strip()) for key, text in value.items()})
    made.fa.set_flow_style()
    return made


def steps(address: str) -> list[str]:
    """The steps of an address; a point inside the braces of a placeholder is none.

    >>> steps("fleets.servers.jobs.save-{host.name}.window")
    ['fleets', 'servers', 'jobs', 'save-{host.name}', 'window']
    """
    kept = PLACEHOLDER.sub(lambda found: found.group().replace(".", "\0"), address)
    return [step.replace("\0", ".") for step in kept.split(".")]


def _put(tree: object, path: list[str], value: object, address: str) -> None:
    """Replace a value, or add it; the name of a datasheet on the way becomes a mapping that names it."""
    here = _mapping(tree, address)
    for i, step in enumerate(path[:-1]):
        inner: object = here.get(step)
        if inner is None or (isinstance(inner, str) and "/" in inner):
            made: Any = CommentedMap() if inner is None else CommentedMap({"model": inner})
            if i:
                made.fa.set_flow_style()
            here[step] = inner = made
        here = _mapping(inner, address)
    here[path[-1]] = value


def _mapping(found: object, address: str) -> Any:
    if not isinstance(found, CommentedMap):
        message = "leads through something that is not a mapping"
        raise InputError([Problem(Place("changes"), address, message, "edit the text")])
    return cast("Any", found)
