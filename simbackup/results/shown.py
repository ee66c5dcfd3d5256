"""Columns and HTML of a result's tables, its times on the clock, and what its parts have noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simbackup import units
from simbackup.scenario import Scenario
from simbackup.schema.part import CLOCK
from simbackup.text import html_table
from simbackup.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.results.result import Result


SHORT = 60.0
"""Seconds below which a job counts as short."""


def on_the_clock(result: Result) -> bool:
    """Whether a job of the scenario begins at a time of day, so that its first day begins at midnight."""
    if isinstance(result.made_from, Scenario):
        return any(":" in (job.begin or "") for job in result.made_from.spec.jobs.values())
    layout = result.layout
    return layout is not None and any(fact.unit == CLOCK for node in layout.nodes for fact in node.facts)


def times(rows: Iterable[Mapping[str, Any]]) -> Callable[[float], str]:
    """What writes the starts and ends of these rows on the clock: to the second if a job that ran was short.

    >>> both = [{"start": 79_200.0, "end": end, "elapsed": end - 79_200.0} for end in (79_230.0, 96_200.0)]
    >>> times(both)(79_230.0), times(both[1:])(96_200.0)
    ('22:00:30', '02:43 day 2')
    """
    seconds = any(0.0 < row["elapsed"] < SHORT for row in rows)
    return lambda time: units.show_clock(time, seconds=seconds)


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


def note_rows(trace: Trace) -> list[dict[str, Any]]:
    """One mapping for each note: the address of its part, what it says, and seconds from the start.

    >>> trace = Trace()
    >>> trace.note(90.0, "devices.cow", "is invalid, as its copy area is full")
    >>> note_rows(trace)
    [{'address': 'devices.cow', 'what': 'is invalid, as its copy area is full', 'at': 90.0}]
    """
    return [
        {"address": event.address, "what": event.what, "at": event.time}
        for event in trace.events
        if event.data.get("note")
    ]


def note_sentences(trace: Trace) -> list[str]:
    """The notes in words.

    >>> trace = Trace()
    >>> trace.note(90.0, "jobs.again", "has nothing to do")
    >>> note_sentences(trace)
    ['jobs.again has nothing to do, at 1 min 30 s']
    """
    return [f"{row['address']} {row['what']}, at {units.show_short(row['at'], 's')}" for row in note_rows(trace)]


def noted(trace: Trace) -> dict[str, list[dict[str, Any]]]:
    """The notes as a table under its name; nothing without any."""
    rows = note_rows(trace)
    return {"notes": rows} if rows else {}
