"""Compression and deduplication of image and file-level backups, by hand."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")


# Compression at the client, on the wire, at the server and at the target
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


# Deduplication
CHUNKS_SITE = """\
title: A client with a flash disk, and a server with another, over a network of 50 MB/s
hosts:
  client: {owns: [source], cores: 4, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 100 GB/s,
    speed: 2}
  server: {owns: [store, library], cores: 4, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 100 GB/s, speed: 1, read_ahead: 128 KiB}
devices:
  source: {kind: ssd, capacity: 100 GB, read_rate: 400 MB/s, write_rate: 400 MB/s, read_latency: 0 s,
    write_latency: 0 s}
  store: {kind: ssd, capacity: 100 GB, read_rate: 400 MB/s, write_rate: 20 MB/s, read_latency: 10 ms,
    write_latency: 0 s}
  bucket: {model: object_store/amazon-s3-standard}
  library: {model: tape_library/autoloader-8, drive: tape_drive/lto-5, drives: 1}
links:
  lan: {joins: [client, server], rate: 50 MB/s, latency: 0 s}
  wan: {joins: [client, bucket], rate: 50 MB/s, latency: 0 s}
  san: {joins: [client, library], rate: 500 MB/s, latency: 0 s}
data:
  image: {on: source, size: 1 GB, compression: 2}
jobs:
  full: {method: image, data: image, to: TO, deduplication: {DEDUP}, MORE}
  back: {restore: full, after: full}
"""
DISK = "  store: {model: disk/nearline-12tb-2018, capacity: 10 GB}\n"
DEDUP = "ratio: 5, cut_cpu: 40 ns/B, join_cpu: 10 ns/B, together: 1 MB"
CHUNKS_CODER = "compressor: {at: client, compress_cpu: 40 ns/B, expand_cpu: 10 ns/B}"
CUT, JOIN = 20.0, 5.0
"""Seconds of a core of the client for all bytes; the server takes twice as long."""


def site(to: str = "store", dedup: str = "", more: str = "connections: 1", jobs: str = "") -> str:
    own = CHUNKS_SITE.replace("TO", to).replace("MORE", more).replace("{DEDUP}", f"{{{DEDUP}{dedup}}}")
    unused = {"bucket": ("  bucket:", "  wan:"), "library": ("  library:", "  san:")}
    for name, lines in unused.items():
        if name != to and name not in jobs:
            own = "\n".join(line for line in own.splitlines() if not line.startswith(lines)) + "\n"
            own = own.replace(f", {name}]", "]")
    return own + jobs


def run_chunks(text: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(text, changes)
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result


@for_each("at, sent, client, server", [
    ("client", 0.2, CUT + JOIN, 0.0), ("server", 1.0, 0.0, 2 * (CUT + JOIN)), ("target", 1.0, 0.0, 0.0),
])  # fmt: skip
def test_only_new_chunks_are_sent_and_stored_and_all_come_back(
    at: str, sent: float, client: float, server: float
) -> None:
    result, plain = (
        run_chunks(site(dedup=f", at: {at}")),
        run_chunks(site().replace(f"deduplication: {{{DEDUP}}}, ", "")),
    )
    assert device(result, "links.lan", "bytes") + device(result, "links.lan.back", "bytes") == pytest.approx(
        1e9 * (sent + 1.0)
    )
    assert device(result, "devices.store", "bytes") == pytest.approx(1e9 * (0.2 + 1.0))
    for host, seconds in (("client", client), ("server", server)):
        spent = [device(one, f"hosts.{host}.cores", "busy_s") * 4 for one in (result, plain)]
        assert spent[0] - spent[1] == pytest.approx(seconds, rel=0.02, abs=0.05)
    assert result.get("jobs.full.bytes") == result.get("jobs.back.bytes") == 1e9


def test_a_bucket_takes_what_is_new_and_gives_all_back() -> None:
    result = run_chunks(site("bucket", more=CHUNKS_CODER))
    assert device(result, "links.wan", "bytes") + device(result, "links.wan.back", "bytes") == pytest.approx(0.6e9)
    assert result.get("jobs.back.bytes") == 1e9


def test_a_synthetic_full_backup_shares_the_chunks_that_are_there() -> None:
    jobs = "  whole: {method: consolidate, save_set: full, after: full}\n"
    jobs += "  again: {restore: full, after: [whole, back]}\n"
    result = run_chunks(site(jobs=jobs))
    assert result.get("jobs.whole.bytes") == 0.0
    assert device(result, "devices.store", "bytes") == pytest.approx(1e9 * (0.2 + 2.0))  # written once, read twice
    assert result.get("jobs.again.bytes") == 1e9


def test_a_store_gives_back_no_more_than_it_can_to_one_stream_and_to_all() -> None:
    fast = {"links.lan.rate": "5 GB/s", "devices.store.read_latency": "0 s"}
    rates = "restore_rate: 100 MB/s, stream_restore_rate: 80 MB/s"
    jobs = "  again: {restore: full, after: back}\n  beside: {restore: full, after: back}\n"
    jobs += "  copy: {method: copy_save_set, save_set: full, to: source, after: [again, beside]}\n"
    result = run_chunks(site(dedup=f", {rates}, at: target", jobs=jobs), fast)
    assert result.get("jobs.back.elapsed") == pytest.approx(1e9 / 80e6, rel=0.01)
    assert result.get("jobs.again.elapsed") == result.get("jobs.beside.elapsed") == pytest.approx(20.0, rel=0.01)
    assert result.get("jobs.copy.elapsed") == pytest.approx(1e9 / 80e6, rel=0.01)
    found = sb.explain(result, "again")["again"]
    assert (found.bottleneck, found.without) == ("devices.store.restore_rate", pytest.approx(5.0, rel=0.01))


def test_an_index_on_disk_reads_where_memory_does_not_know_a_chunk() -> None:
    """A read for each of ten chunks of 10 kB makes ten thousand, and a disk of 7,200 rpm takes about 10 ms for one."""
    text = site().replace("  store: {kind: ssd,", "  flash: {kind: ssd,").replace("links:\n", DISK + "links:\n")
    quick = run_chunks(text)
    index = {"jobs.full.deduplication.chunk": "10 kB", "jobs.full.deduplication.index_reads": 0.1}
    slow = run_chunks(text, index | {"jobs.full.deduplication.cut_cpu": "0 ns/B"})
    assert quick.get("jobs.full.elapsed") == pytest.approx(CUT, rel=0.05)
    each = slow.get("jobs.full.elapsed") / (1e9 / 10e3 * 0.1)
    assert 5e-3 < each < 15e-3


CONTAINERS = {"cut_cpu": "0 ns/B", "join_cpu": "0 ns/B", "together": "1 MB", "at": "target", "container": "4 MB"}


@pytest.mark.parametrize("nights", [1, 10])
def test_a_restore_reads_containers_that_earlier_nights_have_left(nights: int) -> None:
    """A tenth is new each night, and something of each old container is left: ten nights leave twice the data to read.

    250 containers of 4 MB of the first backup, and 25 of each night, each after a latency of 10 ms and in 10 ms.
    """
    changes = {"data.image.change": {"daily": "10 %", "run": "4 KiB"}, "links.lan.rate": "5 GB/s"}
    changes["jobs.full.deduplication"] = CONTAINERS | {"last": "1 d", "generations": nights}
    result = run_chunks(site().replace(f"deduplication: {{{DEDUP}}}, ", ""), changes)
    each = 4e6 / 400e6 + 10e-3
    expected = (250 + 25 * nights) * each
    assert result.get("jobs.back.elapsed") == pytest.approx(expected, rel=0.03)
