"""Figures of a result by address: of one job or device, of all jobs of a fleet, and how long a device was saturated."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simbackup.errors import ResultError, choices
from simbackup.results.rows import whole
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import FULL, Rate, Trace

if TYPE_CHECKING:
    from simbackup.results.result import Result


Rows = Sequence[Mapping[str, Any]]
MANY = 12
"""Parts of one template that are shown one by one; more are shown together."""
SATURATED = 1.0 - 1e-6
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
        if rate.busy >= SATURATED:
            times["saturated"] += until - rate.time


GOOD = frozenset({"done", "late"})
"""How runs of jobs end that do their work."""
KEYS = frozenset({"job", "device"})
"""Columns that name a row."""


class Figures:
    """The figures of one result by address, in SI units; each table is read once, when a figure first asks for it."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def __getitem__(self, address: str) -> float:
        """The figure at an address.

        Raises
        ------
        ResultError
            The result has no such figure.
        """
        for table in ("_of_rows", "_of_users", "_of_values"):
            found: float | None = getattr(self, table).get(address)
            if found is not None:
                return found
        owner, _, column = address.rpartition(".")
        if column == "down" and f"{owner}.cores" in self._rows:
            events = self.result.trace.events
            return sum(e.data["seconds"] for e in events if (e.address, e.what) == (owner, "was down"))
        if column in NEVER_IN_USE and owner in self._rows:
            whole(self.result, f"'{address}'")
        more = self._of_many(owner)
        if column in more:
            return more[column]
        if isinstance(self._rows.get(owner, {}).get(column), str):
            numbers = (known.removeprefix(f"{owner}.") for known in self._of_rows if known.rpartition(".")[0] == owner)
            raise ResultError(f"'{address}' is text, not a number; choose from: {', '.join(sorted(numbers))}")
        section = owner.partition(".")[0]
        known = [f"{owner}.{c}" for c in more] + [each for each in self._of_rows if each.startswith(f"{section}.")]
        raise ResultError(f"the result has no figure '{address}'; {choices(address, known)}")

    def every(self) -> dict[str, float]:
        """Every figure that a row has, but those of runs of jobs that failed or were skipped; and those of fleets."""
        bad = {f"jobs.{row['job']}" for row in self.result.job_rows if row["status"] not in GOOD}
        found = {address: value for address, value in self._of_rows.items() if address.rpartition(".")[0] not in bad}
        templates = self.result.fleets
        owners = dict.fromkeys([*(".".join(each.split(".")[:2]) for each in templates), *templates])
        of_fleets = {f"{owner}.{column}": value for owner in owners for column, value in self._of_many(owner).items()}
        return {**found, **self._of_users, **of_fleets}

    @cached_property
    def _rows(self) -> dict[str, dict[str, object]]:
        """The rows of jobs and devices by their addresses, without the columns that name them."""
        named = [(f"jobs.{row['job']}", row) for row in self.result.job_rows]
        named += [(str(row["device"]), row) for row in self.result.device_rows]
        return {own: {column: value for column, value in row.items() if column not in KEYS} for own, row in named}

    @cached_property
    def _of_rows(self) -> dict[str, float]:
        return {
            f"{own}.{column}": float(value)
            for own, row in self._rows.items()
            for column, value in row.items()
            if isinstance(value, (int, float))
        }

    @cached_property
    def _of_users(self) -> dict[str, float]:
        return {
            f"{row['users']}.{row['job']}.{column}": float(value)
            for row in self.result.user_rows
            for column, value in row.items()
            if isinstance(value, (int, float))
        }

    @cached_property
    def _of_values(self) -> dict[str, float]:
        return {value.address: value.value for value in self.result.values}

    @cached_property
    def _in_use(self) -> dict[str, dict[str, float]]:
        return times_in_use(self.result.trace, self.result.end)

    def _of_many(self, owner: str) -> dict[str, float]:
        """Figures of all jobs of a fleet or of one of its templates, or of the times in which a device was in use."""
        parts = [
            part
            for template, each in self.result.fleets.items()
            if template == owner or template.startswith(f"{owner}.")
            for part in each
        ]
        if rows := jobs_of(self.result.job_rows, parts):
            return job_figures(rows)
        if self.result.trace.keeps != FULL:
            return {}
        return self._in_use.get(owner) or (NEVER_IN_USE if owner in self._rows else {})


UNITS = {
    "elapsed": "s", "back": "s", "start": "s", "end": "s", "due": "s", "window": "s", "slowest": "s", "mean": "s",
    "active": "s",
    "saturated": "s", "waits": "s", "lock": "s", "down": "s", "mean_wait": "s", "longest_wait": "s",
    "network_wait": "s", "busy_s": "s", "response": "s", "timed_out": "1", "lost": "1", "busy": "1", "busy_window": "1",
    "bytes": "B", "copied_bytes": "B", "area_bytes": "B", "used_bytes": "B", "kept_bytes": "B", "size": "B",
    "rate": "B/s", "transfer_rate": "B/s", "peak": "B/s", "tape_rate": "B/s", "streams_from": "B/s",
}  # fmt: skip
"""SI units; a share has the unit 1, and what is not here is counted."""


def unit_of(address: str) -> str | None:
    """The SI unit of the figure at an address; None for what is counted, and for words.

    >>> unit_of("jobs.dd.elapsed"), unit_of("jobs.dd.files")
    ('s', None)
    """
    return UNITS.get(address.rpartition(".")[2])
