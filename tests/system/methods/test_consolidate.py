from typing import Any

import pytest

from simbackup.results.result import Result
from simbackup.run import simulate

SITE = """
title: A backup onto a disk pool, which makes more of it by itself
hosts:
  client: {model: host/linux-modern-server, owns: [disk]}
  server: {model: host/linux-modern-server, owns: [pool]}
devices:
  disk: {model: ssd/nvme-gen3-2018, capacity: 2 TB}
  pool: {model: disk/nearline-20tb-2022, outer_rate: 200 MB/s, inner_rate: 200 MB/s}
links:
  lan: {model: network/ten-gigabit-ethernet, joins: [client, server]}
data:
  files: {on: disk, size: 100 GB, change: {daily: 4 %, run: 256 KiB}}
jobs:
  save: {method: image, data: files, to: pool, level: incremental, since: 24 h}
"""


def run(jobs: str, **given: Any) -> Result:
    return simulate(SITE + jobs, given or None)


def rows(result: Result) -> dict[str, dict[str, Any]]:
    return {row["job"]: row for row in result.job_rows}


def test_a_size_of_its_own() -> None:
    """On a target that clones blocks, a full backup reads and writes the change alone, and is whole all the same."""
    more = """  full: {method: consolidate, save_set: save, size: 4 GB, after: save}
  back: {restore: save, after: full}
"""
    found = rows(run(more))
    assert (found["full"]["bytes"], found["back"]["bytes"]) == (4e9, 100e9)


CHAIN = """
  week: {method: image, data: files, to: pool}
  night: {method: image, data: files, to: pool, level: incremental, since: 24 h, every: 24 h, begin: 24 h, until: 72 h}
"""


def test_incrementals_after_a_synthetic_full_backup_are_replayed_above_it() -> None:
    jobs = CHAIN + "  whole: {method: consolidate, save_set: night, after: night}\n"
    jobs += "  last: {method: image, data: files, to: pool, level: incremental, since: 24 h, begin: 96 h}\n"
    jobs += "  back: {restore: week, replay: [night, last], after: [whole, last]}\n"
    result = simulate(SITE.replace(SITE[SITE.index("  save:") :], "") + jobs)
    assert rows(result)["back"]["bytes"] == pytest.approx(100e9 + 4e9)
