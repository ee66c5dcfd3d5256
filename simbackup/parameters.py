"""Parameters of an equation or a live part, taken from a spec by field name."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from simbackup.schema.quantity import Frozen, Quantity

Parameters = TypeVar("Parameters")


def parameters_of(made: type[Parameters], part: Frozen | None, **own: Any) -> Parameters:
    """An instance of a dataclass whose fields are the values of a part by the same names, in SI units.

    A field that the part leaves out keeps the default of the dataclass. A field of the type `int` is rounded down.

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
    found: dict[str, Any] = {}
    for field in fields(made):  # pyright: ignore[reportArgumentType]
        if field.name in own:
            found[field.name] = own[field.name]
            continue
        value = getattr(part, field.name, None)
        if isinstance(value, Quantity):
            found[field.name] = int(value.si) if field.type in {int, "int"} else value.si
        elif value is not None:
            found[field.name] = value
    return made(**found)
