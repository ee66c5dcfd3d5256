"""Tables that stay readable with many jobs and devices: those of one template in one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simbackup.results.fleets import MANY, job_figures
from simbackup.results.result import Result

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that are shown as one, under one name."""

    name: str
    rows: tuple[Row, ...]


def grouped(result: Result, rows: Sequence[Row], key: str) -> Iterator[Row | Group]:
    """The rows in their order; those of a template with many parts as one group where the first of them stood."""
    template: dict[str, str] = {}
    for address, parts in result.record.fleets.items():
        if len(parts) > MANY:
            template |= dict.fromkeys(parts, address)
    members: dict[str, list[Row]] = {}
    order: list[Row | str] = []
    for row in rows:
        address = _address(str(row[key]), key)
        whole = template.get(".".join(address.split(".")[:2]))
        if whole is None:
            order.append(row)
            continue
        whole += "".join(f".{word}" for word in address.split(".")[2:] if not word.isdigit())
        if whole not in members:
            order.append(whole)
        members.setdefault(whole, []).append(row)
    for item in order:
        if isinstance(item, str):
            _, _, section, name = item.split(".", maxsplit=3)
            shown = name if section == "jobs" else f"{section}.{name}"
            yield Group(f"{shown} ({len(members[item])})", tuple(members[item]))
        else:
            yield item


def series(result: Result, rows: Sequence[Row]) -> Iterator[Row | Group]:
    """The runs of jobs as `grouped`, and those of a job that is repeated as one group where the first of them stood."""
    found: dict[str, list[Row | Group]] = {}
    for item in grouped(result, rows, "job"):
        name = item.name if isinstance(item, Group) else item["job"].partition(".")[0]
        found.setdefault(name, []).append(item)
    for name, items in found.items():
        runs = tuple(item for item in items if not isinstance(item, Group))
        yield Group(f"{name} ({len(runs)})", runs) if len(runs) > 1 else items[0]


def _address(name: str, key: str) -> str:
    return f"jobs.{name}" if key == "job" else name


def job_row(group: Group) -> dict[str, Any]:
    """One row for many runs of jobs: from the first start to the last end, and how they ended."""
    figures = job_figures(group.rows)
    counts: dict[str, int] = {}
    for row in group.rows:
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    reasons = dict.fromkeys(row["reason"] for row in group.rows if row["status"] in {"failed", "skipped"})
    status = ", ".join(f"{number} {status}" for status, number in counts.items())
    return figures | {
        "job": group.name, "method": group.rows[0]["method"], "status": status, "reason": next(iter(reasons), ""),
    }  # fmt: skip


def device_row(group: Group) -> dict[str, Any]:
    """One row for many devices: the busiest of them, all their bytes, the highest peak."""
    rows = group.rows
    states = dict.fromkeys(str(row.get("state", "")) for row in rows)
    return {
        "device": group.name, "kind": rows[0]["kind"], "busy": max(row["busy"] for row in rows),
        "bytes": sum(row["bytes"] for row in rows), "peak": max(row["peak"] for row in rows),
        "state": ", ".join(filter(None, states)),
    }  # fmt: skip


def slowest(group: Group) -> Row:
    """The row of the job that took longest, the first among equals."""
    return max(group.rows, key=lambda row: row["elapsed"])
