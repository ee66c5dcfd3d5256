from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simbackup import Result, simulate
from simbackup.equations import tape

BASE = """
title: A file server and its tapes
hosts:
  filer: {model: host/linux-modern-server, copy_rate: 10 GB/s, owns: [array, spare, jukebox]}
devices:
  array: {model: disk/nearline-20tb-2022, outer_rate: 200 MB/s, inner_rate: 200 MB/s}
  spare: {model: disk/nearline-20tb-2022, outer_rate: 200 MB/s, inner_rate: 200 MB/s}
  jukebox:
    model: tape_library/autoloader-8
    bays: 4
    robots: 1
    exchange_time: 10 s
    drives: 1
    cartridges: 4
    drive:
      model: tape_drive/lto-3
      native_rate: 10 MB/s
      cartridge_capacity: 10 GB
      tape_length: 100 m
      passes: 10
      read_speed: 1 m/s
      search_speed: 5 m/s
      load_time: 30 s
      unload_time: 10 s
      locate_overhead: 2 s
      turn_time: 1 s
      host_rate: 1 GB/s
data:
  users: {on: array, size: 4 GB, files: 1000, filesystem: filesystem/xfs}
  mail: {on: spare, size: 4 GB}
jobs:
"""
DRIVE = tape.TapeDrive(10e6, 10e9, 100.0, 10, 1.0, 5.0, 30.0, 10.0, 2.0, 1.0, 8e6)
EXCHANGE, LOAD, UNLOAD = 10.0, 30.0, 10.0
FULL = "  full: {method: image, data: users, to: jukebox}\n"
MAIL = "  mail: {method: image, data: mail, to: jukebox}\n"


def run(tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None) -> Result:
    path = tmp_path / "scenario.yaml"
    path.write_text(BASE + jobs, encoding="utf-8")
    return simulate(path, changes)


def steps(result: Result, job: str) -> list[tuple[str, float]]:
    return [(s.activity, s.end - s.start) for s in result.trace.spans if s.job == f"jobs.{job}"]


def status(result: Result) -> dict[str, tuple[str, str]]:
    return {row["job"]: (row["status"], row["reason"]) for row in result.job_rows}


def visit(end: float) -> float:
    """Seconds of a mount at the beginning and the way home from a byte."""
    return EXCHANGE + LOAD + tape.rewind_time(DRIVE, end) + UNLOAD + EXCHANGE


def test_a_backup_by_hand(tmp_path: Path) -> None:
    result = run(tmp_path, FULL)
    assert steps(result, "full") == [
        ("exchange", 10.0),
        ("load", 30.0),
        ("transfer", pytest.approx(400.0)),
        ("unload", 10.0),  # four whole passes: the tape stands at its beginning
        ("exchange", 10.0),
    ]
    assert result.get("jobs.full.elapsed") == pytest.approx(visit(4e9) + 400.0, rel=1e-12)
    assert result.get("jobs.full.bytes") == 4e9


def test_one_file_back_by_hand(tmp_path: Path) -> None:
    result = run(tmp_path, FULL + "  one: {restore: full, select: {files: 1, size: 20 MB, at: 50 %}, after: full}\n")
    begin, end = 2e9, 2e9 + 20e6
    flushed = 20e6 / 200e6  # read into memory at 10 MB/s, below the background limit, then written
    expected = [
        ("exchange", EXCHANGE),
        ("load", LOAD),
        ("locate", tape.locate_time(DRIVE, 0.0, begin)),
        ("transfer", 20e6 / tape.transfer_rate(DRIVE, 1.0)),
        ("rewind", tape.rewind_time(DRIVE, end)),
        ("unload", UNLOAD),
        ("exchange", EXCHANGE),
    ]
    found = [(a.replace("write", "transfer"), t) for a, t in steps(result, "one")]
    assert found == [(activity, pytest.approx(seconds)) for activity, seconds in expected]
    assert flushed < tape.rewind_time(DRIVE, end)  # so that the disk is done before the tape is home
    assert result.get("jobs.one.elapsed") == pytest.approx(sum(t for _, t in expected), rel=1e-9)
    assert (result.get("jobs.one.bytes"), result.get("jobs.one.files")) == (20e6, 1.0)


