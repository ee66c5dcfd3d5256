"""What a request asks for, of which nothing is certain before it is looked at; and pieces of the page as answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from simbackup.reporting.page import filled

Json = Mapping[str, Any]


class RefusedError(Exception):
    """A request that cannot be answered, with what is wrong with it."""


def text_of(asked: Json, key: str) -> str:
    """A text that is asked about.

    Raises
    ------
    RefusedError
        It is missing, or not text.
    """
    found = asked.get(key)
    if not isinstance(found, str):
        raise RefusedError(f"'{key}' is missing")
    return _whole(found)


def _whole(text: str) -> str:
    """A text without halves of characters, which JSON can name and no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RefusedError("half a character is not text") from None
    return text


def texts_of(asked: Json, key: str) -> dict[str, str]:
    """Texts by name; none if the key is absent.

    Raises
    ------
    RefusedError
        They are no mapping of texts.
    """
    found: object = asked.get(key) or {}
    if not isinstance(found, dict):
        raise RefusedError(f"'{key}' is not a mapping")
    named = cast("dict[str, Any]", found)
    return {_whole(name): text_of(named, name) for name in named}


def rendered(template: str, **values: Any) -> str:
    """The HTML of a template; every text in it is escaped. Tables and pictures look as in a report."""
    return filled(template, "simbackup.web", **values)
