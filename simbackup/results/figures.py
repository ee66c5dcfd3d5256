"""Single figures of a result, by address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.errors import ResultError, choices
from simbackup.results.fleet_figures import job_figures, jobs_of, times_in_use

if TYPE_CHECKING:
    from simbackup.results.result import Result

KEYS = frozenset({"job", "device"})
"""Columns that name a row."""
NEVER_IN_USE = {"active": 0.0, "saturated": 0.0}
"""Seconds in use of a device that nothing crossed."""


def figure_at(result: Result, address: str) -> float:
    """The figure at an address, in SI units.

    Raises
    ------
    ResultError
        The result has no such figure.
    """
    section, _, rest = address.partition(".")
    name, _, column = rest.rpartition(".")
    owner = address.rpartition(".")[0]
    named = [(f"jobs.{row['job']}", row) for row in result.job_rows]
    named += [(str(row["device"]), row) for row in result.device_rows]
    for own, row in named:
        if own == owner and isinstance(row.get(column), (int, float)):
            return float(row[column])
    for row in result.user_rows:
        if address == f"{row['users']}.{row['job']}.{column}" and column in row:
            return float(row[column])
    for value in result.values:
        if value.address == address:
            return value.value
    if column == "down" and any(own == f"{owner}.cores" for own, _ in named):
        return sum(e.data["seconds"] for e in result.trace.events if (e.address, e.what) == (owner, "was down"))
    more = _figures_of_many(result, owner)
    if not more and any(own == owner for own, _ in named):
        more = NEVER_IN_USE
    if column in more:
        return more[column]
    known = [f"{section}.{name}.{c}" for c in more]
    known += [f"{own}.{c}" for own, row in named if own.startswith(f"{section}.") for c in row if c not in KEYS]
    raise ResultError(f"the result has no figure '{address}'; {choices(address, known)}")


def _figures_of_many(result: Result, address: str) -> dict[str, float]:
    """Figures of all jobs of a fleet or of one of its templates, or of the times in which a device was in use."""
    parts = [
        part
        for template, each in result.record.fleets.items()
        if template == address or template.startswith(f"{address}.")
        for part in each
    ]
    rows = jobs_of(result.job_rows, parts)
    return job_figures(rows) if rows else times_in_use(result.trace, address, result.end) or {}
