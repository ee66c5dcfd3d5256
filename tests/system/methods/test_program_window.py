"""A program whose connections have a window of their own, as those of ssh do."""

from typing import Any

import pytest

import simbackup as sb
from tests.cases import for_each

FAST = "read_latency: 0 s, write_latency: 0 s"
SITE = f"""\
title: A copy over a long line by a program with a window of 2 MB
hosts:
  here: {{model: host/linux-2016-server, owns: [a]}}
  there: {{model: host/linux-2016-server, owns: [b]}}
devices:
  a: {{kind: ssd, capacity: 90 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, {FAST}}}
  b: {{kind: ssd, capacity: 90 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, {FAST}}}
links:
  line: {{rate: 100 MB/s, latency: 100 ms, window: 1 GB, duplex: full, joins: [here, there]}}
data:
  files: {{on: a, size: 10 GB, files: 1000, filesystem: filesystem/ext4, layout: together,
    database: database/mysql-5.0-myisam}}
  copy: {{on: b, size: 10 GB, files: 1000, filesystem: filesystem/ext4, layout: together}}
jobs:
  save: {{method: image, data: files, to: b, tool: {{start_time: 0 s, mount_time: 0 s, window: 2 MB}}}}
  back: {{restore: save, after: save, delay: 1 s}}
"""
WINDOW = {"start_time": "0 s", "mount_time": "0 s", "window": "2 MB"}


@for_each(
    "changes, rate",
    [
        ({}, 20e6),  # 2 MB in each round trip of 100 ms
        ({"jobs.save.connections": 3, "jobs.back.connections": 3}, 60e6),
        ({"jobs.save.connections": 9, "jobs.back.connections": 9}, 100e6),  # the line
        ({"links.line.window": "1 MB"}, 10e6),  # the smaller of the two
        ({"jobs.save.tool.window": "1 GB"}, 100e6),
    ],
)
def test_a_window_of_the_program_limits_each_connection_of_backup_and_restore(
    changes: dict[str, Any], rate: float
) -> None:
    result = sb.simulate(SITE, changes)
    assert result.get("jobs.save.elapsed") == pytest.approx(10e9 / rate, rel=0.02)
    assert result.get("jobs.back.elapsed") == pytest.approx(10e9 / rate, rel=0.02)


@pytest.mark.parametrize(
    "job", [{"method": "hot_copy", "data": "files", "to": "b", "tool": WINDOW}], ids=lambda job: str(job["method"])
)
def test_copies_keep_to_it_too(job: dict[str, Any]) -> None:
    result = sb.simulate(SITE, {"jobs": {"one": job, "save": None, "back": None}})
    assert result.get("jobs.one.elapsed") == pytest.approx(10e9 / 20e6, rel=0.03)
