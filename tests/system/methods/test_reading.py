"""What is read, where and in which turns, by hand and window by window."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

# What is read while a program works on what came before
WINDOW, SIZE = 1e6, 10e9
LATENCY, RATE = 0.010, 1e9  # of the disk that is read: 11 ns for each byte of a window
FETCH = (LATENCY + WINDOW / RATE) / WINDOW
SITE = """\
title: A disk with a long latency, hosts that read one window ahead, and a bucket
hosts:
  server: {owns: [a, d], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 10000 GB/s,
    speed: 1, read_ahead: 1 MB, looks_ahead: true}
  other: {owns: [c], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 10000 GB/s,
    speed: 1, read_ahead: 1 MB, looks_ahead: true}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 100 GB/s, write_rate: 100 GB/s, read_latency: 0 s, write_latency: 0 s}
  d: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 100 GB/s, read_latency: 10 ms, write_latency: 0 s}
  c: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 100 GB/s, read_latency: 10 ms, write_latency: 0 s}
  bucket: {kind: object_store, write_latency: 0 s, read_latency: 10 ms, connection_rate: 1 GB/s, part: 1 MB,
    read_requests: 1000000 /s, write_requests: 1000000 /s}
links:
  lan: {joins: [server, other], rate: 10 GB/s, latency: 0 s, duplex: full}
  wan: {joins: [server, bucket], rate: 100 GB/s, latency: 0 s, duplex: full}
data:
  db:
    on: a
    size: 10 GB
    compression: 2
    database: {dump_ratio: 1, dump_cpu: 1 ns/B, load_cpu: LOAD ns/B, replay_cpu: 1 ns/B, flush_time: 0 s,
      locks_for_snapshot: false, locks_for_dump: false}
  files: {on: d, size: 10 GB, compression: 2}
jobs:
"""
TOOL = "tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: 1 ns/B, restore_cpu: WORK ns/B, server_cpu: 0 s/B}"


def seconds_of(job: str, jobs: str, work: float, **changes: Any) -> float:
    text = SITE.replace("LOAD", f"{work}") + jobs.replace("WORK", f"{work}")
    result: Result = sb.simulate(sb.load(text, changes))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return float(result.get(f"jobs.{job}.elapsed"))


def periods(fetch: float, work: float, windows: int = 10_000) -> float:
    """Seconds of a byte when a host asks for the next window as its program begins one, whether that is there or not.

    Two windows are on their way at most: T(n + 1) = max(T(n), T(n - 1) + t) + w.
    """
    before, now = 0.0, fetch + work
    for _ in range(windows):
        before, now = now, max(now, before + fetch) + work
    return now / windows


@for_each("work", [1.0, 5.0, 11.0, 40.0])
def test_a_client_works_while_a_server_reads_on(work: float) -> None:
    """Two processes: the server sends a byte each (t + 0) / 2, and the client takes its own time."""
    jobs = f"  save: {{method: image, data: db, to: c, {TOOL}}}\n  back: {{restore: save, after: save, delay: 1 h}}\n"
    assert seconds_of("back", jobs, work) == pytest.approx(SIZE * max(FETCH / 2, work * 1e-9), rel=2e-3)


@pytest.mark.parametrize("work", [1.0, 11.0])
def test_a_program_that_alternates_does_one_after_the_other(work: float) -> None:
    """It waits for half of each fetch, as two windows are on their way, sends the bytes, and then the client works."""
    tool = TOOL.replace("tool: {", "tool: {alternates: true, ")
    jobs = f"  save: {{method: image, data: db, to: c, {tool}}}\n  back: {{restore: save, after: save, delay: 1 h}}\n"
    each = periods(FETCH, work * 1e-9) + 1 / 10e9
    assert seconds_of("back", jobs, work) == pytest.approx(SIZE * each, rel=2e-3)


@for_each("work", [1.0, 5.0, 40.0])
def test_objects_come_while_rows_are_loaded(work: float) -> None:
    """A connection brings 1 MB in 10 ms and 1 ms, 11 ns a byte, whatever the loader does with those before."""
    jobs = "  dump: {method: logical_dump, data: db, to: bucket}\n  load: {restore: dump, after: dump}\n"
    assert seconds_of("load", jobs, work) == pytest.approx(SIZE * max(11e-9, work * 1e-9), rel=2e-3)


# Images whose blocks another host asks for, and programs that read ahead
ASKED_SITE = """\
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
ASKED_TOOL = "tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: CPU ns/B}"
READ = 0.001 + 250e3 / 500e6
EACH = 0.002 + READ + 0.0005 + 250e3 / 100e6
"""Seconds of a request: the round trip, the read, the answer, and its bytes on the line."""


def asked(streams: int = 1, more: str = "") -> Result:
    result = sb.simulate(ASKED_SITE + ASKED.replace("STREAMS", str(streams)).replace("MORE", more))
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result


@pytest.mark.parametrize("cpu", [0.001, 1.0])
def test_one_request_at_a_time(cpu: float) -> None:
    """The window of the line is wide, but nothing else is under way; the reader works on what came before."""
    result = asked(more=ASKED_TOOL.replace("CPU", str(cpu)))
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
    site = ASKED_SITE.replace("nul: {kind: nul}", pool).replace("owns: [nul]", "owns: [pool]")
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
        text = ASKED_SITE + ASKED.replace(SHARE, SERVED).replace("STREAMS", str(streams)).replace("MORE", "")
        text = text.replace("250 kB", request).replace("100 MB/s", "1 GB/s")
        assert sb.simulate(text).get("jobs.full.elapsed") == pytest.approx(10e9 / rate)


