"""Files that are made, in restores, copies and by programs; workers, queues and shares of scattering: by hand."""

from pathlib import Path

import pytest

import simbackup as sb
from simbackup.equations.files import Making, making
from simbackup.equations.queueing import mva_closed
from simbackup.results.result import Result
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")

SITE = """\
title: Files that are made
hosts:
  host: {owns: [a, b, nul], cores: 8, memory: 100 GB, dirty_limit: 0.01 %, dirty_background: 0 %, copy_rate: 100 GB/s}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 1 ms, write_latency: 1 ms}
  b: {kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms, average_seek: 5 ms,
    full_stroke_seek: 5 ms, outer_rate: 50 MB/s, inner_rate: 50 MB/s, command_overhead: 0 s, stream_turn: 1 MB}
  library: {model: tape_library/autoloader-8, drive: tape_drive/lto-9, drives: 1}
  nul: {kind: nul}
links:
  bus: {joins: [host, library], rate: 1 GB/s, latency: 0 s}
data:
  d: {on: a, size: 100 MB, files: 10000, directories: 0, layout: scattered, cached: 100 %,
    filesystem: {reads_per_file: 1, cpu_per_file: 0.1 ms/file, fragment: 1 MB, record: 1 kB, MAKING}}
  e: {on: b, size: 100 MB, files: 10000, directories: 0, layout: scattered,
    filesystem: {reads_per_file: 1, cpu_per_file: 0.1 ms/file, fragment: 1 MB, record: 1 kB, MAKING}}
jobs:
"""
TOOL = "tool: {start_time: 0 s, mount_time: 0 s, attributes: 3, file_cpu: 0.5 ms/file}"
COSTS = "create_cpu: 2 ms/file, attribute_cpu: 1 ms/file"
FILES = 10_000


def run(jobs: str, making: str = COSTS) -> Result:
    return sb.simulate(SITE.replace("MAKING", making) + jobs)


@pytest.mark.parametrize(("to", "figure"), [("a", "elapsed"), ("library", "transfer_rate")])
def test_files_cost_the_same_from_tape_as_from_disk(to: str, figure: str) -> None:
    """Two milliseconds to make, three attributes of one, half a one of the program: 55 s; and the bytes of one copy."""
    jobs = f"  save: {{method: file_level, data: d, to: {to}, {TOOL}}}\n  back: {{restore: save, after: save}}\n"
    result = run(jobs)
    seconds = result.get("jobs.back.elapsed") if figure == "elapsed" else 100e6 / result.get("jobs.back.transfer_rate")
    assert seconds == pytest.approx(FILES * 5.5e-3, rel=0.02)


def test_a_selected_file_of_a_tape_is_made_once_however_large_it_is() -> None:
    """The files of the save set have 10 kB in the mean: half a second for each that is made."""
    jobs = (
        f"  save: {{method: file_level, data: d, to: library, {TOOL}}}\n"
        "  back: {restore: save, after: save, select: {files: 1, size: 10 MB, at: 0 %}}\n"
    )
    result = run(jobs, "create_cpu: 500 ms/file")
    assert sum(s for (_, what), s in result.causes("back").items() if what == "create") == pytest.approx(0.5, rel=0.01)


def test_a_program_and_a_copy_make_files_too() -> None:
    result = run("  write: {method: write, data: d}\n  copy: {method: copy, data: d, to: e, after: write}\n")
    assert result.get("jobs.write.elapsed") == pytest.approx(FILES * 2e-3, rel=0.01)
    assert result.get("jobs.write.files") == FILES
    assert result.get("jobs.copy.elapsed") == pytest.approx(FILES * 2.1e-3, rel=0.01)


def test_writes_behind_take_the_disk_and_writes_that_are_waited_for_the_program() -> None:
    """A write of the disk takes a seek of 5 ms and half a turn of 10 ms; behind or waited for, it is the limit."""
    for costs in ("create_cpu: 0 s/file, create_writes: 1", "create_cpu: 0 s/file, create_syncs: 1"):
        result = run("  write: {method: write, data: e, flush: true}\n", costs)
        bytes_too = (10e3 + 1e3 + 1e3) / 50e6
        assert result.get("jobs.write.elapsed") == pytest.approx(FILES * (10e-3 + bytes_too), rel=0.02)


