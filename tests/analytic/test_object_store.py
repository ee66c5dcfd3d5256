"""Backups to an object store and restores from there, against requests one by one and against its limits."""

from functools import cache
from typing import Any

import pytest

import simbackup as sb
from tests.cases import for_each
from tests.oracles import objects as oracle

pytestmark = pytest.mark.usefixtures("no_serial_share")


MB, WRITE, READ, RATE, PART, AWAY = 1e6, 0.1, 0.04, 50e6, 8e6, 0.01
SITE = """\
title: A host and a bucket
hosts:
  host: {cores: 16, memory: 900 GiB, dirty_limit: 20 %, dirty_background: 10 %, copy_rate: 90 GB/s, owns: [disk]}
devices:
  disk: {kind: ssd, capacity: 9 TB, read_rate: 90 GB/s, write_rate: 90 GB/s, read_latency: 0 s, write_latency: 0 s}
  bucket:
    kind: object_store
    write_latency: 100 ms
    read_latency: 40 ms
    connection_rate: 50 MB/s
    part: 8 MB
    write_requests: 3500 /s
    read_requests: 5500 /s
    object_requests: 2
links:
  line: {joins: [host, bucket], rate: 9 GB/s, latency: 10 ms}
data:
  files:
    on: disk
    size: 40 GB
    files: 1000
    cached: 100 %
    filesystem: {cpu_per_file: 0 s/file, reads_per_file: 0, fragment: 64 KiB}
jobs:
  full: {method: file_level, data: files, to: bucket, connections: 16}
  back: {restore: full, connections: 16, after: full}
"""
TOLERANCE = 0.02


def elapsed(changes: dict[str, Any] | None = None, job: str = "full") -> float:
    return float(sb.simulate(sb.load(SITE, changes or {})).get(f"jobs.{job}.elapsed"))


@for_each("connections", [1, 16, 40])
@for_each("files, size", [(1000, 40e9), (4000, 8e9), (3000, 33e9)])
def test_requests_one_by_one(connections: int, files: int, size: float) -> None:
    changes = {
        "jobs.full.connections": connections, "jobs.back.connections": connections,
        "data.files.files": files, "data.files.size": f"{size} B",
    }  # fmt: skip
    result = sb.simulate(sb.load(SITE, changes))
    each = [size / files] * files
    given = {"part": PART, "rate": RATE, "connections": connections}
    written = oracle.seconds(each, latency=WRITE + AWAY, extra=2, **given)  # pyright: ignore[reportArgumentType]
    read = oracle.seconds(each, latency=READ + AWAY, **given)  # pyright: ignore[reportArgumentType]
    assert result.get("jobs.full.elapsed") == pytest.approx(written, rel=TOLERANCE)
    assert result.get("jobs.back.elapsed") == pytest.approx(read, rel=TOLERANCE)


def test_an_image_is_one_object_whose_parts_go_side_by_side() -> None:
    expected = oracle.seconds([40e9], part=PART, latency=WRITE + AWAY, rate=RATE, connections=16, extra=2)
    assert elapsed({"jobs.full.method": "image"}) == pytest.approx(expected, rel=TOLERANCE)


def test_small_files_gathered_into_large_objects_wait_less() -> None:
    small = {"data.files.files": 100_000, "data.files.size": "10 GB"}
    alone, gathered = elapsed(small), elapsed({**small, "jobs.full.object_size": "80 MB"})
    assert alone == pytest.approx(100_000 * (WRITE + AWAY + 1e5 / RATE) / 16, rel=TOLERANCE)
    assert gathered == pytest.approx(125 * (12 * (WRITE + AWAY) + 80e6 / RATE) / 16, rel=TOLERANCE)


@pytest.mark.parametrize(("key", "job", "rate"), [("write", "full", 3500.0), ("read", "back", 5500.0)])
def test_a_bucket_serves_so_many_requests_a_second(key: str, job: str, rate: float) -> None:
    changes = {
        "data.files.files": 1_000_000, "data.files.size": "10 GB",
        "jobs.full.connections": 2000, "jobs.back.connections": 2000,
    }  # fmt: skip
    result = sb.simulate(sb.load(SITE, changes))
    assert result.get(f"jobs.{job}.elapsed") == pytest.approx(1e6 / rate, rel=TOLERANCE)
    assert sb.explain(result, job)[job].bottleneck == f"devices.bucket.{key}_requests"


