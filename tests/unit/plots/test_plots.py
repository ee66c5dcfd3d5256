"""Calendars of restore points, and marks on axes of time."""

from datetime import date
from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sites.plan import site

import simbackup as sb
from simbackup.planning.restore import moment_of
from simbackup.planning.restore_points import log_until, points_at
from simbackup.planning.site import load_site
from simbackup.plots.of_plan import OF_LEVELS, PALE, calendar_of_points
from simbackup.plots.style import name_times, scale_of, shown
from simbackup.policies.levels import Level


# A cell for each backup, filled, pale or hollow, and a line to each base
def drawn(day: date, **policy: Any) -> list[Any]:
    """The calendars, one for each target and year."""
    parts = site(start="2027-01-02", zone="UTC")
    parts["policies"]["nightly"] = {"to": "pool", "at": "20:00", **policy}
    found = load_site(parts)
    now = moment_of(found, day)
    (points,) = points_at(found, now)
    return calendar_of_points(points, list(log_until(found, now)), now, "a site").axes


def test_cells_are_filled_pale_or_hollow_in_the_colour_of_their_level() -> None:
    """On Thursday, 4 February: two weeks of points, and five save sets that two of them need."""
    (axis,) = drawn(
        date(2027, 2, 4), schedule={"full": "saturday", "incremental": "daily"}, retention={"age": "2 weeks"}
    )
    boxes, lines = axis.collections
    filled = [colour[3] for colour in boxes.get_facecolors()]
    assert len(filled) == 33
    assert (filled.count(1.0), filled.count(PALE), filled.count(0.0)) == (14, 5, 14)
    edges = [to_hex(colour) for colour in boxes.get_edgecolors()]
    assert edges.count(OF_LEVELS[Level.FULL]) == 5
    assert edges.count(OF_LEVELS[Level.INCREMENTAL]) == 28
    assert lines.get_segments()


def test_a_line_to_a_differential_passes_those_in_between_at_their_side() -> None:
    (axis,) = drawn(date(2027, 1, 8), schedule={"full": "saturday", "differential": "daily"})
    boxes, lines = axis.collections
    assert len(boxes.get_facecolors()) == 6
    upright = [line for line in lines.get_segments() if line[0][0] == line[1][0]]
    assert all(line[0][0] % 1.0 != 0.5 for line in upright)


def test_each_target_and_each_year_has_a_calendar() -> None:
    tape = {"to": "vault", "which": "full", "retention": {"age": "13 weeks"}}
    axes = drawn(date(2028, 1, 5), schedule={"full": "saturday"}, retention={"last": 3}, copies={"tape": tape})
    assert [axis.get_title(loc="left") for axis in axes] == [
        "pool: 3 restore points",
        "",
        "vault: 13 restore points",
        "",
    ]


# Axes of time
NIGHT = """\
title: Night
hosts:
  server: {model: host/linux-modern-server, owns: [disk]}
devices:
  disk: {model: ssd/sata-ssd-2015}
data:
  file: {on: disk, size: 1 GB}
jobs:
  write: {method: write, data: file, begin: BEGIN}
"""


def result(begin: str) -> sb.Result:
    return sb.simulate(sb.load(NIGHT.replace("BEGIN", begin)))


def marks(begin: str, low: float, high: float) -> tuple[str, list[str]]:
    """The name of the axis of time between two times, and its marks."""
    axis, scale = Figure().add_subplot(), scale_of(high)
    axis.set_xlim(low / scale.size, high / scale.size)
    name_times(axis, result(begin), scale)
    assert axis.get_xlim() == pytest.approx((low / scale.size, high / scale.size))
    return axis.get_xlabel(), [label.get_text() for label in axis.get_xticklabels()]


def test_a_night_is_marked_as_clocks_show_it() -> None:
    name, shown_marks = marks('"22:00"', 79_200.0, 104_400.0)
    assert name == "time of day"
    assert shown_marks == ["22:00", "23:00", "00:00\nday 2", "01:00", "02:00", "03:00", "04:00", "05:00"]


def test_weeks_are_counted_in_days() -> None:
    name, shown_marks = marks('"22:00"', 0.0, 6 * 86_400.0)
    assert name == "day"
    assert shown_marks[:3] == ["day 1", "day 2", "day 3"]


def test_minutes_are_marked_at_round_times() -> None:
    assert marks('"22:00"', 79_200.0, 79_900.0)[1][:3] == ["22:00", "22:02", "22:04"]


def test_times_of_day_are_padded() -> None:
    assert [shown(time) for time in (0, 540, 36_060)] == ["00:00", "00:09", "10:01"]
