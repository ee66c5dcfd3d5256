"""Regular expressions of what files hold, as JSON Schema and so ECMAScript write them."""

from __future__ import annotations

from simbackup import units
from simbackup.schema.part import NAME

NUMBER = r"\+?[0-9.][0-9._]*(?:[eE][+-]?[0-9]+)?"
"""A number; whether it has two points is left to the reader."""


def name_pattern() -> str:
    """Regular expression of the names of hosts, devices, data and jobs.

    >>> name_pattern()
    '^[A-Za-z][A-Za-z0-9_-]*$'
    """
    return "^" + NAME.pattern.removesuffix(r"\Z") + "$"


def quantity_pattern(unit: str) -> str:
    """Regular expression of the texts that `units.parse` reads as a quantity of a unit; bounds are not checked.

    Parameters
    ----------
    unit
        The SI unit, a key of `units.DIMENSIONS`.

    >>> import re
    >>> [bool(re.search(quantity_pattern("B/s"), text)) for text in ("5 MB/s", "5 MB", "5")]
    [True, False, False]
    """
    dimension = units.DIMENSIONS[unit]
    names, over, under = ("|".join(sorted(filter(None, n))) for n in (dimension.names, dimension.over, dimension.under))
    named = [f"(?:{names})"] if names else []
    if under:
        maybe = "?" if "" in dimension.over else ""
        named.append(rf"(?:{over}){maybe}\s*/\s*(?:{under})")
    bare = "?" if "" in dimension.names else ""
    forms = [rf"{NUMBER}\s*(?:{'|'.join(named)}){bare}", r"\+?0[0.]*"]
    if unit == "s":
        forms.append(rf"(?:{NUMBER}\s*(?:{names})\s*)+")
    if unit == "1":
        forms.append(rf"{NUMBER}\s*:\s*{NUMBER}")
    return rf"^\s*(?:{'|'.join(forms)})\s*$"
