"""Completion of a file that is being written, from its JSON Schema: keys, words, datasheets, and names in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from simbackup.errors import InputError
from simbackup.schema.fleet import PARTS
from simbackup.schema.json_forms import Json
from simbackup.schema.yaml_file import parse

_ENTRY = re.compile(r"^(?P<indent> *)(?P<key>[^\s#{\[\"'][^:#]*?): *(?P<value>.*)$")
_CLOSING = {"{": "}", "[": "]"}


class Cursor(NamedTuple):
    """Where a cursor stands: the path of the mapping, the key whose value is written (None at a key), and the word."""

    path: tuple[str, ...]
    key: str | None
    word: str
    file: Mapping[str, Any]
    """What the file holds without the word; nothing where it cannot be read."""

    @property
    def siblings(self) -> Mapping[str, Any]:
        """The mapping in which the cursor stands."""
        here: Any = self.file
        for step in self.path:
            here = cast("Mapping[str, Any]", here).get(step) if isinstance(here, Mapping) else None
        return cast("Mapping[str, Any]", here) if isinstance(here, Mapping) else {}


def cursor_at(text: str, line: int, column: int) -> Cursor:
    r"""The cursor in a text, at a line and a column, both from 1.

    >>> found = cursor_at("title: A\ndevices:\n  sda: {model: disk/x, cap\n", 3, 28)
    >>> found.path, found.key, found.word, dict(found.siblings)
    (('devices', 'sda'), None, 'cap', {'model': 'disk/x'})
    """
    lines = text.split("\n")
    line = min(max(line, 1), len(lines))
    here = lines[line - 1][: max(column - 1, 0)]
    outer = _outer(lines[: line - 1], len(here) - len(here.lstrip(" ")))
    path, key, word, closing = _in_line(here.strip(" "))
    before = here[: len(here) - len(word)]
    above = [*lines[: line - 1], f"{before}{closing}" if before.strip() else ""]
    whole = [*above, *lines[line:]]
    return Cursor((*outer, *path), key, word, _plain(whole) or _plain(_mended(whole)))


def _outer(lines: list[str], indent: int) -> list[str]:
    """The keys of the mappings around a line that is indented so far."""
    found: list[tuple[int, str]] = []
    for line in lines:
        entry = _ENTRY.match(line)
        if entry is None:
            continue
        deep = len(entry["indent"])
        found = [each for each in found if each[0] < deep]
        if not entry["value"] or entry["value"].startswith("#"):
            found.append((deep, entry["key"]))
    return [key for deep, key in found if deep < indent]


def _in_line(text: str) -> tuple[list[str], str | None, str, str]:
    """The keys around the end of a line in braces, the key whose value is written, the word, and what closes braces."""
    path: list[str] = []
    opened: list[str] = []
    key: str | None = None
    word = quote = ""
    for i, letter in enumerate(text):
        if quote:
            quote, word = ("" if letter == quote else quote), word + letter
        elif letter in "\"'":
            quote, word = letter, word + letter
        elif letter == ":" and text[i + 1 : i + 2] in {"", " "}:
            key, word = word.strip(), ""
        elif letter in _CLOSING:
            opened.append(letter)
            if letter == "{":
                path.append(key or "")
                key = None
            word = ""
        elif letter in "}]" and opened:
            if opened.pop() == "{":
                path.pop()
            key, word = None, ""
        elif letter == "," and opened:
            key, word = (key if opened[-1] == "[" else None), ""
        else:
            word += letter
    closing = "".join(_CLOSING[each] for each in reversed(opened))
    return path, key, word.lstrip(" -\"'"), closing


def _mended(lines: list[str]) -> list[str]:
    """The lines of a text that is unfinished elsewhere, too: with braces closed, and without what is no entry."""
    entries = (line for line in lines if _ENTRY.match(line) or not line.strip() or line.lstrip().startswith("- "))
    return [line + _in_line(line.strip())[-1] for line in entries]


def _plain(lines: list[str]) -> Mapping[str, Any]:
    try:
        plain = parse("\n".join(lines), "text").plain()
    except InputError:
        return {}
    return cast("Mapping[str, Any]", plain) if isinstance(plain, dict) else {}


MOST = 40
"""Words that are offered at once."""
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "null": type(None), "string": str, "object": dict, "array": list, "boolean": bool, "integer": int,
    "number": (int, float),
}  # fmt: skip


class Completion(NamedTuple):
    """A word that may stand at the cursor, and what it means."""

    text: str
    about: str


def completions(schema: Json, cursor: Cursor) -> list[Completion]:
    r"""The words that may stand at the cursor, those that begin with what is written first.

    >>> from simbackup.scenario.json_schema import json_schema
    >>> from simbackup.web.completion import cursor_at
    >>> text = "jobs:\n  a: {method: image, compr"
    >>> [found.text for found in completions(json_schema("scenario"), cursor_at(text, 2, 40))]
    ['compressor']
    """
    forms = Schema(schema)
    nodes = list(forms.at(cursor.path, cursor.file))
    here = cursor.siblings
    if cursor.key is None:
        offered = (
            Completion(name, str(forms.first(form, "description")))
            for node in nodes
            for name, form in node.get("properties", {}).items()
            if name not in here
        )
    else:
        forms_of_key = [inner for node in nodes for inner in forms.step(node, cursor.key, ...)]
        offered = (*_legal(forms, forms_of_key), *_names(cursor, forms, forms_of_key))
    unique = {found.text: found for found in offered}.values()
    wanted = cursor.word.lower()
    matching = [found for found in unique if wanted in found.text.lower() and found.text != cursor.word]
    return sorted(matching, key=lambda found: not found.text.lower().startswith(wanted))[:MOST]


def _legal(forms: Schema, nodes: Iterable[Json]) -> Iterator[Completion]:
    """The words that a value may be, and examples of others."""
    for node in nodes:
        for form in forms.applied(node, ...):
            text = str(form.get("description", ""))
            words: list[Any] = [*form.get("enum", ()), *([form["const"]] if "const" in form else ())]
            words += form.get("examples", ())
            yield from (Completion(_written(word), text) for word in words if word is not None)


def _names(cursor: Cursor, forms: Schema, nodes: Iterable[Json]) -> Iterator[Completion]:
    """The names of parts in the file, where any text may stand."""
    free = any(
        form.get("type") == "string" and not {"enum", "const", "pattern"} & form.keys()
        for node in nodes
        for form in forms.applied(node, ...)
    )
    if not free or not cursor.path:
        return
    for section in (*PARTS, "targets", "policies", "machines"):
        parts = cursor.file.get(section)
        if isinstance(parts, dict):
            yield from (Completion(str(name), f"of {section}") for name in cast("dict[str, Any]", parts))


def _written(word: object) -> str:
    return str(word).lower() if isinstance(word, bool) else str(word)


class Schema:
    """A JSON Schema, and what of it applies where."""

    def __init__(self, whole: Json) -> None:
        self._whole = whole

    def at(self, path: Iterable[str], data: object) -> Iterator[Json]:
        """The forms of what is at a path of a file that holds some data."""
        nodes = [self._whole]
        for step in path:
            inner: object = _mapping(data).get(step, ...)
            nodes = [found for node in nodes for found in self.step(node, step, inner, around=data)]
            data = inner
        for node in nodes:
            yield from self.applied(node, data)

    def step(self, node: Json, key: str, inner: object, *, around: object = ...) -> Iterator[Json]:
        """The forms of the value of a key."""
        for form in self.applied(node, around):
            found = form.get("properties", {}).get(key, form.get("additionalProperties"))
            if isinstance(found, dict):
                yield from self.applied(cast("Json", found), inner)

    def applied(self, node: Json, data: object) -> Iterator[Json]:
        """A form, and those that it includes for some data; where they are unknown (...) both sides of conditions."""
        if "$ref" in node:
            yield from self.applied(self._whole["$defs"][node["$ref"].rpartition("/")[2]], data)
        yield node
        for key in ("allOf", "anyOf", "oneOf"):
            for inner in node.get(key, ()):
                yield from self.applied(inner, data)
        if "if" in node:
            both = ("then", "else") if data is ... else ("then",) if self.matches(node["if"], data) else ("else",)
            for branch in both:
                yield from self.applied(node.get(branch, {}), data)

    def first(self, node: Json, key: str) -> object:
        """What a form, or the first that it includes, says under a key."""
        return next((form[key] for form in self.applied(node, ...) if key in form), "")

    def matches(self, form: Json, data: object) -> bool:
        """Whether data meet a condition, of those that schemas of simbackup have."""
        held = _mapping(data)
        return (
            not ("not" in form and self.matches(form["not"], data))
            and ("anyOf" not in form or any(self.matches(each, data) for each in form["anyOf"]))
            and ("type" not in form or _is_of(data, form["type"]))
            and ("enum" not in form or data in form["enum"])
            and not ("pattern" in form and isinstance(data, str) and re.search(form["pattern"], data) is None)
            and all(key in held for key in form.get("required", ()))
            and all(self.matches(inner, held[key]) for key, inner in form.get("properties", {}).items() if key in held)
        )


def _mapping(data: object) -> Mapping[str, Any]:
    """Data as a mapping; an empty one for anything else."""
    return cast("Mapping[str, Any]", data) if isinstance(data, Mapping) else {}


def _is_of(data: object, kinds: object) -> bool:
    """Whether data are of a type, or of one of several, as JSON Schema names them."""
    named = cast("list[str]", kinds) if isinstance(kinds, list) else [str(kinds)]
    return any(isinstance(data, _TYPES[kind]) for kind in named)
