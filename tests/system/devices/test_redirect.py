"""What volumes that share the room of a device give to writes that are under way at the same time."""

from pathlib import Path

import pytest

import simbackup as sb

SCENARIO = """\
title: Two volumes that take what they use of one disk, and backups that do not both fit
hosts:
  server: {model: host/linux-2.6.9-dual-xeon-2800, owns: [sda, sdb]}
devices:
  sda: {model: disk/scsi-10k-146gb-2004}
  sdb: {model: disk/scsi-10k-146gb-2004}
  one: {model: redirect_volume/wafl-lun, on: sdb, size: 100 GB, guarantee: none}
  two: {model: redirect_volume/wafl-lun, on: sdb, size: 100 GB, guarantee: none}
data:
  files: {on: sda, size: 80 GB}
jobs:
  first: {method: image, data: files, to: one}
  second: {method: image, data: files, to: two, begin: SECOND}
"""


@pytest.mark.parametrize("second", ["10 s", "1 h"])
def test_room_that_a_write_under_way_will_take_is_taken(second: str) -> None:
    """146 GB hold one backup of 80 GB and not two, whether they run at once or one after the other."""
    result = sb.simulate(SCENARIO.replace("SECOND", second))
    status = {row["job"]: row["status"] for row in result.job_rows}
    used = {row["device"]: row["used_bytes"] for row in result.device_rows if "used_bytes" in row}
    assert status == {"first": "done", "second": "failed"}
    assert used["devices.one"] == pytest.approx(80e9, abs=10.0)
    assert sum(used.values()) == pytest.approx(146e9, abs=1e6)


def test_a_write_that_is_done_keeps_no_room(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    both = SCENARIO.replace("SECOND", "1 s").replace("size: 80 GB", "size: 30 GB")
    path.write_text(both + "  third: {method: image, data: files, to: two, after: [first, second]}\n", encoding="utf-8")
    result = sb.simulate(path)
    assert {row["status"] for row in result.job_rows} == {"done"}
    used = [row["used_bytes"] for row in result.device_rows if "used_bytes" in row]
    assert sum(used) == pytest.approx(90e9, abs=10.0)
