"""`Study`: the result of a study."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup.equations.intervals import Interval
from simbackup.equations.uncertainty import CentralInterval, spread_of
from simbackup.errors import ResultError, choices
from simbackup.experiments.optimum import Search
from simbackup.experiments.study_intervals import HIGH, LOW, StudyIntervals
from simbackup.experiments.study_point import CASE, HALF, Figure, difference
from simbackup.output.target import TABLE, check_file
from simbackup.output.whole import whole, write_csv, write_whole
from simbackup.results.figures import unit_of
from simbackup.results.tabled import Answer
from simbackup.results.workbook import write_workbook

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.plots.studies import StudyPlots
    from simbackup.plots.style import Chart


NOTHING = CentralInterval(0.0, 0.0, 0.0)


class BadPoint(NamedTuple):
    """A point that could not be run."""

    point: str
    """Its scenario, values and seed."""
    why: str
    """Why not."""

    def __str__(self) -> str:
        return f"{self.point}: {self.why}"


@dataclass(frozen=True, slots=True, repr=False)
class Study(Answer):
    """The results of a study: one row for each run, or for the runs of all seeds.

    A row has the scenario, what was varied, and the figures in SI units. Figures of a failed job are None, and so are
    those of a point that could not be run. If anything failed, the column `failed` states what and why; in the other
    rows it is None.

    With several seeds, numbers are means; the column with the same name and ` ±` has half of the 95 % confidence
    interval. The columns with ` low` and ` high` have the ends of the 90 % interval. If the study compares, ` change`
    is the difference of a figure from that of the base (with ` change ±`), and ` times` is their ratio.
    """

    title: str
    """What it is about."""
    question: str
    """The question that it answers."""
    varied: tuple[str, ...]
    """Columns that identify the runs: `case` if the study has cases, then the varied addresses."""
    figures: tuple[str, ...]
    """Columns of figures."""
    rows: tuple[dict[str, Any], ...]
    """The rows, by column."""
    samples: tuple[dict[str, tuple[Figure, ...]], ...] = ()
    """The figures of each row by seed; empty with a single seed."""
    between: StudyIntervals = field(default_factory=lambda: StudyIntervals(()))
    """The intervals by row, with the inputs that matter most."""
    bad: tuple[BadPoint, ...] = ()
    """Points that could not be run."""
    searches: tuple[Search, ...] = ()
    """What was tried to find each row, in a study that optimises."""
    base: str = ""
    """The scenario or case with which the others are compared; empty without one."""

    def __repr__(self) -> str:
        sizes = ((len(self.rows), "row"), (len(self.figures), "figure"))
        held = ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in sizes)
        return f"Study({self.title!r}, {held})"

    def difference(self, figure: str, row: int, other: int, *, paired: bool = True) -> Interval:
        """The difference of a figure between two rows, with half of its 95 % interval.

        Rows share their seeds, so random variation that affects both alike is not in the interval, unless `paired` is
        false.

        Raises
        ------
        ResultError
            The study has no such figure, it has only one seed, or a job failed.
        """
        if not self.samples:
            raise ResultError("the study has only one seed; add 'seeds:' to it")
        if figure not in self.samples[row]:
            raise ResultError(f"the study has no figure '{figure}'; {choices(figure, self.samples[row])}")
        return difference(figure, self.samples[row][figure], self.samples[other][figure], paired=paired)

    def ratio(self, figure: str, row: int, other: int) -> CentralInterval:
        """The ratio of a figure between two rows, with its 90 % interval over the ranges of the inputs.

        Rows share their cases, so uncertainty that affects both alike is not in the interval. Model error is not in it
        either.

        Raises
        ------
        ResultError
            The study has no such figure, no intervals, or the figure of the other row is 0.
        """
        if not self.between.cases:
            raise ResultError("the study has no intervals; run it with intervals='quick' or 'thorough'")
        rows = self.between.rows
        if figure not in rows[row] or not rows[other].get(figure, NOTHING).best:
            raise ResultError(f"'{figure}' has no ratio; {choices(figure, rows[row])}")
        best = rows[row][figure].best / rows[other][figure].best
        pairs = [(case[row].get(figure), case[other].get(figure)) for case in self.between.cases]
        return spread_of(best, [one / two for one, two in pairs if one is not None and two] or [best])

    def table(self) -> pd.DataFrame:
        """The figures in tidy form, one row for each figure of each row, as Parquet files hold them.

        Columns: `scenario`, `case` where there are cases, what was varied, then `figure`, its SI `unit` (empty for
        what is counted), its `value`, the ends `low` and `high` of its 90 % interval, `half` the 95 % interval of the
        mean over the seeds, its `text` if it is a word, and why it `failed`. In a study that compares: its `change`
        from the base with `change_half`, and how many `times` it is that of the base, `times_low` to `times_high`.

        >>> from simbackup import study
        >>> study("planning/copy-area-place", intervals="none").table().loc[0, ["figure", "unit"]].to_list()
        ['jobs.dd.elapsed', 's']
        """
        import pandas as pd  # noqa: PLC0415

        more = tuple(COMPARED.values()) if self.base else ()
        found = pd.DataFrame(list(tidy_rows(self)), columns=["scenario", *self.varied, *COLUMNS, *more])
        return found.astype(dict.fromkeys(("value", "low", "high", "half", *more), "float64"))

    def parquet(self) -> bytes:
        """The tidy table as a Parquet file."""
        out = io.BytesIO()
        self.table().to_parquet(out)
        return out.getvalue()

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a table of pandas."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        return pd.DataFrame(list(self.rows))

    @property
    def headline(self) -> str:
        """Its title and its question."""
        return f"{self.title}: {self.question}" if self.question else self.title

    @property
    def intervals(self) -> pd.DataFrame:
        """The rows of `table` that have a 90 % interval, with their `unit`, `value`, `low` and `high`."""
        return self.table().dropna(subset=["low", "high"])[["scenario", *self.varied, *COLUMNS[:5]]]

    @property
    def warnings(self) -> list[str]:
        """Points that could not be run, and cases whose values a check refused."""
        return [*map(str, self.bad), *filter(None, (self.between.refusals(),))]

    def figure(self) -> Chart:
        """The main picture: the first figure over what was varied first, a curve for each value of the second."""
        along, by = (*self.varied, "scenario")[0], self.varied[1] if len(self.varied) > 1 else None
        return self.plot.lines(along, self.figures[0], by)

    @property
    def plot(self) -> StudyPlots:
        """Pictures: lines with their intervals, heat map, tornado, and what a search tried; they need matplotlib."""
        from simbackup.plots.studies import StudyPlots  # noqa: PLC0415 (matplotlib is an extra)

        tried = tuple(row for search in self.searches for row in search.rows)
        return StudyPlots(self.title, self.rows, self.between.alone, tried)

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


CHANGE, TIMES = " change", " times"
"""Endings of the columns that compare: how much more a figure is than in the row of the base, and how many times it.

