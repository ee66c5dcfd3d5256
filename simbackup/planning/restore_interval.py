"""How sure a restore is: ranges of declared times, of systems and devices, and what the model leaves out."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from simbackup.equations.uncertainty import LEVEL, SCORE
from simbackup.results.declared_waits import DeclaredWaits
from simbackup.results.result import Result
from simbackup.uncertainty.contributions import MATTERS
from simbackup.uncertainty.effort import for_scenario
from simbackup.uncertainty.estimate import estimates
from simbackup.units import show_short

if TYPE_CHECKING:
    from simbackup.planning.recovery import Restored

DEVICES, MODEL = "a value of the systems and devices", "model error"
WHOLE = "whole"


class RestoreInterval(NamedTuple):
    """The 90 % interval of the time until all is back, in seconds from the loss."""

    best: float
    """The best estimate."""
    low: float
    """The lower end."""
    high: float
    """The upper end."""
    decides: tuple[str, ...]
    """What widens it most."""
    sampled: bool
    """Whether it includes the ranges of systems and devices, and not only those of declared times and the model error.
    """

    def sentence(self) -> str:
        """It in words."""
        low, high = (show_short(end, "s", 3) for end in (self.low, self.high))
        sentence = f"all are back after {low} to {high} in {100 * LEVEL:.0f} % of cases"
        if self.decides:
            sentence += f"; {self.decides[0]} {'matter' if self.decides[0] == DEVICES else 'matters'} most"
        return sentence if self.sampled else f"{sentence} (without the ranges of systems and devices)"


class Sampled(NamedTuple):
    """An interval over the ranges of inputs, in seconds."""

    low: float
    """The lower end."""
    high: float
    """The upper end."""
    least: float
    """The lower bound that links allow over these ranges."""


def restore_interval(  # noqa: PLR0913
    best: float, simulated: float, declared: Iterable[tuple[str, float, float]], deviation: float,
    sample: Sampled | None, *, least: float = 0.0, waits: float = 0.0,
) -> RestoreInterval:  # fmt: skip
    """The interval of a time that is the sum of declared and simulated ones, whose errors are independent.

    Errors add as squares, on each side: `low = best - sqrt(sum of d^2)`, with `d` what each leaves at its lower end.
    What is simulated takes no less than the `least`.

    Parameters
    ----------
    best, simulated
        Seconds until all is back, and those of them that were simulated.
    declared
        Of each declared time its address, and the seconds until all is back at the lower and upper end of its range.
    deviation
        Standard deviation of the logarithm of what the model leaves out.
    sample
        Seconds until all is back at the ends of the interval over the ranges of systems and devices, and the `least`
        at its lower end; None if unknown.
    least
        Seconds that what is simulated takes at the least, where no line carries more.
    waits
        Seconds of what is simulated that are declared, such as until an archive is readable.

    >>> found = restore_interval(10.0, 6.0, [("recovery", 7.0, 14.0)], 0.0, None)
    >>> found.low, found.high, found.decides
    (7.0, 14.0, ('recovery',))
    >>> restore_interval(10.0, 6.0, [], 0.3, None, least=5.5).low
    9.5
    >>> restore_interval(10.0, 6.0, [], 9.9, None, waits=5.5).low
    9.5...
    """
    computed = simulated - waits
    own = [(MODEL, best - computed * (1.0 - math.exp(-SCORE * deviation)),
            best + computed * (math.exp(SCORE * deviation) - 1.0))]  # fmt: skip
    if sample is not None:
        own.append((DEVICES, sample.low, sample.high))
    declared = list(declared)
    floor = least if sample is None else min(least, sample.least)
    faster = min(_below(best, own), max(simulated - floor, 0.0))
    above = math.sqrt(sum(max(high - best, 0.0) ** 2 for *_, high in (*declared, *own)))
    width = {name: (high - low) ** 2 for name, low, high in (*declared, *own)}
    total = sum(width.values())
    decides = sorted(
        (name for name in width if total and width[name] / total >= MATTERS), key=lambda name: -width[name]
    )
    low = max(best - math.hypot(_below(best, declared), faster), 0.0)
    return RestoreInterval(best, low, best + above, tuple(decides), sample is not None)


def _below(best: float, ends: Iterable[tuple[str, float, float]]) -> float:
    """By how much independent errors make a time shorter, together."""
    return math.sqrt(sum(max(best - low, 0.0) ** 2 for _, low, _ in ends))


class Bounds(NamedTuple):
    """How far off the time of a restore may be."""

    deviation: float
    """Standard deviation of the logarithm of what the model leaves out."""
    least: float
    """Seconds that it takes at the least, where no line carries more."""


def bounds_of(restored: Iterable[Restored], own: Callable[[str], Bounds]) -> dict[str, Bounds]:
    """The bounds of the time until each system is back, by those of its own restore alone.

    The time before a restore is that of the one which ended last until then; errors of both go the same way.
    """
    found, ended = dict[str, Bounds](), list[tuple[float, float, float]]()  # when, when if all goes wrong, and at best
    for one in sorted((one for one in restored if not one.reason), key=lambda one: one.starts):
        since, late, least = max((each for each in ended if each[0] <= one.starts), default=(0.0, 0.0, 0.0))
        alone = own(one.system)
        longer = math.exp(SCORE * alone.deviation)
        ended.append((one.free, late + (one.free - since) * longer, least + alone.least))
        spread = math.log((late + (one.back - since) * longer) / one.back) / SCORE if one.back else 0.0
        found[one.system] = Bounds(spread, min(least + alone.least, one.back))
    return found


def least_of(result: Result, jobs: Collection[str]) -> float:
    """The seconds that jobs take at the least, for what the lines on the way carry and for declared waits."""
    lines = max((one.seconds for job, one in result.least.items() if job in jobs), default=0.0)
    return max(lines, waits_of(result, jobs))


def waits_of(result: Result, jobs: Collection[str]) -> float:
    """The declared seconds of jobs, from when the first of them begins until the last has ended."""
    rows = [row for row in result.job_rows if row["job"] in jobs]
    since = min((float(row["start"]) for row in rows), default=0.0)
    last = max(rows, key=lambda row: float(row["end"]), default=None)
    return 0.0 if last is None else DeclaredWaits(result).until(last, since)


def sampled(
    result: Result, backs: Callable[[Result], Mapping[str, float]], jobs: Collection[str], wanted: str
) -> dict[str, Sampled]:
    """The ends of the intervals of times by name over the ranges of all inputs; none where that takes too long."""
    effort = for_scenario(wanted, result.trace.length)
    if effort is None:
        return {}

    def figures(results: Mapping[str, Result]) -> dict[str, float]:
        return {name: time for name, time in backs(results[WHOLE]).items() if math.isfinite(time)}

    def bounds(results: Mapping[str, Result]) -> dict[str, float]:
        return dict.fromkeys(figures(results), least_of(results[WHOLE], jobs))

    found = estimates(
        {WHOLE: result.scenario}, figures, effort=effort, bounds=bounds, results={WHOLE: result}, asked=()
    )
    return {
        name: Sampled(one.spread.low, one.spread.high, one.bound.low if one.bound is not None else 0.0)
        for name, one in found.items()
    }
