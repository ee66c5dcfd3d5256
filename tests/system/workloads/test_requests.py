"""The impact on applications at an adapter that backups cross, too."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result

SYSTEM = """\
title: A server and a filer, and an adapter of 100 MB/s between them
hosts:
  server: {owns: [source], cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 10 GB/s}
  filer: {owns: [target], cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 10 GB/s}
devices:
  source: {kind: ssd, capacity: 1 TB, read_rate: 10 GB/s, write_rate: 10 GB/s, read_latency: 0.1 ms,
    write_latency: 0.1 ms}
  target: {kind: ssd, capacity: 1 TB, read_rate: 10 GB/s, write_rate: 10 GB/s, read_latency: 0.1 ms,
    write_latency: 0.1 ms}
links:
  nic: {rate: 100 MB/s, latency: 0 s, joins: [server, filer]}
  core: {rate: 100 MB/s, latency: 0 s, joins: [server, filer]}
data:
  db: {on: source, size: 1 GB, filesystem: {reads_per_file: 1, cpu_per_file: 0 s/file, fragment: 1 GB}}
workloads:
  app: {via: nic, request: 1 MB, timeout: 20 ms}
jobs:
  watch: {method: observe, workload: app, duration: 100 s}
"""
ENGINE = (
    "{transfer_size: 1 MiB, io_depth: 4, request_latency: 0 s, compress_cpu: 0 ns/B, expand_cpu: 0 ns/B, "
    "buffer_sets: 1, memory_limit: 10 GB}"
)
NATIVE = f"  watch: {{method: database_native, data: db, to: target, buffers: 8, engine: {ENGINE}}}\n"


def run(tmp_path: Path, changes: dict[str, Any], job: str = "") -> Result:
    file = tmp_path / "case.yaml"
    text = SYSTEM if not job else SYSTEM[: SYSTEM.index("  watch:")] + job
    file.write_text(text, encoding="utf-8")
    return sb.simulate(file, changes)


def impact(result: Result, column: str) -> float:
    return result.get(f"workloads.app.watch.{column}")


def asking(rate: float) -> dict[str, Any]:
    return {"workloads.app.transactions": f"{rate} /s"}


def clients(number: int, think_time: str) -> dict[str, Any]:
    return {"workloads.app.clients": number, "workloads.app.think_time": think_time}


def test_waits_at_two_links_add_up(tmp_path: Path) -> None:
    both = run(tmp_path, asking(50) | {"workloads.app.via": ["nic", "core"]})
    one = run(tmp_path, asking(50))
    assert impact(both, "network_wait") == pytest.approx(2 * impact(one, "network_wait"))
    assert impact(both, "timed_out") > 1.5 * impact(one, "timed_out")


def test_requests_stand_behind_the_buffers_of_a_backup(tmp_path: Path) -> None:
    """With nothing else on their way all buffers stand at the adapter; each takes 1 / (1 - load) of its time."""
    result = run(tmp_path, asking(50), NATIVE)
    assert result.get("jobs.watch.rate") == pytest.approx(50e6, rel=0.01)
    stage = 2.0**20 / 100e6
    assert impact(result, "network_wait") == pytest.approx((8 * stage + 0.5 * 0.01) / 0.5, rel=0.01)
    assert impact(result, "timed_out") > 0.99
    assert impact(result, "lost") == 0.0


def test_a_backup_that_is_over_is_not_felt(tmp_path: Path) -> None:
    job = NATIVE.replace("watch:", "backup:") + (
        "  watch: {method: observe, workload: app, duration: 100 s, after: backup}\n"
    )
    assert impact(run(tmp_path, asking(50), job), "network_wait") == pytest.approx(0.01)


def test_buffers_on_one_of_two_wires_are_felt_by_half_of_the_requests(tmp_path: Path) -> None:
    changes = asking(100) | {"links.nic.count": 2, "workloads.app.timeout": "1 ms"}
    result = run(tmp_path, changes, NATIVE)
    stage = 2.0**20 / 100e6
    assert impact(result, "network_wait") == pytest.approx((4 * stage + 0.5 * 0.01) / 0.5, rel=0.01)
    assert result.get("jobs.watch.rate") == pytest.approx(50e6, rel=0.01)


def test_a_client_alone_waits_for_nobody(tmp_path: Path) -> None:
    result = run(tmp_path, clients(1, "90 ms"))
    assert impact(result, "rate") == pytest.approx(10.0)
    assert impact(result, "network_wait") == 0.0
    assert impact(result, "timed_out") == 0.0


def test_many_clients_fill_the_adapter(tmp_path: Path) -> None:
    result = run(tmp_path, clients(1000, "0 s"))
    assert impact(result, "rate") == pytest.approx(100.0, rel=0.01)
    assert impact(result, "network_wait") == pytest.approx(9.99, rel=0.01)


def test_clients_yield_to_what_stands_in_the_queue(tmp_path: Path) -> None:
    """Eight buffers and eight clients of as many bytes, none ever elsewhere: each gets about half."""
    changes = clients(8, "0 s") | {"workloads.app.request": "1 MiB"}
    result = run(tmp_path, changes, NATIVE)
    assert result.get("jobs.watch.rate") == pytest.approx(50e6, rel=0.1)
    assert impact(result, "lost") == pytest.approx(0.5, abs=0.05)


def test_a_stream_has_its_window_outstanding(tmp_path: Path) -> None:
    image = "  watch: {method: image, data: db, to: target}\n"
    plain = run(tmp_path, asking(50), image)
    window = run(tmp_path, asking(50) | {"links.nic.window": "4 MB"}, image)
    assert plain.get("jobs.watch.elapsed") == pytest.approx(20.0, rel=0.01)
    usual = 3 * 2**20 / 100e6  # seconds of the window that a link has unless it states one
    assert impact(plain, "network_wait") == pytest.approx(0.01 + usual / 0.5, rel=0.01)
    assert impact(window, "network_wait") == pytest.approx(0.01 + 0.04 / 0.5, rel=0.01)


def test_a_stream_that_something_else_limits_stands_there_at_times(tmp_path: Path) -> None:
    changes = asking(50) | {"links.nic.window": "4 MB", "devices.source.read_rate": "25 MB/s"}
    result = run(tmp_path, changes, "  watch: {method: image, data: db, to: target}\n")
    assert impact(result, "network_wait") == pytest.approx(0.01 + 0.5 * 0.04 / 0.5, rel=0.01)


def test_a_table_shows_the_columns_that_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from simbackup.cli import show  # noqa: PLC0415

    result = run(tmp_path, asking(80))
    show.users(result)
    reported = capsys.readouterr().out
    assert "wait at links" in reported
    assert "40 ms" in reported
    assert "timed out" in reported
    assert "waited for lock" not in reported
    row = result.as_dict()["users"][0]
    assert set(row) == {"users", "job", "offered", "served", "rate", "lost", "network_wait", "timed_out"}
