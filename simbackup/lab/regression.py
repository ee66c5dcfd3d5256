"""Times of a core from a designed set of runs: least squares in which no time is below zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

COARSE, RELATIVE = 0.01, 0.05
"""Seconds, and share of itself, by which the time of a run is uncertain at the least."""
ACCEPTED = 0.15
"""Relative error of what was held out up to which constants are accepted."""
LEAST = 1e-300
"""What keeps a term of which no run has any from being divided by zero."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: what it worked on, by term, and the seconds of cores that it took; on which day."""

    facts: Mapping[str, float]
    seconds: float
    day: str = ""


@dataclass(frozen=True, slots=True)
class Constants:
    """Seconds of a core for one of each term, with standard uncertainties."""

    values: dict[str, float]
    deviations: dict[str, float]
    """From the scatter of the runs and from one day to the next."""
    negative: tuple[str, ...]
    """Terms that came out below zero, and are zero: there is less of them than the other terms explain."""
    days: int
    correlations: Mapping[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    """Of each two terms: where runs have much of both, one of them may be greater if the other is smaller."""

    def seconds(self, facts: Mapping[str, float]) -> float:
        """What a run takes by these constants."""
        return sum(value * facts[term] for term, value in self.values.items())


def regressed(samples: Sequence[Sample], terms: Sequence[str]) -> Constants:
    """The constants of some terms.

    Parameters
    ----------
    samples
        Runs, at least one more than there are terms.
    terms
        Names of facts.

    >>> runs = [Sample({"start": 1.0, "file": n}, 0.5 + 0.001 * n) for n in (0.0, 1000.0, 3000.0)]
    >>> {term: round(value, 6) for term, value in regressed(runs, ["start", "file"]).values.items()}
    {'start': 0.5, 'file': 0.001}
    """
    values, deviations, negative, covariances = _fitted(samples, list(terms))
    days = sorted({sample.day for sample in samples})
    if len(days) > 1:
        by_day = [_fitted([one for one in samples if one.day == day], list(terms))[0] for day in days]
        for term in terms:
            between = float(np.std([each[term] for each in by_day], ddof=1))
            deviations[term] = float(np.hypot(deviations[term], between))
    correlations = {
        (one, other): share / deviations[one] / deviations[other]
        for (one, other), share in covariances.items()
        if one != other and deviations[one] * deviations[other] > 0.0
    }
    return Constants(values, deviations, negative, len(days), correlations)


def _fitted(
    samples: Sequence[Sample], terms: list[str]
) -> tuple[dict[str, float], dict[str, float], tuple[str, ...], dict[tuple[str, str], float]]:
    """Constants, their deviations, which were below zero, and covariances; the lowest is left out until none is."""
    kept, seconds = list(terms), np.array([sample.seconds for sample in samples])
    weight = 1.0 / np.hypot(COARSE, RELATIVE * seconds)
    while True:
        matrix = np.array([[sample.facts[term] for term in kept] for sample in samples])
        matrix = matrix.reshape(len(samples), len(kept))
        scale = np.maximum(np.abs(matrix).max(axis=0, initial=0.0), LEAST)
        inverse = _inverse(matrix / scale * weight[:, None])
        found = inverse @ (seconds * weight)
        if not kept or min(found) >= 0.0:
            break
        del kept[int(np.argmin(found))]
    left = (seconds - matrix / scale @ found) * weight
    variance = float(left @ left) / max(len(samples) - len(kept), 1)
    spread = inverse @ inverse.T * variance / scale[:, None] / scale
    values, deviations = dict.fromkeys(terms, 0.0), dict.fromkeys(terms, 0.0)
    for i, (term, value, unit) in enumerate(zip(kept, found, scale, strict=True)):
        values[term], deviations[term] = float(value / unit), float(np.sqrt(spread[i, i]))
    covariances = {(one, other): float(spread[i, j]) for i, one in enumerate(kept) for j, other in enumerate(kept)}
    return values, deviations, tuple(term for term in terms if term not in kept), covariances


def _inverse(matrix: Array) -> Array:
    """The pseudo-inverse of a matrix."""
    linalg: Any = np.linalg
    return np.asarray(linalg.pinv(matrix), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Tested:
    """Constants beside runs to which they were not fitted."""

    point: str
    """The point of the design, of several that which they miss most."""
    measured: float
    """Seconds of cores of its runs, on average."""
    computed: float
    missing: tuple[str, float] | None
    """The term that is not among the constants and brings the two nearest, and the error with it."""

    @property
    def error(self) -> float:
        """Relative error."""
        return self.computed / self.measured - 1.0

    @property
    def accepted(self) -> bool:
        """Whether the constants come near enough."""
        return abs(self.error) <= ACCEPTED


def checked(constants: Constants, samples: Sequence[Sample], held_out: Mapping[str, Sequence[Sample]]) -> Tested:
    """How near constants come to runs that were held out, and which term is missing if they do not.

    Of several points, the one that they miss most is given: errors of two may cancel out on average.

    Parameters
    ----------
    constants
        Fitted to the samples.
    samples, held_out
        The runs that they were fitted to, and others by their points, of which there is at least one.
    """
    found = worst(
        [
            Tested(
                point,
                float(np.mean([one.seconds for one in runs])),
                float(np.mean([constants.seconds(one.facts) for one in runs])),
                None,
            )
            for point, runs in held_out.items()
        ]
    )
    if found.accepted:
        return found
    errors: dict[str, float] = {}
    for term in samples[0].facts.keys() - constants.values.keys():
        more, *_ = _fitted(samples, [*constants.values, term])
        seconds = [sum(more[name] * one.facts[name] for name in more) for one in held_out[found.point]]
        errors[term] = float(np.mean(seconds)) / found.measured - 1.0
    best = min(errors, key=lambda term: (abs(errors[term]), term), default="")
    if not best or abs(errors[best]) >= abs(found.error):
        return found
    return replace(found, missing=(best, errors[best]))


def worst(tested: Sequence[Tested]) -> Tested:
    """The point that constants miss most."""
    return max(tested, key=lambda one: abs(one.error))
