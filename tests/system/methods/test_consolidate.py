from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.in_order import one_by_one

from simbackup import load
from simbackup.equations import disk as equations
from simbackup.parameters import parameters_of
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.cases import examples, for_each

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


@examples(8)
@given(st.floats(0.001, 0.2), st.floats(20.0, 500.0))
def test_a_merge_reads_and_writes_the_change(daily: float, size: float) -> None:
    """At the disk of the target: the incremental that is written, and the same that is read and written once more."""
    change, moved = daily * size * 1e9, {"data.files.change.daily": daily, "data.files.size": f"{size} GB"}
    result = simulate(SITE + "  merge: {method: consolidate, into: older, save_set: save, after: save}\n", moved)
    assert rows(result)["merge"]["bytes"] == pytest.approx(change, rel=1e-6)
    pool = next(row for row in result.device_rows if row["device"] == "devices.pool")
    assert pool["bytes"] == pytest.approx(3 * change, rel=1e-3)


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


ROTATING = "{model: disk/nearline-20tb-2022, outer_rate: 200 MB/s, inner_rate: 200 MB/s}"
FLASH = SITE.replace(ROTATING, "{model: ssd/nvme-gen4-2021, capacity: 20 TB}")
BUSY = "tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: 100 ns/B, request: 1 MiB}"


@for_each("run_size", [64, 256, 1024])
def test_a_merge_writes_each_run_where_it_belongs(run_size: int) -> None:
    """One disk: the incremental in sequence, and then as many positioned writes as there are runs."""
    size, change = 400e9, 4e9
    runs = round(change / (run_size * 1024.0))
    jobs = "  full: {method: image, data: files, to: pool, exists: true}\n"
    jobs += "  save: {method: image, data: files, to: pool, level: incremental, since: 24 h, exists: true}\n"
    jobs += "  merge: {method: consolidate, into: older, save_set: save}\n"
    given = {
        "data.files.change.run": f"{run_size} KiB", "data.files.change.daily": change / size,
        "data.files.size": f"{size} B",
    }  # fmt: skip
    result = simulate(SITE[: SITE.index("  save:")] + jobs, given)
    disk = parameters_of(equations.DiskParameters, load(SITE).spec.devices["pool"])
    expected = change / 200e6 + one_by_one(disk, runs, change / runs, size, seed=7)
    assert rows(result)["merge"]["elapsed"] == pytest.approx(expected, rel=0.12)


@pytest.mark.parametrize("to", ["pool", "tape"])
def test_an_incremental_image_is_restored_run_by_run(to: str) -> None:
    """Above the full backup come so many positioned writes as there are runs, where one run is written in sequence."""
    size, change, run = 40e9, 2e9, 256 * 1024.0
    site = SITE[: SITE.index("  save:")].replace("owns: [disk]", "owns: [disk, tape]").replace(
        "{model: ssd/nvme-gen3-2018, capacity: 2 TB}",
        "{model: disk/nearline-20tb-2022, outer_rate: 200 MB/s, inner_rate: 200 MB/s}\n"
        "  tape: {model: tape_library/autoloader-8, drive: tape_drive/lto-9, drives: 1}",
    )  # fmt: skip
    site += f"  full: {{method: image, data: files, to: {to}, exists: true}}\n"
    site += f"  next: {{method: image, data: files, to: {to}, level: incremental, since: 24 h, exists: true}}\n"
    given = {"data.files.change.daily": change / size, "data.files.size": f"{size} B"}
    jobs = "  back: {restore: full, replay: next}\n"
    results = [simulate(site + jobs, given | {"data.files.change.run": f"{each} B"}) for each in (change, run)]
    busy = [row["busy_s"] for result in results for row in result.device_rows if row["device"] == "devices.disk"]
    took = busy[1] - busy[0]  # the drive unloads meanwhile
    disk = parameters_of(equations.DiskParameters, load(SITE).spec.devices["pool"])
    assert took == pytest.approx(one_by_one(disk, round(change / run), run, size, seed=7) - change / 200e6, rel=0.15)
