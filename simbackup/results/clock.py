"""When jobs of a result begin and end: on the clock where its scenario says times of day, else from the start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from simbackup import units
from simbackup.scenario import Scenario
from simbackup.schema.facts import CLOCK

if TYPE_CHECKING:
    from simbackup.results.result import Result

SHORT = 60.0
"""Seconds below which a job counts as short."""


def on_the_clock(result: Result) -> bool:
    """Whether a job of the scenario begins at a time of day, so that its first day begins at midnight."""
    if isinstance(result.made_from, Scenario):
        return any(":" in (job.begin or "") for job in result.made_from.spec.jobs.values())
    layout = result.layout
    return layout is not None and any(fact.unit == CLOCK for node in layout.nodes for fact in node.facts)


def times(rows: Iterable[Mapping[str, Any]]) -> Callable[[float], str]:
    """What writes the starts and ends of these rows on the clock: to the second if a job that ran was short.

    >>> both = [{"start": 79_200.0, "end": end, "elapsed": end - 79_200.0} for end in (79_230.0, 96_200.0)]
    >>> times(both)(79_230.0), times(both[1:])(96_200.0)
    ('22:00:30', '02:43 day 2')
    """
    seconds = any(0.0 < row["elapsed"] < SHORT for row in rows)
    return lambda time: units.show_clock(time, seconds=seconds)
