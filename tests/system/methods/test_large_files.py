"""Large files of a file-level backup: hosts ask for what follows while programs work on what came before."""

import pytest

import simbackup as sb
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")

FAR = """\
title: Large files of a share
hosts:
  filer: {model: host/linux-2020-server, owns: [flash], copy_rate: 1000 GB/s, read_ahead: 1 GiB}
  server: {model: host/linux-2020-server, owns: [sink, store], speed: 1, copy_rate: 1000 GB/s}
devices:
  flash: {model: ssd/nvme-gen4-2021, read_rate: 1000 GB/s, read_latency: 0 s, write_rate: 1000 GB/s}
  store: {model: ssd/nvme-gen4-2021, read_rate: 1000 GB/s, read_latency: 0 s, write_rate: 1000 GB/s}
  sink: {kind: nul}
links:
  lan: {rate: 100 MB/s, latency: LATENCY, duplex: full, joins: [filer, server]}
data:
  files: {on: flash, size: 100 GB, files: 10, layout: together, filesystem: filesystem/xfs}
jobs:
  save:
    method: file_level
    data: files
    to: sink
    share: {host: server, calls: 3, request: 1 MB}
    tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: 4 ns/B}
  kept:
    method: file_level
    data: files
    to: store
    tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: 4 ns/B}
    after: save
  back: {restore: kept, share: {host: server, calls: 3, request: 1 MB}, after: kept}
"""


@for_each("job", ["save", "back"])
@for_each("latency, window", [(0.001, 0.010), (0.021, 0.0175), (0.091, 0.0525)])
def test_two_requests_for_a_large_file_are_under_way_on_a_line(job: str, latency: float, window: float) -> None:
    """A megabyte takes a round trip and 10 ms on the line, and 4 ms of a core: `(l + 10 + 4) / 2`, but at least 10."""
    result = sb.simulate(FAR.replace("LATENCY", f"{latency} s"))
    assert result.jobs.loc[job, "elapsed"] == pytest.approx(100e9 / 1e6 * window, rel=0.01)


def test_a_host_that_does_not_look_ahead_has_one_request_under_way() -> None:
    old = {"hosts.server.looks_ahead": False, "hosts.server.read_ahead": "128 KiB"}
    result = sb.simulate(FAR.replace("LATENCY", "21 ms"), old)
    assert result.jobs.loc["save", "elapsed"] == pytest.approx(100e9 / 1e6 * 0.035, rel=0.01)
