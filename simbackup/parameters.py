"""Parameters of an equation or a live part, taken from a spec by field name."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from simbackup.late import Late, defaults, found_by
from simbackup.schema.quantity import Frozen, Quantity

Parameters = TypeVar("Parameters")


def parameters_of(made: type[Parameters], part: Frozen | None, **own: Any) -> Parameters:
    """An instance of a dataclass whose fields are the values of a part by the same names, in SI units.

    A field that the part leaves out keeps the default of the dataclass. A field of the type `int` is rounded down.
    The values of a `Late` dataclass are taken when they are first read.

    Parameters
    ----------
    made
        A dataclass.
    part
        What a file says; None leaves all to `own` and the defaults.
    **own
        Values by name that are used instead of those of the part.

    >>> from dataclasses import dataclass
    >>> from simbackup.schema.quantity import PositiveSize
    >>> class Said(Frozen):
    ...     chunk: PositiveSize
    >>> @dataclass
    ... class Needed:
    ...     chunk: float
    ...     groups: int = 1
    >>> parameters_of(Needed, Said(chunk="8 KiB"))
    Needed(chunk=8192.0, groups=1)
    """
    whole, usual = _whole(made), defaults(made)

    def found(name: str) -> Any:
        value = getattr(part, name, None)
        if isinstance(value, Quantity):
            return int(value.si) if name in whole else value.si
        return value if value is not None else usual[name]

    if issubclass(made, Late):
        return found_by(made, found, own)
    every = fields(made)  # pyright: ignore[reportArgumentType]
    return made(**{field.name: found(field.name) for field in every if field.name not in own}, **own)


@cache
def _whole(made: type) -> frozenset[str]:
    """The names of the fields of a dataclass that are whole numbers."""
    every = fields(made)  # pyright: ignore[reportArgumentType]
    return frozenset(field.name for field in every if field.type in {int, "int"})
