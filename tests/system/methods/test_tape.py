"""Tape drives: streams of their own, shared ones, far ones, and files that are found by reading through, by hand."""

import gc
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import simpy

import simbackup as sb
from simbackup import load
from simbackup.build import build
from simbackup.catalogue import Copy
from simbackup.devices.library import Library
from simbackup.devices.store import Store
from simbackup.equations import tape
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


def test_files_spread_over_the_save_set_are_located_one_by_one() -> None:
    result = run(FULL + "  some: {restore: full, select: {files: 4, size: 4 MB}, after: full}\n")
    golden = (5**0.5 - 1) / 2
    places = [i * 1e9 + (0.5 + i * i * golden) % 1.0 * (1e9 - 1e6) for i in range(4)]
    ways = [tape.locate_time(DRIVE, a, b) for a, b in zip([0.0, *(p + 1e6 for p in places)], places, strict=False)]
    assert [t for activity, t in steps(result, "some") if activity == "locate"] == pytest.approx(ways)


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


TOOL = "  full: {method: image, data: users, to: jukebox, tool: {model: backup_tool/zrm-1.1, block: 10 KB}}\n"


def test_a_drive_that_writes_through_stops_after_each_block_and_reads_on() -> None:
    through = {"devices.jukebox.drive.write_through": True, "devices.jukebox.drive.reposition_time": "9 ms"}
    result = run(TOOL + "  back: {restore: full, after: full}\n", through)
    # 10 kB take 1 ms on the tape, and the tape backs up for 9 ms after each.
    assert stopping(result, "full") == pytest.approx({FIRST: 400.0, "lost": 3600.0})
    assert sum(transfers(result, "back").values()) == pytest.approx(400.0)
    slow = run(TOOL, through | array_rate("0.5 MB/s"))
    assert transfers(slow, "full") == {"devices.array": pytest.approx(8000.0)}


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


def test_a_backup_whose_snapshot_is_lost_meanwhile_fails(tmp_path: Path) -> None:
    jobs = (
        "  full: {method: image, data: users, to: jukebox, source: cow}\n"
        "  dd: {method: write, data: users, begin: 100 s, flush: true}\n"
    )
    result = simulate(with_snapshot(tmp_path, jobs))
    assert status(result)["full"] == ("failed", "'cow' became invalid: its copy area is full")
    assert steps(result, "full")[-2:] == [("unload", 10.0), ("dismount", 10.0)]  # it gives its cartridge back


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


# Streams that share a drive: what they gain while they are saved, and what one of them costs to restore
SHARED_BASE = f"""
title: Three disks and a library
extends: {ROOT}/tests/sites/jukebox.yaml
hosts:
  filer: {{model: host/linux-modern-server, owns: [one, two, three, jukebox], dirty_background: 0 %}}
devices:
  one: {{kind: ssd, capacity: 1 TB, read_rate: 5 MB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}}
  two: {{kind: ssd, capacity: 1 TB, read_rate: 5 MB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}}
  three: {{kind: ssd, capacity: 1 TB, read_rate: 5 MB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}}
  jukebox: {{slots: 3, drive: {{buffer: 10 MB}}}}
data:
  a: {{on: one, size: 2 GB}}
  b: {{on: two, size: 2 GB}}
  c: {{on: three, size: 2 GB}}
jobs:
"""
BOTH = """\
  a: {method: image, data: a, to: jukebox, multiplexing: 2}
  b: {method: image, data: b, to: jukebox, multiplexing: 2}
"""
ALL = """\
  a: {method: image, data: a, to: jukebox, multiplexing: 3}
  b: {method: image, data: b, to: jukebox, multiplexing: 3}
  c: {method: image, data: c, to: jukebox, multiplexing: 3}
"""
READY = 10.0 + 30.0
SHARED_DRIVE = "devices.jukebox.drive.1"


