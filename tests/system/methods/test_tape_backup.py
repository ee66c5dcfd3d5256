from pathlib import Path
from typing import Any

import pytest

from simbackup import load
from simbackup.build import build
from simbackup.catalogue import Copy
from simbackup.devices.store import Store
from simbackup.equations import streaming, tape
from simbackup.equations.disk_turns import sweep_turn_time
from simbackup.methods.job import start
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.cases import for_each
from tests.shared import ROOT

BASE = f"""
title: A file server and its tapes
extends: {ROOT}/tests/sites/jukebox.yaml
hosts:
  filer: {{model: host/linux-modern-server, copy_rate: 10 GB/s, owns: [array, spare, jukebox]}}
devices:
  array: {{model: disk/nearline-20tb-2022, outer_rate: 200 MB/s, inner_rate: 200 MB/s}}
  spare: {{model: disk/nearline-20tb-2022, outer_rate: 200 MB/s, inner_rate: 200 MB/s}}
data:
  users: {{on: array, size: 4 GB, files: 1000, layout: scattered, filesystem: filesystem/xfs}}
  mail: {{on: spare, size: 4 GB}}
jobs:
"""
DRIVE = tape.TapeDriveParameters(10e6, 10e9, 100.0, 10, 1.0, 5.0, 30.0, 10.0, 2.0, 1.0, 64e6, reposition_time=3.0)
EXCHANGE, LOAD, UNLOAD = 10.0, 30.0, 10.0
FULL = "  full: {method: image, data: users, to: jukebox}\n"
MAIL = "  mail: {method: image, data: mail, to: jukebox}\n"
FIRST = "devices.jukebox.drive.1"
SMOOTH = {"devices.array.stream_turn": "100 MB"}
"""A disk that loses next to nothing where streams take turns."""


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    return simulate(BASE + jobs, changes)


def saved(jobs: str, changes: dict[str, Any] | None = None) -> dict[str, Copy]:
    """Where what the catalogue holds after a run lies, by job."""
    system, work = build(load(BASE + jobs, changes).spec, 0)
    system.env.run(until=start(system, work))
    return {each.job.removeprefix("jobs."): each.copies[0] for each in system.catalogue.save_sets}


def array_rate(rate: str) -> dict[str, Any]:
    """Changes that give the disk of the users one rate everywhere."""
    return {"devices.array.outer_rate": rate, "devices.array.inner_rate": rate}


def transfers(result: Result, job: str, activity: str = "transfer") -> dict[str, float]:
    """Seconds for which each cause held the transfers of a job."""
    return {cause: t for (cause, what), t in result.activities(job).items() if what == activity}


def stopping(result: Result, job: str) -> dict[str, float]:
    """Seconds for which what is slower than the tape held a job, and for which it waited for a tape that backed up."""
    return transfers(result, job) | {"lost": sum(transfers(result, job, "reposition").values())}


def steps(result: Result, job: str) -> list[tuple[str, float]]:
    return [(s.activity, s.end - s.start) for s in result.trace.spans if s.job == f"jobs.{job}"]


def status(result: Result) -> dict[str, tuple[str, str]]:
    return {row["job"]: (row["status"], row["reason"]) for row in result.job_rows}


def visit(end: float) -> float:
    """Seconds of a mount at the beginning and the way home from a byte."""
    return EXCHANGE + LOAD + tape.rewind_time(DRIVE, end) + UNLOAD + EXCHANGE


def test_a_backup_by_hand() -> None:
    result = run(FULL)
    assert steps(result, "full") == [
        ("mount", 10.0),
        ("load", 30.0),
        ("transfer", pytest.approx(400.0)),
        ("unload", 10.0),  # four whole passes: the tape stands at its beginning
        ("dismount", 10.0),
    ]
    assert result.get("jobs.full.elapsed") == pytest.approx(visit(4e9) + 400.0, rel=1e-12)
    assert result.get("jobs.full.bytes") == 4e9


