"""Users, walks and writers beside streams on a disk, against a simulation of each request."""

from pathlib import Path

import pytest
from oracles.arrival_order import Asked, Place, Served, in_order_of_arrival, stream_rates
from oracles.disk import runs_beside_users
from oracles.snapshot import scattered_first_writes

import simbackup as sb
from simbackup.devices.disk.live import Disk
from simbackup.devices.store import Region
from simbackup.equations.disk import DiskParameters
from tests.cases import for_each, grid

# A backup reads a disk beside users, whose requests draw the arm away
SCENARIO = """\
title: A disk of 100 GB, 100 MB/s, a seek of 5 ms between any two places, 6000 rpm
hosts:
  server: {cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s,
    owns: [disk, nowhere]READS}
devices:
  nowhere: {kind: nul}
  disk: {kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms, average_seek: 5 ms,
    full_stroke_seek: 5 ms, outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0 s, stream_turn: 512 kB}
data:
  db: {on: disk, size: 20 GB}
workloads:
  users: {data: db, transactions: RATE, reads: 1, read_size: 4 KiB, cpu: 0 s, writes: 0 %}
jobs:
  full: {method: image, data: db, to: nowhere}
"""
BACK = 0.010
"""A seek and half a revolution."""
USER = BACK + 4096 / 100e6


def rate_by_events(rate: float, run: float) -> float:
    """Bytes a second of a stream that asks for its next run when one is done, in order of arrival with all users."""
    return run * runs_beside_users(rate, USER, run / 100e6, BACK)


@for_each("reads", ["", ", read_ahead: 512 kB"])
@for_each("load", ["transactions: 20 /s", "transactions: 100000 /s", "clients: 10, think_time: 0 s"])
def test_files_that_lie_together_are_read_as_an_image_of_them_is(load: str, reads: str) -> None:
    files = "size: 20 GB, files: 10, layout: together, filesystem: {model: filesystem/ext4, fragment: 512 kB}"
    scenario = SCENARIO.replace("size: 20 GB", files).replace("transactions: RATE", load).replace("READS", reads)
    image, walk = (sb.simulate(scenario.replace("method: image", f"method: {how}")) for how in ("image", "file_level"))
    assert walk.get("jobs.full.elapsed") == pytest.approx(image.get("jobs.full.elapsed"), rel=0.02)


FAR = 0.0008, 0.0085, 0.018
"""Seeks of a disk: the shortest, the mean, the longest."""
EVEN = DiskParameters(100e9, 100.0, 0.005, 0.005, 0.005, 100e6, 100e6, 0.0, 512e3)
UNEVEN = DiskParameters(100e9, 100.0, *FAR, 100e6, 50e6, 0.0, 512e3)
SEVERAL = """\
title: Data of 20 GB each, one behind the other
hosts:
  server: {{cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s,
    read_ahead: {window} B, owns: [disk, nowhere]}}
devices:
  nowhere: {{kind: nul}}
  disk: {{kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: {one.track_to_track_seek} s,
    average_seek: {one.average_seek} s, full_stroke_seek: {one.full_stroke_seek} s, outer_rate: {one.outer_rate} B/s,
    inner_rate: {one.inner_rate} B/s, command_overhead: 0 s, stream_turn: 512 kB}}
data: {{d0: {{on: disk, size: 20 GB}}, d1: {{on: disk, size: 20 GB}}, d2: {{on: disk, size: 20 GB}},
  d3: {{on: disk, size: 20 GB}}, d4: {{on: disk, size: 20 GB}}}}
workloads:
  users: {{data: d{users}, {load}, reads: 1, read_size: 4096 B, cpu: 0 s, writes: 0 %}}
jobs:
"""
POISSON, CLOSED, THINKING = Asked(rate=40.0), Asked(users=4), Asked(users=4, think_time=0.1)
BUSY, MANY = Asked(rate=50.0), Asked(users=10)


def several(disk: DiskParameters, streams: tuple[int, ...], users: int, asked: Asked, window: float) -> list[float]:
    """Bytes a second of images of some of the data, beside users of others."""
    load = f"transactions: {asked.rate} /s"
    if asked.users:
        load = f"clients: {asked.users}, think_time: {asked.think_time} s"
    jobs = "".join(f"  j{i}: {{method: image, data: d{i}, to: nowhere}}\n" for i in streams)
    found = sb.simulate(SEVERAL.format(one=disk, window=int(window), users=users, load=load) + jobs)
    return [found.get(f"jobs.j{i}.rate") for i in streams]


