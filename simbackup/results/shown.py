"""Columns and HTML of a result's tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from simbackup import units
from simbackup.results.clock import on_the_clock, times
from simbackup.text import html_table

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.results.result import Result

JOBS = (
    "job", "method", "start", "end", "elapsed", "back", "bytes", "files", "rate", "transfer_rate", "waits", "lock",
    "status", "reason",
)  # fmt: skip
DEVICES = ("device", "kind", "busy", "bytes", "peak", "busy_s")
USERS = (
    "users", "job", "offered", "served", "rate", "lost", "response", "slower", "waited", "mean_wait",
    "longest_wait", "slowdown", "network_wait", "timed_out",
)  # fmt: skip
COLUMNS = {"job": "", "method": "", "start": "s", "end": "s", "elapsed": "s", "bytes": "B", "rate": "B/s", "status": ""}
"""Columns that a notebook shows, with their units; the end only on the clock."""
MOST_JOBS = 20


def table(rows: Sequence[Any], columns: Iterable[str]) -> pd.DataFrame:
    """Rows as a table of pandas."""
    import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

    return pd.DataFrame(rows, columns=list(columns))


def shown(result: Result) -> str:
    """The jobs of a result as an HTML table, of many the first, and the origins of their inputs."""
    first = result.job_rows[:MOST_JOBS]
    day = on_the_clock(result)
    columns = {name: unit for name, unit in COLUMNS.items() if day or name != "end"}
    time = times(first)
    rows = [
        [
            time(row[name]) if day and name in {"start", "end"}
            else units.show_short(row[name], unit, 3) if unit else row[name]
            for name, unit in columns.items()
        ]
        for row in first
    ]  # fmt: skip
    more = len(result.job_rows) - len(rows)
    bases = ", ".join(f"{count} {basis}" for basis, count in result.bases().items())
    note = f"{f'And {more} more jobs. ' if more else ''}Depends on {bases} values; hash {result.record.hash}, "
    note += f"seed {result.record.seed}"
    right = {name for name, unit in columns.items() if unit}
    return html_table(list(columns), rows, result.record.title, note, right=right)
