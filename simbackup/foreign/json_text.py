"""JSON that other programs wrote: values by address, with messages that name file, line and address."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, cast

from simbackup.errors import InputError, Place, Problem

MOST = 1e18
"""The greatest number that is believed: an exabyte, or thirty years in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Json:
    """One value of a file, with the address that leads to it."""

    value: Any
    file: str
    address: str = ""
    line: int = 1

    @property
    def place(self) -> Place:
        """Where the document that it belongs to begins."""
        return Place(self.file, self.line, 1)

    def get(self, *path: str | int) -> Json | None:
        """The value at a path below it; None if there is none."""
        found: Any = self.value
        for step in path:
            if isinstance(found, dict):
                found = cast("dict[str | int, Any]", found).get(step)
            elif isinstance(found, list) and isinstance(step, int):
                items = cast("list[Any]", found)
                found = items[step] if step < len(items) else None
            else:
                found = None
        address = ".".join(str(step) for step in (self.address, *path) if step != "")
        return None if found is None else Json(found, self.file, address, self.line)

    def number(self, *path: str | int) -> float:
        """The number at a path below it, not negative and at most `MOST`.

        Raises
        ------
        InputError
            There is none.
        """
        found = self.get(*path)
        value = found.value if found is not None else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(path, "is missing" if value is None else f"'{value}' is not a number")
        if not 0 <= value <= MOST:
            shown = f"{value:.6g}" if isinstance(value, float) else str(value)
            raise self._wrong(path, f"'{shown}' is not between 0 and {MOST:g}")
        return float(value)

    def count(self, *path: str | int) -> float:
        """The whole number at a path below it.

        Raises
        ------
        InputError
            There is none.
        """
        found = self.number(*path)
        if not found.is_integer():
            raise self._wrong(path, f"'{found}' is not a whole number")
        return found

    def moment(self, *path: str | int, zone: tzinfo = UTC) -> datetime | None:
        """The time at a path below it, as ISO 8601 writes it; one that names no zone is of that given. None if missing.

        Raises
        ------
        InputError
            It is no time.
        """
        text = self.text(*path)
        try:
            found = datetime.fromisoformat(text) if text else None
        except ValueError:
            raise self._wrong(path, f"'{text}' is not a time such as 2026-11-22T12:42:19") from None
        return found.replace(tzinfo=zone) if found is not None and found.tzinfo is None else found

    def day(self, *path: str | int) -> str:
        """The day in UTC, `2026-11-22`, of the seconds since 1970 at a path below it; empty if there are none.

        Raises
        ------
        InputError
            They are no such seconds.
        """
        if self.get(*path) is None:
            return ""
        seconds = self.number(*path)
        try:
            return datetime.fromtimestamp(seconds, UTC).date().isoformat()
        except (ValueError, OverflowError, OSError):
            raise self._wrong(path, f"'{seconds}' is not a time in seconds since 1970") from None

    def _wrong(self, path: Sequence[str | int], message: str) -> InputError:
        """The error of what is at a path below it."""
        address = ".".join(str(step) for step in (self.address, *path) if step != "")
        return InputError([Problem(self.place, address, message, "write the output again, completely")])

    def text(self, *path: str | int) -> str:
        """The text at a path below it; empty if there is none."""
        found = self.get(*path)
        return "" if found is None else str(found.value)

    def texts(self, *path: str | int) -> dict[str, str]:
        """The members of the mapping at a path below it as texts; none if there is no mapping."""
        found = self.get(*path)
        value = found.value if found is not None else None
        members = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        return {key: str(member) for key, member in members.items()}

    def items(self) -> Iterator[Json]:
        """The members of a list; none of anything else."""
        value: Any = self.value
        members = cast("list[Any]", value) if isinstance(value, list) else []
        for i, member in enumerate(members):
            yield Json(member, self.file, f"{self.address}.{i}".lstrip("."), self.line)


def document(text: str, file: str, opening: str = "{") -> Json:
    """The one JSON document of a file, which begins with `opening`; words of the tool before it are passed over.

    Raises
    ------
    InputError
        It is not complete.
    """
    begin = max(text.find(opening), 0)
    line = text.count("\n", 0, begin) + 1
    try:
        found, _ = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError) as error:
        raise _broken(error, file, 0) from None
    return Json(found, file, "", line)


def lines(text: str, file: str) -> Iterator[Json]:
    """The JSON documents of a file with one in each line.

    Raises
    ------
    InputError
        A line is not JSON.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield Json(json.loads(line), file, "", number)
            except (ValueError, RecursionError) as error:
                raise _broken(error, file, number - 1) from None


def _broken(error: Exception, file: str, above: int) -> InputError:
    """The error of a file that is not JSON."""
    if isinstance(error, json.JSONDecodeError):
        place = Place(file, above + error.lineno, error.colno)
        return InputError([Problem(place, "", f"is not valid JSON: {error.msg.lower()}", "is the file complete?")])
    why = "it is nested too deeply" if isinstance(error, RecursionError) else "a number has too many digits"
    return InputError([Problem(Place(file, above + 1, 1), "", f"is not valid JSON: {why}")])
