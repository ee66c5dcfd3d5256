"""Figures of all jobs of a fleet together, and how long a device was saturated."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Rate, Trace

Rows = Sequence[Mapping[str, Any]]
MANY = 12
"""Parts of one template that are shown one by one; more are shown together."""
FULL = 1.0 - 1e-6
"""Share of a capacity above which a device counts as saturated, which leaves room for rounding."""
NEVER_IN_USE = {"active": 0.0, "saturated": 0.0}
"""Seconds in use of a device that nothing crossed."""


def any_of(template: str) -> str:
    """How the names begin and end that a template of a fleet gives.

    >>> any_of("save-{name}")
    'save-*'
    """
    return re.sub(r"\{[^}]*\}", "*", template)


def templates(fleets: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The address of the template by that of each part; only of templates whose parts are shown together."""
    return {part: address for address, parts in fleets.items() if len(parts) > MANY for part in parts}


def series(job: str) -> str:
    """The name of a job in its file, from that of one of its runs.

    >>> series("daily.12"), series("full")
    ('daily', 'full')
    """
    name, _, number = job.rpartition(".")
    return name if name and number.isdigit() else job


def jobs_of(rows: Rows, parts: Sequence[str]) -> list[Mapping[str, Any]]:
    """The runs of the jobs among some expanded parts (addresses), in the order of the rows."""
    names = {part.removeprefix("jobs.") for part in parts if part.startswith("jobs.")}
    return [row for row in rows if row["job"].split(".")[0] in names]


def job_figures(rows: Rows) -> dict[str, float]:
    """Figures of several runs of jobs together: seconds, bytes, and numbers of runs.

    `elapsed` is from the first start to the last end, and `rate` all bytes over that; `slowest` and `mean` are of the
    single runs, and `transfer_rate` is all bytes over the seconds in which each run moved some. It and `waits` are
    only there if all runs have them, and so is `back`, from the first start until the data of all restores are back.
    """
    ran = [row for row in rows if row["status"] in {"done", "late"}]
    start = min((row["start"] for row in rows), default=0.0)
    end = max((row["end"] for row in rows), default=0.0)
    took = [row["elapsed"] for row in ran]
    moved = sum(row["bytes"] for row in rows)
    figures = {
        "jobs": float(len(rows)),
        "late": float(sum(row["status"] == "late" for row in rows)),
        "failed": float(len(rows) - len(ran)),
        "start": start,
        "end": end,
        "elapsed": end - start,
        "slowest": max(took, default=0.0),
        "mean": sum(took) / len(took) if took else 0.0,
        "bytes": moved,
        "files": sum(row["files"] for row in rows),
        "rate": moved / (end - start) if end > start else 0.0,
    }
    if all("transfer_rate" in row for row in rows):
        moving = sum(row["bytes"] / row["transfer_rate"] for row in rows if row["transfer_rate"])
        figures["transfer_rate"] = moved / moving if moving else 0.0
        figures["waits"] = sum(row["waits"] for row in rows)
    if all("back" in row for row in rows):
        figures["back"] = max((row["start"] + row["back"] for row in rows), default=start) - start
    return {**figures, "lock": sum(row["lock"] for row in rows)}


def greatest_of_each(fleets: Mapping[str, Sequence[str]], weights: Mapping[str, float]) -> dict[str, int]:
    """Addresses that represent their kind, with its count: of parts expanded together, the one of most weight.

    An address may go on inside a part, as `hosts.server-1.cores` does; templates with up to `MANY` parts do not count.

    >>> greatest_of_each({"fleets.f.links.nic-{number}": [f"links.nic-{i}" for i in range(20)]},
    ...                  {"links.nic-3": 2.0, "links.nic-7": 5.0, "links.lan": 1.0})
    {'links.nic-7': 2, 'links.lan': 1}
    """
    template = templates(fleets)
    alike: dict[tuple[str, str], list[str]] = {}
    for address in weights:
        part, _, inside = address.partition(".")[2].partition(".")
        own = f"{address.partition('.')[0]}.{part}"
        alike.setdefault((template.get(own, own), inside), []).append(address)
    return {max(each, key=lambda address: weights[address]): len(each) for each in alike.values()}


def times_in_use(trace: Trace, end: float) -> dict[str, dict[str, float]]:
    """Seconds for which each device moved anything (`active`), and for which it was full (`saturated`).

    A device that nothing crossed is not there: `NEVER_IN_USE` is what it has.
    """
    found: dict[str, dict[str, float]] = {}
    last: dict[str, Rate] = {}
    for rate in link_rates(trace):
        _add(found.setdefault(rate.link, dict(NEVER_IN_USE)), last.get(rate.link), rate.time)
        last[rate.link] = rate
    for link, rate in last.items():
        _add(found[link], rate, end)
    return found


def _add(times: dict[str, float], rate: Rate | None, until: float) -> None:
    """Add how long a rate lasted."""
    if rate is not None and until > rate.time:
        if rate.busy > 0.0 or rate.bytes_per_s > 0.0:
            times["active"] += until - rate.time
        if rate.busy >= FULL:
            times["saturated"] += until - rate.time
