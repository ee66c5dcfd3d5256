"""Pictures of results with so many jobs or rates that they cannot be drawn one by one."""

from pathlib import Path

import numpy as np
import pytest

from simbackup.plots import cause_bars, concurrency, rates
from simbackup.plots.rates import steps_of
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.shared import simulated

NIGHTS = """\
title: Nights
hosts:
  server: {model: host/linux-2.6.9-dual-xeon-2800, owns: [disk, vault]}
devices:
  disk: {model: disk/sata-7200-250gb-2005}
  vault: {model: disk/sata-7200-250gb-2005}
data:
  file: {on: disk, size: 1 GB}
jobs:
  nightly: {method: image, data: file, to: vault, begin: "22:00", every: 1 d, until: 10 d, window: WINDOW}
"""


def nights(folder: Path, window: str = "1 h") -> Result:
    path = folder / "site.yaml"
    path.write_text(NIGHTS.replace("WINDOW", window), encoding="utf-8")
    return simulate(path)


@pytest.fixture
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simbackup.plots.timeline.MANY", 1)
    monkeypatch.setattr(rates, "MANY", 1)


@pytest.mark.usefixtures("_few")
def test_each_night_is_a_column_cut_at_noon(tmp_path: Path) -> None:
    result = nights(tmp_path)
    drawn = result.plot.timeline()
    (image,) = [image for axis in drawn.axes for image in axis.get_images() if image.get_gid() == "days"]
    counted = np.asarray(image.get_array())
    assert counted.shape == (144, 10)
    assert image.get_extent() == [0.5, 10.5, 24.0, 0.0]
    assert (counted[60] > 0.0).all(), "22:00 is 60 times ten minutes after noon"
    assert not counted[:60].any()
    took = sum(row["elapsed"] for row in result.job_rows)
    assert counted.sum() * concurrency.STEP == pytest.approx(took)
    assert drawn.axes[0].get_yticklabels()[2].get_text() == "00:00"
    (line,) = [line for line in drawn.axes[0].lines if line.get_gid() == "end of windows"]
    assert list(line.get_ydata()) == [11.0, 11.0]


@pytest.mark.usefixtures("_few")
def test_late_runs_are_counted_on_their_day(tmp_path: Path) -> None:
    drawn = nights(tmp_path, "1 s").plot.timeline()
    (late,) = [patch for axis in drawn.axes for patch in axis.patches if patch.get_gid() == "late"]
    assert late.get_data().values.tolist() == [1.0] * 10
    assert late.get_data().edges.tolist() == [0.5 + day for day in range(11)]


@pytest.mark.usefixtures("_few")
def test_one_night_is_drawn_over_time() -> None:
    result = simulated("teaching/mount-queue")
    drawn = result.plot.timeline()
    took = sum(row["elapsed"] for row in result.job_rows)
    found = [patch.get_data() for axis in drawn.axes for patch in axis.patches if patch.get_gid() == "runs"]
    seconds = sum(float((one.values * np.diff(one.edges)).sum()) for one in found)
    scale = {"min": 60.0, "s": 1.0, "h": 3600.0}[drawn.axes[-1].get_xlabel().removeprefix("time, ")]
    assert seconds * scale == pytest.approx(took)


def test_the_slowest_of_many_runs_stands_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cause_bars, "MOST", 9)
    result = nights(tmp_path)
    drawn = result.plot.causes()
    slowest = max(result.job_rows, key=lambda row: row["elapsed"])
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == [f"{slowest['job']}, slowest of 10"]
    widths = sum(patch.get_width() for patch in drawn.axes[0].patches)
    unit = {"s": 1.0, "min": 60.0}[drawn.axes[0].get_xlabel().removeprefix("elapsed, ")]
    assert widths * unit == pytest.approx(slowest["elapsed"])


def test_of_many_jobs_the_longest_have_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cause_bars, "MOST", 2)
    result = simulated("teaching/mount-queue")
    drawn = result.plot.causes()
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == ["full", "r8"]
    assert drawn.get_supxlabel() == "the 2 longest of 9"


@pytest.mark.usefixtures("_few")
def test_busy_shares_share_the_least_axis_that_holds_them(tmp_path: Path) -> None:
    """The means of ten minutes hold some 20 s of work: up to 100 %, they would hardly show."""
    drawn = nights(tmp_path).plot.utilisation()
    assert {axis.get_yticklabels()[-1].get_text() for axis in drawn.axes} == {"10 %"}


def test_jobs_beyond_the_longest_are_one_group() -> None:
    jobs = simulated("teaching/mount-queue").job_rows
    groups = concurrency.grouped(jobs, {})
    assert len(groups) == concurrency.MOST
    assert groups[-1].name.endswith(" others")
    assert sum(len(group.rows) for group in groups) == len(jobs)


@pytest.mark.parametrize("name", ["teaching/mount-queue", "published/003-lvm-snapshots/same-disk"])
def test_means_of_rates_have_the_integral_of_the_rates(name: str) -> None:
    result = simulated(name)
    edges, found = rates.means(result, "bytes_per_s", 7)
    steps = steps_of(result, lambda rate: rate.bytes_per_s)
    assert found.keys() == steps.keys()
    for link, own in found.items():
        assert sum(np.array(own) * np.diff(edges)) == pytest.approx(steps[link].integral()), link


@pytest.mark.usefixtures("_few")
def test_a_picture_of_means_says_so() -> None:
    drawn = simulated("published/003-lvm-snapshots/same-disk").plot.utilisation()
    assert drawn.axes[0].get_title(loc="left").endswith("means of 1 min")
