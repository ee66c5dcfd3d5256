"""Errors of pydantic in words of our own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from simbackup.errors import choices

WRONG_TYPES = {
    "string_type": "text", "int_type": "whole number", "int_parsing": "whole number", "float_type": "number",
    "float_parsing": "a number", "bool_type": "true or false", "bool_parsing": "true or false",
}  # fmt: skip
WRONG_SHAPES = {
    "dict_type": ("mapping", "write its keys below it, indented"),
    "model_type": ("mapping", "write its keys below it, indented"),
    "mapping_type": ("mapping", "write its keys below it, indented"),
    "tuple_type": ("list", "write [a, b]"),
    "list_type": ("list", "write [a, b]"),
}
MISSING = "is missing"
EMPTY = "is empty"
WIDTH = 40
"""Characters of a wrong value that a message shows."""


def plain_message(error: Any) -> tuple[str, str]:
    """The message and the remedy for one error of pydantic."""
    kind, context = str(error["type"]), dict(error.get("ctx") or {})
    shown = repr(error.get("input"))
    shown = shown if len(shown) <= WIDTH else f"{shown[: WIDTH - 3]}..."
    if error.get("input", "") is None and kind in {*WRONG_TYPES, *WRONG_SHAPES}:
        return EMPTY, f"write {WRONG_TYPES[kind]}" if kind in WRONG_TYPES else WRONG_SHAPES[kind][1]
    if kind in WRONG_TYPES:
        return f"{shown} is not {WRONG_TYPES[kind]}", f"write {WRONG_TYPES[kind]}"
    if kind in WRONG_SHAPES:
        return f"{shown} is not a {WRONG_SHAPES[kind][0]}", WRONG_SHAPES[kind][1]
    fixed = {
        "missing": (MISSING, "write it here"),
        "extra_forbidden": ("is not known here", ""),
        "literal_error": (f"{shown} is not one of the allowed words", f"choose from: {context.get('expected', '')}"),
        "string_too_short": ("is empty", "write a name"),
        "too_short": (_entries(context), f"write at least {context.get('min_length')}"),
        "less_than_equal": (f"{shown} is above {context.get('le')}", "write a smaller number"),
        "greater_than_equal": (f"{shown} is below {context.get('ge')}", "write a greater number"),
        "too_long": (_entries(context), f"write {context.get('max_length')}"),
    }
    return fixed.get(kind, (str(error["msg"]), ""))


def unknown_key(error: Any, legal: Iterable[str]) -> str:
    """The remedy for an unknown key; one without a value is what follows a comma in a text."""
    remedy = choices(error["loc"][-1], legal)
    if error["input"] is None and not remedy.startswith("did you mean"):
        return "put a text with a comma in quotes"
    return remedy


def _entries(context: Any) -> str:
    """How many entries a list or a mapping has."""
    return f"has {context['actual_length']} entries" if context.get("actual_length") else "is empty"
