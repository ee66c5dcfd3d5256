"""Single figures of a result, by address."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from simbackup.errors import ResultError, choices
from simbackup.results.fleet_figures import NEVER_IN_USE, job_figures, jobs_of, times_in_use
from simbackup.results.kept import whole
from simbackup.trace.trace import FULL

if TYPE_CHECKING:
    from simbackup.results.result import Result

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