def written(tmp_path: Path, jobs: str) -> Path:
    path = tmp_path / "scenario.yaml"
    path.write_text(SHARED_BASE + jobs, encoding="utf-8")
    return path


def run_shared(tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None) -> Result:
    return simulate(written(tmp_path, jobs), changes)


def saved_shared(
    tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None
) -> tuple[dict[str, Copy], list[float]]:
    """Where the save sets lie after a run, by job, and how much lies on each cartridge."""
    system, work = build(load(written(tmp_path, jobs), changes).spec, 0)
    system.env.run(until=start(system, work))
    sets = {each.job.removeprefix("jobs."): each.copies[0] for each in system.catalogue.save_sets}
    return sets, [cartridge.end for cartridge in system.of(Library)["jukebox"].cartridges]


def transfers_shared(result: Result, job: str) -> list[tuple[float, float]]:
    return [(s.start, s.end) for s in result.trace.spans if s.job == f"jobs.{job}" and s.activity == "transfer"]


def test_a_full_cartridge_is_changed_for_all_of_its_streams(tmp_path: Path) -> None:
    changes = {"devices.jukebox.drive.cartridge_capacity": "3 GB", "jobs.b.begin": "90 s"}
    sets, ends = saved_shared(tmp_path, BOTH, changes)
    assert sorted(ends) == pytest.approx([0.0, 1e9, 3e9])
    for each in sets.values():
        assert sum(extent.size for extent in each.extents) == pytest.approx(2e9)
        assert [extent.begin for extent in each.extents[1:]] == pytest.approx(
            [extent.begin + extent.size for extent in each.extents[:-1]]
        )
    result = run_shared(tmp_path, BOTH, changes)
    assert [s.job for s in result.trace.spans if s.activity == "load"] == ["jobs.a", "jobs.a"]
    assert result.all_ended_well


def test_a_seat_that_falls_free_goes_to_whoever_waits_for_a_drive(tmp_path: Path) -> None:
    result = run_shared(tmp_path, ALL.replace("multiplexing: 3", "multiplexing: 2"), {"data.a.size": "1 GB"})
    (begin, _), *_ = transfers_shared(result, "c")
    assert begin == pytest.approx(READY + 200.0)
    assert [s.activity for s in result.trace.spans if s.activity == "load"] == ["load"]


@for_each("together", [1, 2, 3, 6])
def test_those_who_wait_share_the_drive_that_the_first_of_them_gets(together: int) -> None:
    """All streams of a drive end at once, so that it falls free as a whole: 6 x 1 GB at 5 MB/s, so many at a time."""
    disk = "{kind: ssd, capacity: 1 TB, read_rate: 5 MB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}"
    names = [f"d{number}" for number in range(6)]
    each = "{{method: image, data: x{}, to: jukebox, multiplexing: {}}}"
    text = f"""
title: Six disks and a drive
extends: {ROOT}/tests/sites/jukebox.yaml
hosts: {{filer: {{model: host/linux-modern-server, owns: [{", ".join(names)}, jukebox]}}}}
devices: {{{", ".join(f"{name}: {disk}" for name in names)}, jukebox: {{slots: 3, drives: 1}}}}
data: {{{", ".join(f"x{name}: {{on: {name}, size: 1 GB}}" for name in names)}}}
jobs: {{{", ".join(f"{name}: {each.format(name, together)}" for name in names)}}}
"""
    result = simulate(text)
    moved = {(begin, end) for name in names for begin, end in transfers_shared(result, name)}
    rates = [0.0] + [min(number * 5e6, 10e6) for number in range(1, 7)]
    assert len({begin for begin, _ in moved}) == 6 // together
    assert sum(end - begin for begin, end in moved) == pytest.approx(6e9 / rates[together], rel=0.01)


def test_streams_of_one_job_share_a_drive(tmp_path: Path) -> None:
    result = run_shared(tmp_path, "  a: {method: image, data: a, to: jukebox, streams: 3, multiplexing: 3}\n")
    assert result.all_ended_well
    assert [s.activity for s in result.trace.spans if s.activity == "load"] == ["load"]


