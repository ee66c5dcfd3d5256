"""What each input contributes to the interval of a figure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simbackup.equations.uncertainty import SCORE, CentralInterval
from simbackup.uncertainty.inputs import Input

MATTERS = 0.1
"""Share of the variance of a whole interval from which on an input is named."""
NAMED = 2
"""Greatest number of inputs that are named for a figure."""


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