@pytest.mark.parametrize(("key", "job"), [("write_rate", "full"), ("read_rate", "back")])
def test_a_rate_in_each_direction(key: str, job: str) -> None:
    assert elapsed({f"devices.bucket.{key}": "100 MB/s"}, job) == pytest.approx(40e9 / 100e6, rel=TOLERANCE)


def test_a_window_holds_each_connection() -> None:
    """64 KiB each 10 ms are 6.6 MB/s; the line carries 16 of them. The first go in the round trip of a request."""
    expected = 40e9 / 16 * ((WRITE + AWAY) * 7 / 40e6 + AWAY * (1 / 65536 - 7 / 40e6))
    assert elapsed({"links.line.window": "64 KiB"}) == pytest.approx(expected, rel=TOLERANCE)


@for_each("windows", [1, 2, 4, 32])
def test_a_part_takes_as_many_round_trips_as_windows(windows: int) -> None:
    """On a connection and a line that are fast: one for the first, with its answer, and one for each that follows."""
    part = 40e6 / 7
    changes = {
        "links.line.window": f"{part / windows} B", "links.line.latency": "1 s", "links.line.rate": "100 GB/s",
        "devices.bucket.connection_rate": "100 GB/s",
    }  # fmt: skip
    assert elapsed(changes) == pytest.approx(40e9 / 16 * (WRITE + windows * 1.0) / part, rel=TOLERANCE)


@for_each(
    "changes, cause",
    [
        ({"devices.bucket.connection_rate": "5 MB/s"}, "devices.bucket"),
        ({"links.line.rate": "5 MB/s", "jobs.full.connections": 1}, "links.line"),
        ({"links.line.window": "50 kB"}, "links.line"),
    ],
)
def test_what_slows_a_connection_is_named(changes: dict[str, Any], cause: str) -> None:
    """Sending takes 0.2 s of a megabyte, and the request 0.1 s of eight."""
    causes = sb.simulate(sb.load(SITE, changes)).causes("full")
    assert sum(seconds for (part, _), seconds in causes.items() if part == cause) > 0.9 * sum(causes.values())


def test_selected_files_come_side_by_side() -> None:
    changes = {"jobs.back.select": {"files": 32, "size": "3.2 MB"}}
    assert elapsed(changes, "back") == pytest.approx(2 * (READ + AWAY + 1e5 / RATE), rel=TOLERANCE)


def test_the_way_back_is_the_other_direction() -> None:
    devices = sb.simulate(sb.load(SITE, {"links.line.duplex": "full"})).devices.set_index("device")
    assert devices.loc["links.line.back", "bytes"] == pytest.approx(40e9)


def test_a_copy_of_a_save_set_is_restored_from_objects() -> None:
    spare = (
        "  spare: {kind: ssd, capacity: 9 TB, read_rate: 90 GB/s, write_rate: 90 GB/s, read_latency: 0 s, "
        "write_latency: 0 s}\n"
    )
    site = SITE.replace("owns: [disk]", "owns: [disk, spare]").replace("devices:\n", f"devices:\n{spare}")
    site += (
        "  up: {method: copy_save_set, save_set: full, to: bucket, connections: 16, object_size: 40 MB, after: full}\n"
    )
    changes = {
        "jobs.full.to": "spare", "jobs.full.connections": None, "jobs.back.copied_by": "up", "jobs.back.after": "up",
    }  # fmt: skip
    result = sb.simulate(sb.load(site, changes))
    up = oracle.seconds([40e6] * 1000, part=PART, latency=WRITE + AWAY, rate=RATE, connections=16, extra=2)
    back = oracle.seconds([40e6] * 1000, part=PART, latency=READ + AWAY, rate=RATE, connections=16)
    assert result.get("jobs.up.elapsed") == pytest.approx(up, rel=TOLERANCE)
    assert result.get("jobs.back.elapsed") == pytest.approx(back, rel=TOLERANCE)