def test_a_full_pool_fails_all_that_share_its_last_cartridge(tmp_path: Path) -> None:
    result = run_shared(tmp_path, BOTH, {"devices.jukebox.drive.cartridge_capacity": "1 GB"})
    assert {(row["status"], row["reason"]) for row in result.job_rows} == {
        ("failed", "the pool of 'devices.jukebox' is full")
    }


def test_interface_and_other_data_are_shared_as_well(tmp_path: Path) -> None:
    changes = {"devices.jukebox.drive.host_rate": "8 MB/s", "data.a.compression": "2:1", "data.b.compression": "2:1"}
    result = run_shared(tmp_path, BOTH, changes)
    assert result.activities("a")[f"{SHARED_DRIVE}.interface", "transfer"] == pytest.approx(2000.0 / 4.0)


STREAMS = """\
  a: {method: image, data: a, to: jukebox, streams: 2, multiplexing: 2, tool: {start_time: 0 s, mount_time: 0 s}}
  back: {restore: a, after: a}
"""


def test_a_restore_of_interleaved_streams_reads_them_in_one_pass(tmp_path: Path) -> None:
    # 2 GB at 10 MB/s lie on tape as two streams of 1 GB, each spread over all of it
    once = run_shared(tmp_path, STREAMS)
    assert sum(end - begin for begin, end in set(transfers_shared(once, "back"))) == pytest.approx(200.0)
    assert not any(what == "locate" for _, what in once.activities("back"))  # it is at the beginning of the tape
    assert once.get("jobs.back.bytes") == pytest.approx(2e9)


def test_restores_of_several_backups_that_lie_interleaved_read_them_in_one_pass(tmp_path: Path) -> None:
    """4 GB at 10 MB/s, of which each wants the half: both go over all of it once."""
    back = "  back_a: {restore: a, after: [a, b]}\n  back_b: {restore: b, after: [a, b]}\n"
    once = run_shared(tmp_path, BOTH + back)
    assert once.all_ended_well
    spent = [transfers_shared(once, name) for name in ("back_a", "back_b")]
    assert spent[0] == spent[1]
    assert sum(end - begin for begin, end in spent[0]) == pytest.approx(400.0)
    for name in ("back_a", "back_b"):
        assert sum(once.causes(name).values()) == pytest.approx(once.get(f"jobs.{name}.elapsed"))


def test_restores_of_one_backup_each_read_it(tmp_path: Path) -> None:
    back = "  back: {restore: a, after: [a, b]}\n  again: {restore: a, to: c, after: [a, b]}\n"
    result = run_shared(tmp_path, BOTH + back)
    (first,), (second,) = (set(transfers_shared(result, name)) for name in ("back", "again"))
    assert second[0] >= first[1]


def test_restores_change_cartridges_together(tmp_path: Path) -> None:
    back = "  back_a: {restore: a, after: [a, b]}\n  back_b: {restore: b, after: [a, b]}\n"
    result = run_shared(tmp_path, BOTH + back, {"devices.jukebox.drive.cartridge_capacity": "3 GB"})
    assert result.all_ended_well
    assert [s.activity for s in result.trace.spans if s.job.startswith("jobs.back")].count("load") <= 2
    for name in ("back_a", "back_b"):
        assert sum(end - begin for begin, end in transfers_shared(result, name)) == pytest.approx(400.0)


