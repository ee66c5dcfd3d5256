"""Typing errors in quantities, and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Callable

_NOT_FINITE = re.compile(r"[+-]?\.?(?:(nan)|inf|infinity)", re.IGNORECASE)
_BEYOND = re.compile(r"[EZYRQ](i?)(?=B|b)")
_BITS = re.compile(r"(?<=[\d ])([kKMGTP]i?)?(?:b|bits?)\Z")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d|,)")


def wrong_number(text: object) -> str:
    """What is wrong with a text such as 'nan' or 'inf'; empty for any other."""
    match = _NOT_FINITE.fullmatch(str(text).strip())
    return "" if match is None else "not a number" if match[1] else "not finite"


def beyond(name: str, factor: Callable[[str], object]) -> str:
    """Advice for a unit with a prefix above the greatest one, such as 'EB'; empty for any other."""
    match = _BEYOND.match(name)
    largest = f"P{match[1]}{name[match.end() :]}" if match else ""
    return f"the largest unit is '{largest}'" if largest and factor(largest) else ""


def bits(text: str) -> str:
    """Advice for a size in bits, which only rates of networks are counted in; empty for any other text.

    >>> bits("100 Gb"), bits("100 GB")
    ("is in bits; did you mean '100 GB'?", '')
    """
    meant, found = _BITS.subn(lambda unit: f"{unit[1] or ''}B", text.strip())
    return f"is in bits; did you mean '{meant}'?" if found else ""


def comma(text: str, is_right: Callable[[str], bool], *, whole: bool) -> str:
    """Advice for a text that is a quantity but for its commas; empty for any other."""
    point, without = text.strip().replace(",", ".", 1), text.strip().replace(",", "")
    if _THOUSANDS.match(text.strip()) is None:
        return f"write the decimal with a point: '{point}'" if is_right(point) else ""
    if not is_right(without):
        return ""
    decimal = f", or the decimal with a point: '{point}'" if is_right(point) and not whole else ""
    return f"write it without commas: '{without}'{decimal}"