@pytest.mark.slow
@for_each(
    "streams, asked, window", grid([(0,), (0, 1), (0, 1, 2)], [POISSON, BUSY, CLOSED, MANY, THINKING], [512e3, 4e6])
)
def test_streams_and_users_share_a_disk_as_in_order_of_arrival(
    streams: tuple[int, ...], asked: Asked, window: float
) -> None:
    """Before a run of several streams, the disk was at another stream or at users: it loses one way, not two."""
    places = [Place(i * 20e9, 20e9) for i in streams]
    expected = stream_rates(EVEN, places, window, places[0], asked)
    assert several(EVEN, streams, 0, asked, window) == pytest.approx(expected, rel=0.06)


@pytest.mark.slow
@for_each("streams, users", [((0,), 4), ((0,), 0), ((0,), 2), ((0, 1), 4), ((0, 4), 2), ((0, 4), 0)])
@for_each("asked", [Asked(rate=10.0), POISSON], ids=str)
def test_a_stream_pays_for_both_ways_to_users_far_away(streams: tuple[int, ...], users: int, asked: Asked) -> None:
    """A stream outside, and users inside: the first of them costs more than one after another of theirs."""
    places = [Place(i * 20e9, 20e9) for i in streams]
    found = several(UNEVEN, streams, users, asked, 512e3)
    seconds = min(20e9 / rate for rate in found)
    expected = stream_rates(UNEVEN, places, 512e3, Place(users * 20e9, 20e9), asked, seconds=min(seconds, 500.0))
    assert found == pytest.approx(expected, rel=0.06)


def test_users_who_are_locked_out_draw_no_arm_away() -> None:
    """All of them write, and wait from the instant in which the dump that reads their disk begins."""
    database = (
        "{dump_ratio: 1, dump_cpu: 0.001 ns/B, load_cpu: 0.001 ns/B, replay_cpu: 0.001 ns/B, flush_time: 0 s,"
        " locks_for_snapshot: true}"
    )
    target = (
        "{kind: ssd, capacity: 100 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}"
    )
    dump = (
        SCENARIO.replace("size: 20 GB}", f"size: 20 GB, database: {database}}}")
        .replace("nowhere: {kind: nul}", f"nowhere: {target}")
        .replace("method: image", "method: logical_dump")
        .replace("RATE", "20 /s")
        .replace("READS", "")
    )
    beside, locked = (sb.simulate(dump.replace("writes: 0 %", f"writes: {share} %")) for share in (0, 100))
    assert beside.get("jobs.full.rate") == pytest.approx(rate_by_events(20.0, 512e3), rel=0.02)
    assert locked.get("jobs.full.rate") == pytest.approx(100e6, rel=1e-3)


# How long a transaction takes on a disk that streams fill
DISK = DiskParameters(100e9, 100.0, 0.005, 0.005, 0.005, 100e6, 100e6, 0.0, 512e3)
"""A seek of 5 ms between any two places, half a revolution of 5 ms, 100 MB/s."""
RESPONSE_SCENARIO = """\
title: Data of 20 GB each, one behind the other
hosts:
  server: {cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s, read_ahead: WINDOW,
    owns: [disk, nowhere]}
devices:
  nowhere: {kind: nul}
  disk: {kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms, average_seek: 5 ms,
    full_stroke_seek: 5 ms, outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0 s, stream_turn: 512 kB}
data: {d0: {on: disk, size: 20 GB}, d1: {on: disk, size: 20 GB}, d2: {on: disk, size: 20 GB},
  d3: {on: disk, size: 20 GB}}
workloads:
  users: {data: d0, LOAD, reads: 1, read_size: 4096 B, cpu: 0 s, writes: 0 %}
jobs:
"""
SEEN = "  j0: {method: observe, workload: users, duration: 100 s}\n"


def jobs(streams: int) -> str:
    return "".join(f"  j{i}: {{method: image, data: d{i}, to: nowhere}}\n" for i in range(streams)) or SEEN


def load(asked: Asked) -> str:
    if asked.users:
        return f"clients: {asked.users}, think_time: {asked.think_time} s"
    return f"transactions: {asked.rate} /s"


def simulated_response(streams: int, asked: Asked, window: float) -> Served:
    text = RESPONSE_SCENARIO.replace("LOAD", load(asked)).replace("WINDOW", f"{int(window)} B")
    found = sb.simulate(text.replace("4096 B", f"{asked.size} B") + jobs(streams))
    rates = [found.get(f"jobs.j{i}.rate") for i in range(streams)]
    return Served(rates, found.get("workloads.users.j0.rate"), found.get("workloads.users.j0.response"))


