"""The bottleneck of a job in words, and the time without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup import units

if TYPE_CHECKING:
    from simbackup.experiments.what_if import Reasons

LEAST_SHARE = 0.0005
"""Share of a job's time below which a cause has no line of its own."""


def sentence_on(one: Reasons) -> str:
    """The bottleneck of a job, and its time without it, in a sentence; first a wait that takes more of its time."""
    found = f"{one.bottleneck}, {one.share / one.elapsed:.1%} of the time." if one.bottleneck else ""
    text = f"bottleneck: {found}" if found else "no bottleneck that could be faster"
    if one.wait is not None:
        share = one.causes[one.wait] / one.elapsed
        text = f"{one.wait.activity} on {one.wait.address}: {share:.1%} of the time, which no part shortens; {text}"
    if one.doubled is None or one.without is None:
        return text
    twice = "Twice as many" if one.counted else "Twice as fast"
    text += f" {twice}: {_gain(one.elapsed, one.doubled)}. Without it: {_gain(one.elapsed, one.without)}"
    later = one.next_bottleneck
    if later is None or later == one.bottleneck:
        return f"{text}."
    return f"{text}; then the bottleneck is {later}."


def _gain(before: float, after: float) -> str:
    """A time, with its change from the longer one."""
    change = (after - before) / before
    sign = "no gain" if abs(change) < LEAST_SHARE else f"{change:+.0%}"
    return f"{units.show_short(after, 's')} ({sign})"
