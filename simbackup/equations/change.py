"""Change of data over time: how much differs from an earlier moment when some places change repeatedly."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

DAY = 86_400.0
YEAR = 365.0 * DAY
LEAST = 1e-9
"""Least share of today's data that existed at an earlier time."""
_STEPS = 200
"""Number of halvings of a bisection, more than floats can resolve."""


CREEP = 1e-6
"""Least growth in a year of data whose growth changes by date, so that their size says how much time has passed."""
STEEPEST = 1e8
"""Growth in a year beyond which data count as replaced instead: 5 % a day."""
LONGEST = 1000.0 * YEAR
"""Seconds after the start at which data are no longer asked for."""


class Turn(NamedTuple):
    """A moment from which data grow otherwise: seconds after the start, then as in a `Change`; and what comes at once.

    All but `growth` are shares of the data at the start. A rate of None stays as it was before.
    """

    at: float
    growth: float | None = None
    added: float | None = None
    step: float = 0.0


class Change(NamedTuple):
    """How data change over time; shares are from 0 to 1."""

    daily: float = 0.0
    """Share that differs after a day."""
    hot_data: float = 1.0
    """Share of the data that is hot."""
    hot_changes: float = 1.0
    """Share of the changes that go to the hot data."""
    replaced: float = 0.0
    """Share that is deleted and created anew in a day."""
    growth: float = 0.0
    """Share by which the data grow in a year, compounded."""
    places: float = 1.0
    """Number of places in each thing that counts as changed, such as a file, if one of them differs."""
    added: float = 0.0
    """Share of the data at the start that is added each year."""
    turns: tuple[Turn, ...] = ()
    """When they begin to grow otherwise, in order."""

    @property
    def compounds(self) -> bool:
        """Whether they always grow by the same share."""
        return not self.added and not self.turns

    def factor(self, seconds: float) -> float:
        """The size of the data some seconds after the start, divided by their size at the start.

        >>> Change(growth=0.2).factor(2 * YEAR), Change(added=0.2).factor(2 * YEAR)
        (1.44, 1.4)
        """
        if self.turns:
            return _turned(self, seconds)
        return grown(self.growth, seconds) + self.added * seconds / YEAR

    def before(self, factor: float, seconds: float) -> Change:
        """The change over so many seconds until data are larger than at the start by a factor.

        What is `added` in them is a share of the data at their end, as if it were compounded.

        >>> change = Change(added=0.2).before(1.4, YEAR)
        >>> round(1.4 / grown(change.growth, YEAR), 6), change.added
        (1.2, 0.0)
        """
        if self.compounds or not seconds:
            return self
        if not self.turns:
            earlier = max(factor - self.added * seconds / YEAR, LEAST * factor)
            return self._replace(growth=(factor / earlier) ** (YEAR / seconds) - 1.0, added=0.0)
        earlier = self.factor(_moment(self, factor) - seconds)
        larger = math.log(max(factor / earlier, 1.0))
        steady = min(larger, math.log1p(STEEPEST) * seconds / YEAR)
        anew = (
            self.replaced + (larger - steady) * DAY / seconds
        )  # what comes at once is new, as what replaces other data
        growth = math.expm1(steady * YEAR / seconds)
        return self._replace(growth=growth, replaced=anew, added=0.0, turns=())


def _turned(change: Change, seconds: float) -> float:
    """How much larger data are whose growth changes by date.

    >>> turns = (Turn(YEAR, step=1.0), Turn(2 * YEAR, growth=0.5, added=0.0))
    >>> [round(_turned(Change(added=0.2, turns=turns), each * YEAR), 4) for each in (1.0, 1.5, 2.0, 3.0)]
    [2.2, 2.3, 2.4, 3.6]
    """
    value, since, growth, added = 1.0, 0.0, change.growth, change.added
    for turn in (*change.turns, Turn(math.inf)):
        passed = (min(seconds, turn.at) - since) / YEAR
        if passed > 0.0 or not since:
            value, since = value * (1.0 + growth) ** passed + added * passed, since + passed * YEAR
        if seconds < turn.at:
            break
        value += turn.step
        growth = growth if turn.growth is None else turn.growth
        added = added if turn.added is None else turn.added
    return value * (1.0 + CREEP * seconds / YEAR)


