# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""What each tape drive and robot did over time, and how many jobs waited for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from simbackup import palette
from simbackup.errors import ResultError
from simbackup.plots import style
from simbackup.plots.fills import Bar, Fill, below, draw_bars, legend_patches, look, stacked
from simbackup.plots.rates import steps_of
from simbackup.plots.style import name_times
from simbackup.plots.timeline import first_start, style_rows
from simbackup.results.rows import whole
from simbackup.trace.activity import Activity, Nature, nature_of, queue_of
from simbackup.trace.trace import Span

if TYPE_CHECKING:
    from simbackup.results.result import Result

ROW = 0.34
"""Height of a drive's row, inches."""
THICK = 0.72
"""Share of a row that its bar takes."""


def drives(result: Result) -> style.Chart:
    """States of drives and robots over time; white is idle.

    Raises
    ------
    ResultError
        The result has no tape drives.
    """
    every = [device.address for device in result.trace.devices if device.kind == "tape drive"]
    if not every:
        raise ResultError(f"{result.record.scenario} has no tape drives; choose another picture")
    whole(result, "a plot of drives")
    states = {name: states_of(result, name) for name in every}
    used = [name for name in every if states[name]]
    moves = [span for span in result.trace.spans if span.cause.endswith(".robot") and _moves(span)]
    robots = sorted({span.cause for span in moves})
    states |= {name: [span for span in moves if span.cause == name] for name in robots}
    rows, queue = [*used, *robots], waiting(result)
    scale, height = style.scale_of(result.end), max(ROW * len(rows), 0.7)
    with style.in_style():
        drawn = style.picture(9.2, 1.5 + height + (0.9 if queue else 0.0))
        ratios = [height, 0.8] if queue else [1.0]
        axes = drawn.subplots(len(ratios), 1, sharex=True, squeeze=False, height_ratios=ratios)[:, 0]
        marks = _draw_rows(axes[0], {name: states[name] for name in rows}, scale, result.end)
        if queue:
            _draw_queue(axes[1], queue, scale)
        idle = len(every) - len(used)
        more = f" ({idle} more {'drive' if idle == 1 else 'drives'} idle throughout)" if idle else ""
        names = [style.clipped(style.short(name)) for name in rows]
        axes[0].set_title(style.titled_beside(result.record.title + more, names))
        axes[-1].set_xlim(left=first_start(result) / scale.size)
        name_times(axes[-1], result, scale)
        below(drawn, marks, columns=6)
    return drawn


def states_of(result: Result, drive: str) -> list[Span]:
    """What a drive did, in the order of time: its own moves, and transfer whenever it moved bytes."""
    found = [span for span in result.trace.spans if span.cause == drive and _moves(span)]
    stops = [span for span in result.trace.spans if span.cause == f"{drive}.repositioning"]
    steps = steps_of(result, lambda rate: rate.bytes_per_s).get(drive)
    if steps is not None:
        for begin, end, rate in zip(steps.times, steps.times[1:], steps.values, strict=False):
            if rate > 0.0:
                halting = any(span.start <= begin < span.end for span in stops)
                found.append(Span(begin, end, "", f"{drive}.repositioning" if halting else drive, Activity.TRANSFER))
    return _joined(sorted(found, key=lambda span: (span.start, span.end)))


def _moves(span: Span) -> bool:
    """Whether a tape or a cartridge moves, without transfer."""
    return nature_of(span.activity) is Nature.MECHANICAL


def _joined(spans: list[Span]) -> list[Span]:
    """The same states, with those that go on as they were in one piece."""
    found: list[Span] = []
    for span in spans:
        last = found[-1] if found else None
        if last and (last.end, last.cause, last.activity) == (span.start, span.cause, span.activity):
            found[-1] = Span(last.start, span.end, "", span.cause, span.activity)
        else:
            found.append(span)
    return found


def waiting(result: Result) -> list[tuple[float, int]]:
    """How many wait for a drive, a cartridge or a robot, from each time on; empty when nobody ever does."""
    changes: dict[float, int] = {}
    for span in result.trace.spans:
        if queue_of(span.activity) and span.end > span.start:
            changes[span.start] = changes.get(span.start, 0) + 1
            changes[span.end] = changes.get(span.end, 0) - 1
    number, found = 0, list[tuple[float, int]]()
    for time, change in sorted(changes.items()):
        number += change
        found.append((time, number))
    return [(0.0, 0), *found, (result.end, 0)] if found else []


def _draw_rows(axis: Axes, states: dict[str, list[Span]], scale: style.Scale, end: float) -> list[Patch]:
    bars: dict[Fill, list[Bar]] = {}
    seen: dict[tuple[str, str], None] = {}
    for y, spans in enumerate(states.values()):
        for span, bar in zip(spans, stacked(spans, y, THICK), strict=True):
            bars.setdefault(look(span.cause, span.activity), []).append(bar)
            seen[span.cause, span.activity] = None
    draw_bars(axis, bars, scale)
    style_rows(axis, [style.short(name) for name in states], end / scale.size)
    idle = Patch(facecolor="white", edgecolor=palette.GREY, linewidth=0.5, label="idle")
    return [*legend_patches(seen), idle]


def _draw_queue(axis: Axes, queue: list[tuple[float, int]], scale: style.Scale) -> None:
    times, numbers = [time / scale.size for time, _ in queue], [number for _, number in queue]
    axis.fill_between(times, numbers, step="post", color=palette.SAND, alpha=0.5, linewidth=0.0)
    axis.step(times, numbers, where="post", color=palette.SAND, linewidth=1.0)
    axis.set_ylim(0, max(numbers) * 1.15)
    axis.set_yticks([0, max(numbers)])
    axis.tick_params(labelsize=style.SMALLER)
    axis.set_ylabel("waiting", rotation=0, ha="right", va="center", fontsize=style.SMALL)
