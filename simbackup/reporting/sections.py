"""The tables of one result: where the time went, what was busy, workload impact, inputs and assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from simbackup import units
from simbackup.palette import PAPER
from simbackup.plots.fills import look
from simbackup.reporting.answer import Item, example, telling
from simbackup.reporting.tables import Cell, Column, ReportTable, percent, quantity, words
from simbackup.results.causes import Cause, split
from simbackup.results.groups import Group, device_row, grouped
from simbackup.results.record import UsedValue
from simbackup.results.result import Result
from simbackup.results.rows import reports
from simbackup.results.shown import on_the_clock, times

SMALL = 0.001
"""Share of a job's time below which causes share one line."""


@dataclass(frozen=True, slots=True)
class BarPiece:
    """A piece of a stacked bar: its share of the whole, its colour, and what it stands for."""

    share: float
    colour: str
    text: str
    striped: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """Where the time of one job went: a bar, its table, and the causes too small for a line."""

    job: str
    took: str
    segments: tuple[BarPiece, ...]
    table: ReportTable
    small: str


def splits(result: Result) -> list[Split]:
    """Where the time of each job that matters went; for many equal jobs, that of the slowest."""
    found = [_split(result, item) for item in telling(result) if example(item)["elapsed"] > 0.0]
    return [one for one in found if one.table]


def _split(result: Result, item: Item) -> Split:
    row = example(item)
    causes, whole = split(result, str(row["job"])), float(row["elapsed"])
    large = {cause: seconds for cause, seconds in causes.items() if seconds >= SMALL * whole}
    rows = [
        (
            Cell(cause.activity, colour=_colour(cause)), words(cause.address), quantity(seconds, "s"),
            percent(seconds / whole),
        )
        for cause, seconds in large.items()
    ]  # fmt: skip
    segments = tuple(
        BarPiece(seconds / whole, _colour(cause), f"{cause.activity}, {cause.address}", bool(look(*cause).hatch))
        for cause, seconds in large.items()
    )
    rest = {cause: seconds for cause, seconds in causes.items() if cause not in large}
    names = ", ".join(f"{cause.activity} on {cause.address}" for cause in rest)
    small = f"Each below 0.1 %, {units.show_short(sum(rest.values()), 's', 3)} in total: {names}." if rest else ""
    columns = (Column("activity"), Column("at"), Column("time", "s"), Column("share", "1"))
    name = f"{row['job']}, the slowest of {item.name}" if isinstance(item, Group) else str(row["job"])
    table = ReportTable(f"Time of {row['job']}", columns, rows, f"Time of {row['job']} along its critical path")
    return Split(name, units.show_short(whole, "s", 3), segments, table, small)


def _colour(cause: Cause) -> str:
    colour = look(*cause).colour
    return "#c9bfa5" if colour == PAPER else colour


def jobs(result: Result) -> ReportTable:
    """Every run of every job."""
    day = on_the_clock(result)
    ends = (Column("end", "s"),) if day else ()
    columns = (
        Column("job"), Column("method"), Column("start", "s"), *ends, Column("elapsed", "s"), Column("bytes", "B"),
        Column("files", "count"), Column("rate", "B/s"), Column("transfer rate", "B/s"), Column("waits", "s"),
        Column("status"),
    )  # fmt: skip
    time = times(result.job_rows)
    rows = [
        (
            words(row["job"]), words(row["method"]),
            *((Cell(time(row[key]), row[key]) for key in ("start", "end")) if day else (quantity(row["start"], "s"),)),
            quantity(row["elapsed"], "s"), quantity(row["bytes"], "B"), quantity(row["files"], "count"),
            quantity(row["rate"], "B/s"), quantity(row["transfer_rate"], "B/s"), quantity(row["waits"], "s"),
            words(": ".join(filter(None, (row["status"], row["reason"])))),
        )
        for row in result.job_rows
    ]  # fmt: skip
    caption = "Every run of every job. Rate: over the elapsed time; transfer rate: over the time in which bytes moved"
    return ReportTable("Jobs", columns, rows, caption)


def devices(result: Result, *, tape: bool = False) -> ReportTable:
    """How busy devices and links were, or, with `tape`, tape drives."""
    used = [
        row for row in result.device_rows if (row["bytes"] or row["busy_s"]) and (row["kind"] == "tape drive") == tape
    ]
    used = used if tape else sorted(used, key=lambda row: (-row["busy"], row["device"]))
    shown: list[Mapping[str, Any]] = [
        device_row(item) if isinstance(item, Group) else item for item in grouped(result, used, "device")
    ]
    windows, states = (any(row.get(key) for row in shown) for key in ("busy_window", "state"))
    columns = [Column("device or link"), Column("kind"), Column("busy", "1")]
    columns += [Column("busy in window", "1")] if windows else []
    columns += [Column("moved", "B"), Column("peak", "B/s"), *([Column("state")] if states else [])]
    rows = [
        (
            words(row["device"]), words(row["kind"]), _busy(row["busy"]),
            *([_busy(row["busy_window"])] if windows else []), quantity(row["bytes"], "B"),
            quantity(row["peak"], "B/s"), *([words(row.get("state", ""))] if states else []),
        )
        for row in shown
    ]  # fmt: skip
    name = "Tape drives" if tape else "Devices and links"
    caption = "Busy: share of the time from the first start to the last end of any job"
    caption += "; busy in window: share of the windows of jobs, from when each was due" if windows else ""
    return ReportTable(name, tuple(columns), rows, caption)