@for_each("connections", [1, 4, 16])
def test_a_program_that_takes_turns_fills_parts_and_then_sends_them(connections: int) -> None:
    """A byte takes 5 ns of a core, and its part of a request on one of the connections; it comes back in the same way.

    A part of 64 MB takes 1.28 s at 50 MB/s, 10 ms on the way and a latency: 100 ms to write, 40 ms to read.
    """
    changes = {
        "jobs.full.method": "image", "jobs.full.connections": connections, "jobs.back.connections": connections,
        "jobs.full.tool": {"start_time": "0 s", "mount_time": "0 s", "part": "64 MB", "copy_cpu": "5 ns/B",
            "alternates": True}, "hosts.host.speed": 1, "devices.bucket.object_requests": 0,
    }  # fmt: skip
    for job, latency in (("full", WRITE), ("back", READ)):
        part = 64e6 * 5e-9 + (64e6 / RATE + AWAY + latency) / connections
        assert elapsed(changes, job) == pytest.approx(40e9 / 64e6 * part, rel=TOLERANCE), job


def test_parts_of_a_very_large_object_are_larger() -> None:
    """No more than a hundred of them, of 400 MB."""
    expected = oracle.seconds([40e9], part=400e6, latency=WRITE + AWAY, rate=RATE, connections=16, extra=2)
    assert elapsed({"jobs.full.method": "image", "devices.bucket.most_parts": 100}) == pytest.approx(
        expected, rel=0.02 + 16 / 100
    )


LZ4 = {"model": "compressor/lz4", "threads": 16, "expand_threads": 16}
DUMP = """\
  dump: {method: logical_dump, data: base, to: bucket, connections: 4, workers: 2,
    compressor: {model: compressor/lz4, threads: 16}}
  load: {restore: dump, workers: 2, connections: 4, after: dump}
"""


def test_a_dump_of_a_database_is_a_stream_to_objects_and_back() -> None:
    """Two objects, each of half of what is left when it is compressed; four connections carry it."""
    base = "  base: {on: disk, size: 40 GB, compression: 2, cached: 100 %, database: {model: database/postgresql}}\n"
    changes = {
        "data.base.database.dump_cpu": "0.001 ns/B", "data.base.database.load_cpu": "0.001 ns/B",
        "data.base.database.load_log": 0, "data.base.database.dump_ratio": 1,
    }  # fmt: skip
    result = sb.simulate(sb.load(SITE.replace("jobs:\n", base + "jobs:\n").split("  full:")[0] + DUMP, changes))
    for job, latency, extra in (("dump", WRITE, 2), ("load", READ, 0)):
        expected = oracle.seconds([10e9] * 2, part=PART, latency=latency + AWAY, rate=RATE, connections=4, extra=extra)
        assert result.get(f"jobs.{job}.elapsed") == pytest.approx(expected, rel=TOLERANCE)


def test_a_compressed_save_set_goes_to_objects_as_it_is() -> None:
    """Half of its bytes are read, sent and fetched again."""
    spare = "  spare: {kind: ssd, capacity: 9 TB, read_rate: 90 GB/s, write_rate: 90 GB/s, read_latency: 0 s,"
    site = SITE.replace("owns: [disk]", "owns: [disk, spare]")
    site = site.replace("devices:\n", f"devices:\n{spare}\n    write_latency: 0 s}}\n")
    site += (
        "  up: {method: copy_save_set, save_set: full, to: bucket, connections: 16, object_size: 40 MB, after: full}\n"
    )
    changes = {
        "jobs.full": {"method": "image", "data": "files", "to": "spare", "compressor": LZ4},
        "jobs.back.copied_by": "up", "jobs.back.after": "up", "data.files.compression": 2,
        "jobs.back.connections": 16,
    }  # fmt: skip
    result = sb.simulate(sb.load(site, changes))
    for job, latency, extra in (("up", WRITE, 2), ("back", READ, 0)):
        expected = oracle.seconds(
            [40e6] * 500, part=PART, latency=latency + AWAY, rate=RATE, connections=16, extra=extra
        )
        assert result.get(f"jobs.{job}.elapsed") == pytest.approx(expected, rel=TOLERANCE)


def test_a_store_of_its_own_host_needs_no_line() -> None:
    expected = oracle.seconds([40e6] * 1000, part=PART, latency=WRITE, rate=RATE, connections=16, extra=2)
    assert elapsed({"links": None, "hosts.host.owns": ["disk", "bucket"]}) == pytest.approx(expected, rel=TOLERANCE)


