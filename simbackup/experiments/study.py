"""Studies: many runs of scenarios with values varied, as one table."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from simbackup import datasheets
from simbackup.datasheets import is_file, is_folder
from simbackup.equations.intervals import Interval
from simbackup.errors import InputError, Place, Problem, ResultError, choices
from simbackup.experiments.processes import worker_processes
from simbackup.experiments.replications import HALF, Figure, difference, together
from simbackup.experiments.shown import unknown
from simbackup.output.target import TABLE, check_file
from simbackup.output.whole import whole, write_csv, write_whole
from simbackup.results.causes import by_address, split
from simbackup.results.result import Result
from simbackup.results.workbook import write_workbook
from simbackup.run import Progress, simulate
from simbackup.scenario import load, names, nothing_to_do
from simbackup.schema import study as schema
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import a_folder, read

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.plots.studies import StudyPlots

CHUNK = 8
"""Runs that a worker process takes at a time."""
CASE = "case"
"""Column of the names of cases."""
FAILED = "failed"
"""Column of why jobs failed; there where any did."""

Values = dict[str, str | list[str] | dict[str, Any] | None]
Found = tuple[list[Figure], str | None]
"""The figures of one run, and why jobs failed."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a study: the file of its scenario, its case, the values that were varied, and the figures wanted."""

    scenario: str
    file: str
    case: str | None
    together: Values
    varied: Values
    show: tuple[str, ...]
    seed: int

    @property
    def values(self) -> Values:
        """All values by address that replace those of the file."""
        return self.together | self.varied

    @property
    def names(self) -> dict[str, str]:
        """What tells its row from the others."""
        case = {} if self.case is None else {CASE: self.case}
        return {"scenario": self.scenario, **case, **{name: _shown(value) for name, value in self.varied.items()}}


@dataclass(frozen=True, slots=True)
class Table:
    """What a study found: one row for each run, with the scenario, what was varied, and the figures in SI units.

    `varied` names the columns that tell the runs apart: `case` where the study has cases, then the addresses varied.
    Figures of a job that failed are None; where any did, each row says under `failed` which ones and why, or None.
    Over several seeds numbers are means, and beside each stands, under its name and ` ±`, half its interval; `samples`
    has the figures of each row seed by seed.
    """

    title: str
    question: str
    varied: tuple[str, ...]
    figures: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    samples: tuple[dict[str, tuple[Figure, ...]], ...] = ()

    def difference(self, figure: str, row: int, other: int) -> Interval:
        """How much more a figure is in a row than in another, with half the interval of that, 95 %.

        Rows share their seeds, so that what chance does to both alike is not in the interval.

        Raises
        ------
        ResultError
            The study has no such figure, not several seeds, or a job failed.
        """
        if not self.samples:
            raise ResultError("the study has but one seed; write 'seeds:' into it")
        if figure not in self.samples[row]:
            raise ResultError(f"the study has no figure '{figure}'; {choices(figure, self.samples[row])}")
        return difference(figure, self.samples[row][figure], self.samples[other][figure])

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a table of pandas."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        return pd.DataFrame(list(self.rows))

    @property
    def plot(self) -> StudyPlots:
        """Pictures of the figures over what was varied; they need matplotlib."""
        from simbackup.plots.studies import StudyPlots  # noqa: PLC0415 (matplotlib is an extra)

        return StudyPlots(self.title, self.rows)

    def write(self, path: Path) -> None:
        """Write the rows to a file, whole or not at all: `.csv`, `.parquet`, `.xlsx` (Excel) or `.json`.

        Raises
        ------
        ResultError
            Its name ends otherwise, there is no such folder, it cannot be written, or openpyxl is missing for Excel.
        """
        form = check_file(path, TABLE)
        if form == "json":
            write_whole(path, json.dumps(list(self.rows), indent=1, allow_nan=False) + "\n")
        elif form == "xlsx":
            heads = list(dict.fromkeys(name for row in self.rows for name in row))
            write_workbook({"Study": (heads, [[row.get(head) for head in heads] for row in self.rows])}, path)
        else:
            with whole(path) as partial:
                if form == "parquet":
                    self.frame.to_parquet(partial)
                else:
                    write_csv(self.frame, partial)