def by_events(streams: int, asked: Asked, window: float, *, varied: bool = True, most: float = 0.0) -> Served:
    places = [Place(i * 20e9, 20e9) for i in range(streams)]
    return in_order_of_arrival(DISK, places, window, Place(0.0, 20e9), asked, seconds=2000.0, most=most, varied=varied)


@pytest.mark.slow
@for_each("streams, rate, window", grid([0, 1, 2, 3], [1.0, 20.0, 50.0], [512e3, 4e6]))
def test_a_request_waits_for_one_run_of_each_stream(streams: int, rate: float, window: float) -> None:
    """Those of users take times of an exponential distribution, as in all queues."""
    asked = Asked(rate=rate)
    found, expected = simulated_response(streams, asked, window), by_events(streams, asked, window)
    assert found.response == pytest.approx(expected.response, rel=0.05)
    assert found.streams == pytest.approx(expected.streams, rel=0.06)


@pytest.mark.slow
@for_each("window", [512e3, 4e6])
@for_each("asked", [Asked(rate=20.0, size=1e6), Asked(rate=10.0, size=4e6)], ids=str)
def test_large_requests_of_users_draw_the_arm_away_no_more_often_than_there_are_any(
    asked: Asked, window: float
) -> None:
    """They take 20 and 50 ms, of which the way is 10."""
    found, expected = simulated_response(1, asked, window), by_events(1, asked, window, varied=False)
    assert found.streams == pytest.approx(expected.streams, rel=0.015)


WAITING = (Asked(users=1), Asked(users=10), Asked(users=4, think_time=0.1), Asked(users=20, think_time=1.0))


def test_three_streams_by_hand() -> None:
    """One request a second finds two runs of 50 ms that wait and half of a third, and then takes 10 ms itself."""
    assert simulated_response(3, Asked(rate=0.01), 4e6).response == pytest.approx(2 * 0.05 + 0.025 + 0.01, rel=0.005)


@pytest.mark.slow
@for_each("streams, asked, window", grid([0, 1, 2, 3], WAITING, [512e3, 4e6]))
def test_users_who_wait_for_a_disk_come_less_often(streams: int, asked: Asked, window: float) -> None:
    found, expected = simulated_response(streams, asked, window), by_events(streams, asked, window)
    assert found.response == pytest.approx(expected.response, rel=0.09)
    assert found.users == pytest.approx(expected.users, rel=0.03)
    assert found.streams == pytest.approx(expected.streams, rel=0.06)


@pytest.mark.slow
@for_each("streams, most, rate", grid([1, 2], [5e6, 20e6], [5.0, 30.0]))
def test_a_stream_that_something_else_limits_is_at_the_disk_for_a_part_of_the_time(
    streams: int, most: float, rate: float
) -> None:
    text = RESPONSE_SCENARIO.replace("LOAD", f"transactions: {rate} /s").replace("WINDOW", "4 MB")
    found = sb.simulate(text + jobs(streams).replace("to: nowhere", f"to: nowhere, most_rate: {most} B/s"))
    expected = by_events(streams, Asked(rate=rate), 4e6, most=most)
    assert found.get("workloads.users.j0.response") == pytest.approx(expected.response, rel=0.1)


ARRAY = """  disk: {kind: raid, level: "LEVEL", disks: DISKS, stripe_unit: 64 KiB, controller_overhead: 0 s,
    prefetches: true, read_ahead: AHEAD MB, disk: {MEMBER}}
"""


def on_another(text: str, device: str) -> str:
    """The scenario with another device."""
    begin, end = text.index("  disk: {kind"), text.index("data: {d0")
    return text[:begin] + device + text[end:]


