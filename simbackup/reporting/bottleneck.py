"""The bottleneck of a job in words, and what would change without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup import units

if TYPE_CHECKING:
    from simbackup.experiments.what_if import Reasons

LEAST_SHARE = 0.0005
"""Share of a job's time below which a cause is not worth a line."""


def told(one: Reasons) -> str:
    """What limits a job and what would be without it, in a sentence."""
    if one.bottleneck is None:
        return "nothing that could be faster"
    text = f"bottleneck: {one.bottleneck}, {one.share / one.elapsed:.1%} of the time."
    if one.doubled is None or one.without is None:
        return text
    text += f" Twice as fast: {_gain(one.elapsed, one.doubled)}. Without it: {_gain(one.elapsed, one.without)}"
    later = one.next_bottleneck
    if later is None or later == one.bottleneck:
        return f"{text}."
    return f"{text}; then {later} limits."


def _gain(before: float, after: float) -> str:
    """A time beside one that was longer."""
    change = (after - before) / before
    sign = "no gain" if abs(change) < LEAST_SHARE else f"{change:+.0%}"
    return f"{units.show_short(after, 's')} ({sign})"
