"""Mean time to data loss of a group of disks: in closed form, and by simulation of rare events.

Disks fail independently and exponentially. One rebuild runs at a time, each makes one disk whole, and data are lost
when more disks are missing than the group tolerates. A rebuild without any redundancy left also loses data if it meets
a sector that it cannot read. Exponential rebuilds make this a Markov chain, which is solved exactly; the closed forms
of Patterson, Gibson and Katz (SIGMOD 1988) and Chen et al. (ACM Computing Surveys 1994) approximate it. The simulation
takes rebuilds of any distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from simbackup.equations.intervals import student_quantile
from simbackup.equations.uncertainty import LEVEL


@dataclass(frozen=True, slots=True)
class DiskGroup:
    """Disks that protect each other.

    Parameters
    ----------
    disks
        How many there are.
    tolerated
        How many may be missing without loss: 1 of a mirror or of single parity, 2 of double parity.
    failures
        Failures of a disk in a unit of time.
    rebuild
        Mean time of a rebuild, in the same unit.
    unreadable
        Share of disks on which a rebuild finds a sector that it cannot read.
    """

    disks: int
    tolerated: int
    failures: float
    rebuild: float
    unreadable: float = 0.0

    @property
    def spoilt(self) -> float:
        """Probability that a rebuild without redundancy meets a sector that it cannot read."""
        return 1.0 - (1.0 - self.unreadable) ** (self.disks - self.tolerated)

    def losses(self, failures: float) -> float:
        """Losses of data in a unit of time if each disk fails so often: rebuilds are short, so it follows at once."""
        return 1.0 / replace(self, failures=failures).mttdl if failures else 0.0

    def rate(self, missing: int) -> float:
        """Failures in a unit of time while some disks are missing."""
        return (self.disks - missing) * self.failures

    @property
    def mttdl(self) -> float:
        """Mean time to data loss with exponential rebuilds, exact.

        With `T(i)` the mean time to loss while `i` disks are missing, `T(i) = (1 + m T(i - 1) + f(i) T(i + 1)) / (m +
        f(i))`, where `m` is the rate of rebuilds and `f(i)` that of failures. The last failure that is tolerated is
        survived only if the rebuild after it can read all.

        >>> mirror = DiskGroup(2, 1, 1.0 / 1000.0, 10.0)
        >>> round(mirror.mttdl, 6), round((3.0 / 1000.0 + 1.0 / 10.0) / (2.0 * (1.0 / 1000.0) ** 2), 6)
        (51500.0, 51500.0)
        """
        steps, constant, slope = list[tuple[float, float]](), 0.0, 0.0  # T(i) = constant + slope T(i + 1)
        for missing in range(self.tolerated + 1):
            repairs = 1.0 / self.rebuild if missing else 0.0
            failures = self.rate(missing)
            survives = 0.0 if missing == self.tolerated else 1.0 - self.spoilt * (missing == self.tolerated - 1)
            rate = failures + repairs * (1.0 - slope)
            constant, slope = (1.0 + repairs * constant) / rate, failures * survives / rate
            steps.append((constant, slope))
        mean = 0.0
        for constant, slope in reversed(steps):
            mean = constant + slope * mean
        return mean


def availability(up: float, down: float) -> float:
    """The share of time in service of something that alternates between two states of some mean times.

    >>> availability(99.0, 1.0)
    0.99
    """
    return up / (up + down)


class Estimate(NamedTuple):
    """A figure from a simulation, and its interval of 90 %."""

    value: float
    low: float
    high: float


Duration = Callable[[np.random.Generator], float]
"""Draws the time of a rebuild."""


def constant(seconds: float) -> Duration:
    """Rebuilds that all take as long."""
    return lambda _: seconds


def exponential(mean: float) -> Duration:
    """Rebuilds of an exponential distribution."""
    return lambda draw: float(draw.exponential(mean))


class _State(NamedTuple):
    """Disks that are missing, and the time until the rebuild that runs has made one whole."""

    missing: int
    left: float


def simulated(group: DiskGroup, rebuild: Duration, *, runs: int = 1000, batches: int = 20, seed: int = 1) -> Estimate:
    """The mean time to data loss by splitting: from each number of missing disks, how often one more fails.

    A cycle begins with all disks whole. Losses are so rare that few cycles would ever see one. So each stage begins
    with states in which the stage before has ended (fixed effort), and takes both what follows if the next disk fails
    before the rebuild ends, and if it does not, with the probability of each. Batches give the interval.

    Parameters
    ----------
    group
        The disks; the mean time of its rebuild is not used.
    rebuild
        Draws the time of a rebuild.
    runs
        How often each stage is run in a batch.
    batches
        Independent estimates.
    seed
        Seed of the random stream.
    """
    found = [_batch(group, rebuild, runs, np.random.default_rng([seed, batch])) for batch in range(batches)]
    cycle, loss = np.array([one[0] for one in found]), np.array([one[1] for one in found])
    value = float(cycle.mean() / loss.mean()) if loss.mean() else math.inf
    if not math.isfinite(value):
        return Estimate(value, 0.0, value)
    deviations = cycle - value * loss  # of a ratio of means
    error = float(deviations.std(ddof=1) / loss.mean()) / math.sqrt(batches)
    half = error * student_quantile(batches - 1, LEVEL)
    return Estimate(value, max(value - half, 0.0), value + half)


def _batch(group: DiskGroup, rebuild: Duration, runs: int, draw: np.random.Generator) -> tuple[float, float]:
    """The mean time of a cycle, and the probability that it ends with a loss."""
    spent, loss, reached = 1.0 / group.rate(0), 0.0, 1.0
    states = [_State(1, rebuild(draw)) for _ in range(runs)]
    for missing in range(1, group.tolerated + 1):
        if missing == group.tolerated:
            loss, reached = loss + reached * group.spoilt, reached * (1.0 - group.spoilt)
        took = 0.0
        chances: list[float] = []
        ends: list[_State] = []
        for state in states:
            rate = group.rate(missing)
            fails = -math.expm1(-rate * state.left)
            at = -math.log1p(-float(draw.random()) * fails) / rate
            rest: float = 0.0
            later: _State | None = None
            if missing > 1:
                rest, later = _until_next(group, rebuild, _State(missing - 1, rebuild(draw)), missing + 1, draw)
            took += fails * at + (1.0 - fails) * (state.left + rest)
            chances.append(fails)
            ends.append(_State(missing + 1, state.left - at))
            if later is not None:
                chances.append(1.0 - fails)
                ends.append(later)
        spent, reached = spent + reached * took / runs, reached * sum(chances) / runs
        chosen = draw.choice(len(ends), size=runs, p=np.array(chances) / sum(chances))
        states = [ends[int(i)] for i in chosen]
    return spent, loss + reached


def _until_next(
    group: DiskGroup, rebuild: Duration, state: _State, wanted: int, draw: np.random.Generator
) -> tuple[float, _State | None]:
    """The time until so many disks are missing, with the state then; or until none is, with None."""
    (missing, left), took = state, 0.0
    while True:
        fails = float(draw.exponential(1.0 / group.rate(missing)))
        if fails < left:
            missing, left, took = missing + 1, left - fails, took + fails
            again = missing == group.tolerated and wanted > missing and draw.random() < group.spoilt
            if missing == wanted or again:
                return took, _State(missing, left)
        else:
            missing, took = missing - 1, took + left
            if not missing:
                return took, None
            left = rebuild(draw)
