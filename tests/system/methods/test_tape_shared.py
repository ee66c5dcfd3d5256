"""Streams that share a tape drive: what they gain while they are saved, and what one of them costs to restore."""

import gc
from pathlib import Path
from typing import Any

import pytest

from simbackup.build import build
from simbackup.catalogue import Copy
from simbackup.devices.library import Library
from simbackup.methods.job import start
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import load
from tests.cases import for_each
from tests.shared import ROOT

BASE = f"""
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
DRIVE = "devices.jukebox.drive.1"


def written(tmp_path: Path, jobs: str) -> Path:
    path = tmp_path / "scenario.yaml"
    path.write_text(BASE + jobs, encoding="utf-8")
    return path


def run(tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None) -> Result:
    return simulate(written(tmp_path, jobs), changes)


def saved(tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None) -> tuple[dict[str, Copy], list[float]]:
    """Where the save sets lie after a run, by job, and how much lies on each cartridge."""
    system, work = build(load(written(tmp_path, jobs), changes).spec, 0)
    system.env.run(until=start(system, work))
    sets = {each.job.removeprefix("jobs."): each.copies[0] for each in system.catalogue.save_sets}
    return sets, [cartridge.end for cartridge in system.of(Library)["jukebox"].cartridges]


def transfers(result: Result, job: str) -> list[tuple[float, float]]:
    return [(s.start, s.end) for s in result.trace.spans if s.job == f"jobs.{job}" and s.activity == "transfer"]


def test_a_full_cartridge_is_changed_for_all_of_its_streams(tmp_path: Path) -> None:
    changes = {"devices.jukebox.drive.cartridge_capacity": "3 GB", "jobs.b.begin": "90 s"}
    sets, ends = saved(tmp_path, BOTH, changes)
    assert sorted(ends) == pytest.approx([0.0, 1e9, 3e9])
    for each in sets.values():
        assert sum(extent.size for extent in each.extents) == pytest.approx(2e9)
        assert [extent.begin for extent in each.extents[1:]] == pytest.approx(
            [extent.begin + extent.size for extent in each.extents[:-1]]
        )
    result = run(tmp_path, BOTH, changes)
    assert [s.job for s in result.trace.spans if s.activity == "load"] == ["jobs.a", "jobs.a"]
    assert result.all_ended_well


def test_a_seat_that_falls_free_goes_to_whoever_waits_for_a_drive(tmp_path: Path) -> None:
    result = run(tmp_path, ALL.replace("multiplexing: 3", "multiplexing: 2"), {"data.a.size": "1 GB"})
    (begin, _), *_ = transfers(result, "c")
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
    moved = {(begin, end) for name in names for begin, end in transfers(result, name)}
    rates = [0.0] + [min(number * 5e6, 10e6) for number in range(1, 7)]
    assert len({begin for begin, _ in moved}) == 6 // together
    assert sum(end - begin for begin, end in moved) == pytest.approx(6e9 / rates[together], rel=0.01)


def test_streams_of_one_job_share_a_drive(tmp_path: Path) -> None:
    result = run(tmp_path, "  a: {method: image, data: a, to: jukebox, streams: 3, multiplexing: 3}\n")
    assert result.all_ended_well
    assert [s.activity for s in result.trace.spans if s.activity == "load"] == ["load"]


def test_a_full_pool_fails_all_that_share_its_last_cartridge(tmp_path: Path) -> None:
    result = run(tmp_path, BOTH, {"devices.jukebox.drive.cartridge_capacity": "1 GB"})
    assert {(row["status"], row["reason"]) for row in result.job_rows} == {
        ("failed", "the pool of 'devices.jukebox' is full")
    }


def test_interface_and_other_data_are_shared_as_well(tmp_path: Path) -> None:
    changes = {"devices.jukebox.drive.host_rate": "8 MB/s", "data.a.compression": "2:1", "data.b.compression": "2:1"}
    result = run(tmp_path, BOTH, changes)
    assert result.activities("a")[f"{DRIVE}.interface", "transfer"] == pytest.approx(2000.0 / 4.0)


STREAMS = """\
  a: {method: image, data: a, to: jukebox, streams: 2, multiplexing: 2, tool: {start_time: 0 s, mount_time: 0 s}}
  back: {restore: a, after: a}
"""


def test_a_restore_of_interleaved_streams_reads_them_in_one_pass(tmp_path: Path) -> None:
    # 2 GB at 10 MB/s lie on tape as two streams of 1 GB, each spread over all of it
    once = run(tmp_path, STREAMS)
    assert sum(end - begin for begin, end in set(transfers(once, "back"))) == pytest.approx(200.0)
    assert not any(what == "locate" for _, what in once.activities("back"))  # it is at the beginning of the tape
    assert once.get("jobs.back.bytes") == pytest.approx(2e9)


def test_restores_of_several_backups_that_lie_interleaved_read_them_in_one_pass(tmp_path: Path) -> None:
    """4 GB at 10 MB/s, of which each wants the half: both go over all of it once."""
    back = "  back_a: {restore: a, after: [a, b]}\n  back_b: {restore: b, after: [a, b]}\n"
    once = run(tmp_path, BOTH + back)
    assert once.all_ended_well
    spent = [transfers(once, name) for name in ("back_a", "back_b")]
    assert spent[0] == spent[1]
    assert sum(end - begin for begin, end in spent[0]) == pytest.approx(400.0)
    for name in ("back_a", "back_b"):
        assert sum(once.causes(name).values()) == pytest.approx(once.get(f"jobs.{name}.elapsed"))


def test_restores_of_one_backup_each_read_it(tmp_path: Path) -> None:
    back = "  back: {restore: a, after: [a, b]}\n  again: {restore: a, to: c, after: [a, b]}\n"
    result = run(tmp_path, BOTH + back)
    (first,), (second,) = (set(transfers(result, name)) for name in ("back", "again"))
    assert second[0] >= first[1]


def test_restores_change_cartridges_together(tmp_path: Path) -> None:
    back = "  back_a: {restore: a, after: [a, b]}\n  back_b: {restore: b, after: [a, b]}\n"
    result = run(tmp_path, BOTH + back, {"devices.jukebox.drive.cartridge_capacity": "3 GB"})
    assert result.all_ended_well
    assert [s.activity for s in result.trace.spans if s.job.startswith("jobs.back")].count("load") <= 2
    for name in ("back_a", "back_b"):
        assert sum(end - begin for begin, end in transfers(result, name)) == pytest.approx(400.0)


def test_a_restore_that_fails_stops_none_that_reads_along() -> None:
    """A snapshot keeps what was there, so that the volume has no room for all that comes back to it."""
    devices = (
        "  small: {kind: ssd, capacity: 3 GB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, "
        "write_latency: 0 s}\n"
        "  thin: {model: redirect_volume/wafl-files, on: small, size: 2.9 GB}\n"
        "  frozen: {kind: redirect_snapshot, of: thin}\n"
    )
    base = BASE.replace("two, three, jukebox", "two, three, small, jukebox").replace("data:\n", devices + "data:\n", 1)
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
