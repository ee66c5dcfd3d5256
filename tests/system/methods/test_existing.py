"""Save sets that exist at the start: restores and copies of them take what they take after their jobs have run."""

from typing import Any

import pytest

import simbackup as sb
from tests.cases import for_each

SITE = """\
title: A client, and a backup server with a pool, a library and a bucket
hosts:
  client: {model: host/linux-2016-server, owns: [a]}
  server: {model: host/linux-2016-server, owns: [pool, library]}
devices:
  a:  # equally fast everywhere, as are the streams of a save set that exists
    {model: raid/hardware-raid5-2011, disk: {model: disk/sas-10k-600gb-2011, inner_rate: 168 MB/s}, disks: 6}
  pool: {model: raid/hardware-raid6-2011, disk: disk/nearline-3tb-2011, disks: 12}
  bucket: {model: object_store/amazon-s3-standard}
  library:
    {model: tape_library/autoloader-8, bays: 4, drive: {model: tape_drive/lto-3, cartridge_capacity: 200 GB}, drives: 4,
     pools: {small: 1}}
links:
  lan: {model: network/gigabit-ethernet, joins: [client, server]}
  wan: {model: network/wan-1g, joins: [server, bucket, client]}
data:
  d:
    {on: a, size: 500 GB, files: 100_000, filesystem: filesystem/xfs, compression: 1.5,
     change: {daily: 2 %, run: 256 KiB}}
jobs:
"""
DELAY = "delay: 1000 h"


def elapsed(jobs: str, job: str = "back") -> float:
    result = sb.simulate(sb.load(SITE + jobs))
    found = {row["job"]: row for row in result.job_rows}
    assert {row["status"] for row in found.values()} == {"done"}
    return float(found[job]["elapsed"])


FULL = "method: file_level, data: d"
WAYS = {
    "disk": f"{FULL}, to: pool",
    "compressed": f"{FULL}, to: pool, compressor: compressor/lz4",
    "chunks": f"{FULL}, to: pool, deduplication: {{model: deduplication/content-chunks-2015, ratio: 4}}",
    "objects": f"{FULL}, to: bucket, object_size: 64 MiB",
    "tape": f"{FULL}, to: library",
    "two drives": f"{FULL}, to: library, streams: 2",
    "multiplexed": f"{FULL}, to: library, streams: 3, multiplexing: 2",
    "spooled": f"{FULL}, to: library, spool: {{on: pool, size: 90 GB}}",
    "image": "method: image, data: d, to: library, streams: 2",
}


@pytest.mark.slow
@for_each("backup", WAYS.values(), ids=WAYS)
@for_each("wanted", ["", "select: {files: 50, size: 5 GB}, "], ids=["all", "some"])
def test_a_restore_of_what_exists_takes_what_one_after_the_backup_takes(backup: str, wanted: str) -> None:
    ran = elapsed(f"  full: {{{backup}}}\n  back: {{restore: full, {wanted}after: full, {DELAY}}}\n")
    there = elapsed(f"  full: {{{backup}, exists: true}}\n  back: {{restore: full, {wanted}}}\n")
    assert there == pytest.approx(ran, rel=1e-9)


@for_each("to", ["library", "library, streams: 2", "bucket"])
def test_a_copy_may_exist_as_well_and_is_not_made_again(to: str) -> None:
    full, copy = f"  full: {{{FULL}, to: pool", f"  copy: {{method: copy_save_set, save_set: full, to: {to}"
    back = "  back: {restore: full, copied_by: copy"
    ran = elapsed(f"{full}}}\n{copy}, after: full}}\n{back}, after: copy, {DELAY}}}\n")
    there = elapsed(f"{full}, exists: true}}\n{copy}, exists: true}}\n{back}}}\n")
    assert there == pytest.approx(ran, rel=1e-9)
    again = "  again: {method: copy_save_set, save_set: full, to: bucket}\n"
    made = elapsed(f"{full}, exists: true}}\n{again}", "again")
    later = elapsed(f"{full}}}\n{again.replace('}', f', after: full, {DELAY}}}')}", "again")
    assert made == pytest.approx(later, rel=1e-9)


def test_others_may_come_after_a_job_that_does_not_run() -> None:
    jobs = f"  full: {{{FULL}, to: pool, exists: true}}\n  back: {{restore: full, after: full}}\n"
    result = sb.simulate(sb.load(SITE + jobs))
    assert (result.get("jobs.back.start"), len(result.job_rows)) == (0.0, 1)
    assert list(sb.explain(result).frame.index) == ["back"]


def test_save_sets_without_room_are_reported_as_failed() -> None:
    small = f"{FULL}, to: library, pool: small, exists: true"
    jobs = f"  one: {{{small}}}\n  back: {{restore: one}}\n"
    site = SITE.replace("size: 500 GB", "size: 200 GB")
    result = sb.simulate(sb.load(site + f"  zero: {{{small}}}\n" + jobs))
    status: dict[str, Any] = {row["job"]: (row["status"], row["reason"]) for row in result.job_rows}
    assert status["one"] == ("failed", "the pool 'small' of 'devices.library' is full")
    assert status["back"][0] == "failed"