@pytest.mark.parametrize("objects", [10.0, 1000.0])
def test_an_archive_is_asked_for_each_object_and_read_when_all_can_be(objects: float) -> None:
    plain = {"jobs.full.object_size": f"{40e9 / objects} B"}
    archive = {"devices.bucket.retrieval_time": "4 h", "devices.bucket.retrieval_requests": "5 /s"}
    assert elapsed(plain | archive, "back") == pytest.approx(elapsed(plain, "back") + 4 * 3600.0 + objects / 5.0)
    assert elapsed(plain | archive) == elapsed(plain)


def test_a_few_files_are_retrieved_alone() -> None:
    chosen = {"jobs.back.select": {"files": 20, "size": "800 MB"}}
    archive = {"devices.bucket.retrieval_requests": "5 /s"}
    assert elapsed(chosen | archive, "back") == pytest.approx(elapsed(chosen, "back") + 20 / 5.0)
    assert (
        sb.simulate(sb.load(SITE, chosen | archive)).activities("back")["devices.bucket", "wait for retrieval"] == 4.0
    )


def test_the_dump_of_a_database_is_retrieved_before_it_is_loaded() -> None:
    database = {
        "data.files": {"on": "disk", "size": "40 GB", "database": "database/postgresql"},
        "jobs.full": {"method": "logical_dump", "data": "files", "to": "bucket", "workers": 4},
        "jobs.back": {"restore": "full", "workers": 4, "after": "full"},
    }
    archive = {"devices.bucket.retrieval_time": "4 h", "devices.bucket.retrieval_requests": "1 /s"}
    assert elapsed(database | archive, "back") == pytest.approx(elapsed(database, "back") + 4 * 3600.0 + 4.0)


@pytest.mark.parametrize("job", ["full", "back"])
def test_each_worker_has_a_connection_where_files_become_objects(job: str) -> None:
    alone = {f"jobs.{each}.connections": None for each in ("full", "back")}
    working = alone | {"jobs.full.workers": 16, "jobs.back.workers": 16}
    assert elapsed(working, job) == pytest.approx(elapsed(job=job), rel=1e-6)
    assert elapsed(alone, job) > 10 * elapsed(working, job)
    packed = working | {"jobs.full.object_size": "40 MB"}
    assert elapsed(packed, job) == pytest.approx(elapsed(alone, job), rel=0.01)


@pytest.mark.parametrize("job", ["full", "back"])
def test_no_connection_is_for_a_worker_without_a_file(job: str) -> None:
    few = {f"jobs.{each}.connections": None for each in ("full", "back")} | {"data.files.files": 2}
    two, many = (few | {f"jobs.{each}.workers": workers for each in ("full", "back")} for workers in (2, 16))
    assert elapsed(many, job) == elapsed(two, job)


# Restores that ask a store for piece after piece: they meet at its disks long before these are full
DISKS = 8
PIECES_SITE = """\
title: Streams of one restore read pieces of 64 KiB that lie anywhere on eight disks
hosts:
  server: {owns: [source, pool, sink], cores: 64, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 1000 GB/s, speed: 1, HOST}
devices:
  source: {kind: ssd, capacity: 4 TB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}
  pool: {kind: raid, level: "0", disks: 8, stripe_unit: 1 MiB, controller_overhead: 0 s,
    disk: disk/nearline-12tb-2018}
  sink: {kind: nul}
data:
  files: {on: source, size: 100 GB}
jobs:
  backup: {method: image, data: files, to: pool, exists: true,
    deduplication: {at: target, ratio: 1000000, together: 64 KiB, cut_cpu: 0 ns/B, join_cpu: 0 ns/B}}
  restore: {restore: backup, to: sink, streams: STREAMS}
"""


def rate(streams: int, host: str) -> float:
    result = sb.simulate(PIECES_SITE.replace("STREAMS", str(streams)).replace("HOST", host))
    return next(row["rate"] for row in result.job_rows if row["job"] == "restore")


@for_each("host", ["read_ahead: 128 KiB, looks_ahead: true", "read_ahead: 128 KiB", "write_behind: 4 MiB"])
@for_each("streams", [2, 4, 16])
def test_streams_wait_for_each_other_at_the_disks(streams: int, host: str) -> None:
    """Of N requests at D disks, each finds (N - 1) / D of the others at its own: X(N) = X(1) N D / (D + N - 1)."""
    expected = rate(1, host) * streams * DISKS / (DISKS + streams - 1)
    assert rate(streams, host) == pytest.approx(expected, rel=0.02)


