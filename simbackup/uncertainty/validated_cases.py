"""The measured cases of a kind of operation, and which of them is nearest to a job."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal, NamedTuple

from simbackup import shelf, units

FILE = "validated-cases.csv"
"""The table under `scenarios`, which the program writes and a test compares with its output."""


ROUNDING = 1.001
"""How many times more bytes than the table says still count as equal."""
LEAST_ERROR = 0.005
"""Errors below which a case counts as right."""


class ValidatedCase(NamedTuple):
    """A measured result: its publication, its row, its kind of operation, bytes of its job, and the relative error."""

    publication: str
    row: str
    operation: str
    bytes: float
    error: float

    def sentence(self) -> str:
        """The case in words.

        >>> ValidatedCase("tk70-1990", "backup", "image", 1e9, -0.08).sentence()
        'tk70-1990 with 1 GB and an error of -8 %'
        """
        off = (
            f"of {100.0 * self.error:+.0f} %"
            if abs(self.error) >= LEAST_ERROR
            else f"below {100.0 * LEAST_ERROR:.1f} %"
        )
        return f"{self.publication} with {units.show_short(self.bytes, 'B', 3)} and an error {off}"


class Nearness(NamedTuple):
    """The measured case nearest to a job, by its bytes, and whether the job moves `more` or `fewer` than all cases.

    `outside` is empty for a job inside of what was measured, and `all` where nothing of its kind was.
    """

    case: ValidatedCase | None
    outside: Literal["", "more", "fewer", "all"] = ""

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"nearest": self.case._asdict() if self.case else None, "outside": self.outside}

    def sentence(self, operation: str) -> str:
        """What a planner has to know of it, in words; empty inside of what was measured."""
        if not self.outside:
            return ""
        if self.case is None:
            return f"no job of its kind ({operation}) has been measured"
        size = "larger" if self.outside == "more" else "smaller"
        return f"{size} than any measured job of its kind ({operation}), the closest being {self.case.sentence()}"


UNKNOWN = Nearness(None)
"""Of a job that moves nothing."""


def nearest(operation: str, size: float) -> Nearness:
    """The measured case of a kind of operation whose job moved the most similar number of bytes.

    >>> nearest("restore of nothing", 1e9).case is None
    True
    """
    own = [case for case in known() if case.operation == operation]
    if size <= 0.0:
        return UNKNOWN
    if not own:
        return Nearness(None, "all")
    case = min(own, key=lambda one: (abs(math.log(one.bytes / size)), one.publication, one.row))
    least, most = min(one.bytes for one in own), max(one.bytes for one in own)
    return Nearness(case, "more" if size > most * ROUNDING else "fewer" if size * ROUNDING < least else "")


def table(cases: Iterable[ValidatedCase]) -> str:
    """Cases as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(ValidatedCase._fields)
    writer.writerows((*case[:3], f"{case.bytes:.4g}", f"{case.error + 0.0:.3f}") for case in sorted(cases))
    return out.getvalue()


@cache
def known() -> tuple[ValidatedCase, ...]:
    """The cases that ship with the program; none where there is no such file."""
    for root in shelf.roots():
        path = root / "scenarios" / FILE
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))[1:]
            return tuple(ValidatedCase(row[0], row[1], row[2], float(row[3]), float(row[4])) for row in rows)
    return ()
