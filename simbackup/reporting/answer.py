"""The answer in words: how each job ended, what limits it, and restores compared with their backups."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from simbackup import units
from simbackup.equations.uncertainty import LEVEL
from simbackup.experiments.what_if import Reasons
from simbackup.reporting import sentences
from simbackup.reporting.sentences import sentence_on
from simbackup.reporting.tables import Cell, Column, ReportTable, quantity, words
from simbackup.results.figures import series
from simbackup.results.groups import Group, Row, equals, runs, slowest
from simbackup.results.result import Result
from simbackup.uncertainty.verdict import JobInterval

MATTERS = 0.01
"""Share of the longest job's time from which on a job has a line of its own in the answer."""
MANY_RUNS = 4
"""Number of runs of one job, or of identical jobs, from which on they share one entry."""
WELL = frozenset({"done", "late"})
IN_WINDOW, AT_RISK = "in window", "at risk"
CERTAIN = 0.5 + LEVEL / 2.0
"""The share of cases from which on the whole interval fits a window."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the report states of one job, or of many equal ones."""

    name: str
    """The name of the job."""
    method: str
    """Its method."""
    took: str
    """How long it took, with its unit."""
    verdict: str
    """One of `in window`, `at risk` (not in all of the interval), `done`, `late`, `failed`, `skipped`."""
    sentence: str
    """How it ended, in words."""
    limit: str = ""
    """What limits it, and the gain from removing that."""
    interval: str = ""
    """Its interval and the verdict on its window, in words."""
    impact: str = ""
    """Its impact on users, in words."""


Item = Row | Group


def items(result: Result) -> list[Item]:
    """The runs of jobs in order; a fleet, many runs of one job, or many equal jobs are one item."""
    if result not in _ITEMS:
        _ITEMS[result] = list(equals(runs(result, result.job_rows, MANY_RUNS), MANY_RUNS))
    return _ITEMS[result]


_ITEMS: WeakKeyDictionary[Result, list[Item]] = WeakKeyDictionary()
"""Found once for each result, as a page asks for them often."""


def example(item: Item) -> Row:
    """The run that represents an item: itself, or the slowest of many."""
    return slowest(item) if isinstance(item, Group) else item


def rows_of(item: Item) -> tuple[Row, ...]:
    """The runs of an item."""
    return item.rows if isinstance(item, Group) else (item,)


def telling(result: Result) -> list[Item]:
    """The items with an entry of their own: long ones, restores, those with a window, those that did not end well."""
    every = items(result)
    longest = max((row["elapsed"] for row in map(example, every) if not sentences.watches(row)), default=0.0)
    return [item for item in every if any(_matters(row, longest) for row in rows_of(item))]


def _matters(row: Row, longest: float) -> bool:
    special = row["method"] == "restore" or sentences.watches(row) or "window" in row or row["status"] != "done"
    return special or row["elapsed"] >= MATTERS * longest


def answers(result: Result, explained: Mapping[str, Reasons], intervals: Mapping[str, JobInterval]) -> list[Answer]:
    """The answers on all jobs that matter."""
    every = sorted(telling(result), key=lambda item: example(item)["status"] == "skipped")  # after what they wait for
    return [replace(_answer(item, explained, intervals), impact=_impact(item, result.user_rows)) for item in every]


def _answer(item: Item, explained: Mapping[str, Reasons], intervals: Mapping[str, JobInterval]) -> Answer:
    row = example(item)
    found = intervals.get(series(str(row["job"])))
    width = found.sentence() if found else ""
    took = units.show_short(row["elapsed"], "s", 3) if row["elapsed"] else ""
    limit = _limit(explained.get(str(row["job"])), many=isinstance(item, Group))
    method, ends = str(row["method"]).replace("_", " "), [sentences.verdict(one) for one in rows_of(item)]
    worst = next(end for end in sentences.ENDS if end in ends)
    if worst == IN_WINDOW and found is not None and found.fits is not None and found.fits < CERTAIN:
        worst = AT_RISK
    text = sentences.fate_of_many(item) if isinstance(item, Group) else sentences.fate(item)
    return Answer(_name(item), method, took, worst, text, limit, width)


def _limit(one: Reasons | None, *, many: bool) -> str:
    """What limits a job that ended well, with percent signs as elsewhere on the page."""
    if one is None or one.status not in WELL or one.bottleneck is None:
        return ""
    text = re.sub(r"(?<=\d)%", "\N{NO-BREAK SPACE}%", sentence_on(one))
    return f"Bottleneck of the slowest{text.removeprefix('bottleneck')}" if many else text[0].upper() + text[1:]


def _impact(item: Item, users: Sequence[Mapping[str, Any]]) -> str:
    """The impact of an item on users; of many runs, of the one in which they lost most."""
    names = {str(row["job"]) for row in rows_of(item)}
    own = [row for row in users if row["job"] in names]
    most = max(own, key=lambda row: row.get("lost", 0.0), default=None)
    if not isinstance(item, Group) or most is None or most.get("lost", 0.0) < sentences.HARDLY:
        return sentences.impact(own[:1] if isinstance(item, Group) else own)
    during = f"During {most['job']}, the worst case,"
    return sentences.impact([row for row in own if row["job"] == most["job"]], during)


def left_out(result: Result) -> str:
    """The jobs without an entry of their own, in a sentence; empty if there are none."""
    shown = {_name(item) for item in telling(result)}
    names = [_name(item) for item in items(result) if _name(item) not in shown]
    if not names:
        return ""
    some = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")  # noqa: PLR2004
    return f"{'Each under' if len(names) > 1 else 'Under'} 1 % of the longest job's time: {some}."


def _name(item: Item) -> str:
    return item.name if isinstance(item, Group) else str(item["job"])


def restores(result: Result) -> ReportTable:
    """Each restore with the backup that it reads, and with its window, which is its recovery time objective (RTO)."""
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
                quantity(row.get("window"), "s") if "window" in row else words("not set"), words(row["status"]),
            )
        )  # fmt: skip
    columns = (
        Column("restore"), Column("takes", "s"), Column("of backup"), Column("which took", "s"),
        Column("restore / backup", "1"), Column("RTO window", "s"), Column("status"),
    )  # fmt: skip
    return ReportTable("Restores", columns, rows, "Restores compared with the backups they read")
