"""Names for many systems: "db01 to db40"."""

from __future__ import annotations

import re
from collections.abc import Sequence

NUMBERED = re.compile(r"(.*?)(\d+)")
FEW = 2
"""Systems that are all named."""


def called(systems: Sequence[str]) -> str:
    """Some systems in few words: the first and the last of those that are numbered without a gap.

    >>> called(("sql01",)), called(("vm01", "vm02")), called(("vm09", "vm10", "vm11"))
    ('sql01', 'vm01 and vm02', 'vm09 to vm11 (3 systems)')
    >>> called(("vm01", "vm02", "vm04")), called(("mail", "vm01", "web"))
    ('vm01 and 2 more', 'mail and 2 more')
    """
    first, *others = systems
    if len(systems) > FEW and (ends := _row(systems)) is not None:
        return f"{ends[0]} to {ends[1]} ({len(systems)} systems)"
    rest = others if len(others) == 1 else [f"{len(others)} more"] * bool(others)
    return " and ".join([first, *rest])


def _row(systems: Sequence[str]) -> tuple[str, str] | None:
    """The first and the last of some systems whose names count up by one, whatever their order; None otherwise."""
    found = [NUMBERED.fullmatch(system) for system in systems]
    parts = [(each[1], int(each[2])) for each in found if each is not None]
    if len(parts) < len(systems) or len({name for name, _ in parts}) > 1:
        return None
    numbers = {number: system for (_, number), system in zip(parts, systems, strict=True)}
    low, high = min(numbers), max(numbers)
    return (numbers[low], numbers[high]) if high - low + 1 == len(numbers) == len(systems) else None