LIKE = "cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 1000 GB/s"
DISK = "{kind: ssd, capacity: 1 TB, read_rate: 500 MB/s, write_rate: 500 MB/s, read_latency: 1 ms, write_latency: 1 ms}"


def test_jobs_share_what_a_host_serves_and_another_host_serves_as_much_again() -> None:
    twin = ASKED_SITE.replace("  reader:", "  twin: {owns: [other], like: keeper}\n  reader:").replace(
        "like: keeper", LIKE
    )
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


# Requests one after the other on an array whose controller reads ahead
SCENARIO = """\
title: Disks of virtual machines that a proxy asks for
hosts:
  esx: {cores: 8, memory: 32 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s, owns: [array]}
  proxy: {cores: 8, memory: 32 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s, owns: [nowhere]}
devices:
  nowhere: {kind: nul}
  array: {kind: raid, level: "0", disks: 4, stripe_unit: 64 KiB, controller_overhead: 0 s, prefetches: true,
    read_ahead: 4 MiB, disk: {capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms,
    average_seek: 5 ms, full_stroke_seek: 5 ms, outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0 s,
    stream_turn: 64 KiB}}
links:
  lan: {joins: [esx, proxy], rate: 100 GB/s, latency: PAUSE}
data: {d0: {on: array, size: 20 GB}, d1: {on: array, size: 20 GB}, d2: {on: array, size: 20 GB}}
jobs:
"""


def rates(readers: int, pause: str) -> list[float]:
    job = "{method: image, data: dN, to: nowhere, share: {host: proxy, calls: 0, request: 256 KiB}}"
    jobs = "".join(f"  j{i}: {job.replace('dN', f'd{i}')}\n" for i in range(readers))
    found = sb.simulate(SCENARIO.replace("PAUSE", pause) + jobs)
    return [found.get(f"jobs.j{i}.rate") for i in range(readers)]


# Files that are walked get as much as what is read in sequence from another disk
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


# A save set on another host: the two work side by side, unless the program takes turns
FAR_SITE = """\
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
    text = FAR_SITE.replace("METHOD", method).replace("TAKES", takes).replace("SENDS", sends).replace("JOB", job)
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


# Programs that end when their last bytes are in memory
CACHE_SITE = """\
title: 1 GB comes from a fast disk at 100 MB/s to one that takes 20 MB/s, through a memory that holds all of it
hosts:
  host: {owns: [fast, slow], cores: 4, memory: 10 GB, dirty_limit: LIMIT, dirty_background: 0 %, copy_rate: 1000 GB/s}
devices:
  fast: {kind: ssd, capacity: 100 GB, read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 0 s, write_latency: 0 s}
  slow: {kind: ssd, capacity: 100 GB, read_rate: 20 MB/s, write_rate: 20 MB/s, read_latency: 0 s, write_latency: 0 s}
  bucket: {kind: object_store, write_latency: 0 s, read_latency: 0 s, connection_rate: 100 MB/s, part: 8 MB,
    write_requests: 100000 /s, read_requests: 100000 /s}
links:
  line: {joins: [host, bucket], rate: 1 GB/s, latency: 0 s}
data:
  here: {on: slow, size: 1 GB, files: 10, filesystem: {cpu_per_file: 0 s/file, reads_per_file: 0, fragment: 64 KiB}}
  there: {on: fast, size: 1 GB, files: 10, filesystem: {cpu_per_file: 0 s/file, reads_per_file: 0, fragment: 64 KiB}}
jobs:
"""
ENDS = "tool: {start_time: 0 s, mount_time: 0 s, ends_in_cache: CACHE}"
PROGRAM = """\
  job: {method: program, operation: restore, data: here, target: fast, program: {operations: {restore: {
    serial_share: 0 %, phases: {all: {one: {items: files, of: all, steps: {make: {at: data, do: create}, FLUSH
      read: {at: target, do: read}, write: {at: data, do: write}}}}}}}}}
"""
JOBS = {
    "disk": f"  save: {{method: image, data: here, to: fast, exists: true, {ENDS}}}\n  job: {{restore: save}}\n",
    "objects": f"  save: {{method: image, data: here, to: bucket, exists: true, {ENDS}}}\n  job: {{restore: save}}\n",
    "list": PROGRAM,
}


def elapsed_cache(kind: str, *, cache: bool, limit: str) -> float:
    text = (CACHE_SITE + JOBS[kind]).replace("CACHE", str(cache).lower()).replace("LIMIT", limit)
    text = text.replace("FLUSH", "" if cache else "sync: {at: data, do: flush},")
    return float(sb.simulate(text).get("jobs.job.elapsed"))


@for_each("kind", list(JOBS))
def test_it_ends_in_memory_or_on_disk(kind: str) -> None:
    """10 s until all is in memory, 50 s until all is on disk, which writes from the beginning on."""
    assert elapsed_cache(kind, cache=True, limit="90 %") == pytest.approx(10.0, rel=0.01)
    assert elapsed_cache(kind, cache=False, limit="90 %") == pytest.approx(50.0, rel=0.01)
