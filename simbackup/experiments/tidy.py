"""The table of a study in tidy form: one row for each figure of each point, with its unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simbackup.experiments.comparison import CHANGE, TIMES
from simbackup.experiments.replications import HALF
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.results.figures import unit_of

if TYPE_CHECKING:
    from simbackup.experiments.studied import Study

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
    """The rows of the tidy table."""
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