def _busy(share: float) -> Cell:
    return Cell(percent(share).text, share, share=min(share, 1.0))


IMPACT = {
    "offered": Column("asked for", "count"), "served": Column("served", "count"),
    "rate": Column("served a second", "count"), "lost": Column("lost", "1"),
    "response": Column("response", "s"), "slower": Column("slower, times", "count"),
    "waited": Column("waited for lock", "count"),
    "mean_wait": Column("mean lock wait", "s"), "longest_wait": Column("longest lock wait", "s"),
    "slowdown": Column("disk slowed, times", "count"), "network_wait": Column("wait at links", "s"),
    "timed_out": Column("timed out", "1"),
}  # fmt: skip
"""Columns of the workload impact, by the key of their figure."""


def users(result: Result) -> ReportTable:
    """The impact of each job on users; columns without any figure, or of locks nobody waited for, are left out."""
    keys = [key for key in IMPACT if reports(result.user_rows, key)]
    rows = [
        (words(row["users"]), words(row["job"]), *(_impact(row.get(key), IMPACT[key].unit) for key in keys))
        for row in result.user_rows
    ]
    columns = (Column("users"), Column("during"), *(IMPACT[key] for key in keys))
    return ReportTable("Users", columns, rows, "Workload impact of each job")


def _impact(value: float | None, unit: str) -> Cell:
    if value is None:
        return words("")
    return Cell(f"{value:,.3g}", value) if unit == "count" and value < 1000 else quantity(value, unit)  # noqa: PLR2004


def assumptions(values: Iterable[UsedValue]) -> ReportTable:
    """The assumptions among some values, each once, as one value at one place may serve many parts."""
    rows = [
        (
            words(_address(found)), quantity(found[0].value, found[0].unit),
            words(_span(found[0])), words(found[0].why or ""),
        )
        for found in _together([value for value in values if value.basis == "assumed"])
    ]  # fmt: skip
    columns = (Column("what"), Column("value", "SI"), Column("range"), Column("why"))
    return ReportTable("Assumptions", columns, rows, "Values that no document states")


def _together(values: list[UsedValue]) -> list[list[UsedValue]]:
    """Values grouped by their place in a file."""
    found: dict[tuple[str, float], list[UsedValue]] = {}
    for value in values:
        found.setdefault((value.place, value.value), []).append(value)
    return list(found.values())


def _address(found: list[UsedValue]) -> str:
    return found[0].address if len(found) == 1 else f"{found[0].address} and {len(found) - 1} more"


def _span(value: UsedValue) -> str:
    if value.low is None or value.high is None:
        return ""
    return f"{units.show_short(value.low, value.unit)} to {units.show_short(value.high, value.unit)}"


def sources(values: Iterable[UsedValue], works: Mapping[str, Mapping[str, Any]]) -> ReportTable:
    """The works that some values come from, with full citation and the number of values."""
    counts: dict[str, list[UsedValue]] = {}
    for value in values:
        if value.source is not None and value.source in works:
            counts.setdefault(value.source, []).append(value)
    rows: list[tuple[Cell, ...]] = []
    for key in sorted(counts):
        at = list(dict.fromkeys(value.at for value in counts[key] if value.at))
        rows.append((words(citation(works[key])), words("; ".join(at)), quantity(len(counts[key]), "count")))
    columns = (Column("work"), Column("where in it"), Column("values", "count"))
    return ReportTable("Sources", columns, rows, "Sources of the values")


def citation(work: Mapping[str, object]) -> str:
    """The full citation of a work.

    >>> citation({"title": "On tape", "year": 2004, "author": "A. Author"})
    'A. Author. On tape. 2004.'
    """
    order = ("author", "title", "publisher", "year", "kind", "url")
    return ". ".join(str(work[name]) for name in (*order, *(k for k in work if k not in order)) if name in work) + "."


def values(result: Result) -> ReportTable:
    """Every value with its basis and source; for files beside the page."""
    table = result.sources().to_dict("records")
    rows = [
        (words(value.address), Cell(str(value.value), value.value), words(value.unit), words(value.basis),
         words(row["source"]), words(row["at"]))
        for value, row in zip(result.values, table, strict=True)
    ]  # fmt: skip
    heads = ("address", "value", "unit", "basis", "source", "at")
    return ReportTable("Values", tuple(Column(name, "SI" if name == "value" else "") for name in heads), rows)


def bases(result: Result) -> ReportTable:
    """Number of values of each basis."""
    total = len(result.values)
    rows = [
        (words(basis), quantity(count, "count"), Cell(percent(count / total).text, count / total, count / total))
        for basis, count in result.bases().items()
    ]
    columns = (Column("basis"), Column("values", "count"), Column("share", "1"))
    return ReportTable("Bases", columns, rows, "Values by basis")
