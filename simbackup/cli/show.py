"""Tables on a terminal, as Markdown and as JSON."""

from __future__ import annotations

import json as json_format
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, cast

from simbackup import units
from simbackup.cli.terminal import line, report_table, table
from simbackup.results.causes import split
from simbackup.results.figures import series
from simbackup.results.rows import exact, reports
from simbackup.results.shown import note_sentences
from simbackup.scenario.typical import in_words
from simbackup.trace.trace import FULL, NONE

if TYPE_CHECKING:
    from simbackup.reporting.tables import ReportTable
    from simbackup.results.groups import Group, Row
    from simbackup.results.result import Result
    from simbackup.uncertainty.verdict import JobInterval

MOST_NOTES = 20
"""Notes of parts that are printed."""
FEW = 4
"""Names of jobs that are printed in one line."""
SUMS = ("waits", "lock")
"""Times that are added where a row stands for many jobs."""
Columns = dict[str, tuple[str, Callable[[Any], str]]]
"""Heads by the key of a row, with the function that formats its value."""


def answer(data: Callable[[], object], shown: Callable[[], None], *, as_json: bool) -> None:
    """Print an answer: its data as JSON, or as `shown` prints it."""
    if as_json:
        json(data())
    else:
        shown()


def plain(value: Any) -> Any:
    """A value for JSON: dates as text, nothing for what is without bounds."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in cast("list[Any]", value)]
    if isinstance(value, date):
        return value.isoformat()
    return None if isinstance(value, float) and not abs(value) < float("inf") else value


def json(data: object) -> None:
    """Print data as JSON."""
    text = json_format.dumps(plain(data), indent=1, allow_nan=False)
    print(text.replace("\x7f", "\\u007f"))  # noqa: T201 (the only control character that JSON leaves as it is)


def report_tables(title: str, tables: Iterable[ReportTable]) -> None:
    """Print tables below a line, each with its name above and its caption below it; without rows, these alone."""
    line(title)
    for one in tables:
        report_table(one, one.name) if one else line(one.name)
        for said in one.caption.splitlines():
            line(said)


def listing(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    """Print rows with the same keys."""
    if as_json:
        json(rows)
    elif rows:
        header = list(dict.fromkeys(key for row in rows for key in row))
        table(header, [[_text(row.get(key, "")) for key in header] for row in rows])


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_text(item) for item in cast("list[object]", value))
    return f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)


def _some(names: list[str]) -> str:
    """Names, of many the first."""
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")


def _seconds(value: float) -> str:
    return units.show_short(value, "s")


def _added(value: float, *, of_many: bool) -> str:
    """Time that may be the sum of the times of many jobs."""
    return f"{_seconds(value)} in all" if of_many and value else _seconds(value)


def _telling(columns: Columns, rows: Sequence[Mapping[str, Any]], *, day: bool) -> Columns:
    """The columns that say something of the rows: all have them, and they do not repeat another."""
    found = {key: column for key, column in columns.items() if all(key in row for row in rows)}
    if not day:
        del found["end"]
    if not any(row["back"] for row in rows):
        del found["back"]
    if all(_rate(row.get("transfer_rate", 0.0)) in {_rate(row["rate"]), _rate(0.0)} for row in rows):
        found.pop("transfer_rate", None)  # all jobs did nothing but move bytes
    return found


def _back(row: Mapping[str, Any]) -> str:
    """After what time the data of a restore are back, empty if that is at its end."""
    back = row.get("back", row["elapsed"])
    return _seconds(back) if back < row["elapsed"] else ""


def _bytes(value: float) -> str:
    return units.show_short(value, "B")


def _rate(value: float) -> str:
    return units.show_short(value, "B/s")


def _share(value: float) -> str:
    return units.show_short(value, "1")


def _count(value: float) -> str:
    return f"{value:,.0f}"


def result(one: Result, intervals: Mapping[str, JobInterval], *, verbose: bool = False) -> None:
    """Print the jobs with their intervals and the devices of a result; equal parts of a fleet share one row.

    What is `verbose` says all of the intervals, and where the inputs come from.
    """
    from simbackup.results import groups, shown  # noqa: PLC0415 (they read results, which takes time to import)

    jobs = list(groups.grouped(one, one.job_rows, "job"))
    rows = [{**(groups.job_row(item) if isinstance(item, groups.Group) else item)} for item in jobs]
    day = shown.on_the_clock(one)
    time = shown.times(rows) if day else _seconds
    for item, row in zip(jobs, rows, strict=True):
        row["back"] = _back(row)
        row["elapsed"] = _seconds(row["elapsed"])
        row |= {key: _added(row[key], of_many=isinstance(item, groups.Group)) for key in SUMS if key in row}
        if isinstance(item, groups.Group) and groups.repeated(item):
            row["elapsed"] = f"mean {_seconds(row['mean'])}, worst {_seconds(row['slowest'])}"
    columns: Columns = {
        "job": ("job", str), "method": ("method", str), "start": ("start", time), "end": ("end", time),
        "elapsed": ("elapsed", str), "back": ("back after", str), "bytes": ("bytes", _bytes),
        "files": ("files", _count), "rate": ("rate", _rate), "transfer_rate": ("transfer rate", _rate),
        "waits": ("waits", str), "lock": ("lock", str),
    }  # fmt: skip
    columns = _telling(columns, rows, day=day)
    cells = [
        [
            *(shown(row[key]) for key, (_, shown) in columns.items()),
            ": ".join(filter(None, (row["status"], row["reason"]))),
        ]
        for row in rows
    ]
    header = [*(name for name, _ in columns.values()), "status"]
    table(header, cells, one.record.title, right=range(2, len(columns)))
    _causes(one, jobs, intervals, verbose=verbose)
    if one.trace.keeps != NONE:
        _devices(one)
    notes(one)
    users(one)
    if verbose:
        inputs(one, sampled=bool(intervals))


def _causes(one: Result, jobs: Sequence[Row | Group], intervals: Mapping[str, JobInterval], *, verbose: bool) -> None:
    """Print where the time of each job went, and its interval."""
    from simbackup.results import groups  # noqa: PLC0415 (it reads results, which takes time to import)

    for item in jobs:
        row = groups.slowest(item) if isinstance(item, groups.Group) else item
        longest = list(split(one, row["job"]).items())[:4] if one.trace.keeps == FULL else []
        reported = ", ".join(f"{activity} on {cause} {units.show_short(s, 's')}" for (cause, activity), s in longest)
        if reported:
            took = f" (the slowest, {units.show_short(row['elapsed'], 's')})" if item is not row else ""
            line(f"{row['job']}{took}: {reported}")
        found = intervals.get(series(row["job"]))
        if found is not None:
            line(f"  {found.sentence(brief=not verbose)}")


def inputs(one: Result, *, sampled: bool) -> None:
    """Print where the inputs of a result come from, and which of them intervals take as exact."""
    reported = ", ".join(f"{count} {basis}" for basis, count in one.bases().items())
    line(f"inputs: {reported} values; scenario {one.record.hash}, seed {one.record.seed}")
    if sampled and (without := exact(one.values)):
        reported = ", ".join(f"{count} {basis}" for basis, count in without.items())
        line(f"taken as exact because they have no range: {reported} values")
    if sampled and (typical := [value for value in one.scenario.values if value.given.typical]):
        line(f"typical ranges, as the scenario states none: {_some([in_words(v.address, v.given) for v in typical])}")


def _devices(one: Result) -> None:
    """Print how busy devices were from the first start to the last end of any job, and in the windows."""
    from simbackup.results import groups  # noqa: PLC0415

    used = [row for row in one.device_rows if row["bytes"] or row["busy_s"]]
    items = groups.grouped(one, used, "device")
    rows = [groups.device_row(item) if isinstance(item, groups.Group) else item for item in items]
    columns: Columns = {
        "device": ("device", str), "kind": ("kind", str), "busy": ("busy", _share),
        "busy_window": ("busy in window", _share), "bytes": ("bytes", _bytes), "peak": ("peak", _rate),
    }  # fmt: skip
    if not any("busy_window" in row for row in rows):
        del columns["busy_window"]
    cells = [[*(shown(row[key]) for key, (_, shown) in columns.items()), str(row.get("state", ""))] for row in rows]
    table([*(name for name, _ in columns.values()), "state"], cells, right=range(2, len(columns)))


def notes(one: Result) -> None:
    """Print what parts note of themselves, of many the first."""
    found = note_sentences(one.trace)
    for sentence in found[:MOST_NOTES]:
        line(sentence)
    if len(found) > MOST_NOTES:
        line(f"and {len(found) - MOST_NOTES} more notes, under 'notes' of --json")


def users(one: Result) -> None:
    """Print the workload impact; columns without any figure, and of locks nobody waited for, are left out."""
    columns: Columns = {
        "offered": ("asked for", _count), "served": ("served", _count), "rate": ("served a second", "{:,.4g}".format),
        "lost": ("lost", _share), "response": ("response", _seconds), "slower": ("slower", "{:.3g} times".format),
        "waited": ("waited for lock", _count), "mean_wait": ("mean lock wait", _seconds),
        "longest_wait": ("longest lock wait", _seconds), "slowdown": ("disk slowed", "{:.3g} times".format),
        "network_wait": ("wait at links", _seconds), "timed_out": ("timed out", _share),
    }  # fmt: skip
    reported = {key: column for key, column in columns.items() if reports(one.user_rows, key)}
    impacts = [
        [row["users"], row["job"], *(show(row[key]) if key in row else "" for key, (_, show) in reported.items())]
        for row in one.user_rows
    ]
    if impacts:
        table(["users", "during", *(name for name, _ in reported.values())], impacts, right=range(2, 2 + len(reported)))
