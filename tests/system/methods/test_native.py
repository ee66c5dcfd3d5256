"""Backups by a database's own server and their restores, by hand and against simulations of each request."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.equations.buffers import HalfLoop, joined_rate, loop
from simbackup.results.result import Result
from tests.cases import for_each
from tests.oracles.requests import Mechanics, buffers_round
from tests.shared import LIBRARY_BY_HAND, ROOT

pytestmark = pytest.mark.usefixtures("no_serial_share")


MIB = 2.0**20
GIB = 2.0**30
SITE = (ROOT / "tests" / "sites" / "database-server.yaml").read_text(encoding="utf-8") + "jobs:\n"
ENGINE = """\
engine: {transfer_size: 1 MiB, io_depth: 4, request_latency: 10 ms, compress_cpu: 20 ns/B, expand_cpu: 4 ns/B,
    buffer_sets: 3, memory_limit: 100 MiB}"""
READ, WRITE, BACK_READ, BACK_WRITE = 1 / 200, 1 / 50, 1 / 400, 1 / 100
"""Seconds of the devices for each MiB: of a backup from c to d, and of its restore."""
LATENCY = 0.010
COMPRESS, EXPAND = 10e-9 * MIB, 2e-9 * MIB
"""Seconds of a core of the host, which is twice as fast as the reference, for each MiB."""


def backup(name: str, **keys: Any) -> str:
    """A job of the file; one buffer from db to d unless stated."""
    said: dict[str, Any] = {"data": "db", "to": "d", "buffers": 1} | keys
    reported = ", ".join(f"{key}: {value}" for key, value in said.items() if value is not None)
    return f"  {name}: {{method: database_native, {reported}, {ENGINE}}}\n"


BACK = "  back: {restore: full, after: full}\n"


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    return sb.simulate(SITE + jobs, changes)


def elapsed(jobs: str, job: str = "full", changes: dict[str, Any] | None = None) -> float:
    result = run(jobs, changes)
    assert row(result, job)["status"] == "done", row(result, job)
    return result.get(f"jobs.{job}.elapsed")


def row(result: Result, job: str) -> dict[str, Any]:
    return next(row for row in result.job_rows if row["job"] == job)


def moved(result: Result, device: str) -> float:
    return next((row["bytes"] for row in result.device_rows if row["device"] == device), 0.0)


def rounds(count: int, each: float) -> Any:
    return pytest.approx(count * each, rel=1e-6)


@for_each("buffers", [1, 7, 60])
@for_each("to", ["d", "[d, d]", "far", "[d, far]"])
def test_nul_is_faster_than_any_file(to: str, buffers: int) -> None:
    nul = elapsed(backup("full", to="nothing", buffers=buffers))
    assert nul < elapsed(backup("full", to=to, buffers=buffers))


def test_a_restore_from_nul_fails_with_its_reason() -> None:
    kept = backup("later", data="other") + "  last: {restore: later, after: later}\n"
    result = run(backup("full", to="nothing") + BACK + kept)
    assert row(result, "full")["status"] == "done"
    assert row(result, "back")["status"] == "failed"
    assert row(result, "back")["reason"] == "'full' went to nul, which keeps nothing"
    assert row(result, "last")["status"] == "done"


def test_compression_writes_fewer_bytes_and_restores_read_fewer() -> None:
    """A quarter is written; what is read and what is written have buffers of their own, and four threads compress."""
    result = run(backup("full", compress="true", buffers=7) + BACK)
    assert moved(result, "devices.d") == pytest.approx(2 * GIB / 4)
    assert moved(result, "devices.c") == pytest.approx(2 * GIB)
    assert result.get("jobs.full.bytes") == GIB
    there = joined_rate(7, HalfLoop((READ, 0.0), LATENCY), HalfLoop((0.0, WRITE / 4), LATENCY), COMPRESS, 4)
    back = joined_rate(7, HalfLoop((BACK_READ / 4, 0.0), LATENCY), HalfLoop((0.0, BACK_WRITE), LATENCY), EXPAND, 4)
    assert result.get("jobs.full.elapsed") == pytest.approx(1024 / there)
    assert result.get("jobs.back.elapsed") == pytest.approx(1024 / back)


def test_one_set_of_buffers_goes_all_the_way_round() -> None:
    jobs = backup("full", compress="true").replace("buffer_sets: 3", "buffer_sets: 1")
    assert elapsed(jobs) == rounds(1024, 2 * LATENCY + READ + WRITE / 4 + COMPRESS)


def test_compression_costs_time_of_the_cores_in_both_directions() -> None:
    jobs = backup("full", compress="true")
    alone, both = run(jobs), run(jobs + BACK)
    busy = [next(d["busy_s"] * 4 for d in r.device_rows if d["device"] == "hosts.server.cores") for r in (alone, both)]
    assert busy[0] == pytest.approx(1024 * COMPRESS)
    assert busy[1] - busy[0] == pytest.approx(1024 * EXPAND)


@for_each("to", ["d", "[d, d]", "[d, d, d, d, d, d]"])
def test_threads_compress_whatever_the_number_of_files_but_no_more_than_cores(to: str) -> None:
    """So slow a compressor is all that counts: 1000 ns a byte on a core of the host."""
    changes = {"jobs.full.engine.compress_cpu": "2000 ns/B", "jobs.full.engine.compress_threads": 1}
    times: list[float] = []
    for threads in (1, 2, 4, 6):
        changes["jobs.full.engine.compress_threads"] = threads
        times.append(elapsed(backup("full", compress="true", to=to, buffers=30), "full", changes))
    one, two, four, six = times
    assert one == pytest.approx(1000e-9 * GIB, rel=1e-3)
    assert (one / two, one / four) == (pytest.approx(2, rel=0.03), pytest.approx(4, rel=0.06))
    assert six == four


@pytest.mark.parametrize("buffers", [12, 30])
def test_a_saturated_compressor_is_the_bottleneck_that_is_reported(buffers: int) -> None:
    """One of four cores, slower than either device: neither more buffers nor a faster device would gain anything."""
    changes = {"jobs.full.engine.compress_cpu": "30 ns/B", "jobs.full.engine.compress_threads": 1}
    result = run(backup("full", compress="true", buffers=buffers), changes)
    assert result.get("jobs.full.elapsed") == pytest.approx(15e-9 * GIB, rel=0.01)
    assert {cause for cause, _ in result.activities("full")} == {"hosts.server.cores"}


def test_too_many_buffers_fail_with_a_reason_and_the_rest_goes_on() -> None:
    jobs = backup("full", buffers=101) + BACK + backup("other", data="other")
    result = run(jobs)
    reason = "out of memory: 101 buffers of 1 MiB are 101 MiB, and there are 100 MiB"
    assert (row(result, "full")["status"], row(result, "full")["reason"]) == ("failed", reason)
    assert row(result, "back")["status"] == "skipped"
    assert result.get("jobs.other.elapsed") == rounds(1024, 2 * LATENCY + READ + WRITE)
    assert result.get("jobs.full.bytes") == 0.0


@for_each(
    "buffers, keys, status",
    [
        (100, {}, "done"),
        (50, {"transfer_size": "2 MiB"}, "done"),
        (51, {"transfer_size": "2 MiB"}, "failed"),
        (33, {"compress": "true"}, "done"),
        (34, {"compress": "true"}, "failed"),
    ],
)
def test_the_limit_of_memory_is_exact(buffers: int, keys: dict[str, str], status: str) -> None:
    assert row(run(backup("full", buffers=buffers, **keys)), "full")["status"] == status


def test_a_file_without_room_fails_with_a_reason() -> None:
    result = run(backup("full", to="little") + backup("small", to="little", compress="true"))
    assert (row(result, "full")["status"], row(result, "full")["reason"]) == ("failed", "'little' is full")
    assert row(result, "small")["status"] == "done"


def test_files_share_the_room_of_a_volume() -> None:
    """1 GiB in two files is 0.5 GiB each: one fits on the volume, both do not."""
    assert row(run(backup("full", to="[little, d]")), "full")["status"] == "done"
    assert row(run(backup("full", to="[little, little]")), "full")["reason"] == "'little' is full"


def test_a_backup_that_found_no_room_takes_none() -> None:
    """The first of its two files would have fitted, and filled the volume."""
    result = run(backup("full", to="[little, little]") + backup("small", data="log", to="little", begin="1 h"))
    assert row(result, "full")["reason"] == "'little' is full"
    assert row(result, "small")["status"] == "done"


@for_each("buffers", [4, 12, 50])
def test_two_backups_at_once_are_one_loop_of_all_their_buffers(buffers: int) -> None:
    """Where the device is nearly full; a lightly loaded one is held for fuller than it is."""
    both = loop(MIB, 2 * buffers, 2 * LATENCY, [READ / MIB, WRITE / MIB]).rate
    result = run(backup("full", buffers=buffers) + backup("too", buffers=buffers, data="other"))
    for job in ("full", "too"):
        assert result.get(f"jobs.{job}.elapsed") == pytest.approx(2 * GIB / both, rel=0.01)


def test_a_backup_does_not_slow_one_on_other_devices() -> None:
    result = run(backup("full") + backup("too", data="log", to="far"))
    assert result.get("jobs.full.elapsed") == rounds(1024, 2 * LATENCY + READ + WRITE)


@pytest.mark.parametrize("buffers", [1, 8])
def test_a_volume_and_its_file_on_one_disk_take_turns(tmp_path: Path, buffers: int) -> None:
    """Each turn is a seek and half a revolution: two for a buffer alone, and two for all of eight at once.

    A buffer alone that is written to a disk of its own waits for half a revolution, too.
    """
    disk = "  disk: {model: disk/scsi-10k-146gb-2004}\n  disk2: {model: disk/scsi-10k-146gb-2004}\n"
    site = SITE.replace("devices:\n", f"devices:\n{disk}").replace("[c, d, e]", "[c, d, e, disk, disk2]")
    site = site.replace("data:\n", "data:\n  mail: {on: disk, size: 1 GiB}\n  far: {on: disk, size: 60 GiB}\n")
    times: dict[str, float] = {}
    for to in ("disk2", "disk"):
        file = tmp_path / f"{to}.yaml"
        file.write_text(site + backup("full", data="mail", to=to, buffers=buffers), encoding="utf-8")
        times[to] = sb.simulate(file).get("jobs.full.elapsed") / 1024
    drive = sb.load(file).spec.devices["disk"]
    fast, slow = float(drive.outer_rate.si), float(drive.inner_rate.si)
    there = (fast**2 - 61.5 * GIB / float(drive.capacity.si) * (fast**2 - slow**2)) ** 0.5  # behind mail and far
    beyond = (fast - there) / (fast - slow) - 1.0 / 3.0  # of the stroke, farther than the mean seek
    seek = float(drive.average_seek.si)
    seek += beyond * 1.5 * (float(drive.full_stroke_seek.si) - seek)
    turn = seek + 0.5 / float(drive.rotation_speed.si)
    if buffers == 1:
        missed = 0.5 / float(drive.rotation_speed.si)
        assert times["disk"] - times["disk2"] == pytest.approx(2.0 * turn - missed + MIB / there - MIB / fast, rel=0.05)
    else:
        both = MIB / fast + MIB / there  # what is read and what is written
        assert times["disk"] == pytest.approx(both + 2.0 * turn / buffers, rel=0.05)


def test_two_volumes_on_one_disk_are_read_several_buffers_at_a_time(tmp_path: Path) -> None:
    """Of eight buffers, most wait where the arm goes next, and half of them come back while it is there."""
    disk = "  disk: {model: disk/scsi-10k-146gb-2004}\n"
    site = SITE.replace("devices:\n", f"devices:\n{disk}").replace("[c, d, e]", "[c, d, e, disk]")
    parts = "  one: {on: disk, size: 1 GiB}\n  two: {on: disk, size: 1 GiB}\n  both: {on: disk, size: 2 GiB}\n"
    site = site.replace("data:\n", f"data:\n{parts}")
    times: list[float] = []
    for data in ("both", "[one, two]"):
        file = tmp_path / f"{len(times)}.yaml"
        file.write_text(site + backup("full", data=data, to="nothing", buffers=8), encoding="utf-8")
        times.append(sb.simulate(file).get("jobs.full.elapsed"))
    drive = sb.load(file).spec.devices["disk"]
    seek = float(drive.track_to_track_seek.si)
    seek += (float(drive.average_seek.si) - seek) * (3.0 * GIB / float(drive.capacity.si)) ** 0.5
    mechanics = Mechanics(float(drive.outer_rate.si), 1.0 / float(drive.rotation_speed.si), lambda *_: seek)
    one, two = (
        buffers_round(8, int(MIB), mechanics, files=0, volumes=volumes, latency=LATENCY).seconds for volumes in (1, 2)
    )
    assert times[1] / 2048 == pytest.approx(two, rel=0.02)
    assert (times[1] - times[0]) / 2048 == pytest.approx(two - one, rel=0.25)


def test_users_of_every_volume_of_the_database_are_shut_out_of_its_restore(tmp_path: Path) -> None:
    asked = "transactions: 1 /s, reads: 1, read_size: 8 KiB, cpu: 0 s, writes: 0 %"
    users = (
        f"workloads:\n  a: {{data: db, {asked}}}\n  b: {{data: log, {asked}}}\n  c: {{data: other, {asked}}}\njobs:\n"
    )
    file = tmp_path / "users.yaml"
    text = SITE.replace("jobs:\n", users) + backup("full", data="[db, log]") + BACK
    file.write_text(text, encoding="utf-8")
    lost = {(row["users"], row["job"]): row["lost"] for row in sb.simulate(file).user_rows}
    assert {lost[f"workloads.{name}", "full"] for name in "abc"} == {0.0}
    assert [lost[f"workloads.{name}", "back"] for name in "abc"] == pytest.approx([1.0, 1.0, 0.0])


def test_a_restore_fills_new_files_with_zeros_and_then_replays_the_log() -> None:
    """1 GiB of zeros at 100 MiB/s, the buffers, and 102.4 MiB of log, which a core copies and replays."""
    engine = "{dump_ratio: 1, dump_cpu: 1 ns/B, load_cpu: 1 ns/B, replay_cpu: 25 ns/B, flush_time: 0 s, "
    site = SITE.replace("compression: 4}", f"compression: 4, database: {engine}locks_for_snapshot: false}}}}")
    jobs = (
        backup("full", buffers=7)
        + "  log: {method: binary_log, data: db, to: e, changed: 10 %, after: full}\n"
        + "  back: {restore: full, after: log}\n  all: {restore: full, replay: log, after: back}\n"
    )
    back, filled = (sb.simulate(site + jobs, {"jobs.full.engine.fills_files": fills}) for fills in (False, True))
    plain = back.get("jobs.back.elapsed")
    assert filled.get("jobs.back.elapsed") - plain == pytest.approx(1024 / 100, rel=1e-6)
    log = 0.1 * GIB
    assert back.get("jobs.all.elapsed") - plain == pytest.approx(log * (12.5e-9 + 1 / 1e9), rel=0.001)
    assert back.get("jobs.all.bytes") == pytest.approx(GIB + log)


# Copies of files on several disks of one host: read one after the other
SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
HOST = "cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 1 TB/s, speed: 1"
FILES_ENGINE = (
    "transfer_size: 1 MiB, io_depth: 4, request_latency: 0 s, compress_cpu: 0 s/B, expand_cpu: 0 s/B, buffer_sets: 1,"
    " memory_limit: 10 GB"
)
FILES_SITE = f"""\
title: A database server with three disks for its backup files
hosts:
  server: {{owns: [a, c, d, e, library], {HOST}}}
  other: {{owns: [far], {HOST}}}
