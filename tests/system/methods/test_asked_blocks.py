"""Images whose blocks another host asks for, and programs that read ahead, in closed form."""

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

SITE = """\
title: A hypervisor, and a host that asks it for blocks
hosts:
  keeper: {owns: [array], cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 1000 GB/s}
  reader: {owns: [nul], cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 1000 GB/s}
devices:
  array: {kind: ssd, capacity: 1 TB, read_rate: 500 MB/s, write_rate: 500 MB/s, read_latency: 1 ms, write_latency: 1 ms}
  nul: {kind: nul}
links:
  lan: {joins: [keeper, reader], rate: 100 MB/s, latency: 2 ms, duplex: full, window: 1 GB}
data:
  disks: {on: array, size: 10 GB, change: {daily: 10 %, run: 100 kB}}
jobs:
"""
SHARE = "share: {host: reader, calls: 0, request: 250 kB, call_cpu: 0.5 ms}"
ASKED = f"  full: {{method: image, data: disks, to: nul, {SHARE}, streams: STREAMS, MORE}}\n"
TOOL = "tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: CPU ns/B}"
READ = 0.001 + 250e3 / 500e6
EACH = 0.002 + READ + 0.0005 + 250e3 / 100e6
"""Seconds of a request: the round trip, the read, the answer, and its bytes on the line."""


def asked(streams: int = 1, more: str = "") -> Result:
    result = sb.simulate(SITE + ASKED.replace("STREAMS", str(streams)).replace("MORE", more))
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result


@pytest.mark.parametrize("cpu", [0.001, 1.0])
def test_one_request_at_a_time(cpu: float) -> None:
    """The window of the line is wide, but nothing else is under way; the reader works on what came before."""
    result = asked(more=TOOL.replace("CPU", str(cpu)))
    assert result.get("jobs.full.elapsed") == pytest.approx(10e9 / 250e3 * EACH, rel=1e-3)


def test_changed_runs_are_asked_for_one_by_one() -> None:
    """1 GB in runs of 100 kB, of which a request fetches one."""
    each = 0.002 + 0.001 + 0.0005 + 100e3 / 500e6 + 100e3 / 100e6
    changed = asked(more="level: incremental, since: 24 h")
    runs = changed.get("jobs.full.bytes") / 100e3
    assert changed.get("jobs.full.elapsed") == pytest.approx(runs * each, rel=0.01)


def test_a_program_that_searches_for_changes_asks_for_all() -> None:
    tool = "tool: {start_time: 0 s, mount_time: 0 s, scan_cpu: 1 ns/B}"
    searched = asked(more=f"level: incremental, since: 24 h, {tool}")
    assert searched.get("jobs.full.elapsed") == pytest.approx(10e9 / 250e3 * EACH, rel=1e-3)


@for_each("streams, answer", [(1, 0.0005), (1, 0.003), (2, 0.0005)])
def test_an_image_comes_back_in_requests_that_are_waited_for(streams: int, answer: float) -> None:
    """A round trip of 2 ms, 2.5 ms on the line, the answer, and 1.5 ms until it is on disk, for each 250 kB."""
    rates = "read_rate: 9 TB/s, write_rate: 9 TB/s, read_latency: 0 s, write_latency: 0 s"
    pool = f"pool: {{kind: ssd, capacity: 1 TB, {rates}}}"
    site = SITE.replace("nul: {kind: nul}", pool).replace("owns: [nul]", "owns: [pool]")
    share = SHARE.replace("0.5 ms", f"{answer} s")
    site += f"  full: {{method: image, data: disks, to: pool, {share}}}\n"
    site += f"  back: {{restore: full, after: full, streams: {streams}, {share}}}\n"
    result = sb.simulate(site)
    each = 0.002 + 0.0025 + answer + 0.0015
    alone = 10e9 / 250e3 * each / streams
    assert result.get("jobs.back.elapsed") >= alone * 0.999
    assert result.get("jobs.back.elapsed") == pytest.approx(alone, rel=0.001 if streams == 1 else 0.25)
    assert result.activities("back")["devices.array", "write"] == pytest.approx(10e9 / 250e3 * 0.0015, rel=0.01)