The change of a study with seeds has half its 95 % interval beside it, and the factor of one with intervals the ends of
its 90 % interval.
"""


def compared(found: Study, base: str) -> tuple[dict[str, Any], ...]:
    """The rows of a study, each with how its figures differ from those of the base with the same other values.

    Rows share their seeds and their cases of uncertain inputs. So what chance and inputs do to both alike is not in the
    intervals. The rows of the base itself have nothing to add.
    """
    column = "scenario" if any(row["scenario"] == base for row in found.rows) else CASE
    others = [name for name in ("scenario", *found.varied) if name != column]
    bases = {tuple(row[name] for name in others): n for n, row in enumerate(found.rows) if row[column] == base}
    rows: list[dict[str, Any]] = []
    for n, row in enumerate(found.rows):
        at = bases[tuple(row[name] for name in others)]
        more = {} if at == n else _differences(found, n, at)
        rows.append(row | more)
    return tuple(rows)


def _differences(found: Study, row: int, base: int) -> dict[str, Any]:
    """The columns that compare a row with another."""
    columns: dict[str, Any] = {}
    for name in found.figures:
        one, other = found.rows[row].get(name), found.rows[base].get(name)
        if name.endswith(HALF) or not isinstance(one, int | float) or not isinstance(other, int | float):
            continue
        columns[name + CHANGE] = one - other
        if found.samples:
            columns[name + CHANGE + HALF] = found.difference(name, row, base).half
        if other:
            columns[name + TIMES] = one / other
            columns |= _ends(found, name, row, base)
    return columns


def _ends(found: Study, name: str, row: int, base: int) -> dict[str, float]:
    if name not in found.between.rows[row] or name not in found.between.rows[base] or not found.between.cases:
        return {}
    ratio = found.ratio(name, row, base)
    return {name + TIMES + LOW: ratio.low, name + TIMES + HIGH: ratio.high}


COLUMNS = ("figure", "unit", "value", "low", "high", "half", "text", "failed")
"""Columns beside those that identify a row.

`low` and `high` are the ends of the 90 % interval, `half` is half the 95 % interval of the mean over the seeds, and
`text` is a figure that is a word. An empty unit means that the figure is counted.
"""
COMPARED = {
    CHANGE: "change", CHANGE + HALF: "change_half",
    TIMES: "times", TIMES + LOW: "times_low", TIMES + HIGH: "times_high",
}  # fmt: skip
"""Columns of a study that compares, by the ending under which its rows have them."""


def tidy_rows(found: Study) -> Iterator[dict[str, Any]]:
    """The results of a study with one row for each figure of each point, and its interval."""
    for row in found.rows:
        named = {"scenario": row["scenario"], **{name: row[name] for name in found.varied}}
        for figure in found.figures:
            if not figure.endswith(HALF):
                yield {**named, **_figure(row, figure)}


def _figure(row: Mapping[str, Any], figure: str) -> dict[str, Any]:
    value = row.get(figure)
    word = value if isinstance(value, str) else None
    return {
        "figure": figure, "unit": "" if word is not None else unit_of(figure) or "",
        "value": None if value is None or word is not None else float(value),
        "low": row.get(figure + LOW), "high": row.get(figure + HIGH), "half": row.get(figure + HALF),
        "text": word, "failed": row.get("failed"),
        **{column: row.get(figure + ending) for ending, column in COMPARED.items()},
    }  # fmt: skip
