"""Files that are walked get as much of a wire, a drive or a processor as what is read in sequence from another disk."""

from pathlib import Path

import pytest

import simbackup as sb
from tests.cases import for_each

SITE = """\
title: Two clients of a server whose port has 10 MB/s
hosts:
  a: {model: host/linux-2007-server, owns: [da]}
  b: {model: host/linux-2007-server, owns: [db]}
  s: {model: host/linux-2007-server, owns: [tapes, sink]}
devices:
  da: {model: disk/sata-7200-500gb-2005}
  db: {model: disk/sata-7200-500gb-2005}
  tapes: {model: tape_library/autoloader-8, drive: {model: tape_drive/lto-1, slowest_rate: 1 MB/s}, drives: 1}
  sink: {kind: nul}
links:
  lan: {rate: RATE MB/s, latency: 0.1 ms, duplex: full, joins: [a, b, s]}
data:
  files: {on: da, size: 10 GB, files: 20_000, filesystem: filesystem/xfs, layout: LAYOUT}
  blocks: {on: db, size: 20 GB}
jobs:
"""
TO_SERVER = """\
  files: {method: file_level, data: files, to: sink, streams: STREAMS}
  blocks: {method: image, data: blocks, to: sink}
"""
TO_A_DRIVE = """\
  files: {method: file_level, data: files, to: tapes, multiplexing: 2}
  blocks: {method: image, data: blocks, to: tapes, multiplexing: 2}
"""
ONE_DISK = TO_SERVER + "  beside: {method: image, data: more, to: sink}\n"


def run(
    tmp_path: Path, jobs: str, *, rate: int = 10, layout: str = "30 %", streams: int = 1, more: str = ""
) -> sb.Result:
    file = tmp_path / "case.yaml"
    text = SITE.replace("RATE", str(rate)).replace("LAYOUT", layout)
    text = text.replace("jobs:\n", more + "jobs:\n") + jobs.replace("STREAMS", str(streams))
    file.write_text(text, encoding="utf-8")
    return sb.simulate(file)


@pytest.mark.parametrize("layout", ["together", "30 %"])
def test_a_wire_that_both_can_fill_is_halved(tmp_path: Path, layout: str) -> None:
    """Each could fill the wire by itself: 10 GB take 2,000 s at 5 MB/s; of 20 GB, the other 10 take 1,000 s more."""
    result = run(tmp_path, TO_SERVER, layout=layout)
    assert result.get("jobs.files.elapsed") == pytest.approx(2000, rel=0.01)
    assert result.get("jobs.blocks.elapsed") == pytest.approx(3000, rel=0.01)


def test_each_of_several_streams_of_one_disk_counts(tmp_path: Path) -> None:
    """Three of files, one of blocks: 10 GB take 1,333 s at 7.5 MB/s."""
    result = run(tmp_path, TO_SERVER, streams=3, layout="together")
    assert result.get("jobs.files.elapsed") == pytest.approx(10e9 / 7.5e6, rel=0.01)


def test_a_drive_that_both_can_fill_is_halved(tmp_path: Path) -> None:
    """15 MB/s of LTO-1: 10 GB take 1,333 s at 7.5 MB/s, besides a minute for the cartridge."""
    result = run(tmp_path, TO_A_DRIVE, rate=100)
    assert result.get("jobs.files.elapsed") == pytest.approx(10e9 / 7.5e6 + 40, rel=0.03)


def test_on_one_disk_files_and_blocks_have_equal_times(tmp_path: Path) -> None:
    """There a file counts for the bytes that a stream moves meanwhile: with files here and there, few of theirs."""
    more = "  more: {on: da, size: 200 GB}\n"
    result = run(tmp_path, ONE_DISK, rate=1000, layout="scattered", more=more)
    alone = run(tmp_path, TO_SERVER, rate=1000, layout="scattered")
    slower = float(result.get("jobs.files.elapsed")) / float(alone.get("jobs.files.elapsed"))
    assert 1.6 < slower < 2.4


REDUCED = """\
title: Backups that compress or deduplicate, beside one that does not
hosts:
  a: {model: host/linux-2020-server, owns: [da, db]}
  s: {model: host/linux-2020-server, owns: [kept]}
devices:
  da: {model: ssd/nvme-gen4-2021, read_rate: 100 MB/s, read_latency: 0 s}
  db: {model: ssd/nvme-gen4-2021, read_rate: 100 MB/s, read_latency: 0 s}
  kept: {model: ssd/nvme-gen4-2021}
links:
  lan: {rate: WIRE MB/s, latency: 0 s, duplex: full, joins: [a, s]}
data:
  plain: {on: da, size: 20 GB, files: 2000, filesystem: filesystem/xfs, layout: together}
  less: {on: DISK, size: 10 GB, files: 1000, filesystem: filesystem/xfs, layout: together, compression: 4}
jobs:
  plain: {method: METHOD, data: plain, to: kept}
  less: {method: METHOD, data: less, to: kept, HOW}
"""
COMPRESSED = "compressor: {at: AT, compress_cpu: 0.001 ns/B, expand_cpu: 0 ns/B, threads: 8}"
CHUNKS = "deduplication: {ratio: 50, cut_cpu: 0.001 ns/B, join_cpu: 0 ns/B, together: 1 MB, threads: 8}"


def reduced(how: str, method: str, *, disk: str, wire: int) -> tuple[float, float]:
    text = REDUCED.replace("METHOD", method).replace("HOW", how).replace("DISK", disk).replace("WIRE", str(wire))
    result = sb.simulate(text)
    return result.get("jobs.less.elapsed"), result.get("jobs.plain.elapsed")


@for_each("method", ["image", "file_level"])
@for_each("how", [COMPRESSED.replace("AT", "client"), COMPRESSED.replace("AT", "server"), CHUNKS])
def test_bytes_that_become_fewer_count_as_others_on_the_disk_where_they_are_read(how: str, method: str) -> None:
    """Each reads 50 MB/s: 10 GB take 200 s; of 20 GB, the other 10 take 100 s more."""
    assert reduced(how, method, disk="da", wire=1000) == pytest.approx((200.0, 300.0), rel=0.02)


@for_each("method", ["image", "file_level"])
@for_each("at, sent", [("client", 2.5), ("server", 10.0)])
def test_on_a_wire_those_bytes_count_that_are_sent(at: str, sent: float, method: str) -> None:
    """Each sends 5 MB/s, from a disk of its own; then the wire has 10 MB/s for the other."""
    seconds = sent * 200.0
    expected = (seconds, seconds + (20.0 - sent) * 100.0)
    assert reduced(COMPRESSED.replace("AT", at), method, disk="db", wire=10) == pytest.approx(expected, rel=0.02)
