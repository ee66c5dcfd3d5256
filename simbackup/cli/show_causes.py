"""Why jobs took as long as they did, as tables and bars on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from simbackup import units
from simbackup.cli import show
from simbackup.experiments.what_if import rows_of
from simbackup.reporting.sentences import LEAST_SHARE, sentence_on
from simbackup.results import groups
from simbackup.results.figures import job_figures

if TYPE_CHECKING:
    from simbackup.experiments.what_if import Reasons
    from simbackup.results.result import Result

BAR = 40
"""Characters of a bar for the whole time of a job."""
SHADES = "█▓▒░▚▞▤▥"
"""Characters for the causes in a stacked bar, used in turn."""


def chosen(result: Result, jobs: Sequence[str]) -> dict[str, groups.Group | None]:
    """The runs that have a table of their own, each with the group that it represents; None if it is alone.

    The slowest represents a fleet's jobs, or the runs of a repeated job. A run that is named represents itself.
    """
    rows = rows_of(result, jobs)
    found: dict[str, groups.Group | None] = {row["job"]: None for row in rows if row["job"] in jobs}
    for item in groups.runs(result, [row for row in rows if row["job"] not in found]):
        row = groups.slowest(item) if isinstance(item, groups.Group) else item
        found[row["job"]] = item if isinstance(item, groups.Group) else None
    return found


def explained(found: Sequence[Reasons], stands: Mapping[str, groups.Group | None]) -> None:
    """Print each job's time by cause, its bottleneck, and its time without it."""
    for one in found:
        _job(one, stands.get(one.name))


def _job(one: Reasons, stands: groups.Group | None) -> None:
    shown = {cause: seconds for cause, seconds in one.causes.items() if seconds >= LEAST_SHARE * one.elapsed}
    rows = [
        [_shade(i), cause.address, cause.activity, units.show_short(seconds, "s"), _percent(seconds / one.elapsed)]
        for i, (cause, seconds) in enumerate(shown.items())
    ]
    name = f"{one.name}, the slowest of {stands.name}" if stands else one.name
    title = f"{name}: {units.show_short(one.elapsed, 's')}" + (
        "" if one.status == "done" else f", {one.status}: {one.reason}"
    )
    mean = job_figures(stands.rows)["mean"] if stands else 0.0
    title += f" (mean {units.show_short(mean, 's')})" if mean else ""
    show.line(title)  # the title of a table is folded to its width
    if not rows:
        show.line()
        return
    show.table(["", "cause", "activity", "time", "share"], rows, right=(3, 4))
    show.line(f"  {stacked(list(shown.values()), one.elapsed)}")
    if len(shown) < len(one.causes):
        left = sum(seconds for cause, seconds in one.causes.items() if cause not in shown)
        show.line(f"  {_smaller(len(one.causes) - len(shown))}: {units.show_short(left, 's')}")
    show.line(f"  {sentence_on(one)}\n")


def stacked(seconds: Sequence[float], total: float) -> str:
    """A bar of `BAR` characters, divided in proportion.

    >>> stacked([3.0, 1.0], 4.0)
    '██████████████████████████████▓▓▓▓▓▓▓▓▓▓'
    """
    text, done = "", 0.0
    for i, part in enumerate(seconds):
        done += part
        text += _shade(i) * (round(BAR * done / total) - len(text))
    return text


def _smaller(count: int) -> str:
    return "a smaller cause" if count == 1 else f"{count} smaller causes"


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _shade(number: int) -> str:
    return SHADES[number % len(SHADES)]