def test_one_file_back_by_hand() -> None:
    result = run(FULL + "  one: {restore: full, select: {files: 1, size: 20 MB, at: 50 %}, after: full}\n")
    begin, end = 2e9, 2e9 + 20e6
    flushed = 20e6 / 200e6  # read into memory at 10 MB/s, below the background limit, then written
    expected = [
        ("mount", EXCHANGE),
        ("load", LOAD),
        ("locate", tape.locate_time(DRIVE, 0.0, begin)),
        ("transfer", 20e6 / streaming.transfer_rate(DRIVE, 1.0)),
        ("rewind", tape.rewind_time(DRIVE, end)),
        ("unload", UNLOAD),
        ("dismount", EXCHANGE),
    ]
    assert steps(result, "one") == [(activity, pytest.approx(seconds)) for activity, seconds in expected]
    assert flushed < tape.rewind_time(DRIVE, end)  # so that the disk is done before the tape is home
    assert result.get("jobs.one.elapsed") == pytest.approx(sum(t for _, t in expected), rel=1e-9)
    assert (result.get("jobs.one.bytes"), result.get("jobs.one.files")) == (20e6, 1.0)


def test_files_spread_over_the_save_set_are_located_one_by_one() -> None:
    result = run(FULL + "  some: {restore: full, select: {files: 4, size: 4 MB}, after: full}\n")
    golden = (5**0.5 - 1) / 2
    places = [i * 1e9 + (0.5 + i * i * golden) % 1.0 * (1e9 - 1e6) for i in range(4)]
    ways = [tape.locate_time(DRIVE, a, b) for a, b in zip([0.0, *(p + 1e6 for p in places)], places, strict=False)]
    assert [t for activity, t in steps(result, "some") if activity == "locate"] == pytest.approx(ways)


def test_a_second_backup_appends_where_the_first_ended() -> None:
    second = "  second: {method: image, data: mail, to: jukebox, after: full}\n"
    result = run(FULL + second + "  back: {restore: second, after: second}\n")
    assert result.activities("second")["devices.jukebox.drive.1", "locate"] == pytest.approx(
        tape.locate_time(DRIVE, 0.0, 4e9)
    )
    assert result.activities("back")["devices.jukebox.drive.1", "locate"] == pytest.approx(
        tape.locate_time(DRIVE, 0.0, 4e9)
    )


def test_a_save_set_that_spans_cartridges_is_restored_across_them() -> None:
    result = run(FULL + "  back: {restore: full, after: full}\n", {"data.users.size": "25 GB"})
    loads = {job: [a for a, _ in steps(result, job)].count("load") for job in ("full", "back")}
    assert loads == {"full": 3, "back": 3}
    expected = 2 * visit(10e9) + visit(5e9) + 2500.0
    assert result.get("jobs.full.elapsed") == pytest.approx(expected)
    assert result.get("jobs.back.elapsed") == pytest.approx(expected)
    assert result.get("jobs.back.bytes") == 25e9


def test_compression_speeds_the_drive_and_stretches_the_tape() -> None:
    result = run(FULL, {"data.users.compression": "2:1", "data.users.size": "20 GB"})
    assert [a for a, _ in steps(result, "full")].count("load") == 1
    assert sum(t for a, t in steps(result, "full") if a == "transfer") == pytest.approx(1000.0)


def test_a_job_waits_for_the_only_drive() -> None:
    result = run(FULL + MAIL)
    assert steps(result, "mail")[0] == ("wait for a drive", pytest.approx(result.get("jobs.full.elapsed")))
    assert result.get("jobs.mail.waits") == pytest.approx(result.get("jobs.full.elapsed"))
    assert result.get("jobs.full.waits") == 0.0


def test_two_drives_wait_for_one_robot_only() -> None:
    result = run(FULL + MAIL, {"devices.jukebox.drives": 2})
    assert result.get("jobs.mail.waits") >= 10.0
    assert steps(result, "mail")[0] == ("mount queue", 10.0)
    assert result.get("jobs.mail.elapsed") < 1.1 * result.get("jobs.full.elapsed")


def test_drives_are_busy_while_they_move_or_transfer() -> None:
    result = run(FULL)
    assert result.get("devices.jukebox.drive.1.busy_s") == pytest.approx(
        LOAD + 400.0 + tape.rewind_time(DRIVE, 4e9) + UNLOAD
    )
    slow = run(FULL, array_rate("5 MB/s"))
    assert slow.get("devices.jukebox.drive.1.busy_s") == pytest.approx(result.get("devices.jukebox.drive.1.busy_s"))
    assert slow.get("devices.jukebox.drive.1.busy") < result.get("devices.jukebox.drive.1.busy")


