"""Pictures of results with so many jobs or rates that they cannot be drawn one by one."""

from pathlib import Path

import numpy as np
import pytest

from simbackup.errors import ResultError
from simbackup.plots import rates
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
    monkeypatch.setattr(rates, "MANY", 1)


def test_more_runs_than_a_timeline_can_show_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simbackup.plots.timeline.MANY", 1)
    with pytest.raises(ResultError, match="has 9 runs of jobs, more than a timeline can show; choose another"):
        simulated("teaching/mount-queue").plot.timeline()


def test_the_slowest_of_many_runs_stands_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simbackup.plots.timeline.MOST", 9)
    result = nights(tmp_path)
    drawn = result.plot.causes()
    slowest = max(result.job_rows, key=lambda row: row["elapsed"])
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == [f"{slowest['job']}, slowest of 10"]
    widths = sum(patch.get_width() for patch in drawn.axes[0].patches)
    unit = {"s": 1.0, "min": 60.0}[drawn.axes[0].get_xlabel().removeprefix("elapsed, ")]
    assert widths * unit == pytest.approx(slowest["elapsed"])


def test_of_many_jobs_the_longest_have_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simbackup.plots.timeline.MOST", 2)
    result = simulated("teaching/mount-queue")
    drawn = result.plot.causes()
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == ["full", "r8"]
    assert drawn.get_supxlabel() == "the 2 longest of 9"


@pytest.mark.usefixtures("_few")
def test_busy_shares_share_the_least_axis_that_holds_them(tmp_path: Path) -> None:
    """The means of ten minutes hold some 20 s of work: up to 100 %, they would hardly show."""
    drawn = nights(tmp_path).plot.utilisation()
    assert {axis.get_yticklabels()[-1].get_text() for axis in drawn.axes} == {"10 %"}


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
