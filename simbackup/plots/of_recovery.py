# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""The picture of a restore: the share of systems that are back over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.palette import BLUE, DARK, GREY
from simbackup.plots import style
from simbackup.plots.style import Chart
from simbackup.text import for_plot
from simbackup.units import show_short

if TYPE_CHECKING:
    from simbackup.planning.recovery import Recovery

WIDTH, HEIGHT = 7.0, 3.6
"""Inches of a picture."""
PERCENT = 100.0
NAMED = 12
"""Most systems that are named beside the curve."""


class RecoveryPlots:
    """Pictures of a restore. Each call gives a new figure of matplotlib."""

    def __init__(self, recovery: Recovery) -> None:
        self._recovery = recovery

    def restore(self) -> Chart:
        """The share of systems that are back over the time from the loss."""
        return restore(self._recovery)


def restore(found: Recovery) -> Chart:
    """The share of systems that are back over the time from the loss."""
    backs = found.back()
    longest = max((at for at, _ in backs), default=0.0)
    unit = style.scale_of(longest)
    lost = f" after the loss of {found.lost}" if found.lost else ""
    with style.in_style():
        drawn = style.picture(WIDTH, HEIGHT)
        axis = drawn.subplots()
        times = [0.0, *(at / unit.size for at, _ in backs)]
        axis.step(times, [0.0, *(PERCENT * share for _, share in backs)], where="post", color=BLUE, linewidth=2)
        for share in (0.5, 0.9, 1.0):
            at = found.until(share)
            axis.axhline(PERCENT * share, color=GREY, linewidth=0.7, linestyle=":")
            if at <= longest:
                axis.annotate(show_short(at, "s", 3), (at / unit.size, PERCENT * share), (4, -11),
                              textcoords="offset points", fontsize=style.SMALL, color=DARK)  # fmt: skip
        if len(backs) <= NAMED:
            ends = sorted((one.back, one.system) for one in found.systems if not one.reason)
            for i, (at, name) in enumerate(ends):
                axis.annotate(for_plot(name), (at / unit.size, PERCENT * i / len(found.systems)), (4, 2),
                              textcoords="offset points", fontsize=style.SMALLER, color=GREY)  # fmt: skip
        axis.set_xlim(left=0.0)
        axis.set_ylim(0.0, PERCENT * 1.04)
        axis.set_xlabel(f"time from the loss, {unit.name}")
        axis.set_ylabel("systems back, %")
        drawn.suptitle(style.titled(f"Restore of {found.what} at {found.when}{lost}", WIDTH), x=0.01, ha="left")
    return drawn
