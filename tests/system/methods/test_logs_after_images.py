"""Logs of a database that a restore of its image replays, by hand."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result

SITE = """\
title: A database that its server saves as an image, with incrementals and logs
hosts:
  server: {owns: [a, b, library], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, speed: 1,
    copy_rate: 10000 GB/s}
  other: {owns: [c], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, speed: 1,
    copy_rate: 10000 GB/s}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 2 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 100 GB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0 s, write_latency: 0 s}
  c: {kind: ssd, capacity: 100 GB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0 s, write_latency: 0 s}
  library: {model: tape_library/autoloader-8, drive: tape_drive/lto-6, drives: 1}
data:
  db:
    on: a
    size: 10 GB
    change: {daily: 10 %, run: 1 MB}
    database: {dump_ratio: 1, dump_cpu: 1 ns/B, load_cpu: 1 ns/B, replay_cpu: 50 ns/B, flush_time: 0 s,
      locks_for_snapshot: false}
  copy: {on: c, size: 10 GB}
  files: {on: b, size: 1 GB}
jobs:
  full: {method: image, data: db, to: TARGET}
  early: {method: binary_log, data: db, to: b, changed: 20 %, after: full}
  more: {method: image, data: db, to: TARGET, level: incremental, since: 24 h, after: early}
  late: {method: binary_log, data: db, to: b, changed: 5 %, after: more}
  plain: {restore: full, replay: more, after: late}
  back: {restore: full, replay: [more, early, late], after: plain}
"""


def run(target: str = "b", **changes: Any) -> Result:
    result = sb.simulate(sb.load(SITE.replace("TARGET", target), changes))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@pytest.mark.parametrize("target", ["b", "library"])
def test_the_logs_since_the_last_incremental_are_replayed(target: str) -> None:
    """Those of 500 MB since take 50 ns a byte; those before the incremental are in it."""
    result = run(target)
    assert result.get("jobs.back.bytes") == result.get("jobs.plain.bytes") + 0.5e9
    replayed = sum(seconds for (_, what), seconds in result.activities("back").items() if what == "replay")
    assert replayed == pytest.approx(0.5e9 * 50e-9, rel=1e-3)
    longer = result.get("jobs.back.elapsed") - result.get("jobs.plain.elapsed")
    assert longer == pytest.approx(0.5e9 * 50e-9, rel=0.05)


def test_all_logs_follow_a_full_backup_alone() -> None:
    result = run(**{"jobs.back.replay": ["early", "late"]})
    assert result.get("jobs.back.bytes") == 10e9 + 2.5e9
    replayed = sum(seconds for (_, what), seconds in result.activities("back").items() if what == "replay")
    assert replayed == pytest.approx(2.5e9 * 50e-9, rel=1e-3)
