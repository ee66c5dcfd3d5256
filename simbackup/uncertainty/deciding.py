"""Sequential bifurcation: finds the inputs that move a figure by halving groups of them.

Few of many inputs matter, and in a simulation without noise those that do not move nothing at all. So a group whose
inputs together leave all figures nearly as they are is dropped after two runs (Bettonvil and Kleijnen, "Searching for
important factors in simulation models with many factors: sequential bifurcation", European Journal of Operational
Research 96, 1997). The inputs of a group move in the directions in which they went with the figures in a sample, so
that they hardly make up for each other. They come in the order in which they went with the figures: the first ones
alone, the last ones in large groups.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.equations.uncertainty import SCORE, CentralInterval, rank_correlation
from simbackup.uncertainty.inputs import Input
from simbackup.uncertainty.sampling import Case

FIRST = (1, 1, 2, 4, 8)
"""Sizes of the first groups; what is left makes the last one."""
AT_ONCE = 2
"""Groups that are halved at once, so that several processes have something to do."""
MOVES = 0.2
"""Share of half of an interval from which on a group matters: an input that moves less makes 4 % of the variance."""
MATTERS = 0.1
"""Share of the variance of a whole interval from which on an input is named."""
NAMED = 2
"""Greatest number of inputs that are named for a figure."""
LEAST = 0.02
"""Half of an interval, as a logarithm, below which no input is worth a search."""

Figures = Mapping[str, float]
Group = tuple[int, ...]
"""Inputs by their numbers."""


class BothEnds(NamedTuple):
    """All figures with some inputs at one end of their ranges, and at the other."""

    low: Figures
    high: Figures


Try = Callable[[Sequence[Case]], Sequence[Figures]]
"""Runs cases and gives the figures of each."""


class Leaning(NamedTuple):
    """How closely each input goes with the figures of a sample, and in which direction (1 or -1)."""

    strength: tuple[float, ...]
    sign: tuple[float, ...]


def leaning(names: Sequence[str], sample: Sequence[Case], outcomes: Sequence[Figures]) -> Leaning:
    """How closely inputs go with figures: squares of rank correlations, added up over all figures."""
    count = len(sample[0]) if sample else 0
    strength, signed = [0.0] * count, [0.0] * count
    for name in names:
        kept = [(case, outcome[name]) for case, outcome in zip(sample, outcomes, strict=True) if name in outcome]
        values = [value for _, value in kept]
        for i in range(count):
            correlation = rank_correlation([case[i] for case, _ in kept], values)
            strength[i] += correlation**2
            signed[i] += correlation
    return Leaning(tuple(strength), tuple(1.0 if each >= 0.0 else -1.0 for each in signed))


def deciding(spreads: Mapping[str, CentralInterval], found: Leaning, most: int | None, run: Try) -> dict[int, BothEnds]:
    """The inputs that move a figure by a good part of its interval, each with the figures at both ends of its range.

    Parameters
    ----------
    spreads
        The interval of each figure that the inputs leave.
    found
        How inputs went with figures in a sample.
    most
        How many groups are moved, at two runs each; None to move each input alone.
    run
        Runs cases.
    """
    count = len(found.strength)
    order = sorted(range(count), key=lambda i: (-found.strength[i], i))
    groups = [(i,) for i in range(count)] if most is None else _first(order)
    left, alone = len(groups) if most is None else most, dict[int, BothEnds]()
    waiting: list[tuple[float, int, Group]] = []
    while groups and left > 0:
        groups = groups[:left]
        left -= len(groups)
        cases = [case for group in groups for case in _cases(group, found)]
        outcomes = run(cases)
        for n, group in enumerate(groups):
            ends = BothEnds(*outcomes[2 * n : 2 * n + 2])
            moved = _moved(spreads, ends)
            if len(group) == 1:
                alone[group[0]] = ends
            elif moved >= MOVES:
                heapq.heappush(waiting, (-moved, group[0], group))
        next_ones = [heapq.heappop(waiting)[2] for _ in range(min(AT_ONCE, len(waiting)))]
        groups = [half for group in next_ones for half in _halves(group)]
    return dict(sorted(alone.items()))


def _first(order: Sequence[int]) -> list[Group]:
    """The first groups: small ones of the inputs that go most with the figures."""
    groups: list[Group] = []
    begin = 0
    for size in (*FIRST, len(order)):
        groups.append(tuple(order[begin : begin + size]))
        begin += size
    return [group for group in groups if group]


def _halves(group: Group) -> tuple[Group, Group]:
    middle = (len(group) + 1) // 2
    return group[:middle], group[middle:]


def _cases(group: Group, found: Leaning) -> tuple[Case, Case]:
    """The cases with a group at either end: of one input its own ends, of several those that act in one direction."""
    count = len(found.sign)
    both: list[Case] = []
    for end in (-SCORE, SCORE):
        case = [0.0] * count
        for which in group:
            case[which] = end if len(group) == 1 else end * found.sign[which]
        both.append(tuple(case))
    return both[0], both[1]


def _moved(spreads: Mapping[str, CentralInterval], ends: BothEnds) -> float:
    """How far figures go at the most, as a share of half of their intervals."""
    return max(
        (_share(spread, end[name]) for name, spread in spreads.items() for end in ends if name in end), default=0.0
    )


def _share(spread: CentralInterval, moved: float) -> float:
    best, low, high = spread.best, spread.low, spread.high
    if min(best, low, moved) > 0.0:
        return abs(math.log(moved / best)) / max(math.log(high / low) / 2.0, LEAST)
    return abs(moved - best) / max((high - low) / 2.0, LEAST * abs(best), math.ulp(1.0))


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one input contributes to the interval of a figure."""

    input: Input
    """The input."""
    at_low: float
    """The figure with this input alone at the lower end of its range."""
    at_high: float
    """The figure with this input alone at the upper end."""
    share: float
    """Share (0 to 1) of the variance that is due to the input."""


