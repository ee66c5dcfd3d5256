"""The shares and rates of a result's tables."""

from pathlib import Path

import pytest

from simbackup.cli import show
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.shared import simulated

NIGHT = """
title: A night in which the target is saturated
hosts:
  server: {model: host/linux-modern-server, speed: 1, copy_rate: 1 GB/s, owns: [source, target]}
devices:
  source: {model: ssd/nvme-gen3-2018}
  target: {model: disk/nearline-20tb-2022, outer_rate: 100 MB/s, inner_rate: 100 MB/s}
data:
  db: {on: source, size: 360 GB}
jobs:
  nightly: {method: image, data: db, to: target, begin: "22:00"%s}
"""


def run(more: str = "", below: str = "") -> Result:
    return simulate(NIGHT % more + below)


def test_windows_of_every_night_count_together() -> None:
    result = run(", every: 1 day, until: 3 days, window: 4 h")
    assert result.get("devices.target.busy_window") == pytest.approx(0.25, rel=0.01)
    assert result.get("devices.target.busy") == pytest.approx(3 / 49, rel=0.01)


def test_users_see_what_they_asked_for_and_what_was_served(capsys: pytest.CaptureFixture[str]) -> None:
    """Two hundred clients who wait for each transaction get less done beside a backup than undisturbed."""
    result = simulated("published/000-netbackup-frozen-images/oltp-checkpoint")
    rows = [row for row in result.users.to_dict("records") if row["lost"] > 0.0]
    assert rows
    for row in rows:
        seconds = result.get(f"jobs.{row['job']}.elapsed")
        assert row["served"] < row["offered"]
        assert row["rate"] == pytest.approx(row["served"] / seconds)
        assert row["lost"] == pytest.approx(1.0 - row["served"] / row["offered"])
    show.users(result)
    head = capsys.readouterr().out.splitlines()[1]
    assert "asked for" in head
    assert "served a second" in head


def test_repeated_jobs_of_a_fleet_have_mean_and_worst(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What passes from the first night to the last is no time of theirs."""
    (tmp_path / "fleet.yaml").write_text(
        """
title: Twenty servers every night
fleets:
  servers:
    count: 20
    hosts: {"server-{number}": {model: host/linux-modern-server, owns: ["in-{number}", "out-{number}"]}}
    devices:
      in-{number}: {model: disk/scsi-10k-146gb-2004}
      out-{number}: {model: disk/scsi-10k-146gb-2004}
    data: {"data-{number}": {on: "in-{number}", size: 50 GB}}
    jobs:
      save-{number}: {method: image, data: "data-{number}", to: "out-{number}", begin: 22 h, every: 1 d, until: 2 d}
""",
        encoding="utf-8",
    )
    result = simulate(tmp_path / "fleet.yaml")
    show.result(result, {})
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.lstrip().startswith("save-* (40) ")]
    assert "mean " in line
    assert "worst " in line
    assert " d " not in line
