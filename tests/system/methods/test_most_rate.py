"""The greatest rate of a job: whatever moves bytes takes no less than these at that rate, as they are sent."""

import simbackup as sb
from tests.cases import for_each

SITE = """\
title: Machines without limits of their own
hosts:
  client: {owns: [disk, mirror, cow], cores: 64, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 1 TB/s}
  server: {owns: [store, jukebox], cores: 64, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 1 TB/s}
devices:
  disk: {kind: ssd, capacity: 20 TB, read_rate: 1 TB/s, write_rate: 1 TB/s,
    read_latency: 0 s, write_latency: 0 s}
  store: {kind: ssd, capacity: 20 TB, read_rate: 1 TB/s, write_rate: 1 TB/s,
    read_latency: 0 s, write_latency: 0 s}
  mirror: {kind: ssd, capacity: 20 TB, read_rate: 1 TB/s, write_rate: 1 TB/s,
    read_latency: 0 s, write_latency: 0 s}
  cow: {kind: ssd, capacity: 20 TB, read_rate: 1 TB/s, write_rate: 1 TB/s,
    read_latency: 0 s, write_latency: 0 s}
  volume: {kind: logical_volume, on: disk, size: 4 TB}
  half: {model: mirror/linux-md-raid1, of: volume, on: mirror, in_flight: 1000, state: new}
  frozen: {model: snapshot/lvm2-5.3, of: volume, on: cow, size: 1 TB}
  jukebox: {model: tape_library/autoloader-8, drives: 1, slots: 4, drive: {model: tape_drive/lto-9}}
  bucket: {model: object_store/amazon-s3-standard, write_latency: 0 s, read_latency: 0 s,
    connection_rate: 1 TB/s}
links:
  line: {rate: 1 TB/s, latency: 0 s, duplex: full, joins: [client, server, bucket]}
data:
  users: {on: volume, size: 100 GB, files: 1000, file_size: 100 MB, layout: together, compression: 2,
    filesystem: {model: filesystem/xfs}, change: {daily: 10 %}}
  base: {on: volume, size: 100 GB, database: database/postgresql}
  there: {on: store, size: 100 GB, files: 1000, file_size: 100 MB, layout: together, filesystem: filesystem/xfs}
jobs:
"""
WORDS = {
    "MOST": "most_rate: 20 MB/s",
    "TOOL": "{start_time: 0 s, mount_time: 0 s, copies_log: true}",
    "LZ4": "{model: compressor/lz4, threads: 64}",
}
LINE = 100e9 / 20e6
"""Seconds of all data at the greatest rate."""
ONE = {
    "image": ("{method: image, data: users, to: store, streams: 4, MOST}", 1.0),
    "files": ("{method: file_level, data: users, to: store, MOST}", 1.0),
    "compressed": ("{method: file_level, data: users, to: store, compressor: LZ4, MOST}", 0.5),
    "nul": ("{method: image, data: users, to: store, MOST}", 1.0),
    "objects": ("{method: file_level, data: users, to: bucket, compressor: LZ4, MOST}", 0.5),
    "tape": ("{method: file_level, data: users, to: jukebox, MOST}", 1.0),
    "tree": ("{method: program, program: program/cp, operation: copy, data: users, target: there, MOST}", 1.0),
    "changed tree": (
        "{method: program, program: program/cp, operation: copy, data: users, target: there, since: 1 d, MOST}",
        0.1,
    ),
    "written": ("{method: write, data: users, flush: true, MOST}", 1.0),
    "copied": ("{method: copy, data: base, to: users, MOST}", 1.0),
    "hot copy": ("{method: hot_copy, data: base, to: store, tool: TOOL, MOST}", 1.0),
    "synchronised": ("{method: synchronise, mirror: half, MOST}", 40.0),
}


def run(jobs: str) -> sb.Result:
    for word, meaning in WORDS.items():
        jobs = jobs.replace(word, meaning)
    return sb.simulate(SITE + jobs)


@for_each("name", ONE)
def test_a_job_takes_as_long_as_its_bytes_at_the_rate(name: str) -> None:
    job, share = ONE[name]
    result = run(f"  one: {job}\n")
    # starts, mounts and the walk of a thousand files take some minutes at most
    assert share * LINE <= result.get("jobs.one.elapsed") * (1.0 + 1e-9)
    assert result.get("jobs.one.elapsed") <= share * LINE + 200.0


def test_explain_names_the_rate_and_lifts_it() -> None:
    job, _ = ONE["files"]
    told = sb.explain(run(f"  one: {job}\n"))["one"]
    assert told.bottleneck == "jobs.one.most_rate"


def test_no_interval_begins_below_the_bytes_at_the_rate() -> None:
    job, _ = ONE["compressed"]
    low = sb.intervals_of(run(f"  one: {job}\n"))["one"].elapsed.low
    assert low * (1.0 + 1e-9) >= LINE / 3.0  # data of 2:1, stated without a range, may be as much as 3:1
