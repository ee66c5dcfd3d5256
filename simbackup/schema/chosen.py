"""Names of those parts that a condition allows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any


class Chosen(Collection[str]):
    """The names of the parts for which a condition holds, in their order; only those asked for are looked at.

    >>> big = Chosen({"a": 1, "b": 20, "c": 30}, lambda size: size > 10)
    >>> "b" in big, "a" in big, list(big)
    (True, False, ['b', 'c'])
    """

    def __init__(self, parts: Mapping[str, Any], condition: Callable[[Any], bool]) -> None:
        self._parts = parts
        self._condition = condition

    def __contains__(self, name: object) -> bool:
        return name in self._parts and self._condition(self._parts[str(name)])

    def __iter__(self) -> Iterator[str]:
        return (name for name, part in self._parts.items() if self._condition(part))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def of_class(parts: Mapping[str, Any], capability: type) -> Chosen:
    """The names of the parts of a capability.

    >>> list(of_class({"a": 1, "b": "text"}, str))
    ['b']
    """
    return Chosen(parts, lambda part: isinstance(part, capability))
