"""How many cases an interval takes (`none`, `quick`, `thorough`), by the size of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from simbackup.errors import ResultError, choices

Done = Callable[[int, int], None]
"""Called with how many runs are done, and how many there are."""


class Effort(NamedTuple):
    """Cases that are run, and groups of inputs that are moved besides, two runs each; None for each input alone."""

    cases: int
    alone: int | None


EFFORTS = ("none", "quick", "thorough")
QUICK, LEAN, THOROUGH = Effort(20, 24), Effort(10, 6), Effort(200, None)
"""For small scenarios, for larger ones and for studies, and on request."""
AGREES = 0.2
"""How far an end of a quick interval may be from that of a thorough one, as a share of its width by factors."""
SMALL, LARGEST = 1_000, 4_000
"""Records of a trace up to which a scenario gets a quick interval, and up to which it gets a lean one."""
ALL_POINTS = 8_000
"""Records of all rows of a study up to which it gets intervals."""
LEAST = 100
"""Records that a row of a study counts for at least: reading its scenario takes as long as that."""


def known(wanted: str) -> str:
    """A name of an effort.

    Raises
    ------
    ResultError
        There is no effort of this name.
    """
    if wanted not in EFFORTS:
        raise ResultError(f"there is no effort '{wanted}' for intervals; {choices(wanted, EFFORTS)}")
    return wanted


def for_scenario(wanted: str, records: int) -> Effort | None:
    """The effort for the jobs of a scenario; None for no intervals.

    >>> for_scenario("quick", 300).cases, for_scenario("quick", 3000).cases, for_scenario("quick", 30000)
    (20, 10, None)
    """
    if known(wanted) == "quick":
        return QUICK if records <= SMALL else LEAN if records <= LARGEST else None
    return THOROUGH if wanted == "thorough" else None


def for_study(wanted: str, records: Sequence[int]) -> Effort | None:
    """The effort for a study whose rows have so many records; None for no intervals.

    >>> for_study("quick", [12] * 30).cases, for_study("quick", [12] * 300)
    (10, None)
    """
    if known(wanted) == "quick":
        return LEAN if sum(max(each, LEAST) for each in records) <= ALL_POINTS else None
    return THOROUGH if wanted == "thorough" else None
