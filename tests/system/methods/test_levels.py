"""Incrementals, reverse incrementals and synthetic full backups, by hand and against each request of a disk."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.in_order import one_by_one

import simbackup as sb
from simbackup import load
from simbackup.build import build
from simbackup.devices.store import Store
from simbackup.equations import disk as equations
from simbackup.parameters import parameters_of
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.cases import examples, for_each

SITE: dict[str, Any] = {
    "title": "Levels",
    "hosts": {
        "filer": {"model": "host/linux-modern-server", "owns": ["array"]},
        "backup": {"model": "host/linux-modern-server", "owns": ["staging"]},
    },
    "devices": {
        "array": {"model": "disk/nearline-20tb-2022"},
        "staging": {"model": "raid/software-raid5", "disk": "disk/nearline-20tb-2022", "disks": 8},
        "library": {"model": "tape_library/autoloader-8", "drive": "tape_drive/lto-5", "drives": 1},
    },
    "links": {
        "lan": {"model": "network/ten-gigabit-ethernet", "joins": ["filer", "backup"]},
        "bus": {"joins": ["backup", "library"], "rate": "600 MB/s", "latency": "0.1 ms"},
    },
    "data": {
        "users": {
            "on": "array", "size": "500 GB", "files": 2_000_000, "layout": "scattered", "filesystem": "filesystem/xfs",
            "change": {"daily": "2 %", "daily_files": "1 %", "growth": "20 %", "run": "256 KiB"},
        }
    },
}  # fmt: skip


def run(**jobs: Any) -> Any:
    return simulate(SITE | {"jobs": jobs})


def test_an_array_reads_runs_far_apart_one_by_one() -> None:
    """A request for 256 KiB reaches four of 22 data disks: no faster than they seek, whatever all of them stream."""
    array = {"model": "raid/midrange-array-2013", "disk": "disk/sas-10k-600gb-2011", "disks": 24, "groups": 2}
    job = {"method": "image", "data": "users", "to": "staging", "level": "incremental", "since": "24 h"}
    data = {"users": SITE["data"]["users"] | {"change": {"daily": "4 %", "run": "256 KiB"}}}
    site = SITE | {"data": data, "devices": SITE["devices"] | {"array": array}}
    result = simulate(site | {"jobs": {"night": job}})
    store = build(load(site).spec, 0)[0].of(Store)["array"]
    run, between = 262144.0, 262144.0 * 0.96 / 0.04
    apart = store.request("read", 0.0, between, run).latency
    assert store.stream("read", 0.0, 500e9) * (run + between) < 0.75 * apart  # all disks would stream across sooner
    read = sum(s for (where, _), s in result.causes("night").items() if where == "devices.array")
    assert read == pytest.approx(0.04 * 500e9 / run * apart, rel=0.02)


CONTROLLER = {"model": "raid/hardware-raid6-2018", "disk": "disk/sas-10k-1200gb-2014", "disks": 12}
WAITING = {"start_time": "0 s", "mount_time": "0 s", "request": "1 MiB", "copy_cpu": "10 ns/B"}


def test_an_incremental_image_takes_longer_the_more_has_changed_and_as_long_as_a_full_one_in_the_end() -> None:
    """A program that asks for one run at a time works on each before it asks for the next, far apart or not."""
    job = {"method": "image", "data": "users", "to": "staging", "tool": WAITING}
    site = SITE | {"devices": SITE["devices"] | {"array": CONTROLLER}}

    def took(share: str | None) -> float:
        data = {"users": SITE["data"]["users"] | {"change": {"daily": share or "1 %", "run": "1 MiB"}}}
        how = {} if share is None else {"level": "incremental", "since": "24 h"}
        return float(simulate(site | {"data": data, "jobs": {"night": job | how}}).get("jobs.night.elapsed"))

    few, more = took("0.1 %"), took("1 %")
    assert more == pytest.approx(10.0 * few, rel=0.1)  # run by run: in proportion
    dense = [took(f"{share} %") for share in (30, 50, 70, 90, 99)]
    assert dense == sorted(dense)
    speed = build(load(site).spec, 0)[0].hosts["filer"].speed
    slope = (dense[3] - dense[1]) / 0.4  # disks pass all meanwhile: what more costs is the work, and to get it
    assert slope == pytest.approx(500e9 * (10e-9 / speed + 1 / 5.5e9), rel=0.05)  # over the controller
    assert dense[-1] == pytest.approx(took(None), rel=0.05)


@pytest.mark.parametrize("ahead", [None, "4 MiB"])
def test_what_passes_below_the_heads_does_not_cross_the_network_of_an_array(ahead: str | None) -> None:
    """Nine of ten bytes lie between those that changed, and only a host that reads ahead asks for them."""
    site = SITE | {"devices": SITE["devices"] | {"array": CONTROLLER}}
    filer = {"model": "host/windows-2019-server", "owns": ["array"]} | ({"read_ahead": ahead} if ahead else {})
    san = {"model": "network/fibre-channel-8g", "joins": ["filer", "array"]}
    data = {"users": SITE["data"]["users"] | {"change": {"daily": "10 %", "run": "64 KiB"}}}
    job = {"method": "image", "data": "users", "to": "staging", "level": "incremental", "since": "24 h"}
    parts = {"hosts": SITE["hosts"] | {"filer": filer}, "links": SITE["links"] | {"san": san}, "data": data}
    result = simulate(site | parts | {"jobs": {"night": job}})
    moved = sum(row["bytes"] for row in result.device_rows if row["device"].startswith("links.san"))
    assert moved == pytest.approx(500e9 if ahead else 50e9, rel=0.01)
    busy = next(row["busy_s"] for row in result.device_rows if row["device"] == "devices.array")
    store = build(load(site).spec, 0)[0].of(Store)["array"]
    assert busy == pytest.approx(500e9 * store.stream("read", 0.0, 500e9), rel=0.01)


def test_a_dense_incremental_is_restored_across_its_gaps() -> None:
    """Run by run where they are few; never longer than it takes to read all stripes and to write them again."""
    site = SITE | {"devices": SITE["devices"] | {"array": CONTROLLER}}
    full = {"method": "image", "data": "users", "to": "staging", "exists": True}

    def applied(share: str) -> float:
        data = {"users": SITE["data"]["users"] | {"change": {"daily": share, "run": "256 KiB"}}}
        jobs = {"full": full, "night": full | {"level": "incremental", "since": "24 h"}}
        back = {"restore": "full", "replay": "night"}
        alone = {"restore": "full", "after": "back"}
        result = simulate(site | {"data": data, "jobs": {**jobs, "back": back, "alone": alone}})
        return float(result.get("jobs.back.elapsed") - result.get("jobs.alone.elapsed"))

    store = build(load(site).spec, 0)[0].of(Store)["array"]
    everything = 500e9 * (store.stream("read", 0.0, 500e9) + store.stream("write", 0.0, 500e9))
    assert applied("2 %") == pytest.approx(2.0 * applied("1 %"), rel=0.1)
    assert applied("5 %") > 0.3 * everything
    for share in ("30 %", "60 %", "95 %"):
        assert 0.5 * everything < applied(share) < 1.2 * everything


@pytest.mark.parametrize("to", ["staging", "library"])
def test_an_incremental_image_reads_all_where_nothing_tracks_changes(to: str) -> None:
    """As of a database without change tracking: 500 GB are read and looked at for 10 GB that are sent."""
    tool = {"start_time": "0 s", "mount_time": "0 s", "scan_cpu": "2 ns/B", "copy_cpu": "0.01 ns/B"}
    job = {"method": "image", "data": "users", "to": to, "level": "incremental", "since": "24 h", "tool": tool}
    site = SITE | {"data": {"users": SITE["data"]["users"] | {"change": {"daily": "2 %"}}}}
    result = simulate(site | {"jobs": {"night": job}})
    assert result.get("jobs.night.bytes") == pytest.approx(10e9)
    assert next(row["bytes"] for row in result.device_rows if row["device"] == "devices.array") == pytest.approx(500e9)
    system = build(load(site).spec, 0)[0]
    read = system.of(Store)["array"].stream("read", 0.0, 500e9) * 500e9
    least = max(read, 500e9 * system.hosts["filer"].seconds(2e-9))
    assert 0.999 * least <= result.get("jobs.night.elapsed") <= least * 1.05 + 120.0  # a cartridge is mounted for it


@for_each("to", ["staging", "library"])
@for_each("share", [False, True])
def test_a_search_that_finds_everything_changed_is_no_full_backup(to: str, *, share: bool) -> None:
    """500 GB are looked at with 100 ns/B of the reference core, whether all of them have changed or nearly all."""
    tool = {"start_time": "0 s", "mount_time": "0 s", "scan_cpu": "100 ns/B", "copy_cpu": "0.01 ns/B"}
    job = {"method": "image", "data": "users", "to": to, "level": "incremental", "since": "24 h", "tool": tool}
    if share:
        job["share"] = {"host": "backup", "calls": 0, "request": "1 MiB"}

    def took(daily: str) -> float:
        site = SITE | {"data": {"users": SITE["data"]["users"] | {"change": {"daily": daily}}}}
        return float(simulate(site | {"jobs": {"night": job}}).get("jobs.night.elapsed"))

    reader = build(load(SITE).spec, 0)[0].hosts["backup" if share else "filer"]
    assert took("100 %") == pytest.approx(took("99.999 %"), rel=1e-3)
    assert took("100 %") >= 0.999 * 500e9 * reader.seconds(100e-9)


# Reverse incrementals
SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
HOST = "cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 100 GB/s, speed: 1"
REVERSE_SITE = f"""\
title: A client whose backups go into one full backup on a server
hosts:
  client: {{owns: [disk], {HOST}}}
  server: {{owns: [pool, other], {HOST}}}
