"""Lower bounds: no job is faster than its bytes on its slowest line at full rate."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup.schema.part import quantities_of

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec

Crossed = Mapping[str, Mapping[str, float]]
"""Seconds that what each run of a job moved takes of each line at the least, by the names of runs and lines."""
GUESSED = frozenset({"assumed", "fitted"})
"""Bases of rates that a line may well exceed."""


class Least(NamedTuple):
    """The lower bound of the time of a run."""

    seconds: float
    """Seconds."""
    line: str
    """The link that carries no more."""
    runs: int = 1
    """Number of runs whose bytes it carries."""
    own: float = 0.0
    """Seconds that the bytes of the run alone take of it."""


NOTHING = Least(0.0, "")
"""Of a run that moves nothing."""


def certain(crossed: Crossed, spec: Spec) -> Crossed:
    """What was taken of lines whose rate nobody guessed: neither assumed nor fitted, nor that of a part of them.

    Only these set the end of an interval: a stated link, or the native rate of a drive. A faster line than the one that
    somebody assumed is possible.

    >>> from simbackup.scenario import load
    >>> spec = load("published/002-sql-server-tuning/base").spec  # the rate of the path is fitted
    >>> certain({"backup": {"links.path": 20.0, "links.other": 5.0}}, spec)
    {'backup': {'links.other': 5.0}}
    """
    lines = {line for own in crossed.values() for line in own}
    guessed = {
        f"{'.'.join(path[:-1])}."
        for section, name in {(*line.split("."), "")[:2] for line in lines}
        if (part := getattr(spec, section, {}).get(name)) is not None
        for path, given in quantities_of(part, (section, name))
        if given.unit == "B/s" and given.basis in GUESSED
    }
    left = {
        line
        for line in lines
        if not any(f"{line}.".startswith(owner) or owner.startswith(f"{line}.") for owner in guessed)
    }
    return {run: {line: own[line] for line in own if line in left} for run, own in crossed.items()}


def floors(rows: Iterable[Mapping[str, Any]], crossed: Crossed) -> dict[str, Least]:
    """The least of each run of a job, by its name.

    The line is that which the run's own bytes take longest. It also carries, while the run goes on, the bytes of all
    runs that begin no earlier and end no later: those beside which it goes on, and those for which it waits in a queue.

    Parameters
    ----------
    rows
        The runs, each with `job`, `start` and `end`.
    crossed
        What each of them took of lines.

    >>> both = [{"job": name, "start": 0.0, "end": end} for name, end in (("a", 10.0), ("b", 30.0))]
    >>> floors(both, {"a": {"drive": 9.0}, "b": {"drive": 18.0, "robot": 1.0}})["b"]
    Least(seconds=27.0, line='drive', runs=2, own=18.0)
    """
    ended: dict[str, list[tuple[float, str, float]]] = {}
    found: dict[str, Least] = {}
    in_order = sorted((float(row["end"]), float(row["start"]), str(row["job"])) for row in rows)
    for _, together in groupby(in_order, key=lambda run: run[0]):
        runs = [(start, name) for _, start, name in together]
        for start, name in runs:
            for line, seconds in crossed.get(name, {}).items():
                insort(ended.setdefault(line, []), (start, name, seconds))
        for start, name in runs:
            found[name] = _least(start, crossed.get(name, {}), ended)
    return found


def _least(start: float, own: Mapping[str, float], ended: Mapping[str, list[tuple[float, str, float]]]) -> Least:
    if not own:
        return NOTHING
    line = max(own, key=lambda name: (own[name], name))
    within = ended[line][bisect_left(ended[line], (start,)) :]
    return Least(sum(seconds for _, _, seconds in within), line, len(within), own[line])