def test_a_pool_that_runs_full_fails_its_job_and_the_rest_goes_on() -> None:
    jobs = (
        FULL
        + "  mail: {method: image, data: mail, to: jukebox, after: full}\n"
        + "  back: {restore: mail, after: mail}\n  again: {restore: full, after: full}\n"
    )
    result = run(jobs, {"devices.jukebox.slots": 1, "data.users.size": "8 GB"})
    assert status(result) == {
        "full": ("done", ""),
        "mail": ("failed", "the pool of 'devices.jukebox' is full"),
        "back": ("skipped", "'mail' did not complete"),
        "again": ("done", ""),
    }
    assert result.get("jobs.mail.bytes") == 0.0


def test_backups_that_fit_into_the_pool_wait_for_its_cartridge() -> None:
    result = run(FULL + MAIL, {"devices.jukebox.slots": 1, "devices.jukebox.drives": 2})
    assert {state for state, _ in status(result).values()} == {"done"}
    assert steps(result, "mail")[0] == ("wait for a cartridge", pytest.approx(result.get("jobs.full.elapsed")))


def test_a_restore_before_its_backup_fails() -> None:
    result = run(FULL + "  back: {restore: full}\n")
    assert status(result)["back"] == ("failed", "the catalogue has no save set of 'full'")


def test_a_restore_takes_the_last_run_of_a_repeated_backup() -> None:
    jobs = FULL.replace("}", ", every: 1 h, until: 2 h}") + "  back: {restore: full, after: full}\n"
    result = run(jobs)
    assert status(result)["back"] == ("done", "")
    # two save sets lie before the third on the first cartridge, whose end it fills: 8 to 10 GB, and 2 GB more
    assert result.activities("back")["devices.jukebox.drive.1", "locate"] == pytest.approx(
        tape.locate_time(DRIVE, 0.0, 8e9)
    )
    assert [a for a, _ in steps(result, "back")].count("load") == 2


def test_a_restore_does_not_wait_for_what_others_write() -> None:
    one = "  one: {restore: full, select: {files: 1, size: 20 MB, at: 50 %}, after: full}\n"
    alone = run(FULL + one)
    writer = "  dd: {method: write, data: mail, after: full}\n"
    busy = run(FULL + one + writer, {"data.mail.size": "100 GB"})
    assert busy.get("jobs.one.elapsed") == pytest.approx(alone.get("jobs.one.elapsed"))


@pytest.mark.parametrize("files", [100_000, 1_000_000])
def test_many_small_files_are_slower_file_by_file(files: int) -> None:
    changes = {"data.users.files": files}
    image = run(FULL, changes)
    walked = run(FULL.replace("image", "file_level"), changes)
    assert walked.get("jobs.full.elapsed") > 1.5 * image.get("jobs.full.elapsed")
    assert walked.get("jobs.full.bytes") == image.get("jobs.full.bytes") == 4e9
    assert walked.get("jobs.full.files") == files


def test_a_few_large_files_are_as_fast_either_way() -> None:
    image = run(FULL, {"data.users.files": 4})
    walked = run(FULL.replace("image", "file_level"), {"data.users.files": 4})
    assert walked.get("jobs.full.elapsed") == pytest.approx(image.get("jobs.full.elapsed"), rel=0.05)


def test_what_stops_cost_begins_at_nothing_where_the_buffer_just_covers_one() -> None:
    for over in (1.001, 1.01, 1.1):
        changes = array_rate("5 MB/s") | {"devices.jukebox.drive.buffer": f"{15.0 / over} MB"}
        lost = stopping(run(FULL, changes), "full")["lost"]
        # A cycle is 3 s of stop and the time in which the full buffer lasts; the host waits from when it is full.
        cycle = 3.0 + 15.0 / over / 5.0
        assert lost / (800.0 + lost) == pytest.approx((3.0 - 3.0 / over) / cycle)
    covered = run(FULL, array_rate("5 MB/s") | {"devices.jukebox.drive.buffer": "15 MB"})
    assert stopping(covered, "full") == {"devices.array": pytest.approx(800.0), "lost": 0.0}


def test_a_drive_behind_a_slow_interface_names_it() -> None:
    changes = {"data.users.compression": "4:1", "devices.jukebox.drive.host_rate": "25 MB/s"}
    result = run(FULL, changes)
    assert transfers(result, "full") == {f"{FIRST}.interface": pytest.approx(160.0)}
    # The tape writes 25 of 40 MB/s: 64 MB of compressed data take in 256 MB, more than come in a stop of 3 s.
    assert moved(result, FIRST) == pytest.approx(4e9)


