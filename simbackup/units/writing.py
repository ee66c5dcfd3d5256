"""SI values as texts: exact ones that are read back, and short ones for tables."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from functools import lru_cache

from simbackup.units.dimensions import ONE, Dimension, UnitError, dimension_of

# Fifteen digits find the short text of a rounded quotient (5 a minute); seventeen tell all floats apart.
_SHORTER = Context(prec=15, Emin=-9999, Emax=9999)
_LONGER = Context(prec=17, Emin=-9999, Emax=9999)
_BINARY_DIGITS = 6  # a longer number of KiB only happens to be shorter
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400  # seconds
_PRODUCT = Context(prec=60, Emin=-9999, Emax=9999)


@lru_cache(maxsize=4096)
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
    dimension = dimension_of(unit)
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


ROUNDING = 1e-6
"""Share of a figure up to which a difference is rounding and no effect."""
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

    Notes
    -----
    Of what is less than a thousandth of the smallest unit, or than a hundredth of a per cent, only that is shown.

    >>> show_short(365.185, "s"), show_short(0.476, "1"), show_short(1_900_000, "count")
    ('6 min 5.2 s', '47.6 %', '1,900,000')
    >>> show_short(3.6e-15, "s"), show_short(1.28e-9, "1")
    ('< 0.001 ns', '< 0.01 %')
    """
    dimension, value = dimension_of(unit), float(value)
    if value < 0:
        text = show_short(-value, unit, digits)
        return f"> -{text[2:]}" if text.startswith("<") else f"-{text}"
    least, name = _least(dimension, unit)
    over, under = dimension.factor(name) or ONE
    if 0 < value < least * over / under:
        return f"< {least:g} {name}".rstrip()
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


@lru_cache(maxsize=4096)
def show_near(value: float, unit: str, digits: int = 4, like: str = "") -> str:
    """Text of few digits that `parse` reads, of a value which is near another one.

    Parameters
    ----------
    value
        The other one in `unit`, finite and not negative; whole if it is a count.
    unit
        Its SI unit, a key of `DIMENSIONS`.
    digits
        Significant digits kept, at least 1. Counts keep all of them.
    like
        The text of a similar value. Where its unit has a name of its own, such as rpm, this text has it, too.

    Raises
    ------
    UnitError
        If there is no such text: the value is negative, not finite, or a fraction of a count.

    >>> show_near(28_800.0 / 7.0, "s"), show_near(52_428.8, "B"), show_near(1.28e-9, "1"), show_near(1.0, "1")
    ('1.143 h', '51.2 KiB', '0.000000128 %', '100 %')
    >>> show_near(125.0, "1/s"), show_near(125.0, "1/s", like="15000 rpm")
    ('125 /s', '7500 rpm')
    """
    if value == 0 or unit == "count" or not 0 < value < math.inf:
        return show(value, unit)
    dimension, found = dimension_of(unit), list[tuple[bool, bool, int, int, str]]()
    names = ("%",) if unit == "1" and value <= 1 else (*dimension.human, *dimension.binary)
    named = like.lstrip("0123456789._eE+- ")
    names = names if named in names or not like or not dimension.factor(named) else (named,)
    for name in names:
        over, under = dimension.factor(name) or ONE
        scaled = Decimal(value) * under / over
        rounded = Decimal(f"{scaled:.{digits - 1}e}")
        written = _plain(rounded)
        off = not math.isclose(float(rounded), float(scaled), rel_tol=ROUNDING**2)
        found.append((rounded < 1, off, len(written.replace(".", "")), len(name), f"{written} {name}".rstrip()))
    return min(found)[-1]


def without_rounding(difference: float, figure: float) -> float:
    """A difference of two values near a figure; 0 if it is a millionth of it or less, which is rounding and no effect.

    >>> without_rounding(0.000123, 5400.0), without_rounding(-12.0, 5400.0)
    (0.0, -12.0)
    """
    return 0.0 if abs(difference) <= ROUNDING * abs(figure) else difference


def _least(dimension: Dimension, unit: str) -> tuple[float, str]:
    """The least amount that is shown, and its unit."""
    return (0.01, "%") if unit == "1" else (0.001, dimension.human[0])


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


def show_moment(seconds: float) -> str:
    """Text of a time after the midnight before a run, from which `parse_moment` reads it.

    On the first day this is a time of day; later, and within a second, a time after the start.

    >>> show_moment(72_000.0), show_moment(72_005.0), show_moment(158_400.0), show_moment(0.5)
    ('20:00', '20:00:05', '44 h', '500 ms')
    """
    if seconds >= _DAY or not float(seconds).is_integer():
        return show(seconds, "s")
    return show_clock(seconds, seconds=bool(seconds % _MINUTE))


def show_clock(time: float, *, seconds: bool = False) -> str:
    """Text of a time after the midnight before a run, as clocks show it, rounded; after the first day with the day.

    Parameters
    ----------
    time
        Seconds after midnight of the first day, finite and not negative.
    seconds
        Whether to show seconds.

    >>> show_clock(79_200.0), show_clock(96_200.0), show_clock(5_432.1, seconds=True)
    ('22:00', '02:43 day 2', '01:30:32')
    """
    whole = round(time) if seconds else _MINUTE * round(time / _MINUTE)
    days, rest = divmod(whole, _DAY)
    text = f"{rest // _HOUR:02}:{rest % _HOUR // _MINUTE:02}{f':{rest % _MINUTE:02}' if seconds else ''}"
    return f"{text} day {days + 1}" if days else text
