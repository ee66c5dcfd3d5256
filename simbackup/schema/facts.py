"""Facts about parts for readers: amounts with units, or short texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from simbackup import units
from simbackup.schema.quantity import Frozen, Quantity

BINARY = {"TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10}
CLOCK = "time of day"
"""Unit of a time of day: seconds since midnight, shown as hours and minutes."""
THOUSAND = 1000


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about a part: a text, or an amount in an SI unit and what it is an amount of.

    >>> str(Fact("native", 5e6, 5e6, "B/s")), str(Fact("files", 20, 3000, "count")), str(Fact("RAID 10"))
    ('5 MB/s native', '20 to 3,000 files', 'RAID 10')
    """

    text: str
    low: float | None = None
    high: float | None = None
    unit: str = ""

    @classmethod
    def of(cls, amount: float, unit: str, text: str = "") -> Self:
        """An amount of one value."""
        return cls(text, amount, amount, unit)

    @property
    def amount(self) -> str:
        """The amount with its unit, or from the least to the greatest; empty if it is a text alone."""
        if self.low is None or self.high is None:
            return ""
        low, high = (_shown(amount, self.unit) for amount in (self.low, self.high))
        return low if low == high else f"{low} to {high}"

    def __str__(self) -> str:
        return f"{self.amount} {self.text}".strip()


@dataclass(frozen=True, slots=True)
class Made:
    """The make and model of a part, which its datasheet titles; a reader of facts looks the title up."""

    part: Frozen
    before: str = ""


Facts = Iterator[Fact | Made]


def amount(given: Quantity | None, text: str = "") -> Iterator[Fact]:
    """An amount, if there is one."""
    if given is not None:
        yield Fact.of(given.si, given.unit, text)


def number(given: Quantity | None, one: str, more: str = "") -> Iterator[Fact]:
    """So many of a thing, in the singular where it is one."""
    if given is not None:
        yield Fact.of(given.si, "count", one if given.si == 1 else more or f"{one}s")


def made(part: Frozen | None, before: str = "") -> Iterator[Made]:
    """The make and model of a part, if there is one."""
    if part is not None:
        yield Made(part, before)


def _shown(amount: float, unit: str) -> str:
    """An amount for tables; of bytes in binary units where it is a whole number of these, as memory is."""
    if unit == CLOCK:
        return units.show_clock(amount)
    whole = unit == "B" and amount % THOUSAND != 0
    for name, size in BINARY.items() if whole else ():
        if amount % size == 0:
            return f"{amount / size:,.0f} {name}"
    return units.show_short(amount, unit)


Figures = Mapping[str, tuple[str, ...]]
"""Columns by what follows the name of a part in addresses: empty for the part itself, `drive.1` for a piece of it."""

USE = ("busy", "busy_s", "bytes", "peak", "active", "saturated")
"""How much a device was used."""
RUN = ("start", "end", "elapsed", "bytes", "files", "rate", "transfer_rate", "waits", "lock", "due")
"""What every run of a job has."""
IMPACT = ("offered", "served", "rate", "lost")
"""What a job costs every workload."""
