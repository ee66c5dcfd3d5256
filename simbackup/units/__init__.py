"""Quantities as people write them, and back: exact, in both directions.

Every quantity lives in the program as a float in the SI unit of its dimension (bytes, seconds, bytes per
second). Texts are read as exact ratios of whole numbers and rounded once, to the nearest float.

>>> parse("5 MB/s", "B/s"), parse("3 h 30 min", "s"), parse("20 %", "1")
(5000000.0, 12600.0, 0.2)
>>> show(2147483648, "B"), show_short(133_472_000, "B/s")
('2 GiB', '133.5 MB/s')
"""

from __future__ import annotations

from simbackup.units.dimensions import DIMENSIONS, UnitError
from simbackup.units.reading import parse, parse_clock, parse_moment
from simbackup.units.writing import show, show_clock, show_moment, show_near, show_short, without_rounding

__all__ = [
    "DIMENSIONS", "UnitError", "parse", "parse_clock", "parse_moment", "show", "show_clock", "show_moment", "show_near",
    "show_short", "without_rounding",
]  # fmt: skip
