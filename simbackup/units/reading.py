"""Texts of quantities as SI values, read exactly."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from simbackup.units.dimensions import TIME, Dimension, Ratio, UnitError, dimension_of

_NUMBER = r"(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_QUANTITY = re.compile(rf"([+-]?{_NUMBER})\s*(.*)", re.DOTALL)
_PROPORTION = re.compile(rf"({_NUMBER})\s*:\s*({_NUMBER})")
_TIME_PART = re.compile(rf"({_NUMBER})\s*([^\W\d_]+)\s*")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")
_NOT_FINITE = re.compile(r"[+-]?\.?(?:(nan)|inf|infinity)", re.IGNORECASE)
_TOO_LARGE = re.compile(r"[EZYRQ](i?)(?=B|b)")
_IN_BITS = re.compile(r"(?<=[\d ])([kKMGTP]i?)?(?:b|bits?)\Z")
_IN_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d|,)")

# Far outside every float, whatever the prefix; 10**400 still costs nothing.
_FARTHEST = 400


def parse(text: str | float, unit: str) -> float:
    """SI value of a quantity written by a person, rounded once to the nearest float.

    Parameters
    ----------
    text
        The quantity, such as '5 MB/s'. A bare number will do for a share, ratio or count, and for zero.
    unit
        The SI unit wanted, a key of `DIMENSIONS`.

    Raises
    ------
    UnitError
        If the text is not such a quantity, is negative or too large; or if the unit is unknown.

    Notes
    -----
    'B' is a byte and 'b' a bit; k (or K), M, G, T, P are decimal and Ki, Mi, Gi, Ti, Pi binary.
    A year has 365 days.

    >>> parse("1 Gb/s", "B/s"), parse("7200 rpm", "1/s"), parse("0.1 s", "s")
    (125000000.0, 120.0, 0.1)
    >>> parse("5 furlongs", "B")
    Traceback (most recent call last):
        ...
    simbackup.units.dimensions.UnitError: '5 furlongs' is not a size; write for example '5 MB', '2 GiB'
    """
    if isinstance(text, str):
        return _parse_text(text, unit)
    dimension = dimension_of(unit)
    try:
        value = float(text)
    except (TypeError, ValueError):
        raise _no(text, dimension) from None
    except OverflowError:
        raise UnitError(f"{text!r} is too large") from None
    if isinstance(text, bool) or not math.isfinite(value):
        raise _no(text, dimension)
    if value < 0:
        raise UnitError(f"{text!r} cannot be negative")
    if value and "" not in dimension.names:
        raise _bare(text, dimension)
    if unit == "count" and not value.is_integer():
        raise UnitError(f"{text!r} must be a whole number")
    return abs(value)  # no negative zero


@lru_cache(maxsize=8192)
def _parse_text(text: str, unit: str) -> float:
    dimension = dimension_of(unit)
    try:
        numerator, denominator = _read(text, unit, dimension)
        value = numerator / denominator  # Python rounds the quotient of two ints correctly
    except (OverflowError, InvalidOperation):
        raise UnitError(f"{text!r} is too large") from None
    if unit == "count" and numerator % denominator:
        raise UnitError(f"{text!r} must be a whole number")
    return value


def _read(text: str, unit: str, dimension: Dimension) -> Ratio:
    match = _QUANTITY.fullmatch(text.strip())
    advice = _comma(text, lambda each: _is_quantity(each, unit), whole=unit == "count") if "," in text else ""
    if advice:
        raise UnitError(f"{text!r} is not a {dimension.noun}; {advice}")
    if match is None:
        raise _no(text, dimension)
    digits, name = match.groups()
    number = _exact(digits)
    if number[0] < 0:
        raise UnitError(f"{text!r} cannot be negative")
    factor = dimension.factor(name)
    if factor is not None:
        return number[0] * factor[0], number[1] * factor[1]
    if not name:
        if number[0] == 0:
            return number
        raise _bare(text, dimension)
    special = _compound(text) if unit == "s" else _proportion(text) if unit == "1" else None
    if special is None:
        raise _no(text, dimension, digits, name)
    return special


def _exact(digits: str) -> Ratio:
    number = Decimal(digits)
    if number and number.adjusted() > _FARTHEST:
        raise OverflowError
    if number and number.adjusted() < -_FARTHEST:
        # Too small for a float but not zero: a count must still see that it is not whole.
        return -1 if number < 0 else 1, 10**_FARTHEST
    return number.as_integer_ratio() if number else (0, 1)


def _compound(text: str) -> Ratio | None:
    """Seconds of a time in several units, the largest first: '3 h 30 min'; None if it is not one."""
    numerator, denominator = 0, 1
    longer: Ratio | None = None
    rest = text.strip()
    while rest:
        match = _TIME_PART.match(rest)
        unit = TIME.get(match[2]) if match else None
        if match is None or unit is None or (longer and unit[0] * longer[1] >= longer[0] * unit[1]):
            return None
        number = _exact(match[1])
        part, of = number[0] * unit[0], number[1] * unit[1]
        numerator, denominator = numerator * of + part * denominator, denominator * of
        longer, rest = unit, rest[match.end() :]
    return numerator, denominator


def _proportion(text: str) -> Ratio | None:
    """Quotient of a proportion, '2:1'; None if it is not one."""
    match = _PROPORTION.fullmatch(text.strip())
    if match is None:
        return None
    left, right = _exact(match[1]), _exact(match[2])
    return (left[0] * right[1], left[1] * right[0]) if right[0] else None


def _examples(dimension: Dimension) -> str:
    return "write for example " + ", ".join(f"'{example}'" for example in dimension.examples)


def _bare(text: object, dimension: Dimension) -> UnitError:
    return UnitError(f"{text!r} has no unit; {_examples(dimension)}")


def _no(text: object, dimension: Dimension, digits: str = "", name: str = "") -> UnitError:
    likely = " or ".join(f"'{digits} {each}'" for each in dimension.likely(name))
    advice = f"did you mean {likely}?" if likely else _beyond(name, dimension.factor) or _examples(dimension)
    return UnitError(f"{text!r} is {_wrong_number(text) or f'not a {dimension.noun}'}; {advice}")


def _is_quantity(text: str, unit: str) -> bool:
    try:
        parse(text, unit)
    except UnitError:
        return False
    return True


def parse_clock(text: str) -> float:
    """Seconds after midnight of a time of day, written on the 24-hour clock.

    Parameters
    ----------
    text
        Hours and minutes, with or without seconds: '22:00', '06:30:15'.

    Raises
    ------
    UnitError
        If it is not a time of day between 00:00 and 23:59:59.

    >>> parse_clock("22:00")
    79200.0
    """
    match = _CLOCK.fullmatch(str(text).strip())
    if match is None:
        raise UnitError(f"{text!r} is not a time of day; write for example '22:00', '06:30:15'")
    hours, minutes, seconds = match.groups(default="0")
    return float(int(hours) * 3600 + int(minutes) * 60 + int(seconds))


def parse_moment(text: str) -> float:
    """Seconds after the start of a run, whose first day begins then: a time of day, or a time after the start.

    Raises
    ------
    UnitError
        If it is neither.

    >>> parse_moment("22:00"), parse_moment("90 s")
    (79200.0, 90.0)
    """
    return parse_clock(text) if ":" in text else parse(text, "s")


def _wrong_number(text: object) -> str:
    """What is wrong with a text such as 'nan' or 'inf'; empty for any other."""
    match = _NOT_FINITE.fullmatch(str(text).strip())
    return "" if match is None else "not a number" if match[1] else "not finite"


def _beyond(name: str, factor: Callable[[str], object]) -> str:
    """Advice for a unit with a prefix above the greatest one, such as 'EB'; empty for any other."""
    match = _TOO_LARGE.match(name)
    largest = f"P{match[1]}{name[match.end() :]}" if match else ""
    return f"the largest unit is '{largest}'" if largest and factor(largest) else ""


def bits(text: str) -> str:
    """Advice for a size in bits, which only rates of networks are counted in; empty for any other text.

    >>> bits("100 Gb"), bits("100 GB")
    ("is in bits; did you mean '100 GB'?", '')
    """
    meant, found = _IN_BITS.subn(lambda unit: f"{unit[1] or ''}B", text.strip())
    return f"is in bits; did you mean '{meant}'?" if found else ""


def _comma(text: str, is_right: Callable[[str], bool], *, whole: bool) -> str:
    """Advice for a text that is a quantity but for its commas; empty for any other."""
    point, without = text.strip().replace(",", ".", 1), text.strip().replace(",", "")
    if _IN_THOUSANDS.match(text.strip()) is None:
        return f"write the decimal with a point: '{point}'" if is_right(point) else ""
    if not is_right(without):
        return ""
    decimal = f", or the decimal with a point: '{point}'" if is_right(point) and not whole else ""
    return f"write it without commas: '{without}'{decimal}"
