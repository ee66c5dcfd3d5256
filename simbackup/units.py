"""Quantities as people write them, and back: exact, in both directions.

Every quantity lives in the program as a float in the SI unit of its dimension (bytes, seconds, bytes per
second). Texts are read as exact ratios of whole numbers and rounded once, to the nearest float.

>>> parse("5 MB/s", "B/s"), parse("3 h 30 min", "s"), parse("20 %", "1")
(5000000.0, 12600.0, 0.2)
>>> show(2147483648, "B"), show_short(133_472_000, "B/s")
('2 GiB', '133.5 MB/s')
"""

from __future__ import annotations

import math
import re
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache

from simbackup import slips
from simbackup.dimensions import DIMENSIONS, ONE, TIME, Dimension, Ratio


class UnitError(ValueError):
    """Text that is not a quantity of the wanted dimension; the message says what was read and what would be right."""


_NUMBER = r"(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_QUANTITY = re.compile(rf"([+-]?{_NUMBER})\s*(.*)", re.DOTALL)
_PROPORTION = re.compile(rf"({_NUMBER})\s*:\s*({_NUMBER})")
_TIME_PART = re.compile(rf"({_NUMBER})\s*([^\W\d_]+)\s*")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")

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
    simbackup.units.UnitError: '5 furlongs' is not a size; write for example '5 MB', '2 GiB'
    """
    if isinstance(text, str):
        return _parse_text(text, unit)
    dimension = _dimension(unit)
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
    dimension = _dimension(unit)
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
    advice = slips.comma(text, lambda each: _is_quantity(each, unit), whole=unit == "count") if "," in text else ""
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


def _dimension(unit: str) -> Dimension:
    try:
        return DIMENSIONS[unit]
    except KeyError:
        raise UnitError(f"{unit!r} is not a unit; the units are {', '.join(DIMENSIONS)}") from None


def _examples(dimension: Dimension) -> str:
    return "write for example " + ", ".join(f"'{example}'" for example in dimension.examples)


def _bare(text: object, dimension: Dimension) -> UnitError:
    return UnitError(f"{text!r} has no unit; {_examples(dimension)}")


def _no(text: object, dimension: Dimension, digits: str = "", name: str = "") -> UnitError:
    likely = " or ".join(f"'{digits} {each}'" for each in dimension.likely(name))
    advice = f"did you mean {likely}?" if likely else slips.beyond(name, dimension.factor) or _examples(dimension)
    return UnitError(f"{text!r} is {slips.wrong_number(text) or f'not a {dimension.noun}'}; {advice}")


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


# Fifteen digits find the short text of a rounded quotient (5 a minute); seventeen tell all floats apart.
_SHORTER = Context(prec=15, Emin=-9999, Emax=9999)
_LONGER = Context(prec=17, Emin=-9999, Emax=9999)
_BINARY_DIGITS = 6  # a longer number of KiB only happens to be shorter
_PRODUCT = Context(prec=60, Emin=-9999, Emax=9999)


def show(value: float, unit: str) -> str:
    """Text of an SI value, short, from which `parse` reads exactly the same float.

    Parameters
    ----------
    value
        The quantity in `unit`, finite and not negative; whole if it is a count.
    unit
        Its SI unit, a key of `DIMENSIONS`.

    Raises
    ------
    UnitError
        If no text could be read back: the value is negative, not finite, or a fraction of a count.

    >>> show(8192, "B"), show(5400, "s"), show(0.476, "1"), show(365.185, "s")
    ('8 KiB', '1.5 h', '47.6 %', '365.185 s')
    """
    dimension = _dimension(unit)
    value = float(value)
    if not math.isfinite(value) or value < 0 or (unit == "count" and not value.is_integer()):
        raise UnitError(f"{value!r} cannot be written as a {dimension.noun} in {unit!r}")
    if value == 0:
        return f"0 {dimension.base}".rstrip()
    number = Decimal(repr(value))
    texts = [_exact_text(number, name, dimension, value) for name in dimension.human]
    for name in dimension.binary:
        text = _exact_text(number, name, dimension, value)
        if text and text[1] <= _BINARY_DIGITS:
            texts.append(text)
    return min(text for text in texts if text)[-1]  # the base unit is always exact


def _exact_text(number: Decimal, name: str, dimension: Dimension, value: float) -> tuple[bool, int, int, str] | None:
    """Rank and text of a value in one unit, the best text ranking first; None if it cannot be exact."""
    over, under = dimension.factor(name) or ONE
    for context in (_SHORTER, _LONGER):
        scaled = context.divide(_PRODUCT.multiply(number, Decimal(under)), Decimal(over))
        numerator, denominator = scaled.as_integer_ratio()
        try:
            exact = (numerator * over) / (denominator * under) == value
        except OverflowError:  # rounded up past the largest float
            continue
        if exact:
            digits = _plain(scaled)
            text = f"{digits} {name}".rstrip()
            return scaled < 1, len(digits.replace(".", "")), len(text), text
    return None


_MINUTE = 60
_LONGEST_COMPOUND = 100 * 86_400  # from here on the hours drown in the days


def _plain(number: Decimal) -> str:
    number = _LONGER.normalize(number) if number else Decimal(0)
    if -7 <= number.adjusted() < 17:  # noqa: PLR2004 - about where repr() of a float turns to exponents
        return f"{number:f}"
    return f"{number:e}".replace("e+", "e")


def show_short(value: float, unit: str, digits: int = 4) -> str:
    """Text of an SI value for tables, rounded to some significant digits.

    Parameters
    ----------
    value
        The quantity in `unit`; differences may be negative, and bounds infinite.
    unit
        Its SI unit, a key of `DIMENSIONS`.
    digits
        Significant digits kept, at least 1. Counts keep all digits before the point.

    Raises
    ------
    UnitError
        If the unit is unknown.

    >>> show_short(365.185, "s"), show_short(0.476, "1"), show_short(1_900_000, "count")
    ('6 min 5.2 s', '47.6 %', '1,900,000')
    """
    dimension, value = _dimension(unit), float(value)
    if value < 0:
        return "-" + show_short(-value, unit, digits)
    if not math.isfinite(value):
        return f"{value} {dimension.base}".rstrip()
    rounded = float(f"{abs(value):.{digits - 1}e}")
    if unit == "count" and value >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    if unit == "s" and _MINUTE <= rounded < _LONGEST_COMPOUND:
        return _short_compound(value, digits)
    name = _short_unit(dimension, unit, rounded)
    over, under = dimension.factor(name) or ONE
    scaled = Decimal(f"{Decimal(value) * under / over:.{digits - 1}e}")
    return f"{_plain(scaled)} {name}".rstrip()


def _short_unit(dimension: Dimension, unit: str, rounded: float) -> str:
    """Name of the largest unit of which there is at least one."""
    if unit == "1" and rounded <= 1:  # a full share reads 100 %, beside its neighbours in per cent
        return "%"
    if rounded == 0:
        return dimension.base
    best = dimension.human[0]
    for name in dimension.human:
        over, under = dimension.factor(name) or ONE
        if rounded >= over / under:
            best = name
    return best


def _short_compound(seconds: float, digits: int) -> str:
    """Text of a time in days, hours, minutes and seconds, down to about the digits wanted."""
    places = digits - 1 - int(f"{seconds:e}".partition("e")[2])
    if places >= 0:
        rest = round(seconds, places)
    else:
        step = 60 if places >= -2 or seconds < 86_400 else 3600  # noqa: PLR2004 - tens and hundreds of seconds
        rest = float(step * round(seconds / step))
    parts: list[str] = []
    for name, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        whole, rest = divmod(rest, size)
        if whole:
            parts.append(f"{whole:.0f} {name}")
    rest = round(rest, max(0, places))
    if rest:
        parts.append(f"{_plain(Decimal(repr(rest)))} s")
    return " ".join(parts)