@pytest.mark.slow
@for_each("streams", [1, 2])
@for_each("level, disks", [("0", 4), ("5", 5), ("10", 8)])
def test_a_disk_of_an_array_is_a_disk_to_which_a_part_of_the_requests_come(
    streams: int, level: str, disks: int
) -> None:
    """The controller reads ahead 4 MB from each of four disks of data, and 20 requests a second go to any disk.

    In a mirror, each of two streams has a copy to itself, though requests are said to find both of them at each disk,
    which is too long. One stream leaves half of the disks to the requests, which may choose.
    """
    text = RESPONSE_SCENARIO.replace("LOAD", f"transactions: {20.0 * disks} /s").replace(", read_ahead: WINDOW", "")
    member = text[text.index("capacity") : text.index("}\ndata: {d0")]
    array = ARRAY.replace("LEVEL", level).replace("DISKS", str(disks)).replace("AHEAD", "16").replace("MEMBER", member)
    found = sb.simulate(on_another(text, array) + jobs(streams))
    one = by_events(1 if level == "10" else streams, Asked(rate=20.0), 4e6)
    response, rate = found.get("workloads.users.j0.response"), found.get("jobs.j0.rate")
    if (level, streams) == ("10", 1):
        free = by_events(0, Asked(rate=20.0), 4e6)
        assert free.response < response <= (one.response + free.response) / 2
        assert one.streams[0] < rate / 4 < 100e6
        return
    assert rate == pytest.approx(4 * one.streams[0], rel=0.05)
    if level == "10":
        assert one.response < response < by_events(2, Asked(rate=20.0), 4e6).response
        return
    assert response == pytest.approx(one.response, rel=0.05)


# Walks over files that lie anywhere: a worker is like a user who never thinks
WALK_SCENARIO = """\
title: Files and other data on one disk, whose seeks all take 5 ms, as half a revolution does
hosts:
  server: {cores: 16, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s, speed: 1,
    read_ahead: WINDOW, owns: [disk, nowhere]}
devices:
  nowhere: {kind: nul}
  disk: {kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms, average_seek: 5 ms,
    full_stroke_seek: 5 ms, outer_rate: RATE, inner_rate: RATE, command_overhead: 0 s, stream_turn: 512 kB}
data:
  files: {on: disk, size: 20 GB, files: 5000000, layout: 1, filesystem: {cpu_per_file: 0 s/file, reads_per_file: 0,
    record: 1 B, fragment: 64 KiB, create_cpu: 0 s/file, create_writes: 0, attribute_cpu: 0 s/file,
    log_record: 0 B/file}}
  d1: {on: disk, size: 20 GB}
  d2: {on: disk, size: 20 GB}
  d3: {on: disk, size: 20 GB}
"""
WALK = """\
  walk: {method: file_level, data: files, to: nowhere, tool: {mount_time: 0 s, start_time: 0 s, workers: WORKERS}}
"""
USERS = """\
workloads:
  users: {data: d1, clients: CLIENTS, think_time: 0 s, reads: 1, read_size: 4 kB, cpu: 0 s, writes: 0 %}
"""


@pytest.mark.slow
@for_each("window, workers", [(512e3, 1), (512e3, 4), (4e6, 1)])
@for_each("streams", [2, 3])
def test_streams_have_one_run_for_each_request_of_a_walk(streams: int, window: float, workers: int) -> None:
    text = WALK_SCENARIO.replace("WINDOW", f"{window} B").replace("RATE", "100 MB/s") + "jobs:\n"
    text += "".join(f"  j{i}: {{method: image, data: d{i}, to: nowhere}}\n" for i in range(1, streams + 1))
    found = sb.simulate(text + WALK.replace("WORKERS", str(workers)))
    disk = DiskParameters(100e9, 100.0, 0.005, 0.005, 0.005, 100e6, 100e6, 0.0, 512e3)
    places = [Place(i * 20e9, 20e9) for i in range(1, streams + 1)]
    users = Asked(users=workers)
    expected = in_order_of_arrival(disk, places, window, Place(0.0, 20e9), users, seconds=1000.0, varied=False)
    rates = [found.get(f"jobs.j{i}.rate") for i in range(1, streams + 1)]
    assert rates == pytest.approx(expected.streams, rel=0.04)


@pytest.mark.parametrize(("latency", "each"), [(0.05, 11 * 0.01004), (0.2, 0.2)])
def test_a_walk_that_a_slow_target_holds_up_waits_for_users_all_the_same(latency: float, each: float) -> None:
    """An object for each file, one after the other, while the next files are read: alone, every 10 ms."""
    bucket = (
        f"  bucket: {{kind: object_store, write_latency: {latency} s, read_latency: 0 s, connection_rate: 1000 GB/s"
    )
    bucket += ", part: 8 MB, read_requests: 1000000 /s, write_requests: 1000000 /s}\n"
    link = "links: {wan: {joins: [server, bucket], rate: 1000 GB/s, latency: 0 s}}\n"
    text = (
        WALK_SCENARIO.replace("WINDOW", "128 kB")
        .replace("RATE", "100 MB/s")
        .replace("data:\n", bucket + link + "data:\n")
    )
    walk = WALK.replace("WORKERS", "1").replace("nowhere", "bucket")
    found = sb.simulate(text + USERS.replace("CLIENTS", "10") + "jobs:\n" + walk)
    assert found.get("jobs.walk.elapsed") == pytest.approx(5e6 * each, rel=0.01)


