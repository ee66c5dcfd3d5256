"""What a description leaves to datasheets and defaults, and how much its longest job depends on each."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from simbackup import units
from simbackup.data.spec import DataSpec
from simbackup.errors import SimbackupError
from simbackup.run import IdleKeyWarning, simulate
from simbackup.scenario import Scenario, Value
from simbackup.uncertainty.inputs import SHEET, ends
from simbackup.uncertainty.range_ends import reached

SECTIONS = ("hosts", "devices", "links", "data")
"""Sections whose facts a describer can know; what programs cost is for their datasheets."""
INSIDE = ("filesystem", "database", "change")
"""Parts whose values nobody looks up."""
MATTERS = 1.05
"""Least ratio between the times at both ends of a range that is listed."""
NOT_STATED = "not stated"
"""How the reason begins of what is assumed without a datasheet."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A fact that the file does not state, what stands in for it, and what that decides."""

    address: str
    """Where the file would state it."""
    value: str
    """The value that counts, with its range."""
    source: str
    """The datasheet that it is from, or `default`."""
    times: tuple[float, float]
    """Seconds of the longest job at both ends of the range."""

    @property
    def ratio(self) -> float:
        """How many times as long the job takes at one end as at the other."""
        low, high = sorted(self.times)
        return high / low if low > 0.0 else math.inf


def left_out(scenario: Scenario) -> tuple[str, list[LeftOut], list[str]]:
    """The longest job, what it depends on that the file leaves out, the most decisive first, and what counts as none.

    Each is moved alone to both ends of its range, so that this takes two simulations for each of some dozens of values.
    """
    jobs = simulate(scenario, trace="none").jobs["elapsed"]
    job = str(jobs.idxmax())
    found: list[LeftOut] = []
    for value in filter(_by_others, scenario.values):
        try:
            low, high = (_elapsed(reached(scenario, [value.address], side).scenario, job) for side in (0, 1))
        except SimbackupError:
            continue  # at an end of its range nothing can run
        sheet = SHEET.search(value.place.file)
        found.append(LeftOut(value.address, _with_range(value), sheet[1] if sheet else "default", (low, high)))
    decisive = [one for one in found if one.ratio >= MATTERS]
    return job, sorted(decisive, key=lambda one: -one.ratio), list(_as_none(scenario.spec.data))


def _elapsed(scenario: Scenario, job: str) -> float:
    """Seconds of a job; that the moved value has no effect there is no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdleKeyWarning)
        return simulate(scenario, trace="none", until=job).get(f"jobs.{job}.elapsed")


def _by_others(value: Value) -> bool:
    """Whether a value has a range, and is one that the file could state, but does not."""
    section, *inside = value.address.split(".")
    if section not in SECTIONS or ends(value) is None or not set(INSIDE).isdisjoint(inside):
        return False
    return SHEET.search(value.place.file) is not None or (value.given.why or "").startswith(NOT_STATED)


def _with_range(value: Value) -> str:
    low, high = ends(value) or (value.given.si, value.given.si)
    shown = (units.show_short(each, value.given.unit) for each in (low, high))
    return f"{value.given.text} ({' to '.join(shown)})"


def _as_none(data: Mapping[str, DataSpec]) -> Iterator[str]:
    """Sentences about data that say nothing of what most backups depend on."""
    for name, one in data.items():
        if not one.states("compression"):
            yield f"data.{name}.compression: not stated, so a compressor or a tape drive makes nothing smaller"
        if one.filesystem is not None and one.number <= 1.0:
            yield f"data.{name}.files: not stated, so that all is one file: state it, or the mean file_size"