def test_files_spread_over_the_save_set_are_located_one_by_one(tmp_path: Path) -> None:
    result = run(tmp_path, FULL + "  some: {restore: full, select: {files: 4, size: 4 MB}, after: full}\n")
    golden = (5**0.5 - 1) / 2
    places = [i * 1e9 + (0.5 + i * golden) % 1.0 * (1e9 - 1e6) for i in range(4)]
    ways = [tape.locate_time(DRIVE, a, b) for a, b in zip([0.0, *(p + 1e6 for p in places)], places, strict=False)]
    assert [t for activity, t in steps(result, "some") if activity == "locate"] == pytest.approx(ways)


def test_a_second_backup_appends_where_the_first_ended(tmp_path: Path) -> None:
    second = "  second: {method: image, data: mail, to: jukebox, after: full}\n"
    result = run(tmp_path, FULL + second + "  back: {restore: second, after: second}\n")
    assert result.activities("second")["devices.jukebox.drive.1", "locate"] == pytest.approx(
        tape.locate_time(DRIVE, 0.0, 4e9)
    )
    assert result.activities("back")["devices.jukebox.drive.1", "locate"] == pytest.approx(
        tape.locate_time(DRIVE, 0.0, 4e9)
    )


def test_a_save_set_that_spans_cartridges_is_restored_across_them(tmp_path: Path) -> None:
    result = run(tmp_path, FULL + "  back: {restore: full, after: full}\n", {"data.users.size": "25 GB"})
    loads = {job: [a for a, _ in steps(result, job)].count("load") for job in ("full", "back")}
    assert loads == {"full": 3, "back": 3}
    expected = 2 * visit(10e9) + visit(5e9) + 2500.0
    assert result.get("jobs.full.elapsed") == pytest.approx(expected)
    assert result.get("jobs.back.elapsed") == pytest.approx(expected)
    assert result.get("jobs.back.bytes") == 25e9


def test_compression_speeds_the_drive_and_stretches_the_tape(tmp_path: Path) -> None:
    result = run(tmp_path, FULL, {"data.users.compression": "2:1", "data.users.size": "20 GB"})
    assert [a for a, _ in steps(result, "full")].count("load") == 1
    assert sum(t for a, t in steps(result, "full") if a == "transfer") == pytest.approx(1000.0)


def test_a_job_waits_for_the_only_drive(tmp_path: Path) -> None:
    result = run(tmp_path, FULL + MAIL)
    assert steps(result, "mail")[0] == ("wait for a drive", pytest.approx(result.get("jobs.full.elapsed")))
    assert result.get("jobs.mail.waits") == pytest.approx(result.get("jobs.full.elapsed"))
    assert result.get("jobs.full.waits") == 0.0


def test_two_drives_wait_for_one_robot_only(tmp_path: Path) -> None:
    result = run(tmp_path, FULL + MAIL, {"devices.jukebox.drives": 2})
    assert result.get("jobs.mail.waits") >= 10.0
    assert steps(result, "mail")[0] == ("mount queue", 10.0)
    assert result.get("jobs.mail.elapsed") < 1.1 * result.get("jobs.full.elapsed")


def test_drives_are_busy_while_they_move_or_transfer(tmp_path: Path) -> None:
    result = run(tmp_path, FULL)
    assert result.get("devices.jukebox.drive.1.busy_s") == pytest.approx(
        LOAD + 400.0 + tape.rewind_time(DRIVE, 4e9) + UNLOAD
    )
    slow = run(tmp_path, FULL, {"devices.array.outer_rate": "5 MB/s", "devices.array.inner_rate": "5 MB/s"})
    assert slow.get("devices.jukebox.drive.1.busy_s") == pytest.approx(result.get("devices.jukebox.drive.1.busy_s"))
    assert slow.get("devices.jukebox.drive.1.busy") < result.get("devices.jukebox.drive.1.busy")


