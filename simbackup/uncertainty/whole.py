"""The whole interval: the spread from inputs and the error of the model, cut at physical bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable

from simbackup.equations.uncertainty import CentralInterval, spread_with_error
from simbackup.results.declared_waits import DeclaredWaits
from simbackup.results.floors import GUESSED, Least
from simbackup.results.result import Result
from simbackup.scenario import Scenario
from simbackup.uncertainty.estimate import Estimate
from simbackup.uncertainty.fitted import fitted_rows, own_scatter, related_rows, stated
from simbackup.uncertainty.model_error import FITTED, ModelError, operation_of, parts_of, term_of

CLOCK = frozenset({"start", "end", "due"})
"""Figures that are times on the clock: they have no interval, as what is late in one job is late in the next."""
SHARE = (0.0, 1.0)
BOUNDS = {"busy": SHARE, "busy_window": SHARE, "lost": SHARE, "timed_out": SHARE, "slowdown": (1.0, math.inf)}
"""What some figures are at least and at most; others are only not below zero."""
RATES = frozenset({"rate", "transfer_rate", "peak"})
"""Figures of jobs, and the greatest of a line, that are rates."""
TIMED = frozenset({
    "elapsed", "back", "slowest", "mean", "waits", "lock", "mean_wait", "longest_wait", "network_wait", "active",
    "saturated", "busy_s", "response", "slower", "down", *RATES, *BOUNDS,
})  # fmt: skip
"""Figures that what the model leaves out makes greater or smaller: all but amounts, which follow from the inputs."""


def deviation_at(scenario: Scenario, address: str) -> float:
    """What the model leaves out of the figure at an address of a result: the standard deviation of its logarithm."""
    return error_at(scenario, address).deviation


def error_at(scenario: Scenario, address: str) -> ModelError:
    """What the model leaves out of the figure at an address of a result, and what it was learned from.

    That is the scatter of the job's own runs, if constants were fitted to these.
    """
    own = own_scatter(scenario, address)
    if own is not None:
        return own
    if fitted_rows(scenario, address):
        return term_of(FITTED)
    return term_of(operation_of(scenario, address), parts=parts_of(scenario, address))


def evidence(scenario: Scenario, address: str) -> str:
    """What the error of the model at an address was learned from, in words, and what is fitted to a figure beside it.

    >>> from simbackup.scenario import load
    >>> evidence(load("published/000-netbackup-frozen-images/checkpoint"), "jobs.backup.elapsed").partition("; ")[2]
    'a constant is fitted to its ratio to jobs.backup.elapsed of tape'
    """
    found = error_at(scenario, address).in_words()
    rows = fitted_rows(scenario, address)
    if rows and all(row.addresses[0][1] != address for row in rows):
        return found.replace("this very figure", stated(rows[0], scenario))
    beside = dict.fromkeys(stated(row, scenario) for row in ([] if rows else related_rows(scenario, address)))
    return "; ".join([found, *(f"a constant is fitted to {one}" for one in beside)][:2])


def bounds_at(result: Result, addresses: Iterable[str]) -> dict[str, float]:
    """The least that elapsed times of jobs can be, and the times of a byte of their rates, for what lines can carry.

    A link is never faster than it is stated to be. There are no bounds for other figures, for jobs that move nothing,
    and where the result was read from a folder.
    """
    waits, found = DeclaredWaits(result), dict[str, float]()
    stated = {
        line: value.given.si for value in result.scenario.values
        for line, _, key in [value.address.rpartition(".")]
        if key == "rate" and line.startswith("links.") and value.given.si > 0.0 and value.given.basis not in GUESSED
    }  # fmt: skip
    for address in addresses:
        owner, _, column = address.rpartition(".")
        job, line = owner.removeprefix("jobs."), ".".join(owner.split(".")[:2])
        if column == "peak" and line in stated:
            found[address] = 1.0 / stated[line]
        elif job in result.least and column in {"elapsed", *RATES}:
            row, least = result.row_of[job], result.least[job]
            moved = float(row["bytes"])
            if column == "transfer_rate":  # what is flushed later does not count in it
                seconds = min(least.own, moved / rate) if (rate := row.get(column)) else 0.0
            else:
                seconds = least_time(least, waits.of(job))
            size = 1.0 if column == "elapsed" else moved
            if seconds > 0.0 and size > 0.0:
                found[address] = seconds / size
    return found


def least_time(least: Least, declared: float) -> float:
    """Seconds that a run takes at the least: its bytes alone cross the line after its declared waits.

    >>> least_time(Least(100.0, "links.line"), 60.0), least_time(Least(100.0, "links.line", 2), 60.0)
    (160.0, 100.0)
    """
    return least.seconds + declared if least.runs == 1 else max(least.seconds, declared)


def whole(found: Estimate, scenario: Scenario, address: str) -> CentralInterval | None:
    """The 90 % interval of the figure at an address, from its estimate; None for times on the clock.

    It holds nothing that cannot be: no figure below zero, no share above one, and no time below the lower end of its
    `bound` (what its bytes take at the full rate of the slowest line on their way, at uncertain inputs). What the model
    leaves out changes no declared wait. The interval of a rate is that of the time of a byte, so that it agrees with
    that of the elapsed time. The best estimate is always in it.

    >>> from simbackup.equations.uncertainty import spread_of
    >>> from simbackup.scenario import load
    >>> busy = Estimate(spread_of(0.9, [0.9]), (), (0.9,), 1)
    >>> whole(busy, load("teaching/mount-queue"), "devices.library.robot.busy").high
    1.0
    """
    column = address.rpartition(".")[2]
    if column in CLOCK:
        return None
    deviation = deviation_at(scenario, address) if column in TIMED else 0.0
    best, bound = found.spread.best, found.bound
    sample = found.values or [best]
    inverse = column in RATES and min(best, *sample) > 0.0
    if inverse:
        sample = [1.0 / value for value in sample]
    spread = spread_with_error(1.0 / best if inverse else best, sample, deviation, found.declared)
    least, most = BOUNDS.get(column, (0.0, math.inf))
    spread = spread.within(least if bound is None else max(least, bound.low), most)
    return spread._replace(best=best, low=1.0 / spread.high, high=1.0 / spread.low) if inverse else spread
