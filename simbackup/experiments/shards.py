"""A part of the points of a study, for one of several machines that share its work through folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from simbackup.errors import InputError, Place, Problem
from simbackup.experiments.draws import draws_for
from simbackup.experiments.replicated import drawn
from simbackup.experiments.runner import runner_for
from simbackup.experiments.study_file import check_correlations, read_study, scenario_of
from simbackup.experiments.study_intervals import INTERVALS
from simbackup.scenario import Source
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


def run_shard(
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

    Parameters and errors are those of `study`.
    """
    asked, points, tree = read_study(what, seed)
    check_correlations(asked, points, tree)
    if asked.optimise is not None:
        message = "a search has no parts, as each point depends on those before"
        raise InputError([Problem(tree.mapping["optimise"].place, "optimise", message, "leave out --shard")])
    with runner_for(workers=workers, scheduler=scheduler, into=into, progress=progress, note=note) as runner:
        mine = shard.of(drawn(asked, points))
        found = runner.run(mine)
        draws = draws_for(asked, intervals, ()) if asked.uncertain or intervals == "thorough" else None
        if draws is not None:
            good = [(point, scenario) for point in points if (scenario := scenario_of(point)) is not None]
            unknown = tuple(inputs({str(n): scenario for n, (_, scenario) in enumerate(good)}))
            cases = [changes(unknown, case) for case in draws.sample(unknown, seed)]
            moved = [point.moved(case.get(str(n), {})) for case in cases for n, (point, _) in enumerate(good)]
            found += runner.run(shard.of(moved), INTERVALS)
    return ShardDone(len(found), sum(one.refused for one in found))
