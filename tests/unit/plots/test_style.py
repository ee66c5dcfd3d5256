import pytest
from matplotlib.figure import Figure

import simbackup as sb
from simbackup.plots.style import name_times, scale_of, shown

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
