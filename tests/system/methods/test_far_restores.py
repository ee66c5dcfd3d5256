"""A save set on a disk of another host: the two hosts work side by side, unless the program takes turns."""

import pytest

import simbackup as sb
from tests.cases import for_each

SITE = """\
title: A server with a disk of 400 MB/s, and a client behind a line of 1 GB/s
hosts:
  client: {owns: [flash], cores: 4, copy_rate: 1000 GB/s, speed: 1, memory: 64 GiB, dirty_limit: 90 %,
    dirty_background: 0 %}
  server: {owns: [store], cores: 4, copy_rate: 1000 GB/s, speed: 1, memory: 64 GiB, dirty_limit: 90 %,
    dirty_background: 0 %, read_ahead: 1 MB}
devices:
  flash: {kind: ssd, capacity: 100 GB, read_rate: 1000 GB/s, write_rate: 1000 GB/s, read_latency: 0 s,
    write_latency: 0 s}
  store: {kind: ssd, capacity: 100 GB, read_rate: 400 MB/s, write_rate: 400 MB/s, read_latency: 0 s, write_latency: 0 s}
links:
  lan: {joins: [client, server], rate: 1 GB/s, latency: 0 s, duplex: full}
data:
  files: {on: flash, size: 10 GB, files: 10, layout: together, filesystem: {reads_per_file: 0, cpu_per_file: 0 ms/file,
    fragment: 1 GB}}
jobs:
  full: {method: METHOD, exists: true, data: files, to: store, tool: {start_time: 0 s, mount_time: 0 s,
    copy_cpu: 1 ns/B, restore_cpu: TAKES, server_cpu: SENDS, alternates: TURNS}}
  JOB
"""
RESTORE = "back: {restore: full}"


def elapsed(method: str, takes: str, sends: str, *, turns: bool = False, job: str = RESTORE) -> float:
    text = SITE.replace("METHOD", method).replace("TAKES", takes).replace("SENDS", sends).replace("JOB", job)
    return sb.simulate(text.replace("TURNS", str(turns).lower())).get("jobs.back.elapsed")


@for_each("method", ["image", "file_level"])
@for_each(
    "takes, sends, seconds",
    [("1 ns/B", "1 ns/B", 25.0), ("4 ns/B", "1 ns/B", 40.0), ("2 ns/B", "6 ns/B", 60.0), ("1 ns/B", "0 ns/B", 25.0)],
)
def test_a_restore_takes_as_long_as_the_slower_host(method: str, takes: str, sends: str, seconds: float) -> None:
    """10 GB take 25 s to read, 10 s on the line, and the stated seconds of a core at either end, all meanwhile."""
    assert elapsed(method, takes, sends) == pytest.approx(seconds, rel=0.005)


@pytest.mark.parametrize("method", ["image", "file_level"])
def test_a_program_that_takes_turns_reads_sends_and_writes_one_after_the_other(method: str) -> None:
    """25 s to read, 10 s on the line, 40 s of a core of the client."""
    assert elapsed(method, "4 ns/B", "1 ns/B", turns=True) == pytest.approx(75.0, rel=0.005)
