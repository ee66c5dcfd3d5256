"""Spooled backups and landing zones, against sums and the closed form of a bucket."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import InputError
from simbackup.results.shown import note_rows
from tests.cases import for_each

SIZE, LINE, TAPE, ROOM = 100e9, 100e6, 120e6, 8e9
SITE = """\
title: A filer, a backup server with a spool, and a drive
hosts:
  filer: {cores: 4, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 10 %, copy_rate: 8 GB/s, owns: [source]}
  server: {cores: 4, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 0 %, copy_rate: 8 GB/s, owns: [spool, library]}
devices:
  source: {kind: ssd, capacity: 1 TB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  spool: {kind: ssd, capacity: 20 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  library:
    kind: tape_library
    bays: 1
    slots: 5
    robots: 1
    exchange_time: 5 s
    drives: 1
    drive:
      native_rate: 120 MB/s
      slowest_rate: 40 MB/s
      cartridge_capacity: 800 GB
      tape_length: 820 m
      passes: 56
      read_speed: 6.9 m/s
      search_speed: 7 m/s
      load_time: 5 s
      unload_time: 5 s
      locate_overhead: 0 s
      turn_time: 0 s
      reposition_time: 0 s
      buffer: 128 MB
      host_rate: 240 MB/s
      command_time: 0 s
links:
  lan: {joins: [filer, server], rate: 100 MB/s, latency: 0 s}
data:
  files: {on: source, size: 100 GB}
jobs:
  full: {method: image, data: files, to: library, spool: {on: spool, size: 8 GB}}
  back: {restore: full, after: full}
"""
MOVES = 30.0
"""Seconds, at most, of robot, load, rewind and unload, once each."""


def run(changes: dict[str, Any] | None = None) -> sb.Result:
    return sb.simulate(sb.load(SITE, changes or {}))


def moving(result: sb.Result, job: str = "full") -> float:
    """Seconds of a job without those of robot and drive."""
    elapsed = float(result.get(f"jobs.{job}.elapsed"))
    handled = {"mount", "dismount", "load", "unload", "rewind", "locate"}
    spans = [span for span in result.trace.spans if span.job == f"jobs.{job}" and span.activity in handled]
    assert sum(span.end - span.start for span in spans if span.activity == "load") == 5.0  # it stays mounted
    return elapsed - sum(span.end - span.start for span in spans)


def test_in_turns_both_ways_add_up() -> None:
    assert moving(run()) == pytest.approx(SIZE / LINE + SIZE / TAPE, rel=0.01)


def test_side_by_side_the_longer_counts_and_the_first_half_and_the_last() -> None:
    found = moving(run({"jobs.full.spool.overlapped": True}))
    assert found == pytest.approx(SIZE / LINE + ROOM / 2 / TAPE, rel=0.02)
    slow = moving(run({"jobs.full.spool.overlapped": True, "devices.library.drive.native_rate": "50 MB/s"}))
    assert slow == pytest.approx(ROOM / 2 / LINE + SIZE / 50e6, rel=0.02)


def test_more_room_makes_turns_longer_not_fewer_bytes() -> None:
    assert moving(run({"jobs.full.spool.size": "16 GB"})) == pytest.approx(moving(run()), rel=0.01)


def test_a_disk_that_reads_and_writes_at_once_shares_its_time() -> None:
    slow = {"devices.spool.read_rate": "100 MB/s", "devices.spool.write_rate": "100 MB/s"}
    assert moving(run(slow)) == pytest.approx(SIZE / LINE + SIZE / LINE, rel=0.02)
    both = moving(run(slow | {"jobs.full.spool.overlapped": True}))
    assert both == pytest.approx(2 * SIZE / LINE, rel=0.05)


def test_a_program_that_alternates_between_spool_and_drive_takes_both() -> None:
    changes = {"devices.spool.read_rate": "100 MB/s", "jobs.full.tool": {"alternates": True, "start_time": "0 s",
               "mount_time": "0 s", "block": "64512 B"}, "devices.library.drive.command_time": "0.1 ms"}  # fmt: skip
    each = 1 / 100e6 + 1 / 240e6 + 1e-4 / 64512
    assert moving(run(changes)) == pytest.approx(SIZE / LINE + SIZE * each, rel=0.02)


def test_what_was_spooled_is_restored_from_tape() -> None:
    result = run()
    assert result.get("jobs.back.bytes") == SIZE
    assert moving(result, "back") == pytest.approx(SIZE / LINE, rel=0.02)


def test_the_room_is_free_again_after_each_run() -> None:
    again = run({"jobs.full.every": "1 d", "jobs.full.until": "3 d", "jobs.back": None})
    assert list(again.jobs["status"]) == ["done"] * 4


def test_jobs_that_share_a_spool_wait_for_room_and_take_what_comes_back() -> None:
    """Two of three fit: both are spooled at half of the line's rate, and the third when the first is on tape."""
    job = "{method: image, data: files, to: library, spool: {on: spool, size: 8 GB}}"
    three = "".join(f"  {name}: {job}\n" for name in ("one", "two", "three"))
    text = SITE[: SITE.index("jobs:\n")] + "jobs:\n" + three
    result = sb.simulate(sb.load(text, {"data.files.size": "8 GB", "devices.library.unload_after": "1 d"}))
    assert list(result.jobs["status"]) == ["done"] * 3
    line, tape = ROOM / LINE, ROOM / TAPE
    waited = sum(s.end - s.start for s in result.trace.spans if s.activity == "wait for room")
    assert waited == pytest.approx(2 * line + tape, abs=MOVES)
    assert result.get("jobs.two.elapsed") == pytest.approx(2 * line + 2 * tape, abs=MOVES)
    assert result.get("jobs.three.elapsed") == pytest.approx(3 * line + 2 * tape, abs=MOVES)


# Landing zones that fill up, against a bucket that writes empty and draining fills
MB, GB = 1e6, 1e9
ZONE_SITE = """\
title: A disk with a landing zone of 40 GB, written from a faster one
hosts:
  host: {owns: [fast, slow], cores: 64, memory: 2 GB, dirty_limit: 0.1 %, dirty_background: 0 %, copy_rate: 1 TB/s}
devices:
  fast: {kind: ssd, capacity: 9 TB, read_rate: 3 GB/s, write_rate: 3 GB/s, read_latency: 0 s, write_latency: 0 s}
  slow: {kind: ssd, capacity: 9 TB, read_rate: 1 GB/s, write_rate: 500 MB/s, read_latency: 0 s, write_latency: 0 s,
    landing_zone: 40 GB, drain_rate: 100 MB/s}
data:
  data: {on: fast, size: 200 GB}
jobs:
  save: {method: image, data: data, to: slow}
"""


def taken(size: float, fast: float, zone: float, drain: float) -> float:
    """Seconds: at the fast rate until what came and did not drain is the zone, and then as fast as it drains."""
    room = zone * fast / (fast - drain)
    return size / fast if size <= room else room / fast + (size - room) / drain


@for_each("size", [30e9, 49e9, 51e9, 200e9])
def test_a_long_backup_slows_down_when_the_zone_is_full(size: float) -> None:
    result = sb.simulate(ZONE_SITE, {"data.data.size": f"{size} B"})
    assert result.get("jobs.save.elapsed") == pytest.approx(taken(size, 500e6, 40e9, 100e6), rel=1e-3)
    full = [note["at"] for note in note_rows(result.trace) if note["what"] == "is full"]
    assert full == ([pytest.approx(100.0, rel=1e-3)] if size > 50e9 else [])


@for_each("begin", ["0 s", "30 d", "3000 d"])
def test_a_zone_that_fills_up_within_a_tick_of_the_clock_holds_nothing_up(begin: str) -> None:
    """1 kB are there after 2.5 us; late in a run, the clock cannot tell the last of them from none."""
    text = ZONE_SITE.replace("to: slow}", f"to: slow, begin: {begin}}}")
    result = sb.simulate(text, {"devices.slow.landing_zone": "1 kB"})
    assert result.get("jobs.save.elapsed") == pytest.approx(200e9 / 100e6, rel=1e-6)
    assert note_rows(result.trace)[0]["what"] == "is full"


def test_it_is_empty_again_the_next_night_and_reads_pass_by() -> None:
    again = "  again: {method: image, data: data, to: slow, begin: 1 h}\n  back: {restore: save, after: again}\n"
    result = sb.simulate(ZONE_SITE + again, {"data.data.size": "50 GB"})
    assert result.get("jobs.again.elapsed") == pytest.approx(result.get("jobs.save.elapsed"))
    assert result.get("jobs.back.elapsed") == pytest.approx(50e9 / 1e9, rel=1e-3)


def test_a_slow_source_never_fills_it() -> None:
    result = sb.simulate(ZONE_SITE, {"devices.fast.read_rate": "90 MB/s"})
    assert result.get("jobs.save.elapsed") == pytest.approx(200e9 / 90e6, rel=1e-3)


def test_a_device_with_a_zone_is_written_and_read_over_all_wires_of_its_bus() -> None:
    bus = "links:\n  bus: {rate: 100 MB/s, latency: 0 s, joins: [host, slow], count: 4}\ndata:\n"
    text = ZONE_SITE.replace("data:\n", bus, 1) + "  back: {restore: save, after: save}\n"
    result = sb.simulate(text, {"data.data.size": "20 GB"})
    assert result.get("jobs.save.elapsed") == pytest.approx(20e9 / 400e6, rel=1e-3)
    assert result.get("jobs.back.elapsed") == pytest.approx(20e9 / 400e6, rel=1e-3)


def test_the_members_of_an_array_land_side_by_side() -> None:
    """Four disks for data have four zones, which drain at four times the rate; parity goes to a fifth."""
    array = "{kind: raid, level: 5, stripe_unit: 64 KiB, controller_overhead: 0 s, disks: 5, ssd: {"
    text = ZONE_SITE.replace("slow: {kind: ssd, ", f"slow: {array}").replace("100 MB/s}", "100 MB/s}}")
    result = sb.simulate(text, {"data.data.size": "800 GB"})
    assert result.get("jobs.save.elapsed") == pytest.approx(taken(800e9, 2e9, 160e9, 400e6), rel=1e-3)


def test_explain_names_the_device_and_a_rotating_disk_has_one_too() -> None:
    disk = "slow: {model: disk/nearline-4tb-2013, landing_zone: 25 GB, drain_rate: 30 MB/s}\n"
    text = ZONE_SITE[: ZONE_SITE.index("slow: {kind")] + disk + ZONE_SITE[ZONE_SITE.index("data:\n  data") :]
    result = sb.simulate(text)
    assert 200e9 / 60e6 < result.get("jobs.save.elapsed") < taken(200e9, 100e6, 25e9, 30e6) * 1.1
    assert sb.explain(result)["save"].bottleneck == "devices.slow.landing_zone"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"devices.slow.drain_rate": None}, "landing_zone and drain_rate go together"),
        ({"devices.slow.drain_rate": "600 MB/s"}, "drain_rate is above write_rate"),
    ],
)
def test_its_two_keys_belong_together(changes: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        sb.load(ZONE_SITE, changes)