devices:
  a: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
  c: {{{SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
  d: {{{SSD}, read_rate: 250 MB/s, write_rate: 1 GB/s}}
  e: {{{SSD}, read_rate: 2 GB/s, write_rate: 2 GB/s}}
  far: {{{SSD}, read_rate: 2 GB/s, write_rate: 2 GB/s}}
{LIBRARY_BY_HAND}links:
  lan: {{joins: [server, other], rate: 10 GB/s, latency: 0 s}}
data:
  db: {{on: a, size: 9 GB, compression: 2}}
jobs:
"""
FULL = f"  full: {{method: database_native, data: db, to: [c, c, d], buffers: 32, engine: {{{FILES_ENGINE}}}}}\n"


def run_files(jobs: str) -> Result:
    result = sb.simulate(FILES_SITE + jobs)
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@pytest.mark.parametrize("to", ["e", "far"])
def test_one_disk_after_the_other_is_read(to: str) -> None:
    """Two files of 3 GB at 1 GB/s, and one at 250 MB/s; then all three are on one disk, from which they come back."""
    jobs = FULL + f"  up: {{method: copy_save_set, save_set: full, to: {to}, after: full}}\n"
    result = run_files(jobs + "  back: {restore: full, copied_by: up, after: up}\n")
    assert result.get("jobs.up.elapsed") == pytest.approx(6.0 + 12.0, rel=0.05)
    assert [result.get(f"devices.{name}.bytes") for name in ("c", "d", to)] == pytest.approx([12e9, 6e9, 18e9])
    assert result.get("jobs.back.elapsed") == pytest.approx(9e9 / 2e9, rel=0.05)


def test_all_of_them_go_onto_one_tape() -> None:
    """At 160 MB/s with the compression of the drive; 4.5 GB on the tape are 1.125 passes of 100 m: 12.5 m from the end.

    The cartridge is released between the disks and stays in its drive, where the tape is at its place.
    """
    result = run_files(FULL + "  up: {method: copy_save_set, save_set: full, to: library, after: full}\n")
    moved, wound = 9e9 / 160e6, 2.0 + 87.5 / 5.0
    assert result.get("jobs.up.elapsed") == pytest.approx(10.0 + 30.0 + moved + wound + 10.0 + 10.0, abs=0.2)
    assert result.get("devices.library.drive.1.bytes") == pytest.approx(9e9)


# From a copy on tape: the slower of drive, line, cores and volumes
TAPE_HOST = "cores: 4, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 1 TB/s, speed: 1"
TAPE_ENGINE = (
    "transfer_size: 1 MiB, io_depth: 4, request_latency: 0 s, compress_cpu: 1 ns/B, expand_cpu: 40 ns/B,"
    " buffer_sets: 1, memory_limit: 10 GB"
)
TAPE_SITE = f"""\
title: A database server whose backups go to a library of another host
hosts:
  server: {{owns: [a, b, c], {TAPE_HOST}}}
  keeper: {{owns: [library], {TAPE_HOST}}}
devices:
  a: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
  b: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
  c: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
{LIBRARY_BY_HAND}links:
  lan: {{joins: [server, keeper], rate: 2 GB/s, latency: 0 s, duplex: full}}
data:
  db: {{on: a, size: 12 GB, compression: 2}}
  log: {{on: b, size: 4 GB, compression: 2}}
jobs:
"""
TAPE_FULL = f"  full: {{method: database_native, data: [db, log], to: c, engine: {{{TAPE_ENGINE}}}}}\n"
VAULT = "  vault: {method: copy_save_set, save_set: full, to: library, after: full}\n"
TAPE_BACK = "  back: {restore: full, copied_by: vault, after: vault}\n"
OTHER = 10.0 + 30.0 + 10.0 + 10.0
"""Mount and load, unload and dismount: 8 GB are two passes of 4 GB, which end where the tape begins."""


def run_tape(changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(TAPE_SITE + TAPE_FULL + VAULT + TAPE_BACK, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@for_each(
    "changes, rate",
    [
        ({}, 160e6),  # the drive, which compresses 2:1
        ({"jobs.full.compress": True}, 4 / 40e-9),  # expanded on four cores: 100 MB/s, 50 MB/s of the tape
        ({"devices.library.drive.native_rate": "400 MB/s", "links.lan.rate": "200 MB/s"}, 200e6),
        ({"devices.library.drive.native_rate": "400 MB/s", "devices.a.write_rate": "300 MB/s"}, 400e6),
    ],
)
def test_the_slowest_of_all_sets_the_pace(changes: dict[str, Any], rate: float) -> None:
    """Of four bytes three go to the database, and one to its log. A drive that waits does not stop here."""
    steady = {"devices.library.drive.slowest_rate": "1 MB/s"}
    result = run_tape(steady | changes)
    assert result.get("jobs.back.bytes") == pytest.approx(16e9)
    assert result.get("jobs.back.elapsed") == pytest.approx(OTHER + 16e9 / rate, rel=0.02)
    assert [result.get(f"devices.{name}.bytes") for name in "ab"] == pytest.approx([24e9, 8e9])


def test_zeros_are_written_before() -> None:
    waits = run_tape({"jobs.full.engine.fills_files": True}).get("jobs.back.elapsed") - run_tape().get(
        "jobs.back.elapsed"
    )
    assert waits == pytest.approx(12e9 / 4e9, rel=1e-3)


# To an object store, and back
OBJECTS_ENGINE = (
    "transfer_size: 1 MiB, io_depth: 4, request_latency: 1 ms, compress_cpu: 0 s/B, expand_cpu: 0 s/B, buffer_sets: 1,"
    " memory_limit: 10 GB"
)
OBJECTS_SITE = f"""\
title: A database server that backs up to a bucket
hosts:
  server: {{owns: [a, c], cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, speed: 1,
    copy_rate: 1 TB/s}}
devices:
  a: {{{SSD}, read_rate: 4 GB/s, write_rate: 2 GB/s}}
  c: {{{SSD}, read_rate: 4 GB/s, write_rate: 2 GB/s}}
  bucket: {{kind: object_store, write_latency: 100 ms, read_latency: 40 ms, connection_rate: 50 MB/s, part: 10 MB,
    read_requests: 1000000 /s, write_requests: 1000000 /s}}
links:
  wan: {{joins: [server, bucket], rate: 1 GB/s, latency: 10 ms, window: 1 GB, duplex: full}}
data:
  db: {{on: a, size: 1000 MiB}}
jobs:
"""
OBJECTS_FULL = f"  full: {{method: database_native, data: db, to: bucket, buffers: 1, engine: {{{OBJECTS_ENGINE}}}}}\n"


def run_objects(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(OBJECTS_SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


def round_of(size: float, device: float, latency: float) -> float:
    """Seconds of a buffer: engine at both ends, disk, one of a million requests a second, the store, and its bytes.

    These go at the 50 MB/s of a connection, whatever the line; a round trip of 10 ms each way goes before.
    """
    return 2 * 0.001 + size / device + 1e-6 + latency + TRIP + size / 50e6


TRIP = 0.010


@pytest.mark.slow
@for_each("mib", [0.25, 1, 4])
def test_one_buffer_makes_one_round_after_the_other(mib: float) -> None:
    given = {"jobs.full.transfer_size": f"{mib} MiB"}
    result = run_objects(OBJECTS_FULL + BACK, given)
    size, number = mib * MIB, 1000 / mib
    assert result.get("jobs.full.elapsed") == pytest.approx(number * round_of(size, 4e9, 0.1), rel=1e-3)
    assert result.get("jobs.back.elapsed") == pytest.approx(number * round_of(size, 2e9, 0.04), rel=1e-3)


def test_compressed_files_send_fewer_bytes() -> None:
    result = run_objects(OBJECTS_FULL, {"jobs.full.compress": True, "data.db.compression": 2})
    assert result.get("links.wan.bytes") == pytest.approx(500 * MIB)


def test_an_archive_gives_its_files_back_after_a_time() -> None:
    changes = {"devices.bucket.retrieval_time": "1 h"}
    waits = run_objects(OBJECTS_FULL + BACK, changes).get("jobs.back.elapsed") - run_objects(OBJECTS_FULL + BACK).get(
        "jobs.back.elapsed"
    )
    assert waits == pytest.approx(3600.0, abs=0.1)


def test_a_copy_in_a_bucket_comes_back_from_there() -> None:
    jobs = (
        OBJECTS_FULL.replace("to: bucket", "to: c")
        + "  up: {method: copy_save_set, save_set: full, to: bucket, after: full}\n"
    )
    result = run_objects(jobs + "  back: {restore: full, copied_by: up, after: up}\n")
    assert result.get("jobs.back.elapsed") == pytest.approx(1000 * round_of(MIB, 2e9, 0.04), rel=1e-3)


def test_a_file_in_a_bucket_is_copied_to_a_disk() -> None:
    jobs = OBJECTS_FULL + "  down: {method: copy_save_set, save_set: full, to: c, after: full}\n"
    result = run_objects(jobs + "  back: {restore: full, copied_by: down, after: down}\n")
    assert result.get("jobs.down.bytes") == pytest.approx(1000 * MIB)
    assert result.get("jobs.back.elapsed") < 30.0


def test_buffers_for_objects_alone_may_be_larger() -> None:
    assert run_objects(OBJECTS_FULL, {"jobs.full.transfer_size": "20 MiB"}).get("jobs.full.elapsed") < 40.0


# Volumes and files that share disks, against a simulation of each request
TURNS_MIB = 2**20
SIZE = 8e9
CAPACITY, RATE, REVOLUTION = 4e12, 150e6, 1 / 120
DISK = (
    "capacity: 4 TB, rotation_speed: 7200 rpm, track_to_track_seek: 1 ms, average_seek: 8 ms, full_stroke_seek: 16 ms, "
    "outer_rate: 150 MB/s, inner_rate: 150 MB/s, stream_turn: 512 KiB, command_overhead: 0 s"
)
TURNS_SITE = f"""\
title: A native backup to disks
hosts: {{server: {{model: host/linux-modern-server, owns: [flash, disk, array]}}}}
devices:
  flash: {{kind: ssd, capacity: 9 TB, read_rate: 3 GB/s, write_rate: 3 GB/s, read_latency: 0 s, write_latency: 0 s}}
  disk: {{kind: disk, {DISK}}}
  array: {{kind: raid, level: "10", disks: 12, stripe_unit: 64 KiB, controller_overhead: 0 s, disk: {{{DISK}}}}}
data: {{db: {{on: flash, size: 8 GB}}}}
jobs:
  save: {{method: database_native, data: db, to: [disk], buffers: 7, transfer_size: 1 MiB,
    engine: {{model: backup_engine/sql-server-2008, memory_limit: 9 GiB}}}}
"""


def seek(here: int, there: int, files: int, volumes: int, disks: int) -> float:
    """Seconds between two places, which lie one behind the other on so many disks of data."""
    begins = [0.0] * volumes + [volumes * SIZE + i * SIZE / files for i in range(files)]
    apart = abs(begins[here] - begins[there]) / disks / CAPACITY
    return 1e-3 + 7e-3 * (3.0 * apart) ** 0.5


def simulated(changes: dict[str, object]) -> float:
    """Seconds for each buffer."""
    result = sb.simulate(sb.load(TURNS_SITE, changes))
    size = {"256 KiB": TURNS_MIB / 4, "4 MiB": 4.0 * TURNS_MIB}.get(
        str(changes.get("jobs.save.transfer_size")), TURNS_MIB
    )
    return result.get("jobs.save.elapsed") / (SIZE / size)


@pytest.mark.slow
@for_each("source", [3e9, 100e6])
@for_each(
    "files, buffers, size",
    [
        (1, 16, 1),
        (2, 2, 1),
        (2, 7, 1),
        (2, 50, 1),
        (4, 7, 1),
        (4, 16, 4),
        (8, 2, 1),
        (8, 7, 1),
        (8, 16, 0.25),
        (8, 50, 1),
    ],
)
def test_files_on_one_disk(files: int, buffers: int, size: float, source: float) -> None:
    """Written as fast as the disk takes them, or more slowly than it could."""
    mechanics = Mechanics(RATE, REVOLUTION, partial(seek, files=files, volumes=0, disks=1))
    measured = buffers_round(buffers, int(size * TURNS_MIB), mechanics, files=files, servers=[source])
    words = {0.25: "256 KiB", 1: "1 MiB", 4: "4 MiB"}[size]
    changes = {"jobs.save.to": ["disk"] * files, "jobs.save.buffers": buffers, "jobs.save.transfer_size": words}
    found = simulated({**changes, "devices.flash.read_rate": f"{source} B/s"})
    assert found == pytest.approx(measured.seconds, rel=0.1)


@for_each("files, buffers", [(1, 2), (1, 7), (2, 7), (4, 16), (8, 7), (8, 50)])
def test_a_database_and_its_files_on_one_disk(files: int, buffers: int) -> None:
    mechanics = Mechanics(RATE, REVOLUTION, partial(seek, files=files, volumes=1, disks=1))
    measured = buffers_round(buffers, TURNS_MIB, mechanics, files=files, volumes=1)
    found = simulated({"data.db.on": "disk", "jobs.save.to": ["disk"] * files, "jobs.save.buffers": buffers})
    assert found == pytest.approx(measured.seconds, rel=0.1)


@pytest.mark.slow
@for_each("files, buffers", [(1, 14), (2, 8), (2, 14), (2, 50), (4, 14), (4, 50), (8, 8), (8, 24)])
def test_files_on_a_striped_mirror(files: int, buffers: int) -> None:
    """Each of six pairs of disks has parts of a buffer, which waits for the last of twelve."""
    mechanics = Mechanics(RATE, REVOLUTION, partial(seek, files=files, volumes=0, disks=6))
    measured = buffers_round(buffers, TURNS_MIB, mechanics, files=files, servers=[3e9], disks=12, copies=2)
    found = simulated({"jobs.save.to": ["array"] * files, "jobs.save.buffers": buffers})
    assert found == pytest.approx(measured.seconds, rel=0.12)
