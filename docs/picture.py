"""Draw the pictures of README and handbook that depend on results; python docs/picture.py."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from matplotlib.axes import Axes

from simbackup import palette
from simbackup.experiments.coverage import (
    ALL,
    FACTOR_BY_KIND,
    ONE_FACTOR,
    THIS,
    Covered,
    Score,
    Verdicts,
    coverage,
)
from simbackup.experiments.reproduce import reproduce
from simbackup.plots import style
from simbackup.results.compare import Row
from simbackup.run import simulate
from simbackup.uncertainty.model_error import FITTED

PICTURES = Path(__file__).parent / "pictures"
PITCH = 0.055  # inches from row to row
GAP = 2.0  # rows left free between publications
TICKS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 200.0)


def ledger(rows: list[Row]) -> style.Chart:
    """The blind answer and today's to each predicted row, over what was measured."""
    with style.in_style():
        drawn, axis, places = _publications(rows)
        for y, row in zip(places, rows, strict=True):
            blind, today = 1.0 + (row.blind_error or 0.0), 1.0 + row.error
            axis.plot([blind, today], [y, y], color=palette.GREY, linewidth=0.8, zorder=1)
            axis.plot([blind], [y], "D", color=palette.RED, markersize=3.0, label="blind" if not y else None)
            axis.plot([today], [y], "o", color=palette.BLUE, markersize=3.0, label="today" if not y else None)
        _over_measured(axis)
        style.share_edge(drawn, axis)
    return drawn


def held(cases: list[Covered]) -> style.Chart:
    """The interval of each predicted row, over what was measured."""
    with style.in_style():
        drawn, axis, places = _publications([case.row for case in cases])
        for y, case in zip(places, cases, strict=True):
            measured = case.row.measurement.value
            colour = palette.BLUE if case.holds else palette.RED
            ends = [case.interval.low / measured, case.interval.high / measured]
            axis.plot(ends, [y, y], color=colour, linewidth=2.5, solid_capstyle="butt", alpha=0.55)
            axis.plot([case.row.simulated / measured], [y], "o", color=colour, markersize=2.5)
        for colour, meaning in ((palette.BLUE, "interval holds what was measured"), (palette.RED, "it does not")):
            axis.plot([], [], color=colour, linewidth=4.0, label=meaning)
        _over_measured(axis)
        style.share_edge(drawn, axis)
    return drawn


def reliability(found: list[Verdicts]) -> style.Chart:
    """In what share of cases limits were kept, over the share that answers stated."""
    with style.in_style():
        drawn = style.picture(4.6, 4.4)
        axis = drawn.add_subplot()
        axis.plot([0.0, 100.0], [0.0, 100.0], color=palette.GREY, linewidth=1.0, zorder=0)
        said, came = (
            [100.0 * share for share in each] for each in zip(*((v.said, v.came) for v in found), strict=True)
        )
        axis.plot(said, came, "o-", color=palette.BLUE, markersize=5.0)
        axis.set_xlabel("said to keep a limit (% of cases)")
        axis.set_ylabel("kept it (% of cases)")
        axis.set_aspect("equal")
    return drawn


def scores(found: list[Score]) -> style.Chart:
    """The mean interval score of each kind of operation, for answers and two simple ways to make intervals."""
    some = [one for one in found if one.name not in {FITTED, ALL}]
    names = list(dict.fromkeys(one.name for one in some))
    looks = zip(
        (THIS, ONE_FACTOR, FACTOR_BY_KIND), ((palette.BLUE, "o"), (palette.RED, "s"), (palette.SAND, "D")), strict=True
    )
    with style.in_style():
        drawn = style.picture(7.0, 1.2 + 0.25 * len(names))
        axis = drawn.add_subplot()
        for method, (colour, mark) in looks:
            own = [one for one in some if one.method == method]
            axis.plot(
                [one.interval_score for one in own],
                [names.index(one.name) for one in own],
                mark,
                color=colour,
                label=method,
            )
        axis.set_yticks(range(len(names)), [name.replace("_", " ") for name in names], fontsize=style.SMALLER)
        axis.invert_yaxis()
        axis.set_xlabel("mean interval score of left-out publications (less is better)")
        axis.legend()
    return drawn


def _publications(rows: list[Row]) -> tuple[style.Chart, Axes, list[float]]:
    """An empty chart with axes that name each publication once, and the height at which each row is drawn."""
    groups = [list(group) for _, group in groupby(rows, key=lambda row: row.measurement.folder)]
    drawn = style.picture(8.0, 1.2 + PITCH * (len(rows) + GAP * len(groups)))
    axis = drawn.add_subplot()
    places, names, y = list[float](), dict[str, float](), 0.0
    for group in groups:
        names[group[0].measurement.folder] = y + (len(group) - 1) / 2.0
        places += [y + place for place in range(len(group))]
        y += len(group) + GAP
        axis.axhline(y - (GAP + 1.0) / 2.0, color=palette.GREY, linewidth=0.3, zorder=0)
    axis.set_yticks(list(names.values()), list(names), fontsize=style.SMALLER)
    axis.set_ylim(y - (GAP + 1.0) / 2.0, -(GAP + 1.0) / 2.0)
    return drawn, axis, places


def _over_measured(axis: Axes) -> None:
    """A logarithmic axis of simulated over measured, with a band around what is right."""
    axis.axvspan(1 / 1.15, 1.15, color=palette.BAND, zorder=0)
    axis.axvline(1.0, color=palette.BLUE, linewidth=1.0, zorder=0)
    axis.set_xscale("log")
    axis.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axis.minorticks_off()
    axis.tick_params(axis="y", length=0)
    axis.set_xlabel("simulated / measured (in the band: within 15 %)")


def draw() -> None:
    """Draw all pictures."""
    documents, asked = reproduce(), reproduce(["validation"])
    predicted = [row for row in asked.rows if row.predicted]
    report = coverage([*documents.rows, *asked.rows, *reproduce(["without-figures"]).rows])
    cases = [case for case in report.rows if case.row.predicted and not case.row.measurement.described_anew]
    drawn = {
        "all-rows": documents.plot.overview(), "ledger": ledger(predicted), "coverage": held(cases),
        "interval-scores": scores(report.scores), "verdicts": reliability(report.verdicts),
        "mount-queue": simulate("teaching/mount-queue").plot.timeline(),
    }  # fmt: skip
    for name, chart in drawn.items():
        chart.savefig(PICTURES / f"{name}.png", dpi=120)


if __name__ == "__main__":
    draw()
