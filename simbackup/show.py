"""Tables on a terminal, as Markdown and as JSON."""

from __future__ import annotations

import json as json_format
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from simbackup import units
from simbackup.experiments.replications import HALF
from simbackup.results.causes import split
from simbackup.text import for_terminal

if TYPE_CHECKING:
    from simbackup.experiments.study import Table
    from simbackup.results.result import Result

QUIET_SECONDS = 1.0
"""Wall-clock seconds before a progress bar appears."""
WIDE = 160
"""Columns where standard output is no terminal."""
MOST_REASONS = 5
"""Reasons why jobs failed that are printed below the table of a study."""
Cells = Sequence[Sequence[str]]


def json(data: object) -> None:
    """Print data as JSON."""
    text = json_format.dumps(data, indent=1, allow_nan=False)
    print(text.replace("\x7f", "\\u007f"))  # noqa: T201 (the only control character that JSON leaves as it is)


def line(text: str = "") -> None:
    """Print text."""
    print(for_terminal(text))  # noqa: T201 (a command line prints)


def table(header: Sequence[str], rows: Cells, title: str = "", right: Sequence[int] = ()) -> None:
    """Print a table."""
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415 (unlike a string, it holds no markup)

    console = Console(width=None if sys.stdout.isatty() else WIDE, highlight=False)
    drawn = Table(
        title=Text(for_terminal(title)) if title else None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False
    )
    for i, name in enumerate(header):
        drawn.add_column(Text(for_terminal(name)), justify="right" if i in right else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(for_terminal(cell)) for cell in row))
    console.print(drawn)


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


def result(one: Result) -> None:
    """Print the jobs and the devices of a result, and what it rests on; what a fleet has many of, in one row."""
    from simbackup.results import groups  # noqa: PLC0415 (it reads results, which takes time to import)

    jobs = list(groups.grouped(one, one.job_rows, "job"))
    rows = [
        [
            row["job"], row["method"], units.show_short(row["start"], "s"), units.show_short(row["elapsed"], "s"),
            units.show_short(row["bytes"], "B"), f"{row['files']:,.0f}", units.show_short(row["rate"], "B/s"),
            units.show_short(row["waits"], "s"), units.show_short(row["lock"], "s"),
            ": ".join(filter(None, (row["status"], row["reason"]))),
        ]
        for item in jobs
        for row in [groups.job_row(item) if isinstance(item, groups.Group) else item]
    ]  # fmt: skip
    header = ["job", "method", "start", "elapsed", "bytes", "files", "rate", "waits", "lock", "status"]
    table(header, rows, one.record.title, right=range(2, 9))
    for item in jobs:
        row = groups.slowest(item) if isinstance(item, groups.Group) else item
        longest = list(split(one, row["job"]).items())[:4]
        told = ", ".join(f"{activity} on {cause} {units.show_short(s, 's')}" for (cause, activity), s in longest)
        if told:
            took = f" (the slowest, {units.show_short(row['elapsed'], 's')})" if item is not row else ""
            line(f"{row['job']}{took}: {told}")
    used = [row for row in one.device_rows if row["bytes"] or row["busy"]]
    devices = [
        [
            row["device"], row["kind"], units.show_short(row["busy"], "1"), units.show_short(row["bytes"], "B"),
            units.show_short(row["peak"], "B/s"), str(row.get("state", "")),
        ]
        for item in groups.grouped(one, used, "device")
        for row in [groups.device_row(item) if isinstance(item, groups.Group) else item]
    ]  # fmt: skip
    table(["device", "kind", "busy", "bytes", "peak", "state"], devices, right=(2, 3, 4))
    for event in one.trace.events:
        if event.what.startswith("is "):
            line(f"{event.address} {event.what}, at {units.show_short(event.time, 's')}")
    users(one)
    told = ", ".join(f"{count} {basis}" for basis, count in one.bases().items())
    line(f"rests on {told} values; scenario {one.record.hash}, seed {one.record.seed}")


