"""How busy each device and link was, and how many bytes a second it moved, over time or on average."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from simbackup import palette
from simbackup.plots import style
from simbackup.plots.style import STEPS, name_times
from simbackup.plots.timeline import first_start
from simbackup.results.figures import greatest_of_each
from simbackup.results.rows import whole
from simbackup.trace.columns import Rates
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Rate
from simbackup.units import show_short

if TYPE_CHECKING:
    from simbackup.results.result import Result
    from simbackup.trace.trace import Trace


Numbers = NDArray[np.float64]
Column = Literal["busy", "bytes_per_s"]
MANY = 100_000
"""Changes of rates from which on means are drawn: a night of so many is a solid block."""
PIECES = 1500
"""Most pieces of a run for which means are drawn."""


def piece(result: Result) -> int:
    """Seconds for which means are drawn, such as an hour; 0 if the rates are so few that each is drawn."""
    if len(result.trace.rates) + len(result.trace.shared_levels) < MANY:
        return 0
    return next((step for step in STEPS if result.end / step <= PIECES), STEPS[-1])


def means(result: Result, column: Column, seconds: int) -> tuple[list[float], dict[str, list[float]]]:
    """The ends of all pieces of so many seconds, and the mean of each link in each piece.

    Parameters
    ----------
    result
        The result of a run.
    column
        Busy share (0 to 1), or bytes a second.
    seconds
        Length of a piece; the last one goes on behind the end of the run, when nothing is done any more.
    """
    edges = np.array([float(i * seconds) for i in range(math.ceil(result.end / seconds) + 1)])
    times, links, values, names = _columns(result.trace, column)
    order = np.argsort(links, kind="stable")
    times, links, values = times[order], links[order], values[order]
    ends = np.searchsorted(links, np.arange(len(names) + 1))
    found = {
        name: _means(times[first:last], values[first:last], edges, result.end)
        for name, first, last in zip(names, ends[:-1], ends[1:], strict=True)
    }
    return edges.tolist(), found


def _means(times: Numbers, values: Numbers, edges: Numbers, end: float) -> list[float]:
    """The means between edges of a value that each time changes, and is zero before the first and behind the end."""
    until = np.minimum(edges, end)
    times, values = np.concatenate(([0.0], times)), np.concatenate(([0.0], values))
    sums = np.concatenate(([0.0], np.cumsum(np.diff(times) * values[:-1])))
    at = np.searchsorted(times, until, side="right") - 1
    passed = sums[at] + values[at] * (until - times[at])
    return (np.diff(passed) / np.diff(edges)).tolist()


def _columns(trace: Trace, column: Column) -> tuple[Numbers, NDArray[np.uint32], Numbers, list[str]]:
    """The times of all rates of links, the numbers of their links, their values, and the names of links."""
    rates = Rates(link_rates(trace)) if trace.shared_levels else trace.rates
    batches = list(rates.batches())
    times, values = (np.concatenate([np.array(getattr(one, name)) for one in batches]) for name in ("times", column))
    links = np.concatenate([np.array(batch.links, np.uint32) for batch in batches])
    return times, links, values, rates.names.texts


# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)


MOST = 24
"""Most rows of a picture; of more devices and links, the most active are shown."""
ROW = 0.52
"""Height of one row, inches."""
TOPS = (1.0, 10.0, 100.0)
"""Upper ends of axes of busy shares, percent; the same for all rows of a picture."""
COLOURS = {"hosts": palette.WINE, "links": palette.TEAL, "devices": palette.BLUE}
"""Colour by section of the address."""


class Steps(NamedTuple):
    """Times, and the value from each of them until the next."""

    times: list[float]
    values: list[float]

    def integral(self) -> float:
        """Sum of value times seconds."""
        pairs = zip(self.times, self.times[1:], self.values, strict=False)
        return sum((after - before) * value for before, after, value in pairs)


def utilisation(result: Result) -> style.Chart:
    """Busy share of each device and link that did anything, over time."""
    every = _every(result, "busy", lambda busy, _: 100.0 * busy)
    return _rows(result, every, "busy share", lambda peak: _up_to(show_short(peak / 100.0, "1", 3)), tops=TOPS)


def throughput(result: Result) -> style.Chart:
    """Bytes a second of each device and link that moved any, over time, each row scaled to its own peak.

    A transfer that chance makes short is drawn at the peak of its device.
    """
    peaks = {str(row["device"]): float(row["peak"]) for row in result.device_rows}
    every = _every(result, "bytes_per_s", lambda bytes_per_s, link: min(bytes_per_s, peaks.get(link, math.inf)))
    return _rows(result, every, "throughput", lambda peak: _up_to(show_short(peak, "B/s", 3)), scale=1e6)


def _up_to(peak: str) -> str:
    """What stands beside a row: its peak, of which "< 0.01 %" says that it is a bound.

    >>> _up_to("9.85 %"), _up_to("< 0.01 %")
    ('up to 9.85 %', '< 0.01 %')
    """
    return peak if peak.startswith("<") else f"up to {peak}"


def steps_of(result: Result, value: Callable[[Rate], float]) -> dict[str, Steps]:
    """The values of each link by its address, over the run; of several at one instant the last counts."""
    found: dict[str, Steps] = {}
    for rate in link_rates(result.trace):
        steps = found.setdefault(rate.link, Steps([0.0], [0.0]))
        if rate.time == steps.times[-1]:
            steps.values[-1] = value(rate)
        else:
            steps.times.append(rate.time)
            steps.values.append(value(rate))
    for steps in found.values():
        if steps.times[-1] < result.end:
            steps.times.append(result.end)
            steps.values.append(steps.values[-1])
    return found


def _every(result: Result, column: Column, value: Callable[[float, str], float]) -> dict[str, Steps]:
    """What each link did over time, as `value` makes it of a figure and an address; means, if it changes very often."""
    whole(result, "a plot of rates")
    if not (seconds := piece(result)):
        return steps_of(result, lambda rate: value(getattr(rate, column), rate.link))
    times, found = means(result, column, seconds)
    return {link: Steps(times, [*(value(mean, link) for mean in own), 0.0]) for link, own in found.items()}


def _rows(
    result: Result,
    every: Mapping[str, Steps],
    what: str,
    peak_text: Callable[[float], str],
    *,
    scale: float = 1.0,
    tops: Sequence[float] = (),
) -> style.Chart:
    """One row for each link whose value was ever above zero; all up to the same top, or each up to its own peak."""
    every = {link: steps for link, steps in every.items() if max(steps.values) > 0.0}
    alike = greatest_of_each(result.record.fleets, {link: steps.integral() for link, steps in every.items()})
    shown = _most({link: every[link] for link in alike})
    time = style.scale_of(result.end)
    peak = max((max(steps.values) for steps in shown.values()), default=0.0)
    top = next((top for top in tops if peak <= top), tops[-1] if tops else None)
    with style.in_style():
        drawn = style.picture(9.2, 1.2 + ROW * max(len(shown), 1))
        axes = drawn.subplots(max(len(shown), 1), 1, sharex=True, squeeze=False)[:, 0]
        for axis, (link, steps) in zip(axes, shown.items(), strict=False):
            _draw(axis, link, steps, time, scale=scale, top=top)
            remark = peak_text(max(steps.values))
            remark += f"\nmost active of {alike[link]}" if alike[link] > 1 else ""
            axis.text(1.01, 0.5, remark, transform=axis.transAxes, va="center", fontsize=style.SMALLER)
        if not shown:
            axes[0].text(0.5, 0.5, "no activity", transform=axes[0].transAxes, ha="center", va="center")
            axes[0].set_yticks([])
        means_of = f", means of {show_short(seconds, 's')}" if (seconds := piece(result)) else ""
        axes[0].set_title(style.titled(f"{result.record.title}: {what}{means_of}", 7.0))
        axes[-1].set_xlim(first_start(result) / time.size, result.end / time.size or 1.0)
        name_times(axes[-1], result, time)
        if len(alike) > len(shown):
            drawn.supxlabel(f"the {len(shown)} most active of {len(alike)}", fontsize=style.SMALLER)
    return drawn


def _most(every: Mapping[str, Steps]) -> dict[str, Steps]:
    """The rows that are shown, in the order of their addresses: hosts, links, devices."""
    most = sorted(every, key=lambda link: (-every[link].integral(), link))[:MOST]
    return {link: every[link] for link in sorted(most, key=_order)}


def _order(link: str) -> tuple[int, list[tuple[int, str]]]:
    """Hosts, links, devices; drive 2 before drive 10."""
    section = list(COLOURS).index(link.partition(".")[0]) if link.partition(".")[0] in COLOURS else len(COLOURS)
    return section, [(int(part), "") if part.isdigit() else (-1, part) for part in link.split(".")]


def _draw(axis: Axes, link: str, steps: Steps, time: style.Scale, *, scale: float, top: float | None) -> None:
    colour = COLOURS.get(link.partition(".")[0], palette.PURPLE)
    xs, ys = [t / time.size for t in steps.times], [v / scale for v in steps.values]
    axis.fill_between(xs, ys, step="post", color=colour, alpha=0.35, linewidth=0.0)
    axis.step(xs, ys, where="post", color=colour, linewidth=0.9, label=link)
    axis.set_ylim(0, 1.08 * (top or max(ys)))
    axis.set_yticks([0, top] if top else [0], ["0", f"{top:g} %"] if top else ["0"])
    axis.tick_params(axis="y", labelsize=7.0, length=2)
    axis.tick_params(axis="x", length=0)
    axis.set_ylabel(style.clipped(style.short(link), 26), rotation=0, ha="right", va="center", fontsize=style.SMALL)