def test_better_compression_never_makes_a_drive_slower_whose_buffer_covers_a_stop() -> None:
    rates: list[float] = []
    for ratio in (1.0, 2.0, 3.4, 10.0, 50.0):
        changes = {"data.users.compression": ratio, "devices.jukebox.drive.host_rate": "34 MB/s"}
        rates.append(4e9 / transfers(run(FULL, changes | array_rate("300 MB/s")), "full").popitem()[1])
    assert rates == pytest.approx([10e6, 20e6, 34e6, 34e6, 34e6])


def test_a_program_may_keep_a_cartridge_mounted_for_the_next_job() -> None:
    tool = "tool: {model: backup_tool/zrm-1.1, unload_after: 1 h}"
    jobs = f"  full: {{method: image, data: users, to: jukebox, {tool}}}\n"
    jobs += f"  mail: {{method: image, data: mail, to: jukebox, {tool}, after: full}}\n"
    jobs += "  back: {restore: full, after: mail}\n"
    result = run(jobs)
    assert [s.job for s in result.trace.spans if s.activity == "load"] == ["jobs.full"]
    own = run(jobs, {"devices.jukebox.unload_after": "0 s"})  # what the library says comes first
    assert [s.job for s in own.trace.spans if s.activity == "load"] == ["jobs.full", "jobs.mail", "jobs.back"]


TOOL = "  full: {method: image, data: users, to: jukebox, tool: {model: backup_tool/zrm-1.1, block: 10 KB}}\n"


def test_each_block_takes_a_command() -> None:
    changes = {"devices.jukebox.drive.host_rate": "10 MB/s", "devices.jukebox.drive.command_time": "1 ms"}
    result = run(TOOL + "  back: {restore: full, after: full}\n", changes)
    # 10 kB pass in 1 ms, and the command takes as long again.
    assert transfers(result, "full") == {f"{FIRST}.interface": pytest.approx(800.0)}
    assert sum(transfers(result, "back").values()) == pytest.approx(800.0)


def test_a_drive_that_writes_through_stops_after_each_block_and_reads_on() -> None:
    through = {"devices.jukebox.drive.write_through": True, "devices.jukebox.drive.reposition_time": "9 ms"}
    result = run(TOOL + "  back: {restore: full, after: full}\n", through)
    # 10 kB take 1 ms on the tape, and the tape backs up for 9 ms after each.
    assert stopping(result, "full") == pytest.approx({FIRST: 400.0, "lost": 3600.0})
    assert sum(transfers(result, "back").values()) == pytest.approx(400.0)
    slow = run(TOOL, through | array_rate("0.5 MB/s"))
    assert transfers(slow, "full") == {"devices.array": pytest.approx(8000.0)}


def test_a_drive_that_slows_down_loses_nothing_above_its_lowest_rate() -> None:
    slows = {"devices.jukebox.drive.slowest_rate": "4 MB/s", "devices.jukebox.drive.buffer": "1 MB"}
    for rate in (4, 6, 9):
        result = run(FULL, slows | array_rate(f"{rate} MB/s"))
        assert transfers(result, "full") == {"devices.array": pytest.approx(4000.0 / rate)}
    result = run(FULL, slows | array_rate("3 MB/s"))
    # Stops and starts at 4 MB/s: 1 MB lasts for 1 s, in which 4 MB are written, then 3 s are lost.
    assert stopping(result, "full") == pytest.approx({"devices.array": 4000.0 / 3.0, "lost": 8000.0 / 3.0})
    fast = run(FULL, slows)
    assert transfers(fast, "full") == {FIRST: pytest.approx(400.0)}


def test_compressed_data_have_to_come_faster_to_keep_the_tape_moving() -> None:
    changes = array_rate("15 MB/s") | {"data.users.compression": "2:1", "devices.jukebox.drive.buffer": "5 MB"}
    # 5 MB on the tape are 10 MB of the host, and last 2 s while the tape takes 20 MB/s; then it stops for 3 s.
    assert stopping(run(FULL, changes), "full") == pytest.approx(
        {"devices.array": 4000.0 / 15.0, "lost": 500.0 - 4000.0 / 15.0}
    )


