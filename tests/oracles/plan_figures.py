"""Every daily figure of a plan next to that of a ledger by hand."""

from collections.abc import Iterator, Mapping
from datetime import date
from math import inf
from typing import Any, NamedTuple

from .plan_ledger import Ledger

CLOSE = 1e-6
"""Relative difference that sums and whole bytes of simulated jobs may have."""

BETWEEN = 1e-4
"""Relative difference of bytes of nights that are not simulated, but interpolated."""
LOG_TAKES = 60.0
"""Seconds that a backup of small logs takes at most."""


class Figure(NamedTuple):
    """A figure of a plan, and what it must be."""

    kind: str
    where: tuple[str, ...]
    found: Any
    right: Any

    @property
    def equal(self) -> bool:
        """Whether they are equal, as far as sums of floats can be."""
        if isinstance(self.found, (int, float)) and isinstance(self.right, (int, float)):
            if self.kind == "lost":
                return self.found == self.right or abs(self.found - self.right) <= LOG_TAKES
            if self.kind == "bytes":
                return abs(self.found - self.right) <= BETWEEN * self.right
            return abs(self.found - self.right) <= CLOSE * max(abs(self.found), abs(self.right)) + 1e-9
        return self.found == self.right


def figures(tables: Mapping[str, Any], ledger: Ledger) -> Iterator[Figure]:
    """Every figure of each day in the tables of a plan, with the right value.

    Parameters
    ----------
    tables
        The tables of a plan.
    ledger
        The ledger of the same site.
    """
    yield from _capacity(tables["capacity"], ledger)
    yield from _jobs(tables["nights"], ledger)
    yield from _points(tables["points"], ledger)
    yield from _losses(tables["losses"], ledger)
    costs = ledger.costs()
    for row in tables["months"]:
        for key, cost in costs[row["month"]].items():
            yield Figure("cost", (row["month"], key), row[key], cost)


def _day(row: Mapping[str, Any]) -> date:
    return date.fromisoformat(str(row["date"]))


def _capacity(rows: Any, ledger: Ledger) -> Iterator[Figure]:
    for row in rows:
        day, target = ledger.days[_day(row)], row["target"]
        where = (str(row["date"]), target)
        yield Figure("used", where, row["used"], day.used[target])
        yield Figure("peak", where, row["peak"], day.peak[target])
        if target in day.cartridges:
            for key, count in zip(("cartridges", "bought", "empty"), day.cartridges[target], strict=True):
                yield Figure(key, where, row[key], count)


def _jobs(rows: Any, ledger: Ledger) -> Iterator[Figure]:
    """Logs are simulated only while other jobs run, so they have no rows of their own here."""
    found = {(str(row["night"]), row["system"], row["copy"]): row for row in rows if row["copy"] != "logs"}
    right = {(str(job.day), job.system, job.copy): job for job in ledger.jobs}
    for where in sorted(found.keys() | right.keys()):
        row, job = found.get(where), right.get(where)
        yield Figure("level", where, row and row["level"], job and job.level)
        if row is not None and job is not None:
            if job.bytes is not None:
                yield Figure("bytes", where, row["bytes"], job.bytes)
            yield Figure("due", where, row["due"].isoformat(), job.due.isoformat())
            yield Figure("window", where, row["window"], job.window)


def _losses(rows: Any, ledger: Ledger) -> Iterator[Figure]:
    """Of equal days, any may be the worst; without a restore point, everything is lost."""
    for row in rows:
        place, policy = row["after_loss_of"], row["policy"]
        if policy not in {"", *ledger.of_policy}:
            continue  # several that are alike
        worst, day, mean, since = ledger.losses(policy)[place]
        yield Figure("lost", (place, policy, "worst"), row["worst"] or inf, worst)
        yield Figure("lost", (place, policy, "mean"), row["mean"] or inf, mean)
        yield Figure("counted from", (place, policy), row["counted_from"], since)
        there = row["day"] and ledger.lost(place, row["day"], policy)
        yield Figure("lost", (place, policy, "day"), there, day and worst)


def _points(rows: Any, ledger: Ledger) -> Iterator[Figure]:
    for row in rows:
        day = ledger.days[_day(row)]
        yield Figure("catalogue", (str(row["date"]),), row["catalogue"], day.catalogue)
        for policy, systems in ledger.of_policy.items():
            counts = {day.points[name] for name in systems}
            yield Figure("points", (str(row["date"]), policy), {row[policy]}, counts)
        useless = sum(max(day.useless[name] for name in systems) for systems in ledger.of_policy.values())
        yield Figure("not restorable", (str(row["date"]),), row["not_restorable"], useless)
