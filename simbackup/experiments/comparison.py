"""Rows of a study compared with those of one scenario or case (differences, factors), and its table in tidy form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simbackup.errors import Problem, choices
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.experiments.study_point import CASE, HALF
from simbackup.results.figures import unit_of
from simbackup.schema.study import StudySpec
from simbackup.schema.tree import Node

if TYPE_CHECKING:
    from simbackup.experiments.studied import Study


CHANGE, TIMES = " change", " times"
"""Endings of the columns that compare: how much more a figure is than in the row of the base, and how many times it.

The change of a study with seeds has half its 95 % interval beside it, and the factor of one with intervals the ends of
its 90 % interval.
"""


def wrong_base(asked: StudySpec, tree: Node) -> Iterator[Problem]:
    """Report a base of a comparison that is no scenario and no case, or the only one."""
    base = asked.compare
    if base is None:
        return
    place = tree.mapping["compare"].place
    known = [*asked.scenarios, *asked.cases]
    if base not in known:
        yield Problem(place, "compare", f"there is no scenario and no case '{base}'", choices(base, known))
    elif len(asked.scenarios if base in asked.scenarios else asked.cases) == 1:
        yield Problem(place, "compare", f"there is nothing to compare with '{base}'", "add another scenario or case")


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