def find(name: str) -> Path:
    """The file of a study, by path or by name such as `planning/snapshot-chunk-size`."""
    path = Path(name)
    if is_file(path):
        return path
    bare = name.removesuffix(".yaml").removesuffix(".study").removeprefix("scenarios/")
    known: list[str] = []
    for root in datasheets.roots():
        inside = root / "scenarios" / f"{bare}.study.yaml"
        if is_file(inside):
            return inside
        files = (root / "scenarios").rglob("*.study.yaml")
        known += [p.relative_to(root / "scenarios").as_posix().removesuffix(".study.yaml") for p in files]
    if datasheets.is_folder(path):
        raise InputError([a_folder(path, name)])
    remedy = f"it is a scenario: simbackup run {bare}" if bare in names() else choices(bare, known)
    raise InputError([Problem(Place(name), "", "there is neither such a file nor such a study", remedy)])


def study(name: str | Path, *, seed: int = 0, workers: int = 1) -> Table:
    """The table of a study: every scenario in every case with every combination of values, in the order of the file.

    Parameters
    ----------
    name
        Path or name of the study's file.
    seed
        Seed of all runs: the same draws for each, so that differences are those of the values. The first one where the
        study asks for several.
    workers
        Worker processes; the table is the same whatever their number.

    Raises
    ------
    InputError
        Something is wrong with the study or with one of its scenarios.

    >>> table = study("planning/copy-area-place")
    >>> [row["scenario"] for row in table.rows]
    ['same disk', 'second disk', 'flash']
    """
    asked, runs = read_study(find(str(name)), seed)
    seeds = int(asked.seeds.si) if asked.seeds else 1
    drawn = [replace(run, seed=seed + i) for run in runs for i in range(seeds)]
    with worker_processes(workers) as executor:
        mapped = executor.map(figures_of, drawn, chunksize=CHUNK) if executor else map(figures_of, drawn)
        found = list(mapped)
    by_row = [found[i : i + seeds] for i in range(0, len(found), seeds)]
    samples = tuple(
        dict(zip(run.show, zip(*(figures for figures, _ in row), strict=True), strict=True))
        for run, row in zip(runs, by_row, strict=True)
    )
    rows = [_row(run, sample, row) for run, sample, row in zip(runs, samples, by_row, strict=True)]
    if not any(row[FAILED] for row in rows):
        rows = [{name: value for name, value in row.items() if name != FAILED} for row in rows]
    varied = (*((CASE,) if asked.cases else ()), *asked.vary)
    shown = tuple(name for figure in asked.show for name in (figure, figure + HALF) if any(name in row for row in rows))
    return Table(asked.title, asked.question or "", varied, shown, tuple(rows), samples if seeds > 1 else ())


def _row(run: Run, sample: Mapping[str, Sequence[Figure]], found: Sequence[Found]) -> dict[str, Any]:
    """One row of the table: the figures of its only run, or their means over its seeds."""
    why = "; ".join(dict.fromkeys(why for _, why in found if why)) or None
    if len(found) == 1:
        return {**run.names, **{address: figures[0] for address, figures in sample.items()}, FAILED: why}
    means = [together(address, figures) for address, figures in sample.items()]
    return {**run.names, **{name: value for columns in means for name, value in columns.items()}, FAILED: why}


def read_study(path: Path, seed: int = 0) -> tuple[schema.Study, list[Run]]:
    """A study and its runs, each of which has been checked to load.

    Raises
    ------
    InputError
        Everything that is wrong with the file, and with its scenarios and values.
    """
    tree = read(path, datasheets.shown(path))
    if "jobs" in tree.mapping and "scenarios" not in tree.mapping:
        raise InputError([Problem(Place(tree.place.file), "", "is a scenario and no study", f"simbackup run {path}")])
    problems: list[Problem] = []
    asked = validate(schema.Study, tree, "", problems)
    if asked is None:
        raise InputError(problems)
    problems.extend(_twice(asked, tree))
    runs: list[Run] = []
    for name, text in asked.scenarios.items():
        file = path.parent / text
        if not is_file(file):
            place = tree.mapping["scenarios"].mapping[name].place
            near = sorted(p.name for p in file.parent.glob("*.yaml")) if is_folder(file.parent) else []
            problems.append(Problem(place, f"scenarios.{name}", f"there is no file '{text}'", choices(file.name, near)))
            continue
        runs += [
            Run(name, str(file), case, together, varied, asked.show, seed)
            for case, together in _cases(asked.cases)
            for varied in _combinations(asked.vary)
        ]
    for run in runs:
        problems.extend(_wrong(run, tree))
    if problems:
        raise InputError(problems)
    return asked, runs