def test_what_stops_and_starts_leave_of_a_disk_is_for_others() -> None:
    dd = "  dd: {method: write, data: users, portion: 10 %, flush: true}\n"
    changes = array_rate("9 MB/s") | {"hosts.filer.dirty_background": "0 %"}
    slow = run(FULL + dd, changes | {"devices.jukebox.drive.buffer": "1 MB"})
    fast = run(FULL + dd, changes)
    assert slow.get("jobs.dd.elapsed") < fast.get("jobs.dd.elapsed")


def test_a_drive_that_stays_loaded_serves_a_restore_from_the_same_cartridge_at_once() -> None:
    jobs = FULL + "  one: {restore: full, select: {files: 1, size: 20 MB, at: 50 %}, after: full}\n"
    result = run(jobs, {"devices.jukebox.unload_after": "10 min"})
    assert steps(result, "full") == [("mount", 10.0), ("load", 30.0), ("transfer", pytest.approx(400.0))]
    assert steps(result, "one") == [
        ("locate", pytest.approx(tape.locate_time(DRIVE, 4e9, 2e9))),
        ("transfer", pytest.approx(2.0)),
        ("write-back", pytest.approx(0.1)),
    ]


def test_a_backup_that_begins_within_the_idle_time_appends_at_once() -> None:
    jobs = FULL + "  second: {method: image, data: mail, to: jukebox, after: full}\n"
    result = run(jobs, {"devices.jukebox.unload_after": "10 min", "devices.jukebox.drives": 2})
    assert steps(result, "second") == [("transfer", pytest.approx(400.0))]


def test_named_pools_keep_their_cartridges() -> None:
    jobs = FULL + "  away: {method: image, data: mail, to: jukebox, pool: offsite, after: full}\n"
    pools = {"devices.jukebox.pools.offsite": 1}
    found = saved(jobs, pools)
    assert [extent.medium for extent in found["full"].extents] == ["cartridge.1"]
    assert [extent.medium for extent in found["away"].extents] == ["cartridge.4"]
    again = "  again: {method: image, data: users, to: jukebox, pool: offsite, after: away}\n"
    result = run(jobs + again, pools | {"data.users.size": "8 GB"})
    assert status(result)["again"] == ("failed", "the pool 'offsite' of 'devices.jukebox' is full")
    assert status(result)["full"] == ("done", "")


@for_each("streams", [1, 2, 4])
def test_as_many_streams_as_drives_are_as_many_times_as_fast(streams: int) -> None:
    jobs = FULL.replace("}", f", streams: {streams}}}")
    jobs += f"  back: {{restore: full, streams: {streams}, after: full}}\n"
    result = run(jobs, SMOOTH | {"devices.jukebox.drives": streams})
    drives = {f"devices.jukebox.drive.{i + 1}" for i in range(streams)}
    for job, activity in (("full", "transfer"), ("back", "transfer")):
        assert transfers(result, job, activity) == dict.fromkeys(drives, pytest.approx(400.0 / streams))
        assert result.get(f"jobs.{job}.bytes") == 4e9
    for drive in drives:
        assert result.get(f"{drive}.bytes") == pytest.approx(2 * 4e9 / streams)
    # The last is mounted when the robot has served the others; even numbers of passes end where the tape begins.
    rewind = tape.rewind_time(DRIVE, 4e9 / streams)
    last = EXCHANGE * streams + LOAD + 400.0 / streams + rewind + UNLOAD + EXCHANGE
    assert result.get("jobs.full.elapsed") == pytest.approx(last)


def test_a_restore_has_no_use_for_more_drives_than_cartridges() -> None:
    jobs = FULL + "  back: {restore: full, streams: 3, after: full}\n"
    result = run(jobs, {"devices.jukebox.drives": 3})
    assert [a for a, _ in steps(result, "back")].count("load") == 1


def test_a_backup_goes_on_on_the_next_cartridge_when_one_is_full() -> None:
    second = "  second: {method: image, data: mail, to: jukebox, after: full}\n"
    found = saved(FULL + second, {"data.mail.size": "8 GB"})["second"]
    assert [tuple(extent) for extent in found.extents] == [
        (0.0, 6e9, "cartridge.1", 4e9, 1.0),
        (6e9, 2e9, "cartridge.2", 0.0, 1.0),
    ]
    packed = {"data.mail.size": "16 GB", "data.mail.compression": "2:1"}
    found = saved(FULL + second, packed)["second"]
    assert [tuple(extent) for extent in found.extents] == [
        (0.0, 12e9, "cartridge.1", 4e9, 1.0),
        (12e9, 4e9, "cartridge.2", 0.0, 1.0),
    ]


