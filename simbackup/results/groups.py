"""Tables and pictures that stay readable with many jobs and devices: equal ones are grouped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simbackup.devices.network.spec import ENDS
from simbackup.results.figures import any_of, job_figures, series, templates
from simbackup.results.result import Result
from simbackup.trace.columns import Jobs, Rates, Spans
from simbackup.trace.trace import Trace

Row = Mapping[str, Any]
EQUAL = ("method", "status", "reason", "elapsed", "bytes", "files")
"""Keys of the row of a job that are the same in equal jobs."""
DIGITS = 9
"""Digits in which the numbers of equal jobs agree; the others are rounding."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that are shown as one, under one name."""

    name: str
    rows: tuple[Row, ...]


def grouped(result: Result, rows: Sequence[Row], key: str) -> Iterator[Row | Group]:
    """The rows in their order; those of a template with many parts as one group where the first of them stood."""
    template = templates(result.record.fleets)
    members: dict[str, list[Row]] = {}
    order: list[Row | str] = []
    for row in rows:
        address = _address(str(row[key]), key)
        words = address.split(".")
        whole, rest = template.get(".".join(words[:2])), words[2:]
        if whole is None and words[0] == "links" and rest:  # the port of a part
            whole, rest = _port(template, words[1], rest[0]), rest[1:]
        if whole is None:
            order.append(row)
            continue
        whole += "".join(f".{word}" for word in rest if not word.isdigit())
        if whole not in members:
            order.append(whole)
        members.setdefault(whole, []).append(row)
    for item in order:
        if isinstance(item, str):
            _, _, section, name = item.split(".", maxsplit=3)
            name = any_of(name)
            shown = name if section == "jobs" else f"{section}.{name}"
            yield Group(f"{shown} ({len(members[item]):,})", tuple(members[item]))
        else:
            yield item


def _port(template: Mapping[str, str], link: str, part: str) -> str | None:
    """The template of the ports that the parts of a fleet have at a link outside it."""
    joined = next((t for section in ENDS if (t := template.get(f"{section}.{part}")) is not None), None)
    if joined is None:
        return None
    fleets, fleet, _, name = joined.split(".", maxsplit=3)
    return f"{fleets}.{fleet}.links.{link}.{name}"


def runs(result: Result, rows: Sequence[Row], least: int = 2) -> Iterator[Row | Group]:
    """The runs of jobs as `grouped`, and `least` or more of one repeated job as one group where the first stood."""
    found: dict[str, list[Row | Group]] = {}
    for item in grouped(result, rows, "job"):
        name = item.name if isinstance(item, Group) else series(item["job"])
        found.setdefault(name, []).append(item)
    for name, items in found.items():
        own = tuple(item for item in items if not isinstance(item, Group))
        if len(own) >= least:
            yield Group(f"{name} ({len(own):,})", own)
        else:
            yield from items


def equals(items: Iterable[Row | Group], least: int = 2) -> Iterator[Row | Group]:
    """Runs and groups; `least` or more identical single jobs are one group."""
    found: dict[object, list[Row | Group]] = {}
    for item in items:
        key = item.name if isinstance(item, Group) else tuple(_rounded(item[key]) for key in EQUAL)
        found.setdefault((type(item), key, isinstance(item, Group) or item.get("window")), []).append(item)
    for some in found.values():
        own = tuple(item for item in some if not isinstance(item, Group))
        if len(own) >= least:
            yield Group(f"{own[0]['job']} to {own[-1]['job']} ({len(own):,})", own)
        else:
            yield from some


def _rounded(value: object) -> object:
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else value


def _address(name: str, key: str) -> str:
    return f"jobs.{name}" if key == "job" else name


def job_row(group: Group) -> dict[str, Any]:
    """One row for many runs of jobs: from the first start to the last end, and how they ended.

    Where jobs are repeated, the time between their runs does not count: `rate` is over that of the runs alone.
    """
    figures = job_figures(group.rows)
    if repeated(group):
        took = sum(row["elapsed"] for row in group.rows)
        figures["rate"] = figures["bytes"] / took if took else 0.0
    counts: dict[str, int] = {}
    for row in group.rows:
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    reasons = dict.fromkeys(row["reason"] for row in group.rows if row["status"] in {"failed", "skipped"})
    status = ", ".join(f"{number:,} {status}" for status, number in counts.items())
    return figures | {
        "job": group.name, "method": group.rows[0]["method"], "status": status, "reason": next(iter(reasons), ""),
    }  # fmt: skip


def repeated(group: Group) -> bool:
    """Whether any job has more than one run among the rows, so that the time between runs means nothing."""
    return len({series(str(row["job"])) for row in group.rows}) < len(group.rows)


def device_row(group: Group) -> dict[str, Any]:
    """One row for many devices: the busiest of them, all their bytes, the highest peak."""
    rows = group.rows
    states = dict.fromkeys(str(row.get("state", "")) for row in rows)
    within = [row["busy_window"] for row in rows if "busy_window" in row]
    return ({"busy_window": max(within)} if within else {}) | {
        "device": group.name, "kind": rows[0]["kind"], "busy": max(row["busy"] for row in rows),
        "bytes": sum(row["bytes"] for row in rows), "peak": max(row["peak"] for row in rows),
        "state": ", ".join(filter(None, states)),
    }  # fmt: skip


def slowest(group: Group) -> Row:
    """The row of the job that took longest, the first among equals."""
    return max(group.rows, key=lambda row: row["elapsed"])


def thinned(result: Result) -> tuple[Result, str]:
    """A result with only a few of many equal jobs, devices and links, and a sentence on what was left out."""
    jobs = [item for item in grouped(result, result.job_rows, "job") if isinstance(item, Group)]
    devices = [item for item in grouped(result, result.device_rows, "device") if isinstance(item, Group)]
    if not jobs and not devices:
        return result, ""
    out: set[str] = set()
    for group in jobs:
        kept = {group.rows[0]["job"], slowest(group)["job"], max(group.rows, key=lambda row: row["end"])["job"]}
        out |= {f"jobs.{row['job']}" for row in group.rows if row["job"] not in kept}
    for group in devices:
        first = max(group.rows, key=lambda row: row["busy"])["device"]
        out |= {row["device"] for row in group.rows if row["device"] != first}
    old = result.trace

    def shown(loads: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
        return {link: load for link, load in loads.items() if link not in out}

    levels = [replace(level, loads=shown(level.loads), beside=shown(level.beside)) for level in old.shared_levels]
    trace = Trace(
        Spans(span for span in old.spans if span.job not in out),
        Rates(rate for rate in old.rates if rate.link not in out),
        old.events, [device for device in old.devices if device.address not in out],
        Jobs(job for job in old.jobs if f"jobs.{job.data['job']}" not in out),
        levels,
    )  # fmt: skip
    text = (
        " Of equal jobs, only the first, the slowest and the last to end are shown; of equal devices, only the busiest."
    )
    return Result(result.record, result.values, trace, result.layout, result.made_from), text
