"""Copies of save sets, and restores from either copy, against calculations by hand."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.equations import tape
from simbackup.results.result import Result
from tests.cases import for_each
from tests.shared import LIBRARY_BY_HAND

CACHE = "cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 100 GB/s, speed: 1"
SSD = "kind: ssd, capacity: 100 GB, read_latency: 1 ms, write_latency: 1 ms"
SITE = f"""\
title: A client, two backup servers with disks, and a library at the first of them
hosts:
  client: {{owns: [a], {CACHE}}}
  first: {{owns: [b, e], {CACHE}}}
  second: {{owns: [c], {CACHE}}}
devices:
  a: {{{SSD}, read_rate: 400 MB/s, write_rate: 400 MB/s}}
  b: {{{SSD}, read_rate: 100 MB/s, write_rate: 400 MB/s}}
  c: {{{SSD}, read_rate: 100 MB/s, write_rate: 50 MB/s}}
  e: {{{SSD}, read_rate: 100 MB/s, write_rate: 50 MB/s}}
  jukebox:
    {{model: tape_library/autoloader-8, bays: 4, robots: 1, exchange_time: 10 s, drives: 1, slots: 4, drive: {{
      model: tape_drive/lto-3, native_rate: 80 MB/s, slowest_rate: 80 MB/s, cartridge_capacity: 40 GB,
      tape_length: 100 m, passes: 10, read_speed: 1 m/s, search_speed: 5 m/s, load_time: 30 s, unload_time: 10 s,
      locate_overhead: 2 s, turn_time: 1 s, reposition_time: 3 s, buffer: 64 MB, host_rate: 1 GB/s}}}}
links:
  lan: {{joins: [client, first, second], rate: 50 MB/s, latency: 0 s}}
  bus: {{joins: [first, jukebox], rate: 1 GB/s, latency: 0 s}}
data:
  d: {{on: a, size: 8 GB, files: 8000, filesystem: filesystem/xfs}}
jobs:
"""
NIGHT = "  night: {method: file_level, data: d, to: b}\n"
TAPE = "  to_tape: {method: copy_save_set, save_set: night, to: jukebox, after: night}\n"
BACK = "  back: {restore: night, after: AFTER}\n"


def run(tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None) -> Result:
    (tmp_path / "case.yaml").write_text(SITE + jobs, encoding="utf-8")
    return sb.simulate(tmp_path / "case.yaml", changes)


def row(result: Result, job: str) -> dict[str, Any]:
    return next(row for row in result.job_rows if row["job"] == job)


def test_a_copy_onto_a_drive_that_writes_through_needs_the_size_of_a_block(tmp_path: Path) -> None:
    with pytest.raises(sb.InputError, match=r"jobs\.to_tape\.to: .*write 'block: 10 KiB' under jobs\.night\.tool"):
        run(tmp_path, NIGHT + TAPE, {"devices.jukebox.drive.write_through": True})


def test_a_restore_from_a_copy_that_is_not_there_fails(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        NIGHT + TAPE.replace("after: night", "begin: 10 h") + BACK.replace("AFTER", "night, copied_by: to_tape"),
    )
    assert row(result, "back")["reason"] == "the catalogue has no copy of 'night' by 'to_tape'"


def test_what_is_on_tape_already_is_not_copied_again(tmp_path: Path) -> None:
    again = TAPE.replace("after: night", "begin: 1 h, every: 1 h, until: 2 h")
    result = run(tmp_path, NIGHT + again)
    assert [row(result, f"to_tape.{i}")["bytes"] for i in (1, 2)] == [pytest.approx(8e9), 0.0]
    [note] = result.as_dict()["notes"]
    assert note["address"] == "jobs.to_tape.2"
    assert note["what"] == "has nothing to do: the newest save set is already on 'jukebox'"


CHUNKS = "{cut_cpu: 0 ns/B, join_cpu: 0 ns/B, together: 1 GB, ratio: 8, at: target}"
REPLICATED = f"""\
  save: {{method: image, data: d, to: b, deduplication: {CHUNKS}}}
  replicate: {{method: copy_save_set, save_set: save, to: c, after: save, new_chunks: true}}
  back: {{restore: save, copied_by: replicate, after: replicate}}