def test_a_stream_that_finds_the_pool_full_fails_its_job_after_the_others() -> None:
    jobs = FULL + "  both: {method: image, data: mail, to: jukebox, streams: 2, after: full}\n"
    jobs += "  again: {restore: full, after: both}\n  dd: {method: write, data: users, after: full}\n"
    changes = {"devices.jukebox.drives": 2, "devices.jukebox.slots": 2}
    result = run(jobs, changes | {"data.mail.size": "18 GB"})
    assert status(result) == {
        "full": ("done", ""),
        "both": ("failed", "the pool of 'devices.jukebox' is full"),
        "again": ("skipped", "'both' did not complete"),
        "dd": ("done", ""),
    }
    assert result.get("devices.jukebox.drive.1.bytes") + result.get("devices.jukebox.drive.2.bytes") == 20e9


def with_snapshot(tmp_path: Path, jobs: str) -> Path:
    """A scenario whose users lie on a volume with a snapshot of 100 MB, too small for what is written."""
    volumes = (
        "  volume: {kind: logical_volume, on: array, size: 10 GB}\n"
        "  cow: {model: snapshot/lvm2-2.6.9, of: volume, on: spare, size: 100 MB}\ndata:"
    )
    text = (BASE + jobs).replace("data:", volumes, 1).replace("on: array, size: 4", "on: volume, size: 4")
    path = tmp_path / "scenario.yaml"
    path.write_text(text.replace("mail: {on: spare", "mail: {on: spare, at: 1 GB"), encoding="utf-8")
    return path


def test_a_backup_whose_snapshot_was_lost_takes_no_cartridge(tmp_path: Path) -> None:
    """It fails when it begins, as one to a disk does; the other backup needs the only cartridge."""
    jobs = (
        "  dd: {method: write, data: users, flush: true}\n"
        "  full: {method: image, data: users, to: jukebox, source: cow, after: dd}\n"
        "  mail: {method: image, data: mail, to: jukebox, after: dd}\n"
    )
    result = simulate(with_snapshot(tmp_path, jobs), {"devices.jukebox.slots": 1})
    assert status(result)["full"] == ("failed", "'cow' became invalid: its copy area is full")
    assert status(result)["mail"] == ("done", "")
    assert steps(result, "full") == []


def test_a_backup_whose_snapshot_is_lost_meanwhile_fails(tmp_path: Path) -> None:
    jobs = (
        "  full: {method: image, data: users, to: jukebox, source: cow}\n"
        "  dd: {method: write, data: users, begin: 100 s, flush: true}\n"
    )
    result = simulate(with_snapshot(tmp_path, jobs))
    assert status(result)["full"] == ("failed", "'cow' became invalid: its copy area is full")
    assert steps(result, "full")[-2:] == [("unload", 10.0), ("dismount", 10.0)]  # it gives its cartridge back


def test_tape_marks_of_each_file_stop_the_tape() -> None:
    marks = "{start_time: 5 s, mount_time: 0 s, file_time: 10 ms, file_marks: 2}"
    jobs = FULL.replace("}", f", tool: {marks}}}")
    result = run(jobs)
    spent = dict(steps(result, "full"))
    assert (spent["start"], spent["prepare"]) == (5.0, 10.0)
    assert spent["tape marks"] == pytest.approx(2 * 3.0)  # the image of a file system is one file
    assert spent["transfer"] == pytest.approx(400.0)
    two = run(jobs, {"data.users.size": "15 GB"})
    assert [t for a, t in steps(two, "full") if a == "tape marks"] == pytest.approx([4.0, 2.0])
    by_file = dict(steps(run(jobs, {"jobs.full.method": "file_level"}), "full"))
    assert by_file["tape marks"] == pytest.approx(1000 * 2 * 3.0)


def test_a_restore_tells_each_file_but_writes_no_marks() -> None:
    marks = "{start_time: 5 s, mount_time: 0 s, file_time: 10 ms, file_marks: 2}"
    jobs = FULL.replace("}", f", tool: {marks}}}")
    jobs += "  some: {restore: full, select: {files: 4, size: 4 MB}, after: full}\n"
    result = run(jobs)
    assert steps(result, "some")[:2] == [("start", 5.0), ("prepare", pytest.approx(0.04))]
    assert "tape marks" not in dict(steps(result, "some"))


def moved(result: Result, address: str) -> float:
    return next(row["bytes"] for row in result.device_rows if row["device"] == address)