def test_a_restore_that_fails_stops_none_that_reads_along() -> None:
    """A snapshot keeps what was there, so that the volume has no room for all that comes back to it."""
    devices = (
        "  small: {kind: ssd, capacity: 3 GB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, "
        "write_latency: 0 s}\n"
        "  thin: {model: redirect_volume/wafl-files, on: small, size: 2.9 GB}\n"
        "  frozen: {kind: redirect_snapshot, of: thin}\n"
    )
    base = SHARED_BASE.replace("two, three, jukebox", "two, three, small, jukebox").replace(
        "data:\n", devices + "data:\n", 1
    )
    base = base.replace("b: {on: two,", "b: {on: thin,")
    jobs = "  snap: {method: create_snapshot, snapshot: frozen}\n"
    jobs += "  back_b: {restore: b, after: [a, b, snap]}\n  back_a: {restore: a, after: [a, b, snap]}\n"
    result = simulate(base + BOTH + jobs)
    status = result.jobs["status"]
    assert (status["back_a"], status["back_b"]) == ("done", "failed")


ABANDONED = """
title: A job that is abandoned while its streams share a drive
hosts:
  c: {model: host/linux-modern-server, owns: [d, lib]}
devices:
  d: {model: ssd/nvme-gen3-2018}
  lib: {model: tape_library/atl-p3000, drive: tape_drive/lto-5, drives: 2}
data:
  x: {on: d, size: 100 GB}
  y: {on: d, size: 3 GB}
jobs:
  c: {method: image, data: y, to: lib, multiplexing: 4}
  b: {method: image, data: x, to: lib, streams: 4, multiplexing: 4}
"""


@pytest.mark.slow
def test_an_abandoned_run_ends_without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams that are thrown away must not wait for a drive: Python complains of that where nobody can catch it."""
    complaints: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", complaints.append)
    assert simulate(ABANDONED, until="c").end < simulate(ABANDONED, until="b").end
    gc.collect()
    assert complaints == []


# Drives at the end of a long line, whose commands go there one at a time
SITE = """\
title: A drive far away
hosts:
  server: {owns: [array], cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 1000 GB/s}
devices:
  array: {kind: ssd, capacity: 1 TB, read_rate: 5 GB/s, write_rate: 5 GB/s, read_latency: 1 us, write_latency: 1 us}
  vault:
    model: tape_library/autoloader-8
    drives: DRIVES
    bays: 4
    drive:
      {model: tape_drive/lto-3, native_rate: 80 MB/s, slowest_rate: 1 kB/s, host_rate: 320 MB/s, command_time: 0.1 ms}
links:
  line: {joins: [server, vault], rate: 20 MB/s, latency: 10 ms, duplex: full, LINE}
data:
  one: {on: array, size: 1 GB}
  two: {on: array, size: 1 GB}
