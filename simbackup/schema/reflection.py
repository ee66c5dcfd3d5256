"""What the classes of files say about their keys: texts, units, what is required, what is inside."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from inspect import cleandoc, getsource
from itertools import pairwise
from textwrap import dedent
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel

from simbackup.schema.part import Modelled, Part
from simbackup.schema.registry import device_kinds, method_kinds, sections, sheets

Mark = TypeVar("Mark")


def words_of(part: type[BaseModel], key: str) -> tuple[str, ...]:
    """The words that a key of a class may hold; none where it has no such key."""
    return get_args(part.model_fields[key].annotation) if key in part.model_fields else ()


def sheet_kind(part: type[BaseModel]) -> str | None:
    """The kind of datasheet that a class may take its parameters from."""
    if issubclass(part, Modelled) and part.sheet is not None:
        return part.sheet
    return next(
        (kind for kind, sheet in sheets().items() if issubclass(part, Modelled) and issubclass(part, sheet)), None
    )


def required(part: type[BaseModel]) -> dict[str, Any]:
    """What a complete part must have: what no datasheet supplies, and likewise in the parts inside it."""
    supplied = {"kind", *sheets()[kind].model_fields} if (kind := sheet_kind(part)) else {"kind"}
    needs = [name for name, info in part.model_fields.items() if info.is_required() and name not in supplied]
    inside = {name: required(nested) for name in part.model_fields if (nested := nested_part(part, name))}
    inside = {name: inner for name, inner in inside.items() if inner}
    found: dict[str, Any] = {**({"required": needs} if needs else {}), **({"properties": inside} if inside else {})}
    if issubclass(part, Part) and part.one_of:
        found["oneOf"] = [{"required": [name]} for name in part.one_of]
    if issubclass(part, Modelled) and part.sheet is not None:  # it may do without a datasheet altogether
        own = [name for name, field in part.model_fields.items() if field.is_required() and name in supplied]
        found["anyOf"] = [{"required": own}, {"required": ["model"]}]
    return found


def about(part: type[BaseModel]) -> str:
    """The first line of a class's docstring."""
    return (part.__doc__ or "").strip().splitlines()[0]


def text_of(part: type[BaseModel], key: str) -> str | None:
    """The docstring below a key in the class that declares it, read from its source; None without one.

    >>> text_of(Modelled, "model")
    'The datasheet for its parameters, `kind/name`; values written here override it.'
    """
    declaring = next(each for each in part.__mro__ if key in vars(each).get("__annotations__", {}))
    return part.model_fields[key].description or attribute_texts(declaring).get(key)


@cache
def attribute_texts(declaring: type) -> Mapping[str, str]:
    """The docstrings below the keys that a class itself declares."""
    try:
        source = dedent(getsource(declaring))
    except (OSError, TypeError):  # there is no source of it
        return {}
    body = cast("ast.ClassDef", ast.parse(source).body[0]).body
    return {
        key.target.id: cleandoc(text.value.value)
        for key, text in pairwise(body)
        if isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name)
        and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }  # fmt: skip


def plain_keys(part: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """The keys of a class as pydantic describes them, without what a writer does not need, and with their texts."""
    properties: dict[str, dict[str, Any]] = part.model_json_schema()["properties"]
    for found in properties.values():
        found.pop("title", None)
        if found.get("default") in (None, [], {}):
            found.pop("default", None)
    texts = {key: text_of(part, key) for key in properties}
    return {
        key: dict(sorted({**found, "description": text}.items())) if (text := texts[key]) else found
        for key, found in properties.items()
    }


def alternatives(part: type[BaseModel], name: str) -> tuple[Any, ...]:
    """The types that a key may have."""
    annotation = part.model_fields[name].annotation
    return get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)


def optional(part: type[BaseModel], name: str) -> bool:
    """Whether a key may be left empty."""
    return type(None) in alternatives(part, name)


def nested_part(part: type[BaseModel], name: str) -> type[BaseModel] | None:
    """The class of the part that a key holds, if it holds one."""
    found = (each for each in alternatives(part, name) if isinstance(each, type) and issubclass(each, BaseModel))
    return next(found, None)


def mark_of(part: type[BaseModel], name: str, mark: type[Mark]) -> Mark | None:
    """The mark of a kind that a key bears."""
    inside = [a.__metadata__ for a in alternatives(part, name) if get_origin(a) is Annotated]
    marks = [*part.model_fields[name].metadata, *(each for metadata in inside for each in metadata)]
    return next((each for each in marks if isinstance(each, mark)), None)


@cache
def nested_sheets() -> Mapping[str, str]:
    """Keys whose value is a part that may have a datasheet of its own, with the kind of that datasheet.

    >>> nested_sheets()["drive"], nested_sheets()["tool"]
    ('tape_drive', 'backup_tool')
    """
    parts: list[type[BaseModel]] = [kind.spec for kind in (*device_kinds().values(), *method_kinds().values())]
    found = ((name, nested_part(part, name)) for part in (*parts, *sections().values()) for name in part.model_fields)
    inside = {name: sheet_kind(part) for name, part in found if part is not None}
    return {name: kind for name, kind in inside.items() if kind is not None}


def holds_parts(part: type[BaseModel], name: str) -> bool:
    """Whether a key holds parts, or names of its own with what belongs to them, rather than one value."""
    return get_origin(part.model_fields[name].annotation) is dict or bool(held_parts(part, name))


def held_parts(part: type[BaseModel], name: str) -> list[type[BaseModel]]:
    """The classes of the parts that a key holds in its lists and mappings."""
    found, rest = list[type[BaseModel]](), list(alternatives(part, name))
    while rest:
        each = rest.pop()
        if isinstance(each, type) and issubclass(each, BaseModel):
            found.append(each)
        rest += get_args(each)
    return found
