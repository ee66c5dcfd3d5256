"""The values of a result in its record: of many, the same origin is written once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

from simbackup.results.record import UsedValue

MANY = 5_000
"""Values from which on an origin is written once: 1,000 clients have 30,000 values, and 30 origins."""


def packed(values: Sequence[UsedValue]) -> dict[str, Any]:
    """The values as plain data: each on its own, or the number of what is known of it by its address.

    >>> packed([])
    {'values': []}
    """
    if len(values) < MANY or len({value.address for value in values}) < len(values):
        return {"values": [asdict(value) for value in values]}
    numbers: dict[str, int] = {}
    texts: dict[str, int] = {}
    origins: list[UsedValue] = []
    for value in values:
        origin = replace(value, address="")
        number = texts.setdefault(repr(origin), len(origins))  # its lists have no hash
        if number == len(origins):
            origins.append(origin)
        numbers[value.address] = number
    return {"values": numbers, "origins": [asdict(origin) for origin in origins]}


def unpacked(content: Mapping[str, Any]) -> list[UsedValue]:
    """The values from which `packed` made such data; IndexError where an origin is missing."""
    if isinstance(content["values"], dict):
        values = cast("dict[str, int]", content["values"])
        origins = [UsedValue(**origin) for origin in content["origins"]]
        return [replace(origins[number], address=address) for address, number in values.items()]
    return [UsedValue(**value) for value in content["values"]]