# Values of links, servers and object stores halved and doubled
LINE, BUCKET, SPOOLED = "planning/offsite", "planning/object-store", "planning/spooled"
LOSSLESS = (("links.line.loss", "0 %"), ("jobs.night.connections", 1))
"""One connection, which its window limits, or the line."""
Value = str | int
Given = tuple[tuple[str, Value], ...]
Row = tuple[str, str, str, Value, Value, Value, float, float, Given]


@cache
def elapsed_perturbed(scenario: str, job: str, changes: Given) -> float:
    return float(sb.simulate(scenario, dict(changes)).get(f"jobs.{job}.elapsed"))


ROWS: list[Row] = [
    # scenario, job, key, half, stated, double, time at half and at double over that as stated, given
    (LINE, "night", "links.line.rate", "58.85 MB/s", "117.7 MB/s", "235.4 MB/s", 2.0, 0.52, ()),
    (LINE, "back", "links.line.rate", "58.85 MB/s", "117.7 MB/s", "235.4 MB/s", 2.0, 0.52, ()),
    (LINE, "night", "links.line.latency", "100 ms", "200 ms", "400 ms", 0.5, 2.0, LOSSLESS),
    (LINE, "night", "links.line.window", "512 KiB", "1 MiB", "2 MiB", 2.0, 0.5, LOSSLESS),
    (LINE, "night", "links.line.loss", "0.2 %", "0.4 %", "0.8 %", 0.707, 1.414, ()),
    (LINE, "night", "jobs.night.connections", 1, 2, 4, 2.0, 0.5, (("links.line.loss", "0.1 %"),)),
    (LINE, "back", "jobs.back.connections", 1, 2, 4, 2.0, 0.5, (("links.line.loss", "0.1 %"),)),
    (BUCKET, "as_files", "jobs.as_files.connections", 16, 32, 64, 2.0, 0.5, ()),
    (BUCKET, "as_files", "devices.bucket.write_latency", "50 ms", "100 ms", "200 ms", 0.55, 1.9, ()),
    (BUCKET, "as_files", "devices.bucket.connection_rate", "42.5 MB/s", "85 MB/s", "170 MB/s", 1.05, 0.97, ()),
    (BUCKET, "as_files", "links.line.latency", "2.5 ms", "5 ms", "10 ms", 0.98, 1.045, ()),
    (BUCKET, "as_objects", "jobs.as_objects.object_size", "32 MiB", "64 MiB", "128 MiB", 1.11, 0.99, ()),
    (BUCKET, "as_files", "devices.bucket.write_requests", "50 /s", "100 /s", "200 /s", 2.0, 0.5, ()),
    (BUCKET, "back", "devices.bucket.read_requests", "20 /s", "40 /s", "80 /s", 2.0, 0.5, ()),
    (BUCKET, "to_cloud", "jobs.to_cloud.connections", 8, 16, 32, 2.0, 0.5, ()),
    (BUCKET, "to_cloud", "devices.bucket.part", "4 MiB", "8 MiB", "16 MiB", 1.45, 0.99, ()),
    (SPOOLED, "in_turns", "jobs.in_turns.tool.server_cpu", "200 ns/B", "400 ns/B", "800 ns/B", 0.72, 1.92, ()),
    (SPOOLED, "back", "jobs.at_once.tool.restore_cpu", "200 ns/B", "400 ns/B", "800 ns/B", 0.5, 2.0, ()),
    (BUCKET, "back", "devices.bucket.read_latency", "400 ms", "800 ms", "1600 ms", 0.6, 1.8, ()),
]


@pytest.mark.slow
@for_each("row", [pytest.param(row, id=f"{row[1]}-{row[2]}") for row in ROWS])
def test_a_value_halved_and_doubled(row: Row) -> None:
    """Within a tenth of the expected ratio."""
    scenario, job, key, half, stated, double, at_half, at_double, given = row
    as_stated = elapsed_perturbed(scenario, job, (*given, (key, stated)))
    ratios = [elapsed_perturbed(scenario, job, (*given, (key, value))) / as_stated for value in (half, double)]
    assert ratios == pytest.approx([at_half, at_double], rel=0.1)
    assert (ratios[0] - 1.0) * (ratios[1] - 1.0) < 0.0
