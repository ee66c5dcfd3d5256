"""Mean rates of links, an hour or a day each, of a run whose rates are too many to draw one by one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from simbackup.plots.clock import STEPS
from simbackup.trace.levels import link_rates
from simbackup.trace.rate_columns import Rates

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
