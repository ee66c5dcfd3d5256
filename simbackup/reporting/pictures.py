# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Pictures for a page, each in a wide and a narrow version."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

import matplotlib as mpl
from matplotlib.artist import Artist

from simbackup import units
from simbackup.drawing.layout import Layout
from simbackup.drawing.picture import Picture, described
from simbackup.plots import style
from simbackup.plots.fills import below
from simbackup.plots.rates import piece
from simbackup.plots.timeline import MANY
from simbackup.results.groups import thinned
from simbackup.results.result import Result

WIDE, NARROW = 960.0, 315.0
"""Widths of the pictures of the system, pixels."""
NARROW_INCHES = 4.1
"""Width of a plot on a narrow page."""
NARROW_LABEL = 15
"""Letters of a label beside an axis on a narrow page."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as data URIs, which load nothing, with its alternative text."""

    name: str
    caption: str
    alt: str
    wide: str
    narrow: str


def pictures(result: Result) -> Iterator[Shown]:
    """Pictures of the system, the timeline unless it has too many runs, the utilisation, and any tape drives."""
    if result.layout is not None:
        yield system_picture(result.layout)
    few, left = thinned(result)
    plot = few.plot
    ends = "; ".join(f"{row['job']} {row['status']}" for row in few.job_rows[:20])
    if len(few.job_rows) <= MANY:
        caption = f"When each job ran, and what it did.{left}"
        yield plot_picture("timeline", plot.timeline(), caption, f"Timeline of jobs: {ends}")
    over = f", means of {units.show_short(seconds, 's')}" if (seconds := piece(few)) else ""
    busy = plot.utilisation()
    yield plot_picture(
        "utilisation", busy, f"Busy share over time{over}.{left}",
        "Busy share of devices and links; figures in the table",
    )  # fmt: skip
    if any(device.kind == "tape drive" for device in result.trace.devices):
        text = f"What drives and robots did.{left}"
        yield plot_picture("drives", plot.drives(), text, "States of tape drives and robots; figures in the table")


def system_picture(layout: Layout) -> Shown:
    """The picture of a system, without the title and the question, which the page has."""
    drawn = Picture(replace(layout, title="", question=""))
    return Shown("system", "", f"The system: {described(layout)}", _data(drawn.svg(WIDE)), _data(drawn.svg(NARROW)))


def plot_picture(name: str, drawn: style.Chart, caption: str, alt: str, *, titled: bool = False) -> Shown:
    """A plot in both widths, without a title, which the page gives, unless its axes need theirs."""
    for axis in () if titled else drawn.axes:
        axis.set_title("", loc="left")
    wide = _svg(drawn)
    _narrow(drawn)
    return Shown(name, caption, alt, _data(wide), _data(_svg(drawn)))


def _narrow(drawn: style.Chart) -> None:
    """Make a plot fit a narrow page: shorter labels, and a legend in fewer columns."""
    high = drawn.get_figheight()
    drawn.set_size_inches(NARROW_INCHES, high)
    for axis in drawn.axes:
        labels = axis.get_yticklabels()
        if any(len(label.get_text()) > NARROW_LABEL for label in labels):
            axis.set_yticks(
                axis.get_yticks(), [style.clipped(label.get_text(), NARROW_LABEL) for label in labels],
                fontsize=style.SMALLER,
            )  # fmt: skip
        axis.yaxis.label.set_text(style.clipped(axis.get_ylabel(), NARROW_LABEL))  # set_ylabel would centre it
    for legend in list(drawn.legends):
        marks: list[Artist] = []
        for mark, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            if mark is not None:
                mark.set_label(text.get_text())
                marks.append(mark)
        legend.remove()
        rows = -(-len(marks) // 2)
        drawn.set_size_inches(NARROW_INCHES, high + 0.17 * rows)
        with style.in_style():
            below(drawn, marks, columns=2)


def _svg(drawn: style.Chart) -> str:
    """The plot as SVG with text kept as text."""
    written = io.BytesIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        drawn.savefig(written, format="svg")
    return written.getvalue().decode("utf-8")


def _data(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode('utf-8')).decode('ascii')}"
