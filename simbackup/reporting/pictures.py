# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Pictures inside a page, each for a wide and for a narrow one."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

import matplotlib as mpl
from matplotlib.artist import Artist

from simbackup.engine.trace import Trace
from simbackup.results.picture import Picture, described
from simbackup.results.plots import style
from simbackup.results.plots.activities import below
from simbackup.results.result import Result
from simbackup.show_fleets import Group, grouped, slowest

WIDE, NARROW = 960.0, 315.0
"""Widths of the pictures of the system, pixels."""
NARROW_INCHES = 4.1
"""Width of a plot on a narrow page."""
NARROW_LABEL = 15
"""Letters of a label beside an axis on a narrow page."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as addresses of data, which ask nobody, and its text for those who do not see it."""

    name: str
    caption: str
    alt: str
    wide: str
    narrow: str


def pictures(result: Result) -> Iterator[Shown]:
    """The system, the timeline, what was busy, and the tape drives where there are any."""
    if result.layout is not None:
        drawn = Picture(replace(result.layout, title="", question=""))  # the page has them
        alt = f"The system: {described(result.layout)}"
        yield Shown("system", "", alt, _data(drawn.svg(WIDE)), _data(drawn.svg(NARROW)))
    few, left = thinned(result)
    plot = few.plot
    told = "; ".join(f"{row['job']} {row['status']}" for row in few.job_rows[:20])
    yield _plot(
        "timeline", plot.timeline(), f"When each job ran, and what it was doing.{left}", f"Timeline of jobs: {told}"
    )
    busy = plot.utilisation()
    yield _plot(
        "utilisation", busy, f"Busy share over time.{left}", "Busy share of devices and links; the table has figures"
    )
    if any(device.kind == "tape drive" for device in result.trace.devices):
        text = f"What drives and robots were doing.{left}"
        yield _plot("drives", plot.drives(), text, "States of tape drives and robots; the table has figures")


def thinned(result: Result) -> tuple[Result, str]:
    """A result in which of many equal jobs, devices and links only a few are left, and words on what was left out."""
    jobs = [item for item in grouped(result, result.job_rows, "job") if isinstance(item, Group)]
    devices = [item for item in grouped(result, result.device_rows, "device") if isinstance(item, Group)]
    if not jobs and not devices:
        return result, ""
    out: set[str] = set()
    for group in jobs:
        kept = {group.rows[0]["job"], slowest(group)["job"], max(group.rows, key=lambda row: row["end"])["job"]}
        out |= {f"jobs.{row['job']}" for row in group.rows if row["job"] not in kept}
    for group in devices:
        first = max(group.rows, key=lambda row: row["busy"])["device"]
        out |= {row["device"] for row in group.rows if row["device"] != first}
    old = result.trace
    trace = Trace(
        [span for span in old.spans if span.job not in out], [rate for rate in old.rates if rate.link not in out],
        old.events, [device for device in old.devices if device.address not in out],
        [job for job in old.jobs if f"jobs.{job.data['job']}" not in out],
    )  # fmt: skip
    text = " Of many equal jobs the first, the slowest and the last to end are shown, of equal devices the busiest."
    return Result(result.record, result.values, trace, result.layout), text


def _plot(name: str, drawn: style.Picture, caption: str, alt: str) -> Shown:
    """A plot in both widths, without the title that the page gives it."""
    for axis in drawn.axes:
        axis.set_title("", loc="left")
    wide = _svg(drawn)
    _narrow(drawn)
    return Shown(name, caption, alt, _data(wide), _data(_svg(drawn)))


def _narrow(drawn: style.Picture) -> None:
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
        axis.set_ylabel(style.clipped(axis.get_ylabel(), NARROW_LABEL))
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


def _svg(drawn: style.Picture) -> str:
    """The plot as SVG whose letters stay letters."""
    written = io.BytesIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        drawn.savefig(written, format="svg")
    return written.getvalue().decode("utf-8")


def _data(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode('utf-8')).decode('ascii')}"
