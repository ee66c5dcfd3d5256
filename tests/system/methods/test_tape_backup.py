from pathlib import Path
from typing import Any

import pytest

from simbackup import load
from simbackup.build import build
from simbackup.catalogue import Copy
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