def contributed(
    name: str,
    best: float,
    values: Sequence[float],
    ends: Mapping[int, Sequence[Mapping[str, float]]],
    unknown: Sequence[Input],
) -> tuple[Contribution, ...]:
    """The inputs that move a figure, the greatest first; each with its share of the variance of the sample.

    Parameters
    ----------
    name, best
        The figure, and its best estimate.
    values
        What it is in a sample of cases.
    ends
        All figures with an input alone at the lower and at the upper end of its range, by the input's number.
    unknown
        The inputs.
    """
    scale = math.log if min((best, *values), default=0.0) > 0.0 else float
    middle, sample = scale(best), [scale(value) for value in values]
    mean = sum(sample) / len(sample) if sample else middle
    variance = sum((value - mean) ** 2 for value in sample) / len(sample) if sample else 0.0
    found: list[tuple[float, Contribution]] = []
    for which, (low, high) in ends.items():
        at_low, at_high = low.get(name, best), high.get(name, best)
        moved = [scale(end) - middle if scale is float or end > 0.0 else 0.0 for end in (at_low, at_high)]
        width = (moved[0] ** 2 + moved[1] ** 2) / 2.0 / SCORE**2
        if width > 0.0:
            share = min(1.0, width / variance) if variance else 1.0
            found.append((max(map(abs, moved)), Contribution(unknown[which], at_low, at_high, share)))
    return tuple(one for _, one in sorted(found, key=lambda each: (-each[0], each[1].input.name)))


def input_share(from_inputs: CentralInterval, whole: CentralInterval) -> float:
    """The share of the variance of a whole interval that comes from the inputs; the model leaves out the rest."""
    width = whole.high - whole.low
    return min(1.0, ((from_inputs.high - from_inputs.low) / width) ** 2) if width > 0.0 else 0.0


def decisive(found: Sequence[Contribution], from_inputs: CentralInterval, whole: CentralInterval) -> list[Contribution]:
    """The inputs that decide a figure most, each of which makes a good part of its whole interval."""
    share = input_share(from_inputs, whole)
    return [one for one in found if one.share * share >= MATTERS][:NAMED]