"""


def test_a_store_that_got_its_last_copy_a_week_ago_gets_what_is_new_since_then() -> None:
    """After a day 5 % of the chunks are new, after seven 1 - 0.95^7: over a line of 50 MB/s."""
    chunks = {"cut_cpu": "0 ns/B", "join_cpu": "0 ns/B", "together": "1 GB", "last": "1 d", "at": "target"}
    changes = {"data.d.change": {"daily": "5 %", "run": "64 KiB"}, "jobs.save.deduplication": chunks}
    changes |= {"hosts.second.dirty_background": "0 %", "hosts.client.dirty_background": "0 %"}
    text = SITE + REPLICATED.replace(", deduplication: " + CHUNKS, "")
    for last, share in ({}, 0.05), ({"jobs.replicate.new_since": "7 d"}, 1.0 - 0.95**7):
        result = sb.simulate(text, changes | last)
        assert result.get("jobs.replicate.elapsed") == pytest.approx(8e9 * share / 50e6, rel=0.01)
        assert result.get("devices.c.bytes") == pytest.approx(8e9 * (share + 1.0), rel=0.01)


# Copies of what is on tape
DRIVE = (
    "model: tape_drive/lto-3, cartridge_capacity: 40 GB, tape_length: 100 m, passes: 10, read_speed: 1 m/s,"
    " search_speed: 5 m/s, load_time: 30 s, unload_time: 10 s, locate_overhead: 2 s, turn_time: 1 s, host_rate: 1 GB/s"
)
FROM_TAPE_SITE = f"""\
title: A client, a media server with two libraries and a disk
hosts:
  client: {{owns: [a], {CACHE}}}
  server: {{owns: [b, old, new, second], {CACHE}}}
devices:
  a: {{kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s, read_rate: 2 GB/s, write_rate: 2 GB/s}}
  b: {{kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s, read_rate: 2 GB/s, write_rate: 2 GB/s}}
  old:
    {{model: tape_library/autoloader-8, bays: 4, slots: 8, robots: 2, exchange_time: 10 s, drives: 2,
     pools: {{vault: 4}},
     drive: {{{DRIVE}, native_rate: 80 MB/s, slowest_rate: 80 MB/s, reposition_time: 3 s, buffer: 64 MB}}}}
  new:
    {{model: tape_library/autoloader-8, bays: 4, slots: 8, robots: 2, exchange_time: 10 s, drives: 2,
     drive: {{{DRIVE}, native_rate: 100 MB/s, slowest_rate: 20 MB/s, reposition_time: 3 s, buffer: 64 MB}}}}
  second:
    {{model: tape_library/autoloader-8, bays: 4, slots: 8, robots: 2, exchange_time: 10 s, drives: 2,
     drive: {{{DRIVE}, native_rate: 100 MB/s, slowest_rate: 100 MB/s, reposition_time: 3 s, buffer: 64 MB}}}}
links:
  lan: {{joins: [client, server], rate: 10 MB/s, latency: 0 s}}
data:
  d: {{on: a, size: 30 GB}}
jobs:
  full: {{method: image, data: d, to: old, exists: true}}
