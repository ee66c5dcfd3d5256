"""Figures of one row of a study over several seeds, as means with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from simbackup.equations.intervals import Interval, mean_interval, unpaired_difference
from simbackup.errors import ResultError

Figure = float | str | None

HALF = " ±"
"""Ending of the column with half the width of a figure's interval of confidence, 95 %."""


def together(address: str, figures: Sequence[Figure]) -> dict[str, Figure]:
    """The columns of a figure over all seeds: its mean and half its interval; for words, each with its count.

    A figure that is missing for any seed, as its job failed, has no mean.

    >>> together("jobs.full.elapsed", [9.0, 11.0])["jobs.full.elapsed"]
    10.0
    >>> together("jobs.full.cause", ["links.lan", "links.lan"])
    {'jobs.full.cause': 'links.lan'}
    """
    numbers = [figure for figure in figures if isinstance(figure, int | float)]
    words = Counter(figure for figure in figures if isinstance(figure, str))
    if words:
        often = words.most_common()
        return {address: often[0][0] if len(often) == 1 else ", ".join(f"{word} {count}" for word, count in often)}
    if len(numbers) < len(figures):
        return {address: None, address + HALF: None}
    return {address: (found := mean_interval(numbers)).mean, address + HALF: found.half}


def difference(address: str, figures: Sequence[Figure], others: Sequence[Figure], *, paired: bool = True) -> Interval:
    """The difference of two figures over all seeds; figures with the same seed share their draws, unless not `paired`.

    Raises
    ------
    ResultError
        A figure is missing, or is not a number.

    >>> difference("jobs.full.elapsed", [9.0, 11.0, 10.0], [8.0, 10.0, 9.0])
    Interval(mean=1.0, half=0.0)
    """
    pairs: list[tuple[float, float]] = []
    for one, other in zip(figures, others, strict=True):
        if not isinstance(one, int | float) or not isinstance(other, int | float):
            raise ResultError(f"{address}: {one!r} and {other!r} cannot be subtracted")
        pairs.append((one, other))
    if not paired:
        return unpaired_difference([one for one, _ in pairs], [other for _, other in pairs])
    return mean_interval([one - other for one, other in pairs])
