"""Where a cursor stands in the text of a YAML file that is being written: in which mapping, at a key or at a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from simbackup.errors import InputError
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
