# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""The colour of what a job does, the same in every picture, and the bars that are drawn with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.patches import Patch

from simbackup.palette import GREY, PAPER
from simbackup.plots import style
from simbackup.plots.style import Scale
from simbackup.trace.activity import WORDS, Activity, colour_of
from simbackup.trace.trace import Span

SAME_INSTANT = 1e-6
"""Seconds by which two spans that follow each other may seem to overlap."""
LETTERS, LETTERS_OF_A_PATCH = 13.5, 5
"""Letters of a legend to the inch, and those that the patch before a label takes."""
REPOSITIONING = "\\\\\\\\"
"""Hatch of a transfer in which a drive stops and starts."""
WAITING = "xxxx"
"""Hatch of a time in which a job does nothing but wait for others."""
LIMITS = {"hosts": ("////", "processor"), "links": ("....", "network")}
"""Hatch and word of what limits an activity that is not limited by a device."""


class Fill(NamedTuple):
    """How an activity is drawn: colour, hatch, and the word for what limits it."""

    colour: str
    hatch: str = ""
    limit: str = ""


def look(cause: str, activity: str) -> Fill:
    """How an activity because of a cause, an address, is drawn; the same everywhere.

    >>> look("devices.sdb", "copy").colour == look("links.lan", "copy").colour
    True
    >>> look("links.lan", "copy").limit
    'network'
    """
    section = cause.partition(".")[0]
    colour = colour_of(activity, at_host=section == "hosts")
    if colour == PAPER:
        return Fill(PAPER, WAITING)
    if cause.endswith(".repositioning") or WORDS.get(activity) is Activity.REPOSITION:
        return Fill(Activity.REPOSITION.colour, REPOSITIONING, "repositioning")
    return Fill(colour, *LIMITS.get(section, ("", "")))


class Bar(NamedTuple):
    """A stretch along the time axis (seconds), and the lower and the upper end across it."""

    start: float
    end: float
    low: float
    high: float


def stacked(spans: Sequence[Span], middle: float, height: float) -> list[Bar]:
    """The bars of spans, which come by their start, in a row of some height; those that overlap share the height."""
    found: list[Bar] = []
    together: list[tuple[Span, int]] = []
    free: list[float] = []
    for span in spans:
        if free and span.start >= max(free) - SAME_INSTANT:
            found += _shared(together, len(free), middle, height)
            together, free = [], []
        at = next((lane for lane, until in enumerate(free) if until <= span.start + SAME_INSTANT), len(free))
        free[at : at + 1] = [span.end]
        together.append((span, at))
    return found + _shared(together, len(free), middle, height)


def _shared(together: Sequence[tuple[Span, int]], lanes: int, middle: float, height: float) -> list[Bar]:
    """The bars of spans that share a height among so many lanes, each in its own."""
    top = middle - height / 2
    return [Bar(s.start, s.end, top + at * height / lanes, top + (at + 1) * height / lanes) for s, at in together]


def draw_bars(axis: Axes, bars: Mapping[Fill, Iterable[Bar]], scale: Scale) -> None:
    """Draw bars, one collection for each look, thin ones still visible."""
    for look_, some in bars.items():
        corners = [
            [(start, b.low), (end, b.low), (end, b.high), (start, b.high)]
            for b in some
            for start, end in [(b.start / scale.size, b.end / scale.size)]
        ]
        axis.add_collection(
            PolyCollection(corners, facecolors=look_.colour, edgecolors=look_.colour, linewidths=0.8, gid="bars")
        )
        if look_.hatch:
            ink = GREY if look_.colour == PAPER else "white"
            axis.add_collection(
                PolyCollection(
                    corners, facecolors="none", edgecolors=ink, linewidths=0.0, hatch=look_.hatch, gid="hatches"
                )
            )


def legend_patches(seen: Iterable[tuple[str, str]]) -> list[Patch]:
    """One patch for each look among causes and activities, labelled by all activities that have it."""
    names: dict[Fill, list[str]] = {}
    for cause, activity in seen:
        own = names.setdefault(look(cause, activity), [])
        if activity not in own:
            own.append(activity)
    return [
        Patch(
            facecolor=one.colour, edgecolor=GREY if one.colour == PAPER else "white", hatch=one.hatch, linewidth=0.0,
            label=", ".join(words) + (f" ({one.limit})" if one.limit else ""),
        )
        for one, words in names.items()
    ]  # fmt: skip


def below(drawn: style.Chart, marks: Sequence[Artist], columns: int = 5) -> None:
    """Put a legend below a picture, in no more columns than its longest label leaves room for, all about as long."""
    if marks:
        longest = max(len(str(mark.get_label())) for mark in marks)
        fitting = max(int(drawn.get_figwidth() * LETTERS / (longest + LETTERS_OF_A_PATCH)), 1)
        lines = -(-len(marks) // min(columns, fitting))
        drawn.legend(
            handles=marks, loc="outside lower center", ncols=-(-len(marks) // lines),
            fontsize=style.SMALLER, handlelength=1.6, columnspacing=1.4,
        )  # fmt: skip
