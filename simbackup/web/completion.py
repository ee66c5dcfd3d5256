"""Completion of a file that is being written, from its JSON Schema: keys, words, datasheets, and names in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from simbackup.schema.fleet import PARTS
from simbackup.schema.json_forms import Json
from simbackup.web.cursor import Cursor

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
    >>> from simbackup.web.cursor import cursor_at
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
