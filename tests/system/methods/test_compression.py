"""Compression of image and file-level backups at the client, on the wire, at the server and at the target, by hand."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result

pytestmark = pytest.mark.usefixtures("no_serial_share")

SITE = """\
title: A client with a flash disk, and a server with another, over a network of 50 MB/s
hosts:
  client: {owns: [source], cores: 4, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 1000 GB/s,
    speed: 2}
  server: {owns: [store, second, library], cores: 4, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 1000 GB/s, speed: 1}
devices:
  source: {kind: ssd, capacity: 100 GB, read_rate: 400 MB/s, write_rate: 400 MB/s, read_latency: 0 s,
    write_latency: 0 s}
  store: {kind: ssd, capacity: 100 GB, read_rate: 400 MB/s, write_rate: 20 MB/s, read_latency: 0 s, write_latency: 0 s}
  second: {kind: ssd, capacity: 100 GB, read_rate: 400 MB/s, write_rate: 400 MB/s, read_latency: 0 s,
    write_latency: 0 s}
  library: {model: tape_library/autoloader-8, drive: tape_drive/lto-5, drives: 1}
links:
  lan: {joins: [client, server], rate: 50 MB/s, latency: 0 s}
data:
  image: {on: source, size: 1 GB, compression: 4}
jobs:
  full: {method: image, data: image, to: store}
  back: {restore: full, after: full}
"""
CODER = "compressor: {at: AT, compress_cpu: 40 ns/B, expand_cpu: 10 ns/B}"
CLIENT, SERVER = 20e-9, 40e-9
"""Seconds of a core for a byte that is compressed; expanding takes a quarter."""


def run(
    folder: Path, at: str | None, more: str = "", changes: dict[str, Any] | None = None, to: str = "store"
) -> Result:
    text = SITE.replace("to: store}", f"to: {to}}}")
    if at is not None:
        text = text.replace(f"to: {to}}}", f"to: {to}, {CODER.replace('AT', at)}}}")
    file = folder / "case.yaml"
    file.write_text(text + more, encoding="utf-8")
    result = sb.simulate(file, changes)
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result


def device(result: Result, name: str, column: str) -> float:
    return next((row[column] for row in result.device_rows if row["device"] == name), 0.0)


def test_data_that_shrink_more_take_less_time() -> None:
    """Of zlib at level 6, 10:1 takes a third to a half of the time of 2:1, as hard as 3:1; back, less time, too."""
    text = """\
title: The same 100 GB compressed by gzip, once 2:1 and once 10:1
hosts:
  server: {model: host/linux-2020-server, owns: [flash, store]}
devices:
  flash: {model: ssd/nvme-gen4-2021}
  store: {model: ssd/nvme-gen4-2021}
data:
  hard: {on: flash, size: 100 GB, compression: 2}
  easy: {on: flash, size: 100 GB, compression: 10}
jobs:
  hard: {method: image, data: hard, to: store, compressor: compressor/gzip-6}
  easy: {method: image, data: easy, to: store, compressor: compressor/gzip-6, after: hard}
  hard_back: {restore: hard, after: easy}
  easy_back: {restore: easy, after: hard_back}
"""
    result = sb.simulate(text)
    times = {name: result.get(f"jobs.{name}.elapsed") for name in ("hard", "easy", "hard_back", "easy_back")}
    assert 2.0 < times["hard"] / times["easy"] < 3.0
    assert times["hard_back"] > 1.5 * times["easy_back"]


def test_a_byte_costs_what_it_takes_before_and_after_compression(tmp_path: Path) -> None:
    """At 4:1, 20 ns for a byte and 80 ns for each of a quarter of a byte are 40 ns in all, as without a ratio."""
    both = {
        "compress_cpu": "20 ns/B",
        "compress_coded_cpu": "80 ns/B",
        "expand_cpu": "5 ns/B",
        "expand_coded_cpu": "20 ns/B",
    }
    split = run(tmp_path, "client", changes={f"jobs.full.compressor.{key}": value for key, value in both.items()})
    plain = run(tmp_path, "client")
    for job in ("full", "back"):
        assert split.get(f"jobs.{job}.elapsed") == pytest.approx(plain.get(f"jobs.{job}.elapsed"))


@pytest.mark.parametrize("to", ["second", "library"])
def test_a_copy_of_what_is_compressed_moves_what_is_there(tmp_path: Path, to: str) -> None:
    copy = f"  copy: {{method: copy_save_set, save_set: full, to: {to}, after: back}}\n"
    again = "  again: {restore: full, copied_by: copy, after: copy}\n"
    result = run(tmp_path, "client", copy + again)
    assert device(result, "devices.store", "bytes") == pytest.approx(0.75e9)
    assert device(result, "links.lan", "bytes") == pytest.approx(0.75e9)
    assert result.get("jobs.copy.bytes") == result.get("jobs.again.bytes") == 1e9
    expanded = device(result, "hosts.client.cores", "busy_s") * 4
    assert expanded == pytest.approx(1e9 * (CLIENT + 2 * CLIENT / 4), rel=0.05)