@lru_cache(maxsize=65_536)
def _moment(change: Change, factor: float) -> float:
    """The seconds after the start at which data are larger by a factor; where it jumps over it, those of the jump."""
    low, high = -YEAR, YEAR
    while _turned(change, high) < factor and high < LONGEST:
        high *= 2.0
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        if middle in {low, high}:
            break
        low, high = (middle, high) if _turned(change, middle) < factor else (low, middle)
    return high


def touched(hits: float, hot_data: float, hot_changes: float) -> float:
    """Share of data that differs after changes that hit each place a given number of times on average.

    Of a part with the share `s` of the data and `w` of the changes, `s (1 - exp(-w n / s))` has been hit by `n` changes
    for each place: repeated changes count once. Both parts are summed. Feller, "An Introduction to Probability Theory
    and Its Applications", vol. 1, 3rd ed., Wiley 1968, section IV.2 (occupancy), in the limit of many places; two
    parts as in the hot and cold data of Rosenblum and Ousterhout, "The Design and Implementation of a Log-Structured
    File System", ACM TOCS 10(1), 1992, section 3.5. Holds where places within a part are hit independently.

    Parameters
    ----------
    hits
        Changes for each place of all data, on average.
    hot_data
        Share of the data that is hot.
    hot_changes
        Share of the changes that go there.

    >>> round(touched(1.0, hot_data=1.0, hot_changes=1.0), 4)
    0.6321
    >>> round(touched(0.1, hot_data=0.1, hot_changes=0.9), 4)
    0.0693
    """
    if hot_data >= 1.0 or hot_data <= 0.0:
        return -math.expm1(-hits)
    cold = 1.0 - hot_data
    return hot_data * -math.expm1(-hits * hot_changes / hot_data) + cold * -math.expm1(
        -hits * (1.0 - hot_changes) / cold
    )


@lru_cache(maxsize=4096)
def hits_a_day(daily: float, hot_data: float, hot_changes: float) -> float:
    """Changes per place and day after which a given share of the data differs: the inverse of `touched`.

    Parameters
    ----------
    daily
        Share of the data that differs after a day; less than the share that changes can reach at all.
    hot_data
        Share of the data that is hot.
    hot_changes
        Share of the changes that go there.

    >>> round(touched(hits_a_day(0.03, 0.2, 0.8), 0.2, 0.8), 12)
    0.03
    """
    low, high = 0.0, 1.0
    while touched(high, hot_data, hot_changes) < daily and high < 1e9:  # noqa: PLR2004 (never reached below the whole)
        high *= 2.0
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        if middle in {low, high}:
            break
        low, high = (middle, high) if touched(middle, hot_data, hot_changes) < daily else (low, middle)
    return high


def differs(change: Change, seconds: float) -> float:
    """Share of today's data that did not exist, or was different, some seconds ago.

    `1 - (1 - t)^n (1 - r) / g`: t is the share changed in that time (`touched`), r = 1 - exp(-p d) the share replaced
    in d days at p a day, and g = (1 + y) ^ (d / 365) the growth at y a year. Changes, replacement and growth are
    independent. Of files with n places that change independently, one suffices; for runs of b bytes that begin anywhere
    and files of s, n = 1 + s / b, as with chunks (`reduction.touched_chunks`).

    Parameters
    ----------
    change
        How the data change.
    seconds
        The time.

    >>> change = Change(daily=0.02, hot_data=0.2, hot_changes=0.8)
    >>> [round(differs(change, days * DAY), 3) for days in (1, 7, 30, 365)]
    [0.02, 0.116, 0.298, 0.879]
    >>> round(differs(change._replace(places=1.0 + 25e9 / 65536), DAY), 3)
    1.0
    """
    days = seconds / DAY
    hits = hits_a_day(change.daily, change.hot_data, change.hot_changes) * days
    kept = (1.0 - touched(hits, change.hot_data, change.hot_changes)) ** change.places
    same = kept * math.exp(-change.replaced * days)
    return 1.0 - same / grown(change.growth, seconds)


def grown(growth: float, seconds: float) -> float:
    """Factor by which data grow in a time, at `growth` per year of 365 days, compounded.

    >>> grown(0.2, 2 * YEAR)
    1.44
    """
    return (1.0 + growth) ** (seconds / YEAR)


def gap(run: float, share: float) -> float:
    """Mean bytes between runs of changed data when a share of the data has changed: `run (1 - share) / share`.

    >>> gap(run=65536, share=0.25)
    196608.0
    """
    return run * (1.0 - share) / share