def rate_at(result: Result, address: str, time: float) -> float:
    """Bytes a second that crossed a link at a time."""
    return next(r.bytes_per_s for r in reversed(result.trace.rates) if r.link == address and r.time <= time)


@for_each(
    "streams, bridges, rate, cause",
    [
        (1, (1, 5), 5, "links.bridges"),
        (1, (4, 5), 5, "links.bridges"),  # one stream on one of the bridges
        (2, (1, 5), 2.5, "links.bridges"),
        (2, (2, 5), 5, "links.bridges"),
        (4, (2, 5), 2.5, "links.bridges"),
        (4, (4, 30), 10, "devices.jukebox.drive"),
        (4, (1, 30), 7.5, "links.bridges"),
    ],
)
def test_each_stream_takes_one_of_the_links_of_a_chain(
    tmp_path: Path, streams: int, bridges: tuple[int, int], rate: float, cause: str
) -> None:
    path = tmp_path / "scenario.yaml"
    links = (
        "links:\n  loops: {joins: [filer, bridges], rate: 50 MB/s, latency: 0 s}\n"
        f"  bridges: {{joins: [loops, jukebox], rate: {bridges[1]} MB/s, latency: 0 s, count: {bridges[0]}}}\n"
    )
    text = BASE.replace("owns: [array, spare, jukebox]", "owns: [array, spare]") + FULL + links
    path.write_text(text.replace("to: jukebox", f"to: jukebox, streams: {streams}"), encoding="utf-8")
    result = simulate(path, SMOOTH | {"devices.jukebox.drives": streams})
    mounted = EXCHANGE * streams + LOAD + 1.0  # when all move
    assert rate_at(result, "links.bridges", mounted) == pytest.approx(rate * streams * 1e6)
    for i in range(streams):
        assert rate_at(result, f"devices.jukebox.drive.{i + 1}", mounted) == pytest.approx(rate * 1e6)
    assert max(transfers(result, "full").items(), key=lambda item: item[1])[0].startswith(cause)
    assert moved(result, "links.loops") == moved(result, "links.bridges") == pytest.approx(4e9)


def test_the_bus_of_an_array_limits_its_backup() -> None:
    bus = "links:\n  bus: {joins: [filer, array], rate: 6 MB/s, latency: 0 s}\n"
    result = run(FULL + "  mail: {method: image, data: mail, to: jukebox, after: full}\n" + bus)
    assert transfers(result, "full") == {"links.bus": pytest.approx(4000.0 / 6.0)}
    assert transfers(result, "mail") == {FIRST: pytest.approx(400.0)}
    assert moved(result, "links.bus") == pytest.approx(4e9)


def test_a_restore_crosses_the_bus_of_the_array_as_well() -> None:
    bus = "links:\n  bus: {joins: [filer, array], rate: 6 MB/s, latency: 0 s}\n"
    changes = {"hosts.filer.dirty_limit": "0.1 %", "hosts.filer.dirty_background": "0 %"}
    result = run(FULL + "  back: {restore: full, after: full}\n" + bus, changes)
    assert moved(result, "links.bus") == pytest.approx(8e9)
    assert result.get("jobs.back.elapsed") >= 4000.0 / 6.0


@for_each("streams", [1, 2, 4, 8])
def test_streams_of_a_disk_turn_between_the_places_of_their_parts(streams: int) -> None:
    """Each reads its part of 10 TB on a disk of 20 TB; the way to the next part is half a revolution and a seek."""
    changes = {
        "devices.jukebox.drives": streams, "devices.jukebox.bays": 8, "devices.jukebox.slots": 8,
        "devices.jukebox.drive.native_rate": "300 MB/s", "devices.jukebox.drive.cartridge_capacity": "20 TB",
        "data.mail.size": "10 TB", "jobs.mail.streams": streams, "devices.jukebox.drive.slowest_rate": "1 MB/s",
    }  # fmt: skip
    result = run(MAIL, changes)
    spare = build(load(BASE + MAIL).spec, 0)[0].of(Store)["spare"].parameters
    lost = sweep_turn_time(spare, [(number + 0.5) / streams / 2.0 for number in range(streams)])
    each = 1.0 / 200e6 + (lost / spare.stream_turn if streams > 1 else 0.0)
    assert rate_at(result, "devices.spare", 600.0) == pytest.approx(1.0 / each, rel=0.01)