jobs:
"""
FAR_TOOL = "tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: 0.001 ns/B, block: 100 kB, MORE}"
FAR_FULL = f"  full: {{method: image, data: one, to: vault, {FAR_TOOL}}}\n"
BACK = "  back: {restore: full, after: full}\n"


def ran(
    jobs: str, line: str = "storage: true", more: str = "unload_after: 0 s", drives: int = 1, site: str = SITE
) -> Result:
    text = (site + jobs).replace("LINE", line).replace("MORE", more).replace("DRIVES", str(drives))
    result = sb.simulate(text)
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result


def moved_far(result: Result, job: str) -> float:
    return float(result.get(f"jobs.{job}.bytes") / result.get(f"jobs.{job}.transfer_rate"))


def one_by_one(trips: int, block: float, size: float, latency: float, rate: float) -> float:
    """Seconds until so many bytes have gone to a drive, each command after the answer to the one before."""
    env = simpy.Environment()

    def host() -> Generator[simpy.Event, Any, None]:
        for _ in range(round(size / block)):
            for _ in range(trips - 1):  # the command, and the word that the drive is ready for its bytes
                yield env.timeout(latency / 2.0)
                yield env.timeout(latency / 2.0)
            yield env.timeout(latency / 2.0 + block / rate)  # the last bit of the block arrives
            yield env.timeout(latency / 2.0)  # the status

    env.run(env.process(host()))
    return float(env.now)


@pytest.mark.parametrize("line", ["storage: true", "storage: true, command_trips: 1"])
def test_each_block_that_is_read_takes_one_round_trip(line: str) -> None:
    assert moved_far(ran(FAR_FULL + BACK, line), "back") == pytest.approx(
        one_by_one(1, 100e3, 1e9, 0.01, 20e6), rel=1e-3
    )


def test_a_restore_in_turns_waits_once_for_each_round_trip() -> None:
    result = ran(FAR_FULL + BACK, more="alternates: true, restore_cpu: 1 ns/B")
    each = 0.01 + 100e3 / 20e6 + 100e3 / 320e6 + 100e3 * 1e-9
    assert moved_far(result, "back") == pytest.approx(1e9 / 100e3 * each, rel=2e-3)


def test_a_copy_to_other_cartridges_waits_for_reads_and_writes_side_by_side() -> None:
    pools = "drives: DRIVES\n    pools: {near: 2, far: 2}"
    text = (SITE + FAR_FULL.replace("to: vault,", "to: vault, pool: near,")).replace("drives: DRIVES", pools)
    copy = "  copy: {method: copy_save_set, save_set: full, to: vault, pool: far, after: full}\n"
    result = ran(copy, drives=2, site=text)
    assert moved_far(result, "copy") == pytest.approx(one_by_one(2, 100e3, 1e9, 0.01, 20e6), rel=1e-3)


def test_the_line_is_the_bottleneck() -> None:
    assert sb.explain(ran(FAR_FULL))["full"].bottleneck == "links.line"


@for_each("workers", [1, 2, 3, 8])
def test_workers_that_alternate_write_to_a_drive_one_at_a_time(workers: int) -> None:
    rmt = SITE.replace("size: 1 GB}", "size: 1 GB, files: 1000, filesystem: FS}")
    free = "{reads_per_file: 0, cpu_per_file: 0 ms/file, fragment: 1 GB}"
    job = FAR_FULL.replace("method: image", f"method: file_level, workers: {workers}")
    result = ran(job, "storage: false", "alternates: true, request: 100 kB", site=rmt.replace("FS", free))
    each = 0.01 + 100e3 / 20e6 + 100e3 / 320e6 + 0.1e-3  # away and back, on the line, and into the drive
    assert moved_far(result, "full") == pytest.approx(1e9 / 100e3 * each, rel=2e-3)  # reading takes 20 us of it


# Selected files by programs that find them only by reading what lies before them
THROUGH_SITE = """\
title: A program that does not position the tape
hosts:
  server: {owns: [disk, pool, jukebox], cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 80 %,
    copy_rate: 1000 GB/s}
devices:
  disk: {kind: ssd, capacity: 1 TB, read_rate: 5 GB/s, write_rate: 5 GB/s, read_latency: 0 s, write_latency: 0 s}
  pool: {kind: ssd, capacity: 1 TB, read_rate: 5 GB/s, write_rate: 5 GB/s, read_latency: 0 s, write_latency: 0 s}
  jukebox:
    model: tape_library/autoloader-8
    drives: 1
    drive: {model: tape_drive/lto-3, native_rate: 10 MB/s, slowest_rate: 1 kB/s, host_rate: 500 MB/s,
      cartridge_capacity: 6 GB, command_time: 0 s}
data:
  users: {on: disk, size: 4 GB, files: 4000, filesystem: {model: filesystem/xfs}, compression: 2}