"""
FIGURES = tape.TapeDriveParameters(80e6, 40e9, 100.0, 10, 1.0, 5.0, 30.0, 10.0, 2.0, 1.0, 64e6, reposition_time=3.0)
MOUNT = 10.0 + 30.0
AWAY = tape.rewind_time(FIGURES, 30e9) + 10.0 + 10.0


def run_from_tape(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(FROM_TAPE_SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}
    return result


def copy(to: str, more: str = "") -> str:
    return f"  copy: {{method: copy_save_set, save_set: full, to: {to}}}\n{more}"


def test_a_writer_that_cannot_slow_down_stops_and_starts() -> None:
    """Its buffer of 64 MB fills in less than the 3 s in which it is back: B d / (B + r (d - h)), `stop_start_rate`."""
    rate = 64e6 * 100e6 / (64e6 + 3.0 * (100e6 - 80e6))
    assert run_from_tape(copy("second")).get("jobs.copy.elapsed") == pytest.approx(2 * MOUNT + 30e9 / rate + 2 * AWAY)


@pytest.mark.parametrize("compression", [1.0, 2.0])
def test_what_was_multiplexed_is_read_in_one_pass_and_comes_back_from_the_copy(compression: float) -> None:
    how = {"jobs.full.streams": 2, "jobs.full.multiplexing": 2, "data.d.compression": compression}
    result = run_from_tape(copy("new", "  back: {restore: full, copied_by: copy, after: copy}\n"), how)
    assert result.activities("copy")["devices.old.drive.1", "copy"] == pytest.approx(30e9 / 80e6 / compression)
    assert result.get("jobs.back.elapsed") == pytest.approx(30e9 / 10e6 + MOUNT + AWAY, rel=0.01)


@for_each("ratio", [1.0, 2.0])
@for_each("connections", [1, 4])
def test_a_tape_goes_to_a_bucket_as_fast_as_tape_and_connections_allow(ratio: float, connections: int) -> None:
    """What was compressed is fewer bytes. One connection of 30 MB/s stops the drive: `B d / (B + r (d - h))`."""
    bucket = "  bucket: {model: object_store/amazon-s3-standard, connection_rate: 30 MB/s, write_latency: 0 s}\n"
    line = "  wan: {joins: [server, bucket], rate: 1 GB/s, latency: 0 s}\n"
    how = "exists: true, compressor: compressor/lz4" if ratio > 1.0 else "exists: true"
    site = FROM_TAPE_SITE.replace("links:\n", f"{bucket}links:\n{line}").replace("exists: true", how)
    jobs = f"  copy: {{method: copy_save_set, save_set: full, to: bucket, connections: {connections}}}\n"
    result = sb.simulate(sb.load(site + jobs, {"data.d.compression": ratio}))
    rate = 80e6 if connections == 4 else 64e6 * 80e6 / (64e6 + 3.0 * (80e6 - 30e6))
    away = tape.rewind_time(FIGURES, 30e9 / ratio) + 10.0 + 10.0
    assert result.get("jobs.copy.elapsed") == pytest.approx(MOUNT + 30e9 / ratio / rate + away, rel=1e-3)


def test_two_copies_within_a_library_do_not_wait_for_each_others_drives() -> None:
    """Each would hold one of the two drives, and wait for the other."""
    jobs = "  more: {method: image, data: d, to: old, exists: true}\n"
    jobs += "  copy: {method: copy_save_set, save_set: full, to: old, pool: vault}\n"
    jobs += "  other: {method: copy_save_set, save_set: more, to: old, pool: vault}\n"
    result = run_from_tape(jobs)
    ends = sorted(result.get(f"jobs.{job}.end") for job in ("copy", "other"))
    assert ends[1] > 2 * 30e9 / 80e6


def test_a_copy_that_a_library_has_is_not_made_again() -> None:
    result = run_from_tape(
        copy("old, pool: vault", "  back: {restore: full, after: copy}\n"), {"jobs.copy.exists": True}
    )
    assert [row["job"] for row in result.job_rows] == ["back"]


# Copies that are copied once more, or called back from tape; and backups of a database's own server so
AGAIN_CACHE = "cores: 8, memory: 100 GB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 100 GB/s, speed: 1"
AGAIN_SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
ENGINE = (
    "transfer_size: 1 MiB, io_depth: 4, request_latency: 0 s, compress_cpu: 0 s/B, expand_cpu: 0 s/B, buffer_sets: 1,"
    " memory_limit: 1 GB"
)
AGAIN_SITE = f"""\
title: A server, a keeper with a disk and a library, and a second site with disks
hosts:
  server: {{owns: [a], {AGAIN_CACHE}}}
  keeper: {{owns: [b, d, library], {AGAIN_CACHE}}}
  second: {{owns: [c], {AGAIN_CACHE}}}
