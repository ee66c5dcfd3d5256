"""Rows of a study run with several seeds: as many as are stated, or until means are known well enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from simbackup.equations.intervals import mean_interval, replications_needed
from simbackup.experiments.runner import Runner
from simbackup.experiments.study_point import Figure, Point, PointResult
from simbackup.schema.study import NarrowSpec, StudySpec

MORE = "points with more seeds"
"""What notes call them."""


def drawn(asked: StudySpec, points: Sequence[Point]) -> list[Point]:
    """The points of all rows, each with all seeds that it has at least."""
    return _with_seeds(points, range(asked.least_seeds()))


def replicated(asked: StudySpec, points: Sequence[Point], runner: Runner) -> list[list[PointResult]]:
    """What each row gives with each seed. All rows have as many seeds, so that their differences are paired."""
    count = asked.least_seeds()
    rows = _by_row(runner.run(drawn(asked, points)), count)
    until = asked.until()
    while until is not None and count < until.most:
        samples = [samples_of(until.of or asked.show, row) for row in rows]
        wanted = max((_needed(until, count, values) for sample in samples for values in sample.values()), default=count)
        if wanted <= count:
            break
        more = min(wanted, until.most) - count
        found = runner.run(_with_seeds(points, range(count, count + more)), MORE)
        rows = [[*row, *others] for row, others in zip(rows, _by_row(found, more), strict=True)]
        count += more
    if until is not None:
        for point, row in zip(points, rows, strict=True):
            for wide in _too_wide(until, samples_of(until.of or asked.show, row)):
                runner.note(f"{point}: the mean of {wide} is not within {until.within.text} after {count} seeds")
    return rows


def samples_of(show: Sequence[str], row: Sequence[PointResult]) -> dict[str, tuple[Figure, ...]]:
    """Figures of a row, seed by seed."""
    return {name: tuple(one.figures.get(name) for one in row) for name in show}


def _with_seeds(points: Sequence[Point], seeds: range) -> list[Point]:
    return [replace(point, seed=point.seed + i) for point in points for i in seeds]


def _by_row(found: Sequence[PointResult], seeds: int) -> list[list[PointResult]]:
    return [list(found[i : i + seeds]) for i in range(0, len(found), seeds)]


def _numbers(figures: Sequence[Figure]) -> list[float]:
    """The figures of a sample that is of numbers only; none of one in which a job failed."""
    numbers = [float(each) for each in figures if isinstance(each, int | float)]
    return numbers if len(numbers) == len(figures) else []


def _needed(until: NarrowSpec, count: int, figures: Sequence[Figure]) -> int:
    """How many seeds a mean needs, judged by those that there are: more than these if it is not narrow enough."""
    numbers = _numbers(figures)
    if not numbers or not (wide := mean_interval(numbers)).half or not wide.mean:
        return count
    if wide.half <= until.within.si * abs(wide.mean):
        return count
    return max(count + 1, replications_needed(numbers, until.within.si))


def _too_wide(until: NarrowSpec, sample: dict[str, tuple[Figure, ...]]) -> Iterator[str]:
    """The figures whose means are not narrow enough."""
    for name, figures in sample.items():
        numbers = _numbers(figures)
        if numbers and (wide := mean_interval(numbers)).half > until.within.si * abs(wide.mean):
            yield name
