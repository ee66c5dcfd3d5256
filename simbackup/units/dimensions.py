"""Dimensions of quantities, and the units that each may be written in."""

from __future__ import annotations

from dataclasses import dataclass

Ratio = tuple[int, int]
"""Numerator and denominator: 'rpm' is (1, 60), which neither a float nor a Decimal can hold."""

Names = dict[str, Ratio]

_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}

_SIZE: Names = {
    **{p + "B": (f, 1) for p, f in (_DECIMAL | _BINARY).items()},
    **{p + bit: (f, 8) for p, f in (_DECIMAL | _BINARY).items() for bit in ("b", "bit")},
    "byte": (1, 1),
    "bytes": (1, 1),
    "bits": (1, 8),
}
_MICRO = ("u", "\u00b5", "\u03bc")  # the letter u, the micro sign, and the Greek letter
TIME: Names = {
    "ns": (1, 10**9),
    **{micro + "s": (1, 10**6) for micro in _MICRO},
    "ms": (1, 10**3),
    **dict.fromkeys(("s", "sec", "second", "seconds"), (1, 1)),
    **dict.fromkeys(("min", "minute", "minutes"), (60, 1)),
    **dict.fromkeys(("h", "hour", "hours"), (3600, 1)),
    **dict.fromkeys(("d", "day", "days"), (86_400, 1)),
    **dict.fromkeys(("week", "weeks"), (7 * 86_400, 1)),
    **dict.fromkeys(("year", "years"), (365 * 86_400, 1)),
}
_LENGTH: Names = {
    "nm": (1, 10**9),
    **{micro + "m": (1, 10**6) for micro in _MICRO},
    "mm": (1, 10**3),
    "cm": (1, 100),
    "m": (1, 1),
    "km": (10**3, 1),
    **dict.fromkeys(("in", "inch", "inches"), (254, 10**4)),
    **dict.fromkeys(("ft", "foot", "feet"), (3048, 10**4)),
}
_FREQUENCY: Names = {
    "rpm": (1, 60),
    "IOPS": (1, 1),
    "Hz": (1, 1),
    "kHz": (10**3, 1),
    "MHz": (10**6, 1),
    "GHz": (10**9, 1),
}
_EVENTS = ("", "1", "file", "files", "op", "ops", "IO", "requests", "transactions")
_THINGS = ("file", "files", "disk", "disks", "drive", "drives", "buffer", "buffers", "core", "cores")
ONE: Ratio = (1, 1)


class UnitError(ValueError):
    """Text that is not a quantity of the wanted dimension; the message says what was read and what would be right."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """What a quantity may be written in.

    Attributes
    ----------
    noun
        What messages call such a quantity.
    examples
        Valid texts, for messages.
    human
        Unit names that texts are written in, the smallest first.
    names
        Legal unit names with their SI values; "" where a bare number will do.
    over, under
        Legal names above and below the stroke of a quotient, both empty where there is none.
    binary
        More unit names for exact texts only.
    """

    noun: str
    examples: tuple[str, ...]
    human: tuple[str, ...]
    names: Names
    over: Names
    under: Names
    binary: tuple[str, ...] = ()

    @property
    def base(self) -> str:
        """Name of the SI unit itself, as texts write it."""
        return next(name for name in self.human if self.factor(name) == ONE)

    def factor(self, name: str) -> Ratio | None:
        """SI value of one unit of this name, as a ratio; None if the name is not known."""
        factor = self.names.get(name)
        if factor is None and self.under:
            over, stroke, under = name.partition("/")
            above, below = self.over.get(over.rstrip()), self.under.get(under.lstrip())
            if stroke and above and below:
                factor = above[0] * below[1], above[1] * below[0]
        return factor

    def likely(self, name: str) -> list[str]:
        """Legal names that differ from this one only by case, by 'ps' for '/s' or by a '/s', one for each value."""
        if not name:
            return []
        for near in (name.replace("ps", "/s"), f"{name}/s", name.removesuffix("/s")):
            if self.factor(near):
                return [near]
        wanted = _fold(name)
        legal = [*self.names, *(f"{over}/{under}" for over in self.over for under in self.under)]
        alike: dict[Ratio | None, str] = {}
        for each in legal:
            if _fold(each) == wanted:
                alike.setdefault(self.factor(each), each)
        return list(alike.values())


def _fold(name: str) -> str:
    return name.replace(" ", "").lower().replace("ps", "/s")


_SIZES = ("B", "kB", "MB", "GB", "TB", "PB")
_BINARY_SIZES = ("KiB", "MiB", "GiB", "TiB", "PiB")
_TIMES = ("ns", "us", "ms", "s")


def _per(names: tuple[str, ...], under: str) -> tuple[str, ...]:
    return tuple(f"{name}/{under}" for name in names)


DIMENSIONS: dict[str, Dimension] = {
    "B": Dimension("size", ("5 MB", "2 GiB"), _SIZES, _SIZE, {}, {}, _BINARY_SIZES),
    "s": Dimension("time", ("90 s", "3 h 30 min"), (*_TIMES, "min", "h", "d"), TIME, {}, {}),
    "B/s": Dimension("data rate", ("5 MB/s", "1 Gb/s"), _per(_SIZES, "s"), {}, _SIZE, TIME, _per(_BINARY_SIZES, "s")),
    "1/s": Dimension(
        "frequency",
        ("120 /s", "7200 rpm", "2.5 GHz", "4600 files/s"),
        ("/h", "/min", "/s"),
        _FREQUENCY,
        dict.fromkeys(_EVENTS, ONE),
        TIME,
    ),
    "1": Dimension("share or ratio", ("20 %", "0.2", "2:1"), ("%", ""), {"": ONE, "%": (1, 100)}, {}, {}),
    "count": Dimension("count", ("16", "1_900_000"), ("",), {"": ONE, **dict.fromkeys(_THINGS, ONE)}, {}, {}),
    "money": Dimension("price", ("120", "35.50"), ("",), {"": ONE}, {}, {}),
    "m": Dimension("length", ("549 m", "12.65 mm"), ("um", "mm", "m"), _LENGTH, {}, {}),
    "m/s": Dimension("speed", ("4.06 m/s", "160 ips"), ("m/s",), {"ips": _LENGTH["in"]}, _LENGTH, TIME),
    "s/B": Dimension("time per byte", ("1.55 ns/B", "4.1 s/GB"), _per(_TIMES, "B"), {}, TIME, _SIZE),
    "s/file": Dimension("time per file", ("0.22 ms/file", "0.22 ms"), _per(_TIMES, "file"), TIME, TIME, {"file": ONE}),
    "B/file": Dimension(
        "size per file",
        ("160 B/file", "2 KiB"),
        _per(_SIZES, "file"),
        _SIZE,
        _SIZE,
        {"file": ONE},
        _per(_BINARY_SIZES, "file"),
    ),
}
"""The SI units that quantities are kept in, each with what it may be written in."""


def dimension_of(unit: str) -> Dimension:
    """The dimension of an SI unit, a key of `DIMENSIONS`.

    Raises
    ------
    UnitError
        There is no such unit.
    """
    try:
        return DIMENSIONS[unit]
    except KeyError:
        raise UnitError(f"{unit!r} is not a unit; the units are {', '.join(DIMENSIONS)}") from None
