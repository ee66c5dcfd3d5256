"""The answer in words: what became of each job, what limits it, and how restores stand beside their backups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simbackup import units
from simbackup.experiments.explain import Explained
from simbackup.reporting.tables import Cell, Column, Table, quantity, words
from simbackup.results.plots.timeline import series
from simbackup.results.result import Result
from simbackup.show_causes import told
from simbackup.show_fleets import Group, Row, grouped, job_row, slowest

MATTERS = 0.01
"""Share of the longest job's time from which on a job has a line of its own in the answer."""
MOST_RUNS = 3
"""Runs of one job that are told one by one; more are told together."""
WELL = frozenset({"done", "late"})
BADGES = {"done": "done", "late": "late", "failed": "failed", "skipped": "skipped"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said of one job, or of many equal ones."""

    name: str
    method: str
    took: str
    verdict: str
    """One of `in window`, `done`, `late`, `failed`, `skipped`."""
    sentence: str
    limit: str = ""
    """What limits it, and what removing that would give."""
    interval: str = ""


Item = Row | Group


def items(result: Result) -> list[Item]:
    """The runs of jobs in their order; those of one fleet, and many runs of one job, as one."""
    found: list[Item] = []
    runs: dict[str, list[Row]] = {}
    places: dict[str, int] = {}
    for item in grouped(result, result.job_rows, "job"):
        if isinstance(item, Group):
            found.append(starred(item))
            continue
        name = series(str(item["job"]))
        places.setdefault(name, len(found))
        runs.setdefault(name, []).append(item)
        found.append(item)
    many = {name for name, rows in runs.items() if len(rows) > MOST_RUNS}
    kept: list[Item] = []
    for at, item in enumerate(found):
        name = "" if isinstance(item, Group) else series(str(item["job"]))
        if name not in many:
            kept.append(item)
        elif places[name] == at:
            kept.append(Group(f"{name} ({len(runs[name])} runs)", tuple(runs[name])))
    return kept


def starred(group: Group) -> Group:
    """A group whose name has a star where its template has a field.

    >>> starred(Group("save-{number} (200)", ())).name
    'save-* (200)'
    """
    return Group(re.sub(r"\{[^}]*\}", "*", group.name), group.rows)


def example(item: Item) -> Row:
    """The run that stands for an item: itself, or the slowest of many."""
    return slowest(item) if isinstance(item, Group) else item


def telling(result: Result) -> list[Item]:
    """The items that are worth a line: long ones, restores, those with a window, and those that did not end well."""
    every = items(result)
    longest = max((example(item)["elapsed"] for item in every), default=0.0)
    return [item for item in every if _matters(item, longest)]


def _matters(item: Item, longest: float) -> bool:
    rows = item.rows if isinstance(item, Group) else (item,)
    return any(
        row["elapsed"] >= MATTERS * longest or row["status"] != "done" or "window" in row or row["method"] == "restore"
        for row in rows
    )


def answers(
    result: Result, explained: Mapping[str, Explained], intervals: Mapping[str, tuple[float, float]]
) -> list[Answer]:
    """What is said of each job that matters."""
    return [_answer(item, explained, intervals) for item in telling(result)]


def _answer(item: Item, explained: Mapping[str, Explained], intervals: Mapping[str, tuple[float, float]]) -> Answer:
    row = example(item)
    one = explained.get(str(row["job"]))
    limit = ""
    if one is not None and one.status in WELL and one.bottleneck is not None:
        text = told(one)
        limit = text[0].upper() + text[1:]
    both = intervals.get(str(row["job"]))
    width = f"{units.show_short(both[0], 's', 3)} to {units.show_short(both[1], 's', 3)}" if both else ""
    if isinstance(item, Group):
        return _of_many(item, limit, width)
    name, method = str(row["job"]), str(row["method"])
    verdict = "in window" if row["status"] == "done" and "window" in row else BADGES[str(row["status"])]
    return Answer(name, _spelt(method), units.show_short(row["elapsed"], "s", 3), verdict, _fate(row), limit, width)


def _of_many(group: Group, limit: str, width: str) -> Answer:
    whole: dict[str, Any] = job_row(group)
    statuses = {str(row["status"]) for row in group.rows}
    worst = next(status for status in ("failed", "skipped", "late", "done") if status in statuses)
    windows = all("window" in row for row in group.rows)
    verdict = "in window" if worst == "done" and windows else worst
    text = f"{len(group.rows):,} runs: {whole['status']}. From the first start to the last end "
    text += f"{units.show_short(whole['elapsed'], 's', 3)}; the slowest takes "
    text += (
        f"{units.show_short(slowest(group)['elapsed'], 's', 3)}, on average {units.show_short(whole['mean'], 's', 3)}."
    )
    if whole["reason"]:
        text += f" The first that failed: {whole['reason']}."
    if limit:
        limit = f"Of the slowest: {limit[0].lower()}{limit[1:]}"
    took = units.show_short(slowest(group)["elapsed"], "s", 3)
    return Answer(group.name, _spelt(str(whole["method"])), took, verdict, text, limit, width)


def _fate(row: Mapping[str, Any]) -> str:
    """How one run of a job ended, in a sentence."""
    took = units.show_short(row["elapsed"], "s", 3)
    if row["status"] == "failed":
        return f"Failed after {took}: {row['reason']}."
    if row["status"] == "skipped":
        return f"Did not run: {row['reason']}."
    text = f"Took {took}"
    if row["bytes"]:
        text += f" for {units.show_short(row['bytes'], 'B', 3)} ({units.show_short(row['rate'], 'B/s', 3)})"
    if "window" not in row:
        return f"{text}."
    window, ended = float(row["window"]), float(row["end"] - row["due"])
    told_window = f"its window of {units.show_short(window, 's', 3)}"
    if row["status"] == "late":
        return f"{text}, and ended {units.show_short(ended - window, 's', 3)} after {told_window}."
    return f"{text}, and ended inside {told_window} with {units.show_short(window - ended, 's', 3)} to spare."


def _spelt(method: str) -> str:
    return method.replace("_", " ")


def in_short(several: Sequence[Answer]) -> str:
    """One sentence on how everything ended.

    >>> in_short([])
    'No job ran.'
    """
    if not several:
        return "No job ran."
    counts: dict[str, int] = {}
    for one in several:
        counts[one.verdict] = counts.get(one.verdict, 0) + 1
    texts = {
        "in window": "inside {its} window", "done": "done", "late": "late", "failed": "failed", "skipped": "not run",
    }  # fmt: skip
    if set(counts) <= {"done"}:
        return "Every job came to its end; none was given a window."
    if set(counts) <= {"in window"}:
        return "Every job ended inside its window."
    if set(counts) <= {"in window", "done"}:
        return "Every job came to its end, and each that has a window ended inside it."
    order = [key for key in ("failed", "skipped", "late", "in window", "done") if key in counts]
    parts = [f"{counts[key]} {texts[key].format(its='its' if counts[key] == 1 else 'their')}" for key in order]
    return f"Of what is told below: {', '.join(parts)}."


def untold(result: Result) -> str:
    """The jobs that have no line of their own, in a sentence; empty if there are none."""
    shown = {id(item) for item in telling(result)}
    names = [_name(item) for item in items(result) if id(item) not in shown and not _in(item, telling(result))]
    if not names:
        return ""
    some = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")  # noqa: PLR2004
    return f"Under 1 % of the longest job's time each: {some}."


def _name(item: Item) -> str:
    return item.name if isinstance(item, Group) else str(item["job"])


def _in(item: Item, others: Iterable[Item]) -> bool:
    return _name(item) in {_name(other) for other in others}


def restores(result: Result) -> Table:
    """Each restore beside the backup whose copy it reads, with its window, which is its recovery time objective."""
    of = {e.start: e.end for e in result.layout.edges if e.kind == "restores"} if result.layout else {}
    rows: list[tuple[Cell, ...]] = []
    for item in items(result):
        row = example(item)
        saved = of.get(f"jobs.{series(str(row['job']))}", "").removeprefix("jobs.")
        own = [r for r in result.job_rows if series(str(r["job"])) == saved and r["start"] <= row["start"]]
        if not own:
            continue
        backup = own[-1]
        ratio = row["elapsed"] / backup["elapsed"] if backup["elapsed"] else None
        rows.append(
            (
                words(_name(item)), quantity(row["elapsed"], "s"), words(backup["job"]),
                quantity(backup["elapsed"], "s"), Cell(f"{ratio:.3g}" if ratio is not None else "", ratio),
                quantity(row.get("window"), "s") if "window" in row else words("none given"), words(row["status"]),
            )
        )  # fmt: skip
    columns = (
        Column("restore"), Column("takes", "s"), Column("of backup"), Column("which took", "s"),
        Column("restore / backup", "1"), Column("RTO window", "s"), Column("status"),
    )  # fmt: skip
    return Table("Restores", columns, rows, "Restores beside the backups whose copies they read")