devices:
  disk: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
  pool: {{{SSD}, read_rate: 1 GB/s, write_rate: 500 MB/s}}
  other: {{{SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
links:
  lan: {{joins: [client, server], rate: 10 GB/s, latency: 0 s}}
data:
  files: {{on: disk, size: 100 GB, change: {{daily: 4 %, run: 256 KiB}}}}
jobs:
"""
FULL = "  full: {method: image, data: files, to: pool}\n"
SAVE = "  save: {method: image, data: files, to: pool, level: reverse, since: 24 h, after: full}\n"
NEXT = "  next: {method: image, data: files, to: pool, level: reverse, since: 24 h, after: save}\n"


def run_reverse(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(REVERSE_SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


def test_one_read_and_two_writes_for_what_has_changed() -> None:
    """Of 4 GB: 4 s to read what they replace, 8 s to write that aside, and 8 s to write them."""
    result = run_reverse(FULL + SAVE)
    assert result.get("jobs.save.bytes") == pytest.approx(4e9)
    assert result.get("devices.pool.bytes") == pytest.approx(100e9 + 3 * 4e9)
    assert result.get("devices.disk.bytes") == pytest.approx(100e9 + 4e9)
    assert result.get("jobs.save.elapsed") == pytest.approx(4.0 + 8.0 + 8.0, rel=0.01)


def test_the_first_of_a_series_is_a_full_backup() -> None:
    result = run_reverse("  save: {method: image, data: files, to: pool, level: reverse, every: 24 h, until: 48 h}\n")
    assert [row["bytes"] for row in result.job_rows] == pytest.approx([100e9, 4e9, 4e9])
    assert result.get("devices.pool.bytes") == pytest.approx(100e9 + 2 * 3 * 4e9)


@for_each("what, moved", [("next", 100e9), ("save", 104e9), ("full", 108e9)])
def test_the_newest_comes_back_at_once_and_older_ones_through_the_chain(what: str, moved: float) -> None:
    result = run_reverse(FULL + SAVE + NEXT + f"  back: {{restore: {what}, after: next}}\n")
    assert result.get("jobs.back.bytes") == pytest.approx(moved)
    assert result.get("jobs.back.elapsed") == pytest.approx(moved / 1e9, rel=0.01)
    assert result.get("devices.pool.bytes") == pytest.approx(100e9 + 2 * 3 * 4e9 + moved)


def test_a_copy_elsewhere_stays_what_it_was() -> None:
    jobs = FULL + "  far: {method: copy_save_set, save_set: full, to: other, after: full}\n"
    jobs += SAVE.replace("after: full", "after: far") + "  back: {restore: full, copied_by: far, after: save}\n"
    assert run_reverse(jobs).get("jobs.back.bytes") == pytest.approx(100e9)
    late = FULL + SAVE + "  far: {method: copy_save_set, save_set: full, to: other, after: save}\n"
    result = sb.simulate(REVERSE_SITE + late)
    failed = next(row for row in result.job_rows if row["job"] == "far")
    assert "later backups were written into the save set" in failed["reason"]
    newest = FULL + SAVE + "  far: {method: copy_save_set, save_set: save, to: other, after: save}\n"
    assert run_reverse(newest).get("jobs.far.bytes") == pytest.approx(100e9)


def test_save_sets_that_exist() -> None:
    jobs = (FULL + SAVE.replace(", after: full", "")).replace("to: pool", "to: pool, exists: true")
    result = run_reverse(jobs + "  back: {restore: full}\n  new: {restore: save, after: back}\n")
    assert [result.get(f"jobs.{name}.bytes") for name in ("back", "new")] == pytest.approx([104e9, 100e9])


@pytest.mark.slow
@for_each("run_size", [64, 256, 1024])
@for_each("method", ["image", "file_level"])
def test_each_run_is_read_and_written_where_it_belongs(run_size: int, method: str) -> None:
    """A disk: as many positioned reads as there are runs or files, as many writes, and all of them in sequence.

    The host writes what it gathers for one of the two places before it turns to the other.
    """
    size, change = 400e9, 4e9
    runs = round(change / (run_size * 1024.0))
    model = "{model: disk/nearline-20tb-2022, outer_rate: 200 MB/s, inner_rate: 200 MB/s}"
    site = REVERSE_SITE.replace(f"pool: {{{SSD}, read_rate: 1 GB/s, write_rate: 500 MB/s}}", f"pool: {model}")
    jobs = (FULL.replace("to: pool", "to: pool, exists: true") + SAVE.replace(", after: full", "")).replace(
        "method: image", f"method: {method}"
    )
    given = {
        "data.files.change.run": f"{run_size} KiB", "data.files.change.daily": change / size,
        "data.files.size": f"{size} B", "devices.disk.read_rate": "1 TB/s",
        "hosts.server.write_behind": "1 GB",
    } | ({"data.files.files": round(size / run_size / 1024.0), "data.files.filesystem": {"model": "filesystem/xfs"},
          "data.files.layout": "together"} if method == "file_level" else {})  # fmt: skip
    result = sb.simulate(sb.load(site + jobs, given))
    disk = parameters_of(equations.DiskParameters, sb.load(site + jobs, given).spec.devices["pool"])
    expected = 2.0 * one_by_one(disk, runs, change / runs, size, seed=11) + change / 200e6
    assert result.get("jobs.save.elapsed") == pytest.approx(expected, rel=0.01)


# Backups that a disk pool makes by itself
MERGE_SITE = """
title: A backup onto a disk pool, which makes more of it by itself
hosts:
  client: {model: host/linux-modern-server, owns: [disk]}
  server: {model: host/linux-modern-server, owns: [pool]}
devices:
  disk: {model: ssd/nvme-gen3-2018, capacity: 2 TB}
  pool: {model: disk/nearline-20tb-2022, outer_rate: 200 MB/s, inner_rate: 200 MB/s}
links:
  lan: {model: network/ten-gigabit-ethernet, joins: [client, server]}
data:
  files: {on: disk, size: 100 GB, change: {daily: 4 %, run: 256 KiB}}
jobs:
  save: {method: image, data: files, to: pool, level: incremental, since: 24 h}
"""


def rows(result: Result) -> dict[str, dict[str, Any]]:
    return {row["job"]: row for row in result.job_rows}


@examples(8)
@given(st.floats(0.001, 0.2), st.floats(20.0, 500.0))
def test_a_merge_reads_and_writes_the_change(daily: float, size: float) -> None:
    """At the disk of the target: the incremental that is written, and the same that is read and written once more."""
    change, moved = daily * size * 1e9, {"data.files.change.daily": daily, "data.files.size": f"{size} GB"}
    result = simulate(MERGE_SITE + "  merge: {method: consolidate, into: older, save_set: save, after: save}\n", moved)
    assert rows(result)["merge"]["bytes"] == pytest.approx(change, rel=1e-6)
    pool = next(row for row in result.device_rows if row["device"] == "devices.pool")
    assert pool["bytes"] == pytest.approx(3 * change, rel=1e-3)


CHAIN = """
  week: {method: image, data: files, to: pool}
  night: {method: image, data: files, to: pool, level: incremental, since: 24 h, every: 24 h, begin: 24 h, until: 72 h}
"""


def test_incrementals_after_a_synthetic_full_backup_are_replayed_above_it() -> None:
    jobs = CHAIN + "  whole: {method: consolidate, save_set: night, after: night}\n"
    jobs += "  last: {method: image, data: files, to: pool, level: incremental, since: 24 h, begin: 96 h}\n"
    jobs += "  back: {restore: week, replay: [night, last], after: [whole, last]}\n"
    result = simulate(MERGE_SITE.replace(MERGE_SITE[MERGE_SITE.index("  save:") :], "") + jobs)
    assert rows(result)["back"]["bytes"] == pytest.approx(100e9 + 4e9)


@for_each("run_size", [64, 256, 1024])
def test_a_merge_writes_each_run_where_it_belongs(run_size: int) -> None:
    """One disk: the incremental in sequence, and then as many positioned writes as there are runs."""
    size, change = 400e9, 4e9
    runs = round(change / (run_size * 1024.0))
    jobs = "  full: {method: image, data: files, to: pool, exists: true}\n"
    jobs += "  save: {method: image, data: files, to: pool, level: incremental, since: 24 h, exists: true}\n"
    jobs += "  merge: {method: consolidate, into: older, save_set: save}\n"
    given = {
        "data.files.change.run": f"{run_size} KiB", "data.files.change.daily": change / size,
        "data.files.size": f"{size} B",
    }  # fmt: skip
    result = simulate(MERGE_SITE[: MERGE_SITE.index("  save:")] + jobs, given)
    disk = parameters_of(equations.DiskParameters, load(MERGE_SITE).spec.devices["pool"])
    expected = change / 200e6 + one_by_one(disk, runs, change / runs, size, seed=7)
    assert rows(result)["merge"]["elapsed"] == pytest.approx(expected, rel=0.12)


# Files that are scattered lie anywhere in the data, whichever part of them a stream gets
SCATTERED_SITE = """\
title: Scattered files
hosts:
  server: {owns: [disk, store, jukebox], cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 80 %,
    copy_rate: 1000 GB/s}
devices:
  disk: {model: disk/nearline-20tb-2022, capacity: 100 GB, outer_rate: 200 MB/s, inner_rate: 200 MB/s}
  store: {kind: ssd, capacity: 1 TB, read_rate: 5 GB/s, write_rate: 5 GB/s, read_latency: 0 s, write_latency: 0 s}
  jukebox:
    model: tape_library/autoloader-8
    drives: 1
    drive: {model: tape_drive/lto-5, buffer: 4 GB, cartridge_capacity: CAPACITY}
data:
  users: {on: disk, size: 80 GB, files: 80_000, layout: scattered,
    filesystem: {reads_per_file: 0, cpu_per_file: 0 ms/file, fragment: 1 GB}}
jobs:
  full: {method: file_level, data: users, to: TO, streams: STREAMS}
"""


def read(to: str, capacity: str = "100 GB", streams: int = 1) -> float:
    """Seconds for which the disk is read."""
    text = SCATTERED_SITE.replace("CAPACITY", capacity).replace("TO", to).replace("STREAMS", str(streams))
    result = sb.simulate(text)
    assert result.jobs.loc["full", "status"] == "done"
    return float(result.get("devices.disk.busy_s"))


@pytest.mark.slow
@pytest.mark.parametrize("streams", [2, 4])
def test_each_of_several_streams_seeks_across_all_data(streams: int) -> None:
    assert read("store", streams=streams) == pytest.approx(read("store"), rel=1e-9)
