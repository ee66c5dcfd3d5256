"""Files that are walked get as much of a wire, a drive or a processor as what is read in sequence from another disk."""

import pytest

import simbackup as sb
from tests.cases import for_each

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
