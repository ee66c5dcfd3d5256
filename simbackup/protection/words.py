"""What losses cost, in words that tables, pictures and pages share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simbackup.units import show_short

if TYPE_CHECKING:
    from simbackup.protection.losses import Losses
    from simbackup.protection.protect import Answer, Rate

SPARED, GONE = "spared", "ALL LOST"
PERCENT = 100.0
TWO_DIGITS = 10.0
"""Per cent from which on no more digits are shown than those before the point."""
NEGLIGIBLE = 1e-4
"""Per cent below which digits say nothing."""


def cell_of(one: Answer) -> str:
    """What a loss costs a group: the data, and the time."""
    back = "" if one.back is None or not one.back.median else f", {short(one.back.median)}"
    if one.lost is None:
        unprotected = one.group.copies and not one.group.left(one.loss)
        return f"{SPARED}{back}{', no copy left' if unprotected else ''}"
    if one.lost.everything >= 1.0:
        return GONE
    some = f" ({share(one.lost.everything)} {GONE})" if one.lost.everything else ""
    return f"{short(one.lost.mean)}{back}{some}"


def between(rate: Rate) -> str:
    """Seconds with their range."""
    return f"{short(rate.value)} ({short(rate.low)} to {short(rate.high)})"


def odds(rate: Rate) -> str:
    """A probability with its range, if that is not negligible as a whole.

    >>> from simbackup.protection.protect import Rate
    >>> odds(Rate(1e-18, 0.0, 2e-18)), odds(Rate(0.5, 1e-9, 0.7))
    ('under 0.0001 %', '50 % (under 0.0001 % to 70 %)')
    """
    if PERCENT * rate.high < NEGLIGIBLE:
        return share(rate.high)
    return f"{share(rate.value)} ({share(rate.low)} to {share(rate.high)})"


def money(rate: Rate) -> str:
    """An amount with its range, in three digits."""
    value, low, high = (f"{float(f'{each:.3g}'):,.0f}" for each in rate)
    return f"{value} ({low} to {high})"


def cost_head(losses: Losses) -> str:
    """What a column of costs is called: whether it counts data that never come back."""
    return "cost" if losses.all_data is not None else "cost, without data lost for good"


def short(seconds: float) -> str:
    """Seconds in words."""
    return show_short(seconds, "s", 2) if math.isfinite(seconds) else "everything"


def share(part: float) -> str:
    """A share in per cent."""
    percent = PERCENT * part
    if 0.0 < percent < NEGLIGIBLE:
        return f"under {NEGLIGIBLE:.4f} %"
    return f"{percent:.0f} %" if percent >= TWO_DIGITS else f"{percent:.2g} %"
