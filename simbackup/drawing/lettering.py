"""Text in drawings: how wide it is, and where its lines break."""

from __future__ import annotations

import re

NARROW, SLIM, CAPITAL, BROAD = 0.36, 0.47, 0.78, 1.0
PLAIN = 0.64
"""Widths of letters in ems, those of a broad sans-serif face, so that text also fits in a narrower one."""
_WIDTHS = (
    dict.fromkeys("iljI|.,:;'!·", NARROW) | dict.fromkeys('frt()[]{}/\\-" `', SLIM)
    | dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&w", CAPITAL) | dict.fromkeys("mMW@%…→—", BROAD)
)  # fmt: skip
LATIN = 0x250
BOLD = 1.09
"""How much wider bold letters are."""


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of a line of text, in the unit of its size; rather too much than too little.

    >>> width("tape", 10) < width("TAPE", 10) < width("tape library", 10)
    True
    """
    ems = sum(_WIDTHS.get(letter, PLAIN if ord(letter) < LATIN else BROAD) for letter in text)
    return ems * size * (BOLD if bold else 1.0)


def wrapped(text: str, size: float, room: float, *, bold: bool = False) -> list[str]:
    """The lines of a text, none wider than the room unless one letter is; words longer than a line are broken.

    >>> wrapped("a library of two drives", 10, 90)
    ['a library of two', 'drives']
    """
    lines: list[str] = []
    for word in filter(None, re.split("[ \t\r\n]+", text)):  # a no-break space does not break
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size, bold=bold) <= room:
            lines[-1] = longer
            continue
        rest = word
        while width(rest, size, bold=bold) > room and len(rest) > 1:
            fits = next(i for i in range(len(rest) - 1, 0, -1) if i == 1 or width(rest[:i], size, bold=bold) <= room)
            lines.append(rest[:fits])
            rest = rest[fits:]
        lines.append(rest)
    return lines
