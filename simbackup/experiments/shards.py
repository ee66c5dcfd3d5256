"""A part of the points of a study, for one of several machines that share its work through folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from simbackup.errors import InputError, Place, Problem
from simbackup.experiments.draws import draws_for
from simbackup.experiments.optimum import every_point, optimum
from simbackup.experiments.replicated import drawn
from simbackup.experiments.runner import Runner, runner_for
from simbackup.experiments.search_space import space_for
from simbackup.experiments.study_file import check_correlations, read_study, scenario_of
from simbackup.experiments.study_intervals import INTERVALS
from simbackup.experiments.study_point import Point
from simbackup.scenario import Source
from simbackup.schema.study import StudySpec
from simbackup.uncertainty.effort import Done
from simbackup.uncertainty.inputs import changes, inputs

T = TypeVar("T")


class Shard(NamedTuple):
    """A part of several, numbered from 0."""

    part: int
    parts: int

    def __str__(self) -> str:
        return f"{self.part}/{self.parts}"

    def of(self, items: Sequence[T]) -> Sequence[T]:
        """The items of this part: every so manieth.

        >>> Shard(1, 2).of("abcde")
        'bd'
        """
        return items[self.part :: self.parts]


class ShardDone(NamedTuple):
    """How many points of a part are done, and how many could not be run."""

    points: int
    bad: int


def shard_of(text: str) -> Shard:
    """The part that a text `i/n` names.

    Raises
    ------
    InputError
        It names none.

    >>> shard_of("0/4")
    Shard(part=0, parts=4)
    """
    part, _, parts = text.partition("/")
    if part.isdecimal() and parts.isdecimal() and int(part) < int(parts):
        return Shard(int(part), int(parts))
    message = f"'{text}' is not a part of several"
    raise InputError([Problem(Place("--shard"), "", message, "write 0/2 and 1/2 for two parts")])


def run_shard(  # noqa: PLR0913
    what: Source,
    shard: Shard,
    into: str | Path,
    *,
    seed: int = 0,
    workers: int | None = None,
    scheduler: str | None = None,
    intervals: str = "quick",
    progress: Done | None = None,
    note: Callable[[str], None] | None = None,
) -> ShardDone:
    """Run a part of the points of a study into a folder, and return how many there are.

    `study(what, into=folder)` makes the table when all parts are in the folder; from several folders, copy the files
    under `ledger/` into one. Points for `thorough` intervals and of an `uncertain` study are shared, too; those for
    `quick` intervals are few, and are left to the last call.

    Of a study that optimises, parts share the combinations where all are tried. Where they are searched, each point
    depends on those before, so that parts share the rows, and one search is in one part. Intervals are left to the last
    call, which knows what is best.

    Parameters and errors are those of `study`.
    """
    asked, points, tree = read_study(what, seed)
    check_correlations(asked, points, tree)
    goals = asked.optimise
    space = space_for(asked, goals, points, tree) if goals is not None else None
    with runner_for(workers=workers, scheduler=scheduler, into=into, progress=progress, note=note) as runner:
        if goals is None or space is None:
            _run_rows(asked, points, shard, runner, intervals)
        elif space.size <= goals.runs:
            runner.run(shard.of([each for point in points for each in every_point(asked, goals, space, point)]))
        else:
            for point in shard.of(points):
                optimum(asked, goals, space, point, runner)
    return ShardDone(runner.reused + runner.run_anew, runner.bad)


def _run_rows(asked: StudySpec, points: Sequence[Point], shard: Shard, runner: Runner, intervals: str) -> None:
    """Run a part of the rows, and of the cases for their intervals where these are many."""
    runner.run(shard.of(drawn(asked, points)))
    draws = draws_for(asked, intervals, ()) if asked.uncertain or intervals == "thorough" else None
    if draws is not None:
        good = [(point, scenario) for point in points if (scenario := scenario_of(point)) is not None]
        unknown = tuple(inputs({str(n): scenario for n, (_, scenario) in enumerate(good)}))
        cases = [changes(unknown, case) for case in draws.sample(unknown, points[0].seed)]
        moved = [point.moved(case.get(str(n), {})) for case in cases for n, (point, _) in enumerate(good)]
        runner.run(shard.of(moved), INTERVALS)