devices:
  a: {{{AGAIN_SSD}, read_rate: 2 GB/s, write_rate: 2 GB/s}}
  b: {{{AGAIN_SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
  c: {{{AGAIN_SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
  d: {{{AGAIN_SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
{LIBRARY_BY_HAND}links:
  lan: {{joins: [server, keeper], rate: 500 MB/s, latency: 0 s, duplex: full}}
  wan: {{joins: [keeper, second], rate: 20 MB/s, latency: 0 s, duplex: full}}
data:
  db: {{on: a, size: 8 GB}}
  log: {{on: a, size: 8 GB, compression: 4}}
jobs:
"""
IMAGE = "  full: {method: image, data: db, to: b}\n"
NATIVE = f"  full: {{method: database_native, data: db, to: [b, b], buffers: 32, engine: {{{ENGINE}}}}}\n"
VAULT = "  vault: {method: copy_save_set, save_set: full, to: library, after: full}\n"
RECALL = "  recall: {method: copy_save_set, save_set: full, copied_by: vault, to: d, after: vault}\n"
AGAIN_BACK = "  back: {restore: full, copied_by: recall, after: recall}\n"
AGAIN_TAPE = 10.0 + 30.0 + 8e9 / 80e6 + 10.0 + 10.0  # two passes end where the tape begins


def run_again(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(AGAIN_SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@pytest.mark.parametrize("backup", [IMAGE, NATIVE])
def test_what_is_on_tape_comes_back_to_a_disk_and_is_restored_from_there(backup: str) -> None:
    result = run_again(backup + VAULT + RECALL + AGAIN_BACK)
    assert result.get("jobs.vault.elapsed") == pytest.approx(AGAIN_TAPE, abs=0.1)
    assert result.get("jobs.recall.elapsed") == pytest.approx(AGAIN_TAPE, abs=0.1)
    assert result.get("devices.b.bytes") == pytest.approx(16e9)  # written, and copied to tape
    assert result.get("devices.d.bytes") == pytest.approx(16e9)  # written, and restored
    assert result.get("jobs.back.elapsed") == pytest.approx(8e9 / 500e6, rel=0.05)  # the line is the slowest


def test_what_expired_is_called_back_to_the_disk_where_it_was() -> None:
    result = run_again(IMAGE + VAULT + RECALL.replace("to: d", "to: b"))
    assert result.get("jobs.recall.elapsed") == pytest.approx(AGAIN_TAPE, abs=0.1)
    again = run_again(
        IMAGE + VAULT + RECALL.replace("to: d, after: vault", "to: b, begin: 1 h, every: 1 h, until: 3 h")
    )
    assert [row["bytes"] for row in again.job_rows if row["job"].startswith("recall")] == [8e9, 0.0, 0.0]


def test_a_compressed_native_backup_stays_compressed_everywhere() -> None:
    """8 GB at 1:1 and 8 GB at 4:1 are 10 GB, and 1.6:1; the engine has done what a drive could do."""
    jobs = NATIVE.replace("data: db", "data: [db, log]").replace("buffers", "compress: true, buffers")
    result = run_again(jobs + VAULT + RECALL + AGAIN_BACK)
    assert result.get("devices.b.bytes") == pytest.approx(20e9)
    assert result.get("devices.d.bytes") == pytest.approx(20e9)
    assert result.activities("vault")["devices.library.drive.1", "transfer"] == pytest.approx(10e9 / 80e6, rel=1e-3)
    assert result.get("links.lan.back.bytes") == pytest.approx(10e9)


def test_a_drive_compresses_what_an_engine_did_not() -> None:
    result = run_again(NATIVE.replace("data: db", "data: [db, log]") + VAULT)
    assert result.activities("vault")["devices.library.drive.1", "transfer"] == pytest.approx(10e9 / 80e6, rel=1e-3)


def test_a_copy_exists_where_that_which_it_reads_does() -> None:
    jobs = (IMAGE + VAULT + RECALL + AGAIN_BACK).replace("}", ", exists: true}", 3)
    jobs = jobs.replace(", after: full", "").replace(", after: vault", "").replace(", after: recall", "")
    result = run_again(jobs)
    assert result.get("devices.d.bytes") == pytest.approx(8e9)


# Copies of dumps of databases, and of save sets in object stores
DUMPS_CACHE = "cores: 8, memory: 100 GB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 90 GB/s, speed: 1"
DUMPS_SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s, read_rate: 2 GB/s, write_rate: 1 GB/s"
STORE = (
    "kind: object_store, write_latency: 50 ms, read_latency: 40 ms, connection_rate: 50 MB/s, part: 8 MB,"
    " write_requests: 3500 /s, read_requests: 5500 /s"
)
DUMPS_DRIVE = (
    "model: tape_drive/lto-3, native_rate: 80 MB/s, slowest_rate: 20 MB/s, cartridge_capacity: 400 GB, load_time: 30 s,"
    " host_rate: 1 GB/s"
)
DUMPS_SITE = f"""\
title: A database server, a backup server with a disk and a library, and two object stores
hosts:
  db: {{owns: [data, dumps], {DUMPS_CACHE}}}
  backup: {{owns: [disk, library], {DUMPS_CACHE}}}
devices:
  data: {{{DUMPS_SSD}}}
  dumps: {{{DUMPS_SSD}}}
  disk: {{{DUMPS_SSD}}}
  near: {{{STORE}}}
  far: {{{STORE}}}
  library: {{model: tape_library/autoloader-8, drives: 1, drive: {{{DUMPS_DRIVE}}}}}
links:
  lan: {{joins: [db, backup, near, far], rate: 500 MB/s, latency: 0 s, duplex: full}}
data:
  shop:
    on: data
    size: 40 GB
    database: {{dump_ratio: 1, dump_cpu: 1 ns/B, load_cpu: 4 ns/B, replay_cpu: 1 ns/B, flush_time: 0 s,
      locks_for_snapshot: false}}
jobs:
  full: {{method: METHOD, data: shop, to: TO}}
"""
SIZE = 40e9
DUMPS_BACK = "  back: {restore: full, copied_by: copy, after: copy}\n"


def run_dumps(
    jobs: str, method: str = "logical_dump", to: str = "dumps", changes: dict[str, Any] | None = None
) -> Result:
    result = sb.simulate(sb.load(DUMPS_SITE.replace("METHOD", method).replace("TO", to) + jobs, changes or {}))
    assert [row["reason"] for row in result.job_rows if row["status"] != "done"] == []
    return result


def copy_dumps(to: str, more: str = "") -> str:
    return f"  copy: {{method: copy_save_set, save_set: full, to: {to}, after: full}}\n{more}"


@pytest.mark.parametrize("to", ["dumps", "near"])
def test_the_log_of_a_hot_copy_is_replayed_from_a_copy_too(to: str) -> None:
    hot = "hot_copy, log_rate: 10 MB/s, tool: {model: backup_tool/xtrabackup-8}"
    slowly = {"data.shop.database.replay_cpu": "1 us/B"}
    fast, slow = (run_dumps(copy_dumps("disk", DUMPS_BACK), hot, to, changes) for changes in ({}, slowly))
    log = fast.get("jobs.full.bytes") - SIZE
    assert log > 100e6
    assert slow.get("jobs.back.elapsed") - fast.get("jobs.back.elapsed") == pytest.approx(log * 1e-6, rel=0.01)


def test_a_database_comes_back_from_a_copy_in_an_archive() -> None:
    more = "  back: {restore: full, copied_by: copy, connections: 16, after: copy}\n"
    result = run_dumps(copy_dumps("far, connections: 16", more), changes={"devices.far.retrieval_time": "5 h"})
    waited = {activity: seconds for (_, activity), seconds in result.causes("back").items()}
    assert waited["wait for retrieval"] == pytest.approx(5 * 3600.0)
    assert result.get("devices.far.bytes") == pytest.approx(2 * SIZE)


@for_each("method", ["image", "logical_dump"])
@for_each("to", ["disk", "library", "far"])
def test_objects_are_copied_at_the_rate_of_their_connections(method: str, to: str) -> None:
    """Four connections have an answer of 8 MB each 0.2 s: 160 MB/s, unless the drive or the other store take less."""
    result = run_dumps(copy_dumps(f"{to}, connections: 4"), method, "near")
    read, written = 4 * 8e6 / (0.04 + 8e6 / 50e6), 4 * 8e6 / (0.05 + 8e6 / 50e6)
    rate = {"disk": read, "library": 80e6, "far": written}[to]
    assert result.get("devices.near.bytes") == pytest.approx(2 * SIZE)
    if to == "library":
        spent = {activity: seconds for (_, activity), seconds in result.causes("copy").items()}
        assert spent["transfer"] == pytest.approx(SIZE / rate, rel=0.02)
    else:
        assert result.get("jobs.copy.elapsed") == pytest.approx(SIZE / rate, rel=0.05)


def test_the_server_of_the_target_copies_objects() -> None:
    result = run_dumps(copy_dumps("disk, connections: 4"), "image", "near")
    assert result.get("jobs.full.bytes") == result.get("jobs.copy.bytes") == SIZE
    assert result.get("links.lan.db.send.bytes") == pytest.approx(SIZE)  # for the backup alone
    assert result.get("links.lan.backup.receive.bytes") == pytest.approx(SIZE)


def test_an_archive_is_asked_before_it_is_copied() -> None:
    result = run_dumps(copy_dumps("library, connections: 4"), "image", "near", {"devices.near.retrieval_time": "12 h"})
    waited = {activity: seconds for (_, activity), seconds in result.causes("copy").items()}
    assert waited["wait for retrieval"] == pytest.approx(12 * 3600.0)


def test_an_image_comes_back_from_tapes_that_were_objects() -> None:
    result = run_dumps(copy_dumps("library, connections: 4", DUMPS_BACK), "image", "near")
    assert result.get("devices.library.drive.1.bytes") == pytest.approx(2 * SIZE)


# Copies that a backup writes while it writes its own: one read, and the pace of the slowest target
INLINE_CACHE = "cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 100 GB/s, speed: 1"
INLINE_SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
INLINE_SITE = f"""\
title: A server, a keeper with two disks and a library, and a second site with a disk
hosts:
  server: {{owns: [a, e], {INLINE_CACHE}}}
  keeper: {{owns: [b, d, library], {INLINE_CACHE}}}
  second: {{owns: [c], {INLINE_CACHE}}}
devices:
  a: {{{INLINE_SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
  b: {{{INLINE_SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
  c: {{{INLINE_SSD}, read_rate: 200 MB/s, write_rate: 200 MB/s}}
  d: {{{INLINE_SSD}, read_rate: 400 MB/s, write_rate: 400 MB/s}}
  e: {{{INLINE_SSD}, read_rate: 800 MB/s, write_rate: 800 MB/s}}
  bucket: {{kind: object_store, write_latency: 0 s, read_latency: 0 s, connection_rate: 50 MB/s, part: 10 MB,
    read_requests: 1000000 /s, write_requests: 1000000 /s}}
{LIBRARY_BY_HAND}links:
  lan: {{joins: [server, keeper, second, bucket], rate: 2 GB/s, latency: 0 s}}
data:
  db: {{on: a, size: 100 GB, files: 100000, filesystem: filesystem/ext3, layout: 1}}
jobs:
"""
ON_D, ON_C = (f"  twin: {{method: copy_save_set, save_set: full, to: {to}, inline: true}}\n" for to in "dc")
INLINE_VAULT = "  vault: {method: copy_save_set, save_set: full, to: library, inline: true}\n"
INLINE_TAPE = 3 * (10.0 + 30.0 + 10.0 + 10.0) + 100e9 / 80e6 + 100.0 / 5.0 + 2.0
"""Three cartridges of 40 GB, of which the last ends at the far end of the tape: it winds 100 m back at 5 m/s."""


def run_inline(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(INLINE_SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@for_each("twin, crossed", [(ON_D, 100e9), (ON_C, 200e9), (INLINE_VAULT, 100e9)])
def test_a_host_passes_on_what_it_has(twin: str, crossed: float) -> None:
    """The keeper gets the bytes once for its disks and its library; another host gets them for itself."""
    assert run_inline(IMAGE + twin).get("links.lan.server.bytes") == pytest.approx(crossed)


def test_a_tape_waits_for_no_disk_and_a_disk_for_each_cartridge() -> None:
    result = run_inline(IMAGE + ON_D + INLINE_VAULT)
    assert result.get("jobs.full.elapsed") == pytest.approx(INLINE_TAPE, abs=0.1)
    tape = run_inline("  full: {method: image, data: db, to: library}\n" + ON_D)
    assert tape.get("jobs.full.elapsed") == pytest.approx(INLINE_TAPE, abs=0.1)


def test_two_tapes_change_their_cartridges_together() -> None:
    """With one robot, the second cartridge of each exchange waits 10 s for it, to come and to go."""
    jobs = "  full: {method: image, data: db, to: library}\n" + INLINE_VAULT.replace("inline", "pool: vault, inline")
    pools = {"devices.library.pools": {"vault": 3}, "devices.library.slots": 6}
    two = run_inline(jobs, pools)
    assert two.get("jobs.full.elapsed") == pytest.approx(INLINE_TAPE, abs=0.1)
    assert [two.get(f"devices.library.drive.{i}.bytes") for i in (1, 2)] == [100e9, 100e9]
    one = run_inline(jobs, pools | {"devices.library.robots": 1})
    assert one.get("jobs.full.elapsed") == pytest.approx(INLINE_TAPE + 3 * 2 * 10.0, abs=0.1)


def test_cartridges_that_fill_up_at_different_places() -> None:
    """Of 100 GB on cartridges of 40 and of 30 GB, six pieces go at once, and each exchange of 60 s stops both drives.

    One changes after 30, 60 and 90 GB, the other after 40 and 80; full cartridges end where the tape begins. In the end
    both are put away: one with 20 GB, five of its ten passes, 100 m from there, the other with 10 GB, nearer.
    """
    other = LIBRARY_BY_HAND.replace("library:", "vault:", 1).replace("capacity: 40 GB", "capacity: 30 GB")
    site = INLINE_SITE.replace("links:\n", other + "links:\n", 1).replace("bucket], rate", "bucket, vault], rate")
    jobs = "  full: {method: image, data: db, to: library}\n"
    jobs += "  twin: {method: copy_save_set, save_set: full, to: vault, inline: true}\n"
    result = sb.simulate(site + jobs)
    last = 2.0 + 100.0 / 5.0 + 20.0
    assert result.get("jobs.full.elapsed") == pytest.approx(40.0 + 100e9 / 80e6 + 5 * 60.0 + last, abs=0.1)


def test_objects_are_written_beside_a_disk() -> None:
    """One connection of 50 MB/s sets the pace; the program sends them over the line, too."""
    jobs = IMAGE + "  twin: {method: copy_save_set, save_set: full, to: bucket, inline: true, object_size: 1 GB}\n"
    result = run_inline(jobs)
    assert result.get("jobs.full.elapsed") == pytest.approx(100e9 / 50e6, rel=1e-3)
    assert result.get("links.lan.server.bytes") == pytest.approx(200e9)


@for_each("to", ["b", "bucket", "library"])
@for_each("method", ["image", "file_level"])
@for_each("streams", [1, 2])
def test_a_target_that_is_never_waited_for_changes_nothing(to: str, method: str, streams: int) -> None:
    """Its disk and its memory take no time: the backup takes as long as without it."""
    fast = {f"devices.e.{key}": "1 TB/s" for key in ("read_rate", "write_rate")}
    fast |= {"hosts.server.copy_rate": "1 PB/s", "hosts.keeper.copy_rate": "100 GB/s"}
    many = f", streams: {streams}" if to != "bucket" else ""
    job = f"  full: {{method: {method}, data: db, to: {to}{many}}}\n"
    twin = "  twin: {method: copy_save_set, save_set: full, to: e, inline: true}\n"
    assert run_inline(job + twin, fast).get("jobs.full.elapsed") == pytest.approx(
        run_inline(job, fast).get("jobs.full.elapsed"), rel=1e-6
    )


def test_each_target_but_a_drive_takes_one_more_copy_in_memory() -> None:
    """At 1 GB/s: two copies for a disk, a third for its twin at the host that reads, or at that of both disks."""
    slow = {"hosts.server.copy_rate": "1 GB/s", "devices.d.write_rate": "1 TB/s", "devices.b.write_rate": "1 TB/s"}
    near = "  full: {method: image, data: db, to: e}\n"
    fast = {"devices.e.write_rate": "1 TB/s", "links.lan.rate": "1 TB/s"}
    assert run_inline(near, slow | fast).get("jobs.full.elapsed") == pytest.approx(200.0, rel=1e-3)
    assert run_inline(near + ON_D, slow | fast).get("jobs.full.elapsed") == pytest.approx(300.0, rel=1e-3)
    keeper = {"hosts.keeper.copy_rate": "1 GB/s", "devices.d.write_rate": "1 TB/s", "devices.b.write_rate": "1 TB/s"}
    assert run_inline(IMAGE, keeper | fast).get("jobs.full.elapsed") == pytest.approx(200.0, rel=1e-3)
    assert run_inline(IMAGE + ON_D, keeper | fast).get("jobs.full.elapsed") == pytest.approx(300.0, rel=1e-3)


def test_what_the_client_compresses_is_compressed_everywhere() -> None:
    jobs = IMAGE.replace("to: b", "to: b, compressor: {compress_cpu: 0.1 ns/B, expand_cpu: 0.1 ns/B}")
    result = run_inline(jobs + ON_D + INLINE_VAULT.replace("vault:", "tape:"), {"data.db.compression": 2})
    assert [result.get(f"devices.{name}.bytes") for name in "bd"] == pytest.approx([50e9] * 2)
    assert result.get("links.lan.server.bytes") == pytest.approx(50e9)


def test_without_room_for_one_copy_there_is_none() -> None:
    jobs = "  other: {method: image, data: db, to: d}\n" + IMAGE.replace("to: b", "to: b, after: other") + ON_D
    jobs += "  again: {method: image, data: db, to: b, after: other, begin: 1 h}\n"
    result = sb.simulate(sb.load(INLINE_SITE + jobs, {"devices.d.capacity": "150 GB", "devices.b.capacity": "150 GB"}))
    assert [row["status"] for row in result.job_rows] == ["done", "failed", "failed", "done"]