def _combinations(vary: Mapping[str, tuple[Any, ...]]) -> Iterator[Values]:
    """Every combination of the values, the last address varied fastest."""
    for values in itertools.product(*vary.values()):
        yield dict(zip(vary, map(_text, values), strict=True))


def _cases(cases: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str | None, Values]]:
    """Each case with its values; a study without cases has one that changes nothing."""
    if not cases:
        yield None, {}
    for name, values in cases.items():
        yield name, {address: _text(value) for address, value in values.items()}


def _shown(value: str | list[str] | dict[str, Any] | None) -> str:
    """A value as the table names it."""
    if isinstance(value, dict):
        return str(value.get("value", value))
    return "none" if value is None else value if isinstance(value, str) else ", ".join(value)


def _text(value: object) -> str | list[str] | dict[str, Any] | None:
    """A value as it is written in a file; a list of names stays one, and so does a value with its origin."""
    if value is None or isinstance(value, dict):
        return cast("dict[str, Any] | None", value)
    if isinstance(value, (list, tuple)):
        return [str(item) for item in cast("list[object]", value)]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _twice(asked: schema.Study, tree: Node) -> Iterator[Problem]:
    """Addresses that a case sets and `vary` varies."""
    for name, values in asked.cases.items():
        for address in values.keys() & asked.vary.keys():
            place = tree.find(("cases", name, address))[0].place
            message = "is varied, and set by a case"
            yield Problem(place, address, message, "name the address under 'vary' or in the cases, not in both")


def _wrong(run: Run, tree: Node) -> list[Problem]:
    """What is wrong with one run before it begins; values are shown at their place in the study."""
    try:
        scenario = load(run.file, run.values)
    except InputError as error:
        return [replace(each, place=_written(run, tree, each)) for each in (*error.problems, *error.notes)]
    if not scenario.spec.jobs:
        return [nothing_to_do(scenario)]
    show = tree.mapping["show"].value
    places = [item.place for item in show] if isinstance(show, list) else []
    return [Problem(places[i], f"show.{i}", message, remedy) for i, message, remedy in unknown(scenario, run.show)]


def _written(run: Run, tree: Node, problem: Problem) -> Place:
    """Where a study sets the value that a problem is about; one above or below it where the problem has no place."""
    paths = [("vary", address) for address in run.varied] + [("cases", run.case or "", name) for name in run.together]
    places = {path[-1]: tree.find(path)[0].place for path in paths}
    if problem.address in places or problem.place.line:
        return places.get(problem.address, problem.place)
    about = f"{problem.address}."
    near = (place for name, place in places.items() if about.startswith(f"{name}.") or f"{name}.".startswith(about))
    return next(near, tree.mapping["scenarios"].mapping[run.scenario].place)


def figures_of(run: Run, progress: Progress | None = None) -> Found:
    """The figures of one run, None for those of a job that failed, whose seconds say nothing; and why jobs failed."""
    result = simulate(load(run.file, run.values), seed=run.seed, progress=progress)
    status = {row["job"]: row["status"] for row in result.job_rows}
    told = "; ".join(f"{row['job']}: {row['reason']}" for row in result.job_rows if row["status"] == "failed")
    try:
        return [_figure(result, address, status) for address in run.show], told or None
    except ResultError as error:
        raise InputError([Problem(Place(run.file), run.scenario, str(error))]) from None


def _figure(result: Result, address: str, status: Mapping[str, str]) -> Figure:
    """One figure of a result, or a word about one of its jobs."""
    owner, _, column = address.rpartition(".")
    section, _, job = owner.partition(".")
    if section != "jobs" or job not in status:
        return result.get(address)
    if column in {"status", "reason"}:
        return next(str(row[column]) for row in result.job_rows if row["job"] == job)
    if status[job] in {"failed", "skipped"}:
        return None
    return _cause(result, job) if column == "cause" else result.get(address)


def _cause(result: Result, job: str) -> str:
    """The address that takes most of a job's time, the first among equals; empty where it took none."""
    spent = by_address(split(result, job))
    return max(spent, key=lambda address: spent[address], default="")