def test_a_pool_that_runs_full_fails_its_job_and_the_rest_goes_on(tmp_path: Path) -> None:
    jobs = (
        FULL
        + "  mail: {method: image, data: mail, to: jukebox, after: full}\n"
        + "  back: {restore: mail, after: mail}\n  again: {restore: full, after: full}\n"
    )
    result = run(tmp_path, jobs, {"devices.jukebox.cartridges": 1, "data.users.size": "8 GB"})
    assert status(result) == {
        "full": ("done", ""),
        "mail": ("failed", "the pool of 'devices.jukebox' is full"),
        "back": ("skipped", "'mail' did not end well"),
        "again": ("done", ""),
    }
    assert result.get("jobs.mail.bytes") == 0.0


def test_backups_that_fit_into_the_pool_wait_for_its_cartridge(tmp_path: Path) -> None:
    result = run(tmp_path, FULL + MAIL, {"devices.jukebox.cartridges": 1, "devices.jukebox.drives": 2})
    assert {state for state, _ in status(result).values()} == {"done"}
    assert steps(result, "mail")[0] == ("wait for a cartridge", pytest.approx(result.get("jobs.full.elapsed")))


def test_a_restore_before_its_backup_fails(tmp_path: Path) -> None:
    result = run(tmp_path, FULL + "  back: {restore: full}\n")
    assert status(result)["back"] == ("failed", "the catalogue has no save set of 'full'")


def test_a_restore_takes_the_last_run_of_a_repeated_backup(tmp_path: Path) -> None:
    jobs = FULL.replace("}", ", every: 1 h, until: 2 h}") + "  back: {restore: full, after: full}\n"
    result = run(tmp_path, jobs)
    assert status(result)["back"] == ("done", "")
    # two save sets lie before the third on the first cartridge, whose end it fills: 8 to 10 GB, and 2 GB more
    assert result.activities("back")["devices.jukebox.drive.1", "locate"] == pytest.approx(
        tape.locate_time(DRIVE, 0.0, 8e9)
    )
    assert [a for a, _ in steps(result, "back")].count("load") == 2


def test_a_restore_does_not_wait_for_what_others_write(tmp_path: Path) -> None:
    one = "  one: {restore: full, select: {files: 1, size: 20 MB, at: 50 %}, after: full}\n"
    alone = run(tmp_path, FULL + one)
    writer = "  dd: {method: write, data: mail, after: full}\n"
    busy = run(tmp_path, FULL + one + writer, {"data.mail.size": "100 GB"})
    assert busy.get("jobs.one.elapsed") == pytest.approx(alone.get("jobs.one.elapsed"))


@pytest.mark.parametrize("files", [100_000, 1_000_000])
def test_many_small_files_are_slower_file_by_file(tmp_path: Path, files: int) -> None:
    changes = {"data.users.files": files}
    image = run(tmp_path, FULL, changes)
    walked = run(tmp_path, FULL.replace("image", "file_level"), changes)
    assert walked.get("jobs.full.elapsed") > 1.5 * image.get("jobs.full.elapsed")
    assert walked.get("jobs.full.bytes") == image.get("jobs.full.bytes") == 4e9
    assert walked.get("jobs.full.files") == files


def test_a_few_large_files_are_as_fast_either_way(tmp_path: Path) -> None:
    image = run(tmp_path, FULL, {"data.users.files": 4})
    walked = run(tmp_path, FULL.replace("image", "file_level"), {"data.users.files": 4})
    assert walked.get("jobs.full.elapsed") == pytest.approx(image.get("jobs.full.elapsed"), rel=0.05)