SERVED = SHARE.replace("}", ", rate: 90 MB/s, stream_rate: 20 MB/s}")


@for_each("streams, rate", [(1, 20e6), (3, 60e6), (6, 90e6)])
def test_a_host_may_serve_one_stream_and_all_of_them_no_faster_than_so(streams: int, rate: float) -> None:
    """Whatever a request holds: the limits are those of the service, not of its answers."""
    for request in ("250 kB", "25 MB"):
        text = SITE + ASKED.replace(SHARE, SERVED).replace("STREAMS", str(streams)).replace("MORE", "")
        text = text.replace("250 kB", request).replace("100 MB/s", "1 GB/s")
        assert sb.simulate(text).get("jobs.full.elapsed") == pytest.approx(10e9 / rate)


LIKE = "cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 1000 GB/s"
DISK = "{kind: ssd, capacity: 1 TB, read_rate: 500 MB/s, write_rate: 500 MB/s, read_latency: 1 ms, write_latency: 1 ms}"


def test_jobs_share_what_a_host_serves_and_another_host_serves_as_much_again() -> None:
    twin = SITE.replace("  reader:", "  twin: {owns: [other], like: keeper}\n  reader:").replace("like: keeper", LIKE)
    twin = twin.replace("  nul:", f"  other: {DISK}\n  nul:").replace(
        "[keeper, reader], rate: 100 MB/s", "[keeper, twin, reader], rate: 1 GB/s"
    )
    twin = twin.replace("jobs:\n", "  more: {on: array, size: 10 GB}\n  far: {on: other, size: 10 GB}\njobs:\n")
    share = SERVED.replace("20 MB/s", "1 GB/s").replace("250 kB", "25 MB")
    jobs = [f"  {data}: {{method: image, data: {data}, to: nul, {share}}}\n" for data in ("disks", "more", "far")]
    both = sb.simulate(twin + "".join(jobs[:2]))
    assert both.get("jobs.more.elapsed") == pytest.approx(20e9 / 90e6)
    apart = sb.simulate(twin + jobs[0] + jobs[2])
    assert apart.get("jobs.far.elapsed") == pytest.approx(10e9 / 90e6)


ESX = """\
title: Disks of virtual machines that one hypervisor gives away
hosts:
  esx: {model: host/vmware-esxi-6, owns: [lun]}
  worker: {model: host/linux-2020-server, owns: [target]}
devices:
  array: {model: raid/midrange-array-2018, ssd: ssd/sas-ssd-2018, disks: 12}
  lun: {kind: logical_volume, on: array, size: 5 TB}
  target: {model: raid/midrange-array-2018, ssd: ssd/sas-ssd-2018, disks: 12}
links:
  san: {model: network/fibre-channel-16g, joins: [esx, array]}
  lan: {model: network/ten-gigabit-ethernet, joins: [esx, worker]}
data:
  one: {on: lun, size: 35 GB}
  thirty: {on: lun, size: 1127 GB}
jobs:
  single: {method: image, data: one, to: target, share: {model: share/vmware-nbd-6.7, host: worker}}
  many: {method: image, data: thirty, to: target, streams: 30, after: single,
    share: {model: share/vmware-nbd-6.7, host: worker}}
"""


def test_the_management_stack_of_a_hypervisor_is_the_limit() -> None:
    """141 to 145 MB/s for one disk, and about 300 MB/s for all: 4 min, and an hour."""
    result = sb.simulate(ESX)
    assert 35e9 / 145e6 <= result.get("jobs.single.elapsed") <= 35e9 / 141e6
    assert result.get("jobs.many.elapsed") == pytest.approx(1127e9 / 300e6, rel=0.02)
    assert next(iter(result.causes("many"))).address == "hosts.esx.serving"
