"""Studies: many runs of scenarios with values varied, as one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from simbackup.equations.uncertainty import CentralInterval
from simbackup.errors import InputError, ResultError, SimbackupError
from simbackup.experiments.optimum import Search, optimum, space_for
from simbackup.experiments.runner import Runner, replicated, runner_for, samples_of
from simbackup.experiments.studied import BadPoint, Study, compared
from simbackup.experiments.study_file import check_correlations, located, read_study
from simbackup.experiments.study_intervals import HIGH, LOW, draws_for, study_intervals
from simbackup.experiments.study_point import CASE, HALF, Figure, Point, PointResult, together
from simbackup.scenario import Source
from simbackup.schema.study import StudySpec
from simbackup.schema.tree import Node
from simbackup.uncertainty.effort import Done, known

FAILED = "failed"
"""Column of why jobs failed, if any did, or of why a point could not be run."""
RESULTS = "results.parquet"
"""The file of the tidy table in the folder of a study."""


def study(  # noqa: PLR0913
    what: Source,
    *,
    seed: int = 0,
    workers: int | None = None,
    scheduler: str | None = None,
    into: str | Path | None = None,
    intervals: str = "quick",
    progress: Done | None = None,
    note: Callable[[str], None] | None = None,
) -> Study:
    """The table of a study: every scenario in every case with every combination of values, in the order of the file.

    A point that a check rejects, or that fails for another reason, has no figures in the table; the others do.

    Parameters
    ----------
    what
        Path or name of the study's file, YAML text of several lines, or a mapping with the contents of such a file.
    seed
        Seed of all runs: each uses the same draws, so differences come only from the values. If the study has several
        seeds, this is the first.
    workers
        Worker processes; by default as many as there are processors. The table does not depend on their number.
    scheduler
        Address of the scheduler of a Dask cluster whose workers see the same files; used instead of `workers`.
    into
        A folder in which the result of each point is saved as soon as it is known. Points with a saved result are not
        run again, unless their scenario, one of its datasheets, or the program has changed.
    intervals
        Effort for the 90 % interval of each figure: `none`; `quick`, which runs each row ten more times, and none if
        the study is large; `thorough`: hundreds of times. A study that is `uncertain` states its own number, unless
        this is `none`. All rows share their cases, so uncertainty that affects all rows alike makes no difference
        between them.
    progress
        Called with the number of points that are done and with the total; first for the rows, then for the intervals.
    note
        Called with a line that states how many points the folder holds.

    Raises
    ------
    InputError
        The study has errors, or all of its points are rejected.
    ResultError
        The folder cannot be used, or there is no such cluster or effort.

    >>> study("planning/copy-area-place").frame["scenario"].to_list()
    ['same disk', 'second disk', 'flash']
    >>> study({"title": "Chunks", "scenarios": {"one disk": "published/003-lvm-snapshots/same-disk"},
    ...        "vary": {"devices.cow.chunk": ["8 KiB", "64 KiB"]}, "show": ["jobs.dd.elapsed"]})
    Study('Chunks', 2 rows, 1 figure)
    """
    known(intervals)
    asked, points, tree = read_study(what, seed)
    check_correlations(asked, points, tree)
    goals = asked.optimise
    space = space_for(asked, goals, points, tree) if goals is not None else None
    with runner_for(workers=workers, scheduler=scheduler, into=into, progress=progress, note=note) as runner:
        searches: tuple[Search, ...] = ()
        if goals is not None and space is not None:
            searches = tuple(optimum(asked, goals, space, point, runner) for point in points)
            points = [best for one in searches for best in one.best]
        found = replace(_table(asked, points, tree, runner, intervals), searches=searches)
        if runner.ledger is not None:
            runner.ledger.write(RESULTS, found.parquet())
    return found


def _table(asked: StudySpec, points: list[Point], tree: Node, runner: Runner, effort: str) -> Study:
    by_row = replicated(asked, points, runner)
    every = [
        (replace(point, seed=point.seed + n), one)
        for point, row in zip(points, by_row, strict=True)
        for n, one in enumerate(row)
    ]
    if all(one.refused for _, one in every):
        raise _all_refused(every, tree)
    samples = tuple(samples_of(asked.show, row) for row in by_row)
    seeds = len(by_row[0])
    figures = [_figures(sample) for sample in samples]
    draws = draws_for(asked, effort, [row[0].records for row in by_row])
    widths = study_intervals(points, figures, by_row, draws, runner)
    failed = [{FAILED: "; ".join(dict.fromkeys(one.why for one in row if one.why)) or None} for row in by_row]
    any_failed = any(each[FAILED] for each in failed)
    rows = tuple(
        {**point.names, **_with_ends(means, width), **(why if any_failed else {})}
        for point, means, width, why in zip(points, figures, widths.rows, failed, strict=True)
    )
    chosen = asked.optimise.values if asked.optimise else ()
    varied = (*((CASE,) if asked.cases else ()), *asked.paired, *asked.vary, *chosen)
    shown = tuple(name for figure in asked.show for name in (figure, figure + HALF) if any(name in row for row in rows))
    bad = tuple(BadPoint(str(point), one.why or "") for point, one in every if one.refused)
    study = Study(asked.title, asked.question or "", varied, shown, rows, samples if seeds > 1 else (), widths, bad)
    return replace(study, rows=compared(study, asked.compare), base=asked.compare) if asked.compare else study


def _all_refused(every: Sequence[tuple[Point, PointResult]], tree: Node) -> SimbackupError:
    """What is wrong with a study none of whose points could be run."""
    wrong = [(point, problem) for point, one in every for problem in one.problems]
    return InputError(located(wrong, tree)) if wrong else ResultError(f"{every[0][0]}: {every[0][1].lost}")


def _figures(sample: Mapping[str, Sequence[Figure]]) -> dict[str, Figure]:
    """The figures of a row: those of its only run, or their means over its seeds with half their intervals."""
    columns = [
        together(address, figures) if len(figures) > 1 else {address: figures[0]}
        for address, figures in sample.items()
    ]  # fmt: skip
    return {name: value for each in columns for name, value in each.items()}


def _with_ends(figures: Mapping[str, Figure], widths: Mapping[str, CentralInterval]) -> dict[str, Figure]:
    """The figures of a row, each with the ends of its interval behind it if it has one."""
    found: dict[str, Figure] = {}
    for name, value in figures.items():
        found[name] = value
        width = widths.get(name.removesuffix(HALF))
        if width is not None and (name.endswith(HALF) or name + HALF not in figures):
            figure = name.removesuffix(HALF)
            found |= {figure + LOW: width.low, figure + HIGH: width.high}
    return found
