"""Records whose values are computed when first read, so that values which a run never reads can be reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

Made = TypeVar("Made", bound="Late")


class Late:
    """A dataclass with slots some of whose values may be found when they are first read, and are then kept.

    What a run never reads of such a record, it never reads of the file from which the record was made.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, slots=True)
    ... class Needed(Late):
    ...     chunk: float
    ...     groups: int = 1
    >>> needed = late(Needed, chunk=lambda: print("found") or 8192.0)
    >>> needed.chunk, needed.chunk, needed.groups
    found
    (8192.0, 8192.0, 1)
    """

    __slots__ = ("_found",)

    if TYPE_CHECKING:
        _found: Callable[[str], Any]
    else:

        def __getattr__(self, name: str) -> object:
            """A value that is read for the first time; Python asks here for nothing that is there."""
            if name not in _slots(type(self)):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            value = self._found(name)
            object.__setattr__(self, name, value)
            return value


def late(made: type[Made], /, **values: Any) -> Made:
    """A record of a class: values that are functions without arguments are called when they are first read."""
    usual = defaults(made)
    return found_by(made, usual.__getitem__, values)


def found_by(made: type[Made], found: Callable[[str], Any], values: Mapping[str, Any]) -> Made:
    """Such a record, of which `found` finds what is not among the values, by its name."""
    record = object.__new__(made)
    later: dict[str, Callable[[], Any]] = {}
    for name, value in values.items():
        if callable(value):
            later[name] = value
        else:
            object.__setattr__(record, name, value)

    def either(name: str) -> Any:
        return later[name]() if name in later else found(name)

    object.__setattr__(record, "_found", either if later else found)
    return record


def changed(record: Made, /, **values: Any) -> Made:
    """The record with other values in some places, as `dataclasses.replace`; what was not read is still not read."""
    return found_by(type(record), lambda name: getattr(record, name), values)


@cache
def defaults(made: type) -> Mapping[str, Any]:
    """The values of the fields of a dataclass that need none."""
    found = {field.name: field.default for field in fields(made)}
    return {name: default for name, default in found.items() if default is not MISSING}


@cache
def _slots(made: type) -> frozenset[str]:
    """The names of the fields of a dataclass."""
    return frozenset(field.name for field in fields(made))
