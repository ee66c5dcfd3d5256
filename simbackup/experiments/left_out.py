"""What a description leaves to datasheets and defaults, and how much its longest job depends on each."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from simbackup import units
from simbackup.errors import SimbackupError
from simbackup.run import IdleKeyWarning, simulate
from simbackup.scenario import Scenario, Value
from simbackup.uncertainty.inputs import SHEET, ends, reached

SECTIONS, INSIDE = {"hosts", "devices", "links", "data"}, {"filesystem", "database", "change"}
"""Sections whose facts a describer can know, and parts inside them whose values nobody looks up."""
MATTERS = math.log(1.05)
"""Logarithm of the least ratio between the times at both ends of a range that is listed."""


class LeftOut(NamedTuple):
    """A fact that the file does not state: its address, the value and range that stand in, from where, and seconds."""

    address: str
    value: str
    source: str
    times: tuple[float, float]


def left_out(scenario: Scenario) -> tuple[str, list[LeftOut], list[str]]:
    """The longest job, what it depends on that the file leaves out, the most decisive first, and what counts as none.

    Each value is moved alone to both ends of its range: two simulations for each of some dozens of values.
    """
    job, found = str(simulate(scenario, trace="none").jobs["elapsed"].idxmax()), dict[LeftOut, float]()
    for value, source in _by_others(scenario):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IdleKeyWarning)
            try:
                moved = (scenario.with_(reached(scenario, [value.address], side)) for side in (0, 1))
                low, high = (simulate(one, trace="none", until=job).get(f"jobs.{job}.elapsed") for one in moved)
            except SimbackupError:
                continue  # at an end of its range nothing can run
        shown = " to ".join(units.show_short(each, value.given.unit) for each in ends(value) or ())
        one = LeftOut(value.address, f"{value.given.text} ({shown})", source, (low, high))
        found[one] = abs(math.log(high / low)) if low > 0.0 < high else 0.0
    data = scenario.spec.data.items()
    none = [f"data.{name}.compression: not stated, so nothing becomes smaller" for name, one in data
            if not one.states("compression")]  # fmt: skip
    none += [f"data.{name}.files: not stated, so that all is one file: state it, or 'file_size'" for name, one in data
             if one.filesystem is not None and one.number <= 1.0]  # fmt: skip
    return job, sorted((one for one in found if found[one] >= MATTERS), key=lambda one: -found[one]), none


def _by_others(scenario: Scenario) -> Iterator[tuple[Value, str]]:
    """The values with a range that the file could state, but does not, with the datasheet they are from, or a word."""
    for value in scenario.values:
        section, *inside = value.address.split(".")
        sheet = SHEET.search(value.place.file)
        known = sheet is not None or (value.given.why or "").startswith("not stated")
        if section in SECTIONS and known and ends(value) is not None and INSIDE.isdisjoint(inside):
            yield value, sheet[1] if sheet is not None else "default"