def users(one: Result) -> None:
    """Print what users felt, in those columns that any of them has."""
    columns: dict[str, tuple[str, Callable[[float], str]]] = {
        "offered": ("transactions", lambda number: f"{number:,.0f}"),
        "lost": ("lost", lambda share: units.show_short(share, "1")),
        "waited": ("waited for lock", lambda number: f"{number:,.0f}"),
        "mean_wait": ("mean wait", lambda seconds: units.show_short(seconds, "s")),
        "longest_wait": ("longest wait", lambda seconds: units.show_short(seconds, "s")),
        "slowdown": ("disk slowed", lambda factor: f"{factor:.3g} times"),
        "network_wait": ("wait at links", lambda seconds: units.show_short(seconds, "s")),
        "timed_out": ("timed out", lambda share: units.show_short(share, "1")),
    }
    told = {key: column for key, column in columns.items() if any(key in row for row in one.user_rows)}
    felt = [
        [row["users"], row["job"], *(show(row[key]) if key in row else "" for key, (_, show) in told.items())]
        for row in one.user_rows
    ]
    if felt:
        table(["users", "during", *(name for name, _ in told.values())], felt, right=range(2, 2 + len(told)))


def study(found: Table) -> None:
    """Print the table of a study."""
    header = ["scenario", *found.varied, *(HALF.strip() if n.endswith(HALF) else n for n in found.figures)]
    rows = [
        [str(row["scenario"]), *(row[name] for name in found.varied), *(_figure(n, row.get(n)) for n in found.figures)]
        for row in found.rows
    ]
    table(header, rows, found.title, right=range(1, len(header)))
    reasons = Counter(row["failed"] for row in found.rows if row.get("failed"))
    if reasons:
        line(f"{reasons.total()} of {len(rows)} runs had a job that failed:")
    for reason, times in reasons.most_common(MOST_REASONS):
        line(f"  {times} x {reason}")
    if len(reasons) > MOST_REASONS:
        line(f"  and {len(reasons) - MOST_REASONS} other reasons, in the column 'failed' of --json and --out")
    if found.question:
        line(found.question)


COLUMN_UNITS = {
    "elapsed": "s", "start": "s", "end": "s", "slowest": "s", "mean": "s", "active": "s", "saturated": "s",
    "waits": "s", "lock": "s", "mean_wait": "s", "longest_wait": "s",
    "network_wait": "s", "timed_out": "1", "lost": "1", "busy_s": "s", "bytes": "B", "copied_bytes": "B",
    "area_bytes": "B", "used_bytes": "B", "kept_bytes": "B", "size": "B", "rate": "B/s", "peak": "B/s", "busy": "1",
}  # fmt: skip
"""Units of the figures of a result, by the last word of their address."""


def _figure(address: str, value: float | str | None) -> str:
    if value is None:
        return "failed"
    if isinstance(value, str):
        return value
    unit = COLUMN_UNITS.get(address.removesuffix(HALF).rpartition(".")[2])
    return f"{value:g}" if unit is None else units.show_short(value, unit)


@contextmanager
def progress() -> Generator[Callable[[float, int, int], None]]:
    """A bar on standard error that appears when a run takes longer than a second."""
    begin, bar = time.monotonic(), None

    def report(now: float, ended: int, jobs: int) -> None:
        nonlocal bar
        if bar is None and (time.monotonic() - begin < QUIET_SECONDS or not sys.stderr.isatty()):
            return
        if bar is None:
            from rich.console import Console  # noqa: PLC0415
            from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

            bar = Progress(BarColumn(), TextColumn("{task.description}"), console=Console(stderr=True), transient=True)
            bar.add_task("", total=jobs)
            bar.start()
        text = f"{ended} jobs ended, simulated time {units.show_short(now, 's')}"
        bar.update(bar.task_ids[0], completed=min(ended, jobs), description=text)

    try:
        yield report
    finally:
        if bar is not None:
            bar.stop()
