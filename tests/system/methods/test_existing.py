"""Save sets that exist at the start, and backups in which nothing, or next to nothing, is new."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from simbackup.results.shown import note_rows
from tests.cases import for_each
from tests.shared import ROOT

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


# Backups of databases: they come back as if they had been made before
ENGINE = (
    "transfer_size: 1 MiB, io_depth: 4, request_latency: 1 ms, compress_cpu: 1 ns/B, expand_cpu: 1 ns/B,"
    " buffer_sets: 1, memory_limit: 10 GB"
)
DATABASE_SITE = (ROOT / "tests" / "sites" / "database-server.yaml").read_text(encoding="utf-8") + "jobs:\n"
DATA = {"data.db.database": {"model": "database/mysql-5.0-innodb"}}
NATIVE = f"database_native, engine: {{{ENGINE}}}, compress: true"


def run(jobs: str, changes: dict[str, Any]) -> Result:
    result = sb.simulate(sb.load(DATABASE_SITE + jobs, DATA | changes))
    assert {row["status"] for row in result.job_rows} <= {"done"}, result.job_rows
    return result


@pytest.mark.parametrize("method", [NATIVE, "logical_dump"])
def test_it_comes_back_as_if_it_had_been_made(method: str) -> None:
    full = f"  full: {{method: {method}, data: db, to: d}}\n"
    made = run(full + "  back: {restore: full, after: full, begin: 1 d}\n", {})
    there = run(full + "  back: {restore: full, begin: 1 d}\n", {"jobs.full.exists": True})
    assert [row["job"] for row in there.job_rows] == ["back"]
    assert there.get("jobs.back.bytes") == made.get("jobs.back.bytes")
    assert there.get("jobs.back.elapsed") == pytest.approx(made.get("jobs.back.elapsed"), rel=1e-9)
    assert there.get("devices.d.bytes") == pytest.approx(made.get("devices.d.bytes") / 2)  # read, and not written


def test_logs_that_exist_are_replayed_and_copies_of_both_are_there() -> None:
    jobs = "  full: {method: logical_dump, data: db, to: d, exists: true}\n"
    jobs += "  log: {method: binary_log, data: db, to: d, changed: 10 %, exists: true}\n"
    jobs += "  back: {restore: full, replay: log}\n"
    result = run(jobs, {})
    size = sb.load(DATABASE_SITE + jobs, DATA).spec.data["db"].size.si
    alone = run(jobs.replace(", replay: log", ""), {})
    assert result.get("jobs.back.bytes") - alone.get("jobs.back.bytes") == pytest.approx(0.1 * size)


# Data in which nothing, or next to nothing, has changed
NOTHING_SITE = """\
title: Data that do not change
hosts: {server: {model: host/linux-modern-server, owns: [disk, other]}}
devices:
  disk: {model: disk/sata-7200-1tb-2008}
  other: {model: disk/sata-7200-1tb-2008}
  volume: {kind: logical_volume, on: other, size: 100 GB}
  library: {model: tape_library/autoloader-8, drive: tape_drive/lto-3, drives: 1}
  cloud: {model: object_store/azure-blob-standard}
links:
  bus: {joins: [server, library], rate: 300 MB/s, latency: 0.1 ms}
  line: {joins: [server, cloud], rate: 100 MB/s, latency: 10 ms}
data:
  files: {on: disk, size: 1 GB, files: 1000, filesystem: filesystem/xfs, change: {daily: DAILY, run: 64 KiB}}
jobs:
"""
CHUNKS = ", deduplication: {model: deduplication/appliance-2008, last: 1 d}"


def site(jobs: str, daily: str) -> str:
    return NOTHING_SITE.replace("DAILY", daily) + jobs


@for_each("scan", ["", ", tool: {start_time: 0 s, mount_time: 0 s, scan_cpu: 1 ns/B}"])
@for_each("method", ["image", "file_level"])
@for_each("to", ["volume", "library", "cloud"])
def test_an_incremental_of_nothing_is_one_byte(method: str, to: str, scan: str) -> None:
    if scan and method == "file_level":
        scan = ", workers: 2"
    jobs = f"  night: {{method: {method}, level: incremental, since: 1 d, data: files, to: {to}{scan}}}\n"
    jobs += "  back: {restore: night, after: night}\n"
    nothing, next_to_nothing = (sb.simulate(site(jobs, daily)) for daily in ("0 %", "1e-8 %"))
    assert nothing.get("jobs.night.bytes") == nothing.get("jobs.back.bytes") == 1.0
    for job in ("night", "back"):
        least, most = (result.get(f"jobs.{job}.elapsed") for result in (nothing, next_to_nothing))
        assert least == pytest.approx(most, rel=1e-3)


@pytest.mark.parametrize("to", ["volume", "cloud"])
def test_a_full_backup_without_new_chunks_takes_no_room_and_comes_back_as_others_do(to: str) -> None:
    at = CHUNKS.replace("}", ", at: client}") if to == "cloud" else CHUNKS
    jobs = f"  full: {{method: image, data: files, to: {to}{at}}}\n  back: {{restore: full, after: full}}\n"
    same, little, some = (sb.simulate(site(jobs, daily)) for daily in ("0 %", "1e-6 %", "1 %"))
    times = [result.get("jobs.back.elapsed") for result in (same, little, some)]
    assert times[0] == pytest.approx(times[1], rel=1e-3)
    assert 0.5 * times[2] < times[0] < 1.05 * times[2]


@for_each("to", ["volume", "library", "cloud"])
def test_a_restore_finds_no_more_than_an_incremental_saved(to: str) -> None:
    jobs = f"  night: {{method: file_level, level: incremental, since: 1 d, data: files, to: {to}}}\n"
    jobs += "  some: {restore: night, after: night, select: {files: 100, size: 100 MB}}\n"
    result = sb.simulate(site(jobs, "1 %"))
    assert result.get("jobs.some.bytes") == pytest.approx(1e7)
    assert result.get("jobs.some.files") == 10.0
    [note] = note_rows(result.trace)
    assert note["what"] == "finds less than 'select' asks for, as only 10 MB in 10 files were saved"