jobs:
"""
THROUGH_TOOL = "tool: {start_time: 0 s, mount_time: 0 s, restore_cpu: 0.001 ns/B, restore_reads: READS}"
THROUGH_FULL = f"  full: {{method: file_level, data: users, to: jukebox, {THROUGH_TOOL}, exists: true}}\n"
ONE = "  one: {restore: full, select: {files: 1, size: 8 MB, at: 50 %}}\n"
RATE = 20e6
"""Bytes of the save set that come from tape in a second: what the drive reads expands to twice as much."""


def ran_through(jobs: str, reads: str, **changes: str) -> Result:
    result = sb.simulate((THROUGH_SITE + jobs).replace("READS", reads), changes)
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result


def spent(result: Result, job: str) -> dict[str, float]:
    """Seconds of a job at the drive, by activity."""
    found = result.activities(job)
    return {activity: seconds for (where, activity), seconds in found.items() if where == "devices.jukebox.drive.1"}


@pytest.mark.parametrize(("reads", "before"), [("to_last", 2e9), ("all", 4e9 - 8e6)])
def test_what_lies_before_a_file_is_read_at_the_rate_of_the_tape(reads: str, before: float) -> None:
    result = ran_through(THROUGH_FULL + ONE, reads)
    times = spent(result, "one")
    assert times["read"] == pytest.approx(before / RATE)
    assert times["transfer"] == pytest.approx(8e6 / RATE)
    assert "locate" not in times  # the tape runs on from the beginning of the save set
    assert result.get("jobs.one.bytes") == 8e6


def test_files_that_are_spread_are_found_on_the_way_to_the_last_of_them() -> None:
    times = spent(
        ran_through(THROUGH_FULL + "  one: {restore: full, select: {files: 4, size: 4 MB}}\n", "to_last"), "one"
    )
    golden = (5**0.5 - 1) / 2
    last = 3 * 1e9 + (0.5 + 9 * golden) % 1.0 * (1e9 - 1e6)  # where the last of them begins, as the places are chosen
    assert times["read"] == pytest.approx((last - 3e6) / RATE)
    assert times["transfer"] == pytest.approx(4e6 / RATE)
    assert "locate" not in times


def test_cartridges_before_that_of_the_file_are_read_to_their_end() -> None:
    changes = {"devices.jukebox.drive.cartridge_capacity": "0.75 GB"}  # 1.5 GB of the save set each
    result = ran_through(THROUGH_FULL + ONE, "to_last", **changes)
    assert spent(result, "one")["read"] == pytest.approx(2e9 / RATE)
    assert spent(result, "one")["load"] == pytest.approx(2 * 19.0)
    assert spent(ran_through(THROUGH_FULL + ONE, "wanted", **changes), "one")["load"] == pytest.approx(19.0)


def test_what_others_have_written_between_is_read_too() -> None:
    jobs = THROUGH_FULL.replace("exists: true", "streams: 2, multiplexing: 2, exists: true")
    times = spent(
        ran_through(jobs + "  one: {restore: full, select: {files: 1, size: 8 MB, at: 25 %}}\n", "to_last"), "one"
    )
    # 25 % is the middle of the first of two streams, which lie interleaved: 1 GB of either are passed, and read for one
    assert times["read"] == pytest.approx(2e9 / RATE, rel=1e-6)
    assert times["transfer"] == pytest.approx(16e6 / RATE, rel=1e-6)


PACKED = """\
  full: {method: file_level, data: users, to: pool, exists: true, COMPRESSOR,
    tool: {start_time: 0 s, mount_time: 0 s, restore_cpu: 0.001 ns/B, restore_reads: READS}}
"""
GZIP = "compressor: {compress_cpu: 50 ns/B, expand_cpu: 10 ns/B}"


@pytest.mark.parametrize(("reads", "before"), [("to_last", 2e9), ("all", 4e9 - 8e6)])
def test_a_compressed_archive_on_a_disk_is_expanded_from_its_beginning(reads: str, before: float) -> None:
    result = ran_through(PACKED.replace("COMPRESSOR", GZIP) + ONE, reads)
    read = sum(seconds for (_, activity), seconds in result.activities("one").items() if activity in {"read", "expand"})
    # while the next bytes are read, each is expanded; those that are passed over are then copied as part of reading
    assert read == pytest.approx(before * 10.001e-9 + 8e6 * 10e-9)
