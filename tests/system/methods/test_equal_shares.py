"""Files that are walked get as much of a wire, a drive or a processor as what is read in sequence from another disk."""

from __future__ import annotations

from pathlib import Path

import pytest

import simbackup as sb

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
