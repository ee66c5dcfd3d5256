"""The measured cases of a kind of operation, and which of them is nearest to a job."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from simbackup import shelf, units
from simbackup.text import csv_text

FILE = "validated-cases.csv"
"""The table under `scenarios`, which the program writes and a test compares with its output."""


ROUNDING = 1.001
"""Ratio of bytes to those of the table up to which they count as equal."""
LEAST_ERROR = 0.005
"""Relative error below which a case counts as exact."""
BLIND = "blind"
"""The basis of the error of a blind prediction."""
BASES = {
    BLIND: "predicted blind",
    "held-out": "nothing is fitted to it",
    "opened": "known when the model was improved",
    "seen": "known when a value was chosen",
    "fitted": "a constant is fitted to it",
}
"""What the error of a case is worth, in words, the most first."""


class ValidatedCase(NamedTuple):
    """A measured time or rate of a job."""

    publication: str
    """Its publication."""
    row: str
    """Its row."""
    operation: str
    """Its kind of operation."""
    bytes: float
    """Bytes that the job moved."""
    basis: str
    """What the error is worth, a key of `BASES`."""
    error: float
    """Relative error of the time, negative if the answer was too short; that of the blind prediction if there was one.
    """


class Nearness(NamedTuple):
    """The measured cases nearest to a job, by its bytes."""

    cases: tuple[ValidatedCase, ...]
    """Those of one publication, size and basis."""
    outside: Literal["", "more", "fewer", "all"] = ""
    """Whether the job moves `more` or `fewer` bytes than all cases; `all` without cases, empty inside their range."""

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"nearest": [case._asdict() for case in self.cases], "outside": self.outside}

    def sentence(self, operation: str) -> str:
        """What a planner has to know of it, in words; empty inside of what was measured."""
        if not self.outside:
            return ""
        if not self.cases:
            return f"no job of its kind ({operation}) has been measured"
        size, kind = "larger" if self.outside == "more" else "smaller", operation.replace("_", " ")
        return f"{size} than any measured job of its kind ({kind}): the closest is {in_words(self.cases)}"


def in_words(cases: Sequence[ValidatedCase]) -> str:
    """Cases of one publication, size and basis, in words.

    >>> in_words([ValidatedCase("tk70-1990", "backup", "image", 1e9, "blind", -0.08)])
    'tk70-1990 with 1 GB, and its simulated time is off by -8 % (predicted blind)'
    >>> in_words([ValidatedCase("zrm", "cp", "copy", 1e9, "fitted", error) for error in (-0.08, 0.02)])
    'zrm with 1 GB, and its 2 simulated times are off by -8 % to +2 % (a constant is fitted to each)'
    """
    first, errors = cases[0], sorted(case.error for case in cases)
    ends = dict.fromkeys(f"{100.0 * one:+.0f} %" for one in (errors[0], errors[-1]))
    off = " to ".join(ends) if max(map(abs, errors)) >= LEAST_ERROR else f"less than {100.0 * LEAST_ERROR:.1f} %"
    times, basis = "its simulated time is", BASES[first.basis]
    if len(cases) > 1:
        times, basis = f"its {len(cases)} simulated times are", basis.replace("to it", "to each")
    return f"{first.publication} with {units.show_short(first.bytes, 'B', 3)}, and {times} off by {off} ({basis})"


UNKNOWN = Nearness(())
"""Of a job that moves nothing."""


def nearest(operation: str, size: float) -> Nearness:
    """The measured cases of a kind of operation whose jobs moved the most similar number of bytes.

    Of several publications or bases with as many bytes, those count whose errors are worth most.

    >>> nearest("restore of nothing", 1e9).cases
    ()
    """
    own = [case for case in known() if case.operation == operation]
    if size <= 0.0:
        return UNKNOWN
    if not own:
        return Nearness((), "all")
    far = min(abs(math.log(one.bytes / size)) for one in own)
    near = [one for one in own if abs(math.log(one.bytes / size)) <= far + math.log(ROUNDING)]
    best = min(near, key=lambda one: (list(BASES).index(one.basis), one.publication))
    cases = tuple(one for one in near if (one.publication, one.basis) == (best.publication, best.basis))
    least, most = min(one.bytes for one in own), max(one.bytes for one in own)
    return Nearness(cases, "more" if size > most * ROUNDING else "fewer" if size * ROUNDING < least else "")


def table(cases: Iterable[ValidatedCase]) -> str:
    """Cases as CSV."""
    rows = ((*case[:3], f"{case.bytes:.4g}", case.basis, f"{case.error + 0.0:.3f}") for case in sorted(cases))
    return csv_text(ValidatedCase._fields, rows)


@cache
def known() -> tuple[ValidatedCase, ...]:
    """The cases that ship with the program; none where there is no such file."""
    return tuple(
        ValidatedCase(publication, row, operation, float(size), basis, float(error))
        for publication, row, operation, size, basis, error in shelf.table(FILE)
    )
