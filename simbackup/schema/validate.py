"""Trees against the classes of the schema: objects, or problems with their places."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from simbackup.errors import Problem
from simbackup.schema.origin import Unknown, UnknownPlace, plain_message, unknown_key
from simbackup.schema.retired import Retired, retired_key
from simbackup.schema.tree import Node

Part = TypeVar("Part", bound=BaseModel)
RETIRED_KEY = "is no longer a key"
KEY = "[key]"
"""What pydantic adds to the location of a key that is wrong itself."""


def validate(part: type[Part], node: Node, address: str, problems: list[Problem]) -> Part | None:
    """The object of a class that a tree describes, or None after all that is wrong was added to `problems`."""
    plain = node.plain()
    try:
        return part.model_validate(plain)
    except ValidationError as error:
        for detail in _details(error, plain):
            problems.extend(_located(part, node, address, detail))
        return None


def validate_in_part(
    part: type[Part], node: Node, address: str, problems: list[Problem], unresolved: bool = False
) -> Part | None:
    """The object of a class in which whatever is wrong is unknown, so that the rest of it can be checked.

    Everything that is wrong is added to `problems`; None if the tree is not a mapping. What is missing in
    a part that is `unresolved` waits for its datasheet.
    """
    plain = node.plain()
    try:
        return cast("Part", _valid(part, json.dumps(plain, separators=(",", ":"))))
    except ValidationError as error:
        for detail in _details(error, plain):
            problems.extend(_located(part, node, address, detail))
            if detail["type"] == "extra_forbidden":
                _leave_out(plain, tuple(detail["loc"]))
            else:
                _let_be_unknown(plain, tuple(detail["loc"]), address, unresolved and detail["type"] == "missing")
    try:
        return part.model_validate(plain)
    except ValidationError:
        return None


@lru_cache(maxsize=8192)
def _valid(part: type[BaseModel], text: str) -> BaseModel:
    """The object of a class that a JSON text describes; the same text is checked once, as objects never change."""
    return part.model_validate(json.loads(text))


def _details(error: ValidationError, plain: Any) -> list[Any]:
    """The errors, of a value that may have two forms only those of the form that it has, without the names of forms.

    Pydantic tries a mapping such as `{within: 5 %}` and a plain value in turn, and reports both.
    """
    whole = error.errors(include_url=False)
    found = [(detail, _without_forms(detail, plain)) for detail in whole]
    fit = [detail | {"loc": loc} for detail, (loc, fits) in found if fits]
    return fit or [detail | {"loc": loc} for detail, (loc, _) in found[:1]]


def _without_forms(detail: Any, plain: Any) -> tuple[tuple[str | int, ...], bool]:
    """The location of an error without the names of forms, and whether the value has the form that it is about."""
    loc, value, steps, fits = detail["loc"], plain, list[str | int](), True
    real = {len(loc) - 1} if detail["type"] == "missing" else set[int]()
    for i, step in enumerate(loc):
        if isinstance(value, dict) and step in value:
            value = cast("dict[Any, Any]", value)[step]
        elif isinstance(value, list) and isinstance(step, int) and step < len(cast("list[Any]", value)):
            value = cast("list[Any]", value)[step]
        elif step != KEY and i not in real:
            mapping = isinstance(value, dict) and "value" not in value
            fits = fits and mapping is str(step).isidentifier()
            continue
        steps.append(step)
    return tuple(steps), fits


def _leave_out(plain: Any, loc: tuple[str | int, ...]) -> None:
    """Drop the value at a location."""
    for step in loc[:-1]:
        plain = plain[step]
    del plain[loc[-1]]


def _let_be_unknown(plain: Any, loc: tuple[str | int, ...], address: str, of_datasheet: bool) -> None:
    """Make the value at a location unknown; of a list, all of it."""
    for i, step in enumerate(loc):
        inner = plain.get(step)
        if i == len(loc) - 1 or not isinstance(inner, dict):
            waits_for = "model" if of_datasheet and "model" in plain else step
            kind = UnknownPlace if step == "on" else Unknown
            plain[step] = kind(".".join([address, *map(str, (*loc[:i], waits_for))]))
            return
        plain = cast("dict[str | int, Any]", inner)


def _located(part: type[BaseModel], node: Node, address: str, detail: Any) -> list[Problem]:
    """One error of pydantic as problems with a place, an address and a remedy."""
    loc: tuple[str | int, ...] = tuple(step for step in detail["loc"] if step != KEY)
    reported: list[tuple[tuple[str | int, ...], str, str]]
    retired: Retired | None = None
    if detail["type"] == "given":
        reported = [((*loc, *path), message, remedy) for path, message, remedy in detail["ctx"]["problems"]]
    else:
        message, remedy = plain_message(detail)
        if detail["type"] == "extra_forbidden":
            inner = _class_at(part, loc[:-1])
            retired = retired_key(inner, str(loc[-1])) if inner is not None else None
            message = message if retired is None else RETIRED_KEY
            remedy = retired.instead if retired is not None else unknown_key(detail, _fields_at(part, loc[:-1]))
        if detail["type"] == "missing" and "model" in _fields_at(part, loc[:-1]):
            remedy = "write it here, or name a model whose datasheet has it"
        reported = [(loc, message, remedy)]
    found = [replace(_placed(node, address, *each), retired=retired) for each in reported]
    return [replace(one, place=node.find(loc)[0].key) for one in found] if KEY in detail["loc"] else found


def _placed(node: Node, address: str, path: tuple[str | int, ...], message: str, remedy: str) -> Problem:
    """A problem at the deepest part of its path that was written."""
    found, seen = node.find(path)
    whole = len(seen) == len(path)
    place = found.key if message in {"is not known here", RETIRED_KEY} and whole else found.place
    full = ".".join([address, *map(str, path)]) if address else ".".join(map(str, path))
    return Problem(place, full, message, remedy)


def _fields_at(part: type[BaseModel], path: tuple[str | int, ...]) -> list[str]:
    """The legal keys of a class, or of the class of the field that a path leads to."""
    found = _class_at(part, path)
    return [] if found is None else list(found.model_fields)


def _class_at(part: type[BaseModel], path: tuple[str | int, ...]) -> type[BaseModel] | None:
    """The class of the field that a path leads to, None if it is no part."""
    named = False
    for step in path:
        if named:  # a step that is a name, not a key
            named = False
            continue
        field = part.model_fields.get(str(step))
        annotation = field.annotation if field else None
        inner = [a for a in (annotation, *getattr(annotation, "__args__", ())) if isinstance(a, type)]
        nested = [a for a in inner if issubclass(a, BaseModel)]
        if not nested:
            return None
        part, named = nested[0], getattr(annotation, "__origin__", None) is dict
    return part
