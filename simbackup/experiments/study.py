"""Studies: many runs of scenarios with values varied, as one table."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from simbackup import shelf
from simbackup.equations.uncertainty import CentralInterval
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.experiments.figure_names import WORDS, unknown
from simbackup.experiments.processes import worker_processes
from simbackup.experiments.replications import HALF, Figure, together
from simbackup.experiments.studied import Study
from simbackup.experiments.study_intervals import HIGH, LOW, study_intervals
from simbackup.experiments.study_runs import CASE, Run, Values, figures_of
from simbackup.scenario import Source, load, names, nothing_to_do
from simbackup.scenario.files import given
from simbackup.schema import study as schema
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import a_folder, read
from simbackup.shelf import is_file, is_folder
from simbackup.uncertainty.effort import Done

FAILED = "failed"
"""Column of why jobs failed, if any did."""
CHUNK = 8
"""Runs that a worker process takes at a time."""


def find(name: str) -> Path:
    """The file of a study, by path or by name such as `planning/snapshot-chunk-size`."""
    path = Path(name)
    if is_file(path):
        return path
    bare = name.removesuffix(".yaml").removesuffix(".study").removeprefix("scenarios/")
    known: list[str] = []
    for root in shelf.roots():
        inside = root / "scenarios" / f"{bare}.study.yaml"
        if is_file(inside):
            return inside
        files = (root / "scenarios").rglob("*.study.yaml")
        known += [p.relative_to(root / "scenarios").as_posix().removesuffix(".study.yaml") for p in files]
    if shelf.is_folder(path):
        raise InputError([a_folder(path, name)])
    remedy = f"it is a scenario: simbackup run {bare}" if bare in names() else choices(bare, known)
    raise InputError([Problem(Place(name), "", "there is neither such a file nor such a study", remedy)])


def study(
    what: Source, *, seed: int = 0, workers: int = 1, intervals: str = "quick", progress: Done | None = None
) -> Study:
    """The table of a study: every scenario in every case with every combination of values, in the order of the file.

    Parameters
    ----------
    what
        Path or name of the study's file, YAML text of several lines, or a mapping with what would stand in the file.
    seed
        Seed of all runs: the same draws for each, so that differences are those of the values. The first one if the
        study has several.
    workers
        Worker processes; the table is the same whatever their number.
    intervals
        Effort for the 90 % interval of each figure: `none`; `quick`, which runs each row ten more times, and none if
        the study is large; `thorough`: hundreds of times. All rows share their cases, so that what is uncertain in all
        of them alike makes no difference between them.
    progress
        Called with the runs for intervals that are done, and with their number.

    Raises
    ------
    InputError
        Something is wrong with the study or with one of its scenarios.

    >>> study("planning/copy-area-place").frame["scenario"].to_list()
    ['same disk', 'second disk', 'flash']
    >>> study({"title": "Chunks", "scenarios": {"one disk": "published/003-lvm-snapshots/same-disk"},
    ...        "vary": {"devices.cow.chunk": ["8 KiB", "64 KiB"]}, "show": ["jobs.dd.elapsed"]})
    Study('Chunks', 2 rows, 1 figures)
    """
    asked, runs = read_study(what, seed)
    seeds = int(asked.seeds.si) if asked.seeds else 1
    drawn = [replace(run, seed=seed + i) for run in runs for i in range(seeds)]
    with worker_processes(workers) as executor:
        mapped = executor.map(figures_of, drawn, chunksize=CHUNK) if executor else map(figures_of, drawn)
        found = list(mapped)
    by_row = [found[i : i + seeds] for i in range(0, len(found), seeds)]
    samples = tuple(
        dict(zip(run.show, zip(*(one.figures for one in row), strict=True), strict=True))
        for run, row in zip(runs, by_row, strict=True)
    )
    figures = [_figures(sample) for sample in samples]
    widths = study_intervals(runs, figures, [row[0] for row in by_row], intervals, progress)
    failed = [{FAILED: "; ".join(dict.fromkeys(one.failed for one in row if one.failed)) or None} for row in by_row]
    rows = tuple(
        {**run.names, **_with_ends(means, width), **(why if any(each[FAILED] for each in failed) else {})}
        for run, means, width, why in zip(runs, figures, widths.rows, failed, strict=True)
    )
    varied = (*((CASE,) if asked.cases else ()), *asked.vary)
    shown = tuple(name for figure in asked.show for name in (figure, figure + HALF) if any(name in row for row in rows))
    return Study(asked.title, asked.question or "", varied, shown, rows, samples if seeds > 1 else (), widths)


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


def read_study(what: Source, seed: int = 0) -> tuple[schema.StudySpec, list[Run]]:
    """A study and its runs, each of which loads without errors.

    Raises
    ------
    InputError
        All errors in the file, and in its scenarios and values.
    """
    tree, folder = given(what), Path()
    own = tree is not None
    if tree is None:
        path = find(str(what))
        tree, folder = read(path, shelf.shown(path)), path.parent
    if "jobs" in tree.mapping and "scenarios" not in tree.mapping:
        raise InputError([Problem(Place(tree.place.file), "", "is a scenario, not a study", f"simbackup run {what}")])
    problems: list[Problem] = []
    asked = validate(schema.StudySpec, tree, "", problems)
    if asked is None:
        raise InputError(problems)
    problems.extend(_twice(asked, tree))
    runs: list[Run] = []
    for name, text in asked.scenarios.items():
        file = _file(folder, text)
        if file is None:
            place = tree.find(("scenarios", name))[0].place
            message = f"there is neither a file nor a scenario '{text}'" if own else f"there is no file '{text}'"
            remedy = choices(text, names()) if own else choices(Path(text).name, _near(folder / text))
            problems.append(Problem(place, f"scenarios.{name}", message, remedy))
            continue
        runs += [
            Run(name, file, case, together, varied, asked.show, seed)
            for case, together in _cases(asked.cases)
            for varied in _combinations(asked.vary)
        ]
    for run in runs:
        problems.extend(_wrong(run, tree))
    if problems:
        raise InputError(problems)
    return asked, runs


def _file(folder: Path, text: str) -> str | None:
    """The scenario that a study names: a file beside it, or one by its name."""
    if is_file(folder / text):
        return str(folder / text)
    return text if text in names() else None


def _near(file: Path) -> list[str]:
    """The files among which one was looked for."""
    return [path.name for path in file.parent.glob("*.yaml")] if is_folder(file.parent) else []


def _combinations(vary: Mapping[str, tuple[Any, ...]]) -> Iterator[Values]:
    """Every combination of the values, the last address varied fastest."""
    for values in itertools.product(*vary.values()):
        yield dict(zip(vary, map(_text, values), strict=True))


def _cases(cases: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str | None, Values]]:
    """Each case with its values; a study without cases has one without changes."""
    if not cases:
        yield None, {}
    for name, values in cases.items():
        yield name, {address: _text(value) for address, value in values.items()}


def _text(value: object) -> str | list[str] | dict[str, Any] | None:
    """A value as it is written in a file; a list of names stays one, and so does a value with its origin."""
    if value is None or isinstance(value, dict):
        return cast("dict[str, Any] | None", value)
    if isinstance(value, (list, tuple)):
        return [str(item) for item in cast("list[object]", value)]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _twice(asked: schema.StudySpec, tree: Node) -> Iterator[Problem]:
    """Addresses that a case sets and `vary` varies."""
    for name, values in asked.cases.items():
        for address in values.keys() & asked.vary.keys():
            place = tree.find(("cases", name, address))[0].place
            message = "is both varied and set by a case"
            yield Problem(place, address, message, "name the address either under 'vary' or in the cases")


def _wrong(run: Run, tree: Node) -> list[Problem]:
    """The problems of one run before it starts; values are shown at their place in the study."""
    try:
        scenario = load(run.file, run.values)
    except InputError as error:
        return [replace(each, place=_written(run, tree, each)) for each in (*error.problems, *error.notes)]
    if not scenario.spec.jobs:
        return [nothing_to_do(scenario)]
    show = tree.mapping["show"].value
    places = [item.place for item in show] if isinstance(show, list) else []
    wrong = unknown(scenario, run.show, WORDS)
    return [Problem(places[i], f"show.{i}", message, remedy) for i, message, remedy in wrong]


def _written(run: Run, tree: Node, problem: Problem) -> Place:
    """Where a study sets the value that a problem is about; one above or below it where the problem has no place."""
    paths = [("vary", address) for address in run.varied] + [("cases", run.case or "", name) for name in run.together]
    places = {path[-1]: tree.find(path)[0].place for path in paths}
    if problem.address in places or problem.place.line:
        return places.get(problem.address, problem.place)
    about = f"{problem.address}."
    near = (place for name, place in places.items() if about.startswith(f"{name}.") or f"{name}.".startswith(about))
    return next(near, tree.mapping["scenarios"].mapping[run.scenario].place)