def test_a_journal_takes_bytes_in_sequence() -> None:
    costs = "create_cpu: 0 s/file, log_record: 39 kB/file"
    result = run("  write: {method: write, data: e, flush: true}\n", costs)
    assert result.get("jobs.write.elapsed") == pytest.approx(FILES * 50e3 / 50e6, rel=0.01)
    assert result.get("devices.b.bytes") == pytest.approx(FILES * 50e3)


def test_directories_are_made_as_files_are() -> None:
    each = Making(1e-3, 0.5, 2.0, 256.0)
    assert making(each, 2, 1e-4, 100.0, 0.5) == pytest.approx((1.5 * 1.2e-3, 0.75, 3.0, 1.5 * 556.0))


def test_empty_files_are_made_and_read_without_data(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    text = SITE.replace("MAKING", COSTS).replace("cached: 100 %", "file_size: 0 B")
    file.write_text(text + "  save: {method: file_level, data: d, to: nul}\n", encoding="utf-8")
    record = 1e-3 + 1e3 / 1e9
    assert sb.simulate(file).get("jobs.save.elapsed") == pytest.approx(FILES * (0.1e-3 + record), rel=1e-3)


@for_each("workers", [1, 2, 4])
def test_workers_wait_behind_each_other_at_the_disk(workers: int) -> None:
    """Each file takes 0.1 ms of a core, and two reads of 10 ms and their bytes of the one disk."""
    result = run(f"  save: {{method: file_level, data: e, to: nul, workers: {workers}}}\n")
    disk = 2 * 10e-3 + 11e3 / 50e6
    rate = mva_closed([disk], workers, 0.1e-3).throughput
    assert result.get("jobs.save.elapsed") == pytest.approx(FILES / rate, rel=0.02)


def test_workers_and_jobs_side_by_side_come_to_the_same() -> None:
    both = run("  one: {method: file_level, data: e, to: nul}\n  two: {method: file_level, data: e, to: nul}\n")
    one = run("  one: {method: file_level, data: e, to: nul, workers: 2}\n")
    assert both.get("jobs.one.elapsed") == pytest.approx(2.0 * one.get("jobs.one.elapsed"), rel=0.01)


def test_a_share_of_scattered_files_is_the_mean_of_both(tmp_path: Path) -> None:
    def seconds(layout: str) -> float:
        file = tmp_path / "case.yaml"
        text = SITE.replace("MAKING", COSTS).replace("layout: scattered", f"layout: {layout}")
        file.write_text(text + "  save: {method: file_level, data: e, to: nul}\n", encoding="utf-8")
        return sb.simulate(file).get("jobs.save.elapsed")

    together, scattered = seconds("together"), seconds("scattered")
    assert (seconds("0 %"), seconds("100 %")) == (together, scattered)
    assert seconds("25 %") == pytest.approx(0.75 * together + 0.25 * scattered)


def test_opening_may_wait_without_a_core() -> None:
    result = run("  save: {method: file_level, data: d, to: nul}\n", "open_time: 1 ms/file")
    assert result.get("jobs.save.elapsed") == pytest.approx(FILES * 1.1e-3, rel=1e-3)
    assert result.activities("save")["data.d", "open"] == pytest.approx(FILES * 1e-3, rel=1e-3)


def test_a_device_that_keeps_nothing_gives_nothing_back() -> None:
    with pytest.raises(sb.InputError, match="keeps nothing"):
        run("  save: {method: file_level, data: d, to: nul}\n  back: {restore: save, after: save}\n")


FAR = """\
title: Files of a share, which a host reads that asks for nothing ahead
hosts:
  keeper: {owns: [a], cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 100 GB/s}
  reader:
    {owns: [nul, b], cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 100 GB/s,
     read_ahead: 1 MB}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}
  nul: {kind: nul}
links:
  lan: {joins: [keeper, reader], rate: 100 MB/s, latency: 0.5 ms}
data:
  d: {on: a, size: 100 MB, files: 10000, cached: 100 %,
    filesystem: {reads_per_file: 1, cpu_per_file: 0 ms/file, fragment: 1 MB, record: 1 kB}}
jobs:
"""


def far(job: str, more: str = "") -> Result:
    return sb.simulate(FAR + f"  save: {{method: file_level, data: d, {job}}}\n" + more)


@for_each("workers", [1, 4, 64])
def test_each_request_of_a_share_takes_a_round_trip_and_workers_share_the_wire(workers: int) -> None:
    """Three calls and four requests of 2.5 kB: 3.5 ms on the way, and 0.1 ms on the wire."""
    share = "share: {host: reader, calls: 3, request: 2500 B}"
    rate = mva_closed([0.1e-3], workers, 7 * 0.5e-3).throughput
    result = far(f"to: nul, workers: {workers}, {share}")
    assert result.get("jobs.save.elapsed") == pytest.approx(FILES / rate, rel=0.02)
    assert result.get("links.lan.bytes") == pytest.approx(100e6)


def test_a_restore_to_a_share_waits_for_each_request_its_answer_and_the_wire() -> None:
    """Five calls and four requests for data to make a file, six and four to read it: 0.5 ms away, and 0.2 ms of the
    host that keeps it; 0.1 ms on the wire."""
    share = "share: {host: reader, calls: 6, make_calls: 5, request: 2500 B, call_cpu: 0.2 ms"
    back = f"  back: {{restore: save, after: save, {share}}}}}\n"
    result = far(f"to: b, {share}}}", back)
    assert result.get("jobs.save.elapsed") == pytest.approx(FILES * (10 * 0.7e-3 + 0.1e-3), rel=0.01)
    assert result.get("jobs.back.elapsed") == pytest.approx(FILES * (9 * 0.7e-3 + 0.1e-3), rel=0.01)
    busy = next(row["busy_s"] for row in result.device_rows if row["device"] == "hosts.keeper.cores")
    assert busy * 8 == pytest.approx(FILES * 19 * 0.2e-3, rel=0.02)


def test_a_request_of_a_share_may_list_many_files(tmp_path: Path) -> None:
    """One of a hundred files is read, by seven requests; the others take four each, or one for twenty of them."""
    level = "level: incremental, since: 1 d"
    changes = FAR.replace("cached: 100 %", "cached: 100 %, change: {daily: 1 %}")
    seconds: list[float] = []
    for looks in ("", ", look_calls: 0.05"):
        share = f"share: {{host: reader, calls: 4, request: 5 kB{looks}}}"
        file = tmp_path / "case.yaml"
        file.write_text(
            f"{changes}  save: {{method: file_level, data: d, to: nul, {level}, {share}}}\n", encoding="utf-8"
        )
        seconds.append(sb.simulate(file).get("jobs.save.elapsed"))
    read = FILES * 0.01 * (6 * 0.5e-3 + 0.1e-3)
    assert seconds == pytest.approx([read + FILES * 0.99 * 4 * 0.5e-3, read + FILES * 0.99 * 0.05 * 0.5e-3], rel=0.01)


def test_a_program_that_alternates_takes_the_sum_of_reading_and_sending() -> None:
    """0.1 ms to send each file and 0.5 ms of the program's own."""
    tool = "start_time: 0 s, mount_time: 0 s, file_cpu: 0.5 ms/file"
    overlapped = far(f"to: b, tool: {{{tool}}}").get("jobs.save.elapsed")
    by_turns = far(f"to: b, tool: {{{tool}, alternates: true}}").get("jobs.save.elapsed")
    assert (overlapped, by_turns) == (pytest.approx(FILES * 0.5e-3, rel=0.03), pytest.approx(FILES * 0.6e-3, rel=0.03))


@pytest.mark.parametrize(("host", "message"), [("keeper", "keeps the data itself"), ("nobody", "nobody")])
def test_a_share_is_read_by_another_host(host: str, message: str) -> None:
    with pytest.raises(sb.InputError, match=message):
        far(f"to: nul, share: {{host: {host}, calls: 3, request: 32 KiB}}")