# Users who wait for first writes under a snapshot on their own disk
WRITER_DISK = DiskParameters(1e12, 120.0, 0.8e-3, 9.4e-3, 18e-3, 111e6, 51.6e6, 0.15e-3, 512 * 1024)
SITE = """\
title: Users who write 4 KiB at a time anywhere in a volume whose snapshot keeps copies on the same disk
hosts:
  server: {model: host/linux-2020-server, owns: [disk]}
devices:
  disk: {kind: disk, capacity: 1 TB, rotation_speed: 7200 rpm, track_to_track_seek: 0.8 ms, average_seek: 9.4 ms,
    full_stroke_seek: 18 ms, outer_rate: 111 MB/s, inner_rate: 51.6 MB/s, command_overhead: 0.15 ms,
    stream_turn: 512 KiB}
  volume: {kind: logical_volume, on: disk, size: 200 GB}
  cow: {model: snapshot/lvm2-5.3, of: volume, on: disk, size: 100 GB, gathers: GATHERS}
data:
  db: {on: volume, size: SIZE GB}
workloads:
  users: {data: db, clients: WRITERS, reads: 0, read_size: 4 KiB, cpu: 0.01 ms, writes: 100 %, updates: 1,
    synchronous: true}
jobs:
  seen: {method: observe, workload: users, duration: 10 s}
"""


@pytest.mark.slow
@for_each("gathers", [True, False])
@for_each("writers, size", [(1, 10), (4, 10), (16, 10), (2, 190), (16, 190)])
def test_arms_move_once_for_all_copies_and_all_writes_that_wait_together(
    tmp_path: Path, writers: int, size: int, *, gathers: bool
) -> None:
    """Reads, copies, one commit, and held writes: each kind follows its like, and the arm changes places in between.

    The seek over the mean distance is longer than the mean seek, by 4 % of both random accesses at most.
    """
    file = tmp_path / "site.yaml"
    text = SITE.replace("WRITERS", str(writers)).replace("SIZE", str(size)).replace("GATHERS", str(gathers).lower())
    file.write_text(text, encoding="utf-8")
    rate = sb.simulate(file).user_rows[0]["rate"]
    region = Region(Disk("disk", WRITER_DISK), 0.0, size * 1e9)
    expected = scattered_first_writes(writers, region, 200e9, 4096.0, gathers=gathers)
    assert rate == pytest.approx(expected, rel=0.05)


WRITER_ARRAY = """\
title: A database whose snapshot lies on the same array, with a write cache or without
hosts:
  server: {model: host/linux-2020-server, owns: [array]}
devices:
  array: {model: raid/hardware-raid10-2011, disk: disk/sas-15k-600gb-2009, disks: 8CACHE}
  volume: {kind: logical_volume, on: array, size: 1 TB}
  cow: {model: snapshot/lvm2-5.3, of: volume, on: array, size: 250 GB, chunk: 64 KiB}
data:
  db: {on: volume, size: 20 GB}
workloads:
  users: {data: db, transactions: 300 /s, reads: 0.5, read_size: 16 KiB, cpu: 1 ms, writes: 100 %, updates: 1,
    synchronous: true}
jobs:
  create: {method: create_snapshot, snapshot: cow}
  seen: {method: observe, workload: users, duration: TIME, after: create}
"""


def test_a_write_cache_leaves_the_disks_no_more_to_do(tmp_path: Path) -> None:
    """It gathers copies, and records that are written again replace each other in it; fewer are new as time goes on."""

    def busy(time: str, cache: str = "") -> float:
        file = tmp_path / "site.yaml"
        file.write_text(WRITER_ARRAY.replace("CACHE", cache).replace("TIME", time), encoding="utf-8")
        return next(row["busy"] for row in sb.simulate(file).device_rows if row["device"] == "devices.array")

    early, late, none = busy("5 min"), busy("30 min"), ", write_cache: null, write_behind: null"
    assert early <= busy("5 min", none)
    assert late <= busy("30 min", none)
    assert late < early
