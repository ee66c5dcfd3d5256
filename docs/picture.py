"""Draw the pictures of README and handbook that depend on results; python docs/picture.py."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from simbackup import palette
from simbackup.experiments.coverage import Covered, coverage
from simbackup.experiments.reproduce import reproduce
from simbackup.plots import style
from simbackup.results.compare import Row
from simbackup.run import simulate

PICTURES = Path(__file__).parent / "pictures"
TICKS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


def ledger(rows: list[Row]) -> style.Chart:
    """The blind answer and today's to each predicted row, over what was measured."""
    with style.in_style():
        drawn = style.picture(8.0, 1.2 + 0.19 * len(rows))
        axis = drawn.add_subplot()
        for y, row in enumerate(rows):
            blind, today = 1.0 + (row.blind_error or 0.0), 1.0 + row.error
            axis.plot([blind, today], [y, y], color=palette.GREY, linewidth=1.0, zorder=1)
            axis.plot([blind], [y], "D", color=palette.RED, markersize=4.5, label="blind" if not y else None)
            axis.plot([today], [y], "o", color=palette.BLUE, markersize=4.5, label="today" if not y else None)
        _over_measured(axis, rows)
        style.share_edge(drawn, axis)
    return drawn


def held(cases: list[Covered]) -> style.Chart:
    """The interval of each predicted row, over what was measured."""
    with style.in_style():
        drawn = style.picture(8.0, 1.2 + 0.19 * len(cases))
        axis = drawn.add_subplot()
        for y, case in enumerate(cases):
            measured = case.row.measurement.value
            colour = palette.BLUE if case.holds else palette.RED
            ends = [case.interval.low / measured, case.interval.high / measured]
            axis.plot(ends, [y, y], color=colour, linewidth=4.0, solid_capstyle="butt", alpha=0.55)
            axis.plot([case.row.simulated / measured], [y], "o", color=colour, markersize=4.0)
        for colour, meaning in ((palette.BLUE, "interval holds what was measured"), (palette.RED, "it does not")):
            axis.plot([], [], color=colour, linewidth=4.0, label=meaning)
        _over_measured(axis, [case.row for case in cases])
        style.share_edge(drawn, axis)
    return drawn


def _over_measured(axis: Axes, rows: list[Row]) -> None:
    """A logarithmic axis of simulated over measured, with a row for each figure."""
    axis.axvspan(1 / 1.15, 1.15, color=palette.BAND, zorder=0)
    axis.axvline(1.0, color=palette.BLUE, linewidth=1.0, zorder=0)
    axis.set_xscale("log")
    axis.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axis.minorticks_off()
    names = [f"{row.measurement.folder}: {row.measurement.id}" for row in rows]
    axis.set_yticks(range(len(rows)), names, fontsize=style.SMALLER)
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.set_xlabel("simulated / measured (in the band: within 15 %)")


def draw() -> None:
    """Draw all pictures."""
    documents, asked = reproduce(), reproduce(["validation"])
    predicted = [row for row in asked.rows if row.predicted]
    cases = [case for case in coverage([*documents.rows, *asked.rows]).rows if case.row.predicted]
    drawn = {
        "all-rows": documents.plot.overview(), "ledger": ledger(predicted), "coverage": held(cases),
        "mount-queue": simulate("teaching/mount-queue").plot.timeline(),
    }  # fmt: skip
    for name, chart in drawn.items():
        chart.savefig(PICTURES / f"{name}.png", dpi=120)


if __name__ == "__main__":
    draw()
