"""Values of published scenarios halved and doubled: in which direction figures move, and about how far."""

from functools import cache
from typing import NamedTuple

import pytest

import simbackup as sb
from tests.cases import for_each


# Databases and compressed backups
class Case(NamedTuple):
    """A scenario, an address, its value halved and doubled, the job that is timed, and the ratios of its time."""

    scenario: str
    address: str
    halved: object
    doubled: object
    job: str
    less: tuple[float, float]
    more: tuple[float, float]


TUNING = "published/002-sql-server-tuning"
CASES = [
    Case(f"{TUNING}/base", "jobs.backup.buffers", 4, 14, "backup", (1.607, 1.777), (0.546, 0.603)),
    Case(f"{TUNING}/base", "jobs.backup.transfer_size", "512 KiB", "2 MiB", "backup", (1.712, 1.892), (0.613, 0.678)),
    Case(f"{TUNING}/base", "links.path.latency", "19 ms", "76 ms", "backup", (0.615, 0.679), (1.708, 1.888)),
    Case(f"{TUNING}/base", "links.path.rate", "166.65 MB/s", "666.6 MB/s", "backup", (1.163, 1.285), (0.887, 0.981)),
    Case(f"{TUNING}/base", "devices.flash.read_latency", "0 s", "20 ms", "backup", (0.949, 1.049), (1.144, 1.264)),
    Case(f"{TUNING}/base", "devices.flash.write_latency", "0 s", "20 ms", "backup", (0.95, 1.05), (1.145, 1.265)),
    Case(f"{TUNING}/base", "devices.flash.write_latency", "0 s", "20 ms", "back", (0.95, 1.05), (1.145, 1.265)),
    Case(f"{TUNING}/base", "jobs.backup.engine.io_depth", 2, 8, "backup", (1.299, 1.436), (0.646, 0.714)),
    # T = 0.92 T(n) + 0.08 T(1), where T(1) / T(2) is 1.57 and T(4) / T(2) is 0.765
    Case(f"{TUNING}/two-files", "jobs.backup.to", ["c"], ["c", "c", "c", "c"], "backup", (1.429, 1.58), (0.754, 0.833)),
    Case(f"{TUNING}/buffers", "links.path.latency", "19 ms", "76 ms", "backup", (0.999, 1.001), (0.999, 1.001)),
    Case(f"{TUNING}/compression", "data.primary.compression", 1.25, 5, "backup", (0.985, 1.089), (0.936, 1.035)),
    Case(f"{TUNING}/compression", "data.primary.compression", 1.25, 5, "back", (0.997, 1.102), (0.932, 1.03)),
    Case(f"{TUNING}/compression", "jobs.backup.engine.compress_cpu", "10.5 ns/B", "42 ns/B", "backup",
         (0.896, 0.991), (1.069, 1.181)),
    Case(f"{TUNING}/compression", "jobs.backup.engine.compress_threads", 2, 8, "backup", (0.97, 1.072), (0.999, 1.001)),
    Case(f"{TUNING}/compression", "jobs.backup.buffers", 4, 14, "backup", (1.584, 1.751), (0.586, 0.648)),
    Case(f"{TUNING}/all-together", "hosts.server.cores", 2, 8, "backup", (0.999, 1.001), (0.999, 1.001)),
    Case(f"{TUNING}/all-together", "hosts.server.speed", 1.75, 7, "backup", (0.999, 1.001), (0.999, 1.001)),
    Case(f"{TUNING}/all-together", "data.primary.size", "1200 MB", "4800 MB", "backup", (0.633, 0.7), (1.583, 1.75)),
    Case("validation/sql-server-240gb/compressed", "jobs.backup.engine.compress_cpu", "10.5 ns/B", "42 ns/B", "backup",
         (0.868, 0.959), (1.142, 1.262)),
    Case("validation/sql-server-240gb/compressed", "hosts.server.cores", 4, 16, "backup",
         (0.999, 1.001), (0.999, 1.001)),
    # five more buffers wait less (0.78 with one file), and turns between the files take more: 1.366, request by request
    Case("planning/buffers", "jobs.backup.to", ["store"], ["store", "store"], "backup", (0.999, 1.001), (1.298, 1.434)),
    # 10 + 90.6 / 2.1 ns/B at first; no ratio below 1.3 takes longer than that one, and 4.2:1 takes 10 + 90.6 / 4.2
    Case("planning/compress-where", "data.files.compression", 1.05, 4.2, "backup", (1.425, 1.575), (0.565, 0.624)),
    # the line at first; then 4.38 + 24.9 / 4.2 ns/B to expand, and two copies in memory
    Case("planning/compress-where", "data.files.compression", 1.05, 4.2, "back", (1.9, 2.1), (0.545, 0.603)),
    Case("planning/compress-where", "jobs.backup.compressor.compress_cpu", "5 ns/B", "20 ns/B", "backup",
         (0.860, 0.951), (1.129, 1.248)),
    Case("planning/compress-where", "jobs.backup.compressor.compress_coded_cpu", "45.3 ns/B", "181.2 ns/B", "backup",
         (0.565, 0.624), (1.721, 1.902)),
    Case("planning/compress-where", "jobs.backup.compressor.threads", 1, 2, "backup", (0.999, 1.001), (0.486, 0.537)),
    # 2 ^ 0.75 times as long on a core of half the speed
    Case("planning/compress-where", "hosts.client.speed", 2.5, 10, "backup", (1.598, 1.766), (0.565, 0.624)),
    # of n workers, T = 0.92 T(n) + 0.08 T(1): (0.92 / 4 + 0.08) / (0.92 / 8 + 0.08) = 1.59, and 0.71 for 16
    Case("planning/parallel-dump", "jobs.dump.workers", 4, 16, "dump", (1.511, 1.669), (0.67, 0.741)),
    Case("planning/parallel-dump", "jobs.load.workers", 4, 16, "load", (1.511, 1.669), (0.67, 0.741)),
]  # fmt: skip


@cache
def elapsed(scenario: str, job: str, address: str | None = None, value: str = "") -> float:
    changes = {} if address is None else {address: VALUES[value]}
    result = sb.simulate(scenario, changes)
    assert next(row["status"] for row in result.job_rows if row["job"] == job) in {"done", "late"}
    return result.get(f"jobs.{job}.elapsed")


VALUES: dict[str, object] = {repr(value): value for case in CASES for value in (case.halved, case.doubled)}


@pytest.mark.slow
@for_each("case", CASES, ids=lambda case: f"{case.scenario.split('/')[-1]}-{case.address}")
def test_a_value_halved_and_doubled_moves_the_time_as_far_as_it_should(case: Case) -> None:
    now = elapsed(case.scenario, case.job)
    for value, (low, high) in ((case.halved, case.less), (case.doubled, case.more)):
        ratio = elapsed(case.scenario, case.job, case.address, repr(value)) / now
        assert low <= ratio <= high, (value, ratio)


# Snapshots
SAME = "published/003-lvm-snapshots/same-disk"
SECOND = "published/003-lvm-snapshots/second-disk"
OLTP = "published/000-netbackup-frozen-images/oltp-checkpoint"
RANDOM = "validation/percona-lvm-2009/snapshot"
DD, RATE, HOUR = "jobs.dd.elapsed", "workloads.sysbench.minute.rate", "workloads.oltp.hour.rate"


class Change(NamedTuple):
    """A value in the place of another of a scenario, and the range in which its figure then is, over what it was."""

    scenario: str
    figure: str
    address: str
    value: str
    low: float
    high: float


CHANGES = (
    # larger chunks: fewer commits and longer requests, from the smallest on and without a step
    Change(SECOND, DD, "devices.cow.chunk", "4 KiB", 1.01, 1.05),
    Change(SECOND, DD, "devices.cow.chunk", "16 KiB", 0.95, 0.99),
    Change(SECOND, DD, "devices.cow.chunk", "64 KiB", 0.75, 0.90),
    Change(SECOND, DD, "devices.cow.chunk", "128 KiB", 0.60, 0.80),
    # the arm of one disk goes there and back
    Change(SAME, DD, "devices.cow.on", "sdc", 0.7, 0.9),
    Change(SECOND, DD, "devices.cow.on", "sdb", 1.1, 1.4),
    # more that waits together: fewer commits
    Change(SECOND, DD, "devices.cow.commit_backlog", "54.85 kB", 1.5, 2.0),
    Change(SECOND, DD, "devices.cow.commit_backlog", "219.4 kB", 0.5, 0.7),
    # a copy window below a run of chunks makes the arm go more often
    Change(SAME, DD, "devices.cow.in_flight", "32 KiB", 1.5, 3.5),
    Change(SAME, DD, "devices.cow.in_flight", "2 MiB", 1.0, 1.0),
    # three of four requests stay in an idle queue
    Change(SECOND, DD, "devices.cow.unplug_delay", "1.5 ms", 0.80, 0.90),
    Change(SECOND, DD, "devices.cow.unplug_delay", "6 ms", 1.2, 1.4),
    # one writer: as many chunks as its request touches, one commit
    Change(RANDOM, RATE, "devices.cow.chunk", "8 KiB", 0.98, 1.02),
    Change(RANDOM, RATE, "devices.cow.chunk", "64 KiB", 0.85, 1.0),
    Change(RANDOM, RATE, "workloads.sysbench.update_size", "8 KiB", 1.0, 1.05),
    Change(RANDOM, RATE, "workloads.sysbench.update_size", "32 KiB", 0.9, 1.0),
    Change(RANDOM, RATE, "devices.cow.unplug_delay", "1.5 ms", 1.10, 1.20),
    Change(RANDOM, RATE, "devices.cow.unplug_delay", "6 ms", 0.70, 0.85),
    # many writers share commits and ways of the arm, and their copies are written as one; two of them gain more than
    # twice, as their requests also stay in the idle queue for 2 of 3 ms: 35 ms of a write alone less 3, and less a seek
    Change(RANDOM, RATE, "workloads.sysbench.clients", "2", 1.5, 2.0 * 35 / (35 - 3 - 2)),
    Change(RANDOM, RATE, "workloads.sysbench.clients", "10", 4.0, 8.0),
    # users who do not wait for their writes lose as they update more; a large chunk is copied once for several updates
    Change(OLTP, HOUR, "workloads.oltp.updates", "1.05", 1.2, 1.7),
    Change(OLTP, HOUR, "workloads.oltp.updates", "4.2", 0.5, 0.8),
    Change(OLTP, HOUR, "devices.checkpoint.chunk", "4 KiB", 0.99, 1.01),
    Change(OLTP, HOUR, "devices.checkpoint.chunk", "16 KiB", 1.0, 1.15),
)


@cache
def before(scenario: str, figure: str) -> float:
    return sb.simulate(scenario).get(figure)


@pytest.mark.slow
@for_each("change", CHANGES, ids=lambda c: f"{c.scenario.rpartition('/')[2]}-{c.address}-{c.value}")
def test_a_change_acts_in_its_direction_and_roughly_as_much(change: Change) -> None:
    after = sb.simulate(change.scenario, {change.address: change.value}).get(change.figure)
    assert change.low - 1e-6 <= after / before(change.scenario, change.figure) <= change.high + 1e-6


LOAD = "planning/mysql-snapshot-under-load"


def test_a_busy_system_slows_a_backup_from_a_snapshot() -> None:
    """The reader waits in the queues of the users, and the more so the more they are."""
    times = [
        sb.simulate(LOAD, {"workloads.users.transactions": f"{rate} /s"}).get("jobs.backup.elapsed")
        for rate in (10, 300, 600, 1000)
    ]
    assert times == sorted(times)
    assert times[-1] > 1.4 * times[0]  # the disks turn between what is read and written anyway


def test_a_backup_from_a_snapshot_takes_several_times_as_long_where_users_write() -> None:
    """Copied chunks lie scattered in the copy area, and users are busy on the same disks."""
    name = "planning/copy-on-write-oltp"
    idle = sb.simulate(name, {"workloads.users.transactions": "1 /s"}).get("jobs.backup.elapsed")
    reads = sb.simulate(name, {"workloads.users.transactions": "30 /s", "workloads.users.updates": 0})
    writes = sb.simulate(name, {"workloads.users.transactions": "30 /s"})
    assert idle < reads.get("jobs.backup.elapsed") < writes.get("jobs.backup.elapsed")


@pytest.mark.parametrize("clients", [1, 10])
def test_ten_threads_lose_less_than_one(clients: int) -> None:
    """A reader of the publication tells of a loss of six to one with one thread, and of two to one with ten."""
    given = {"workloads.sysbench.clients": clients}
    alone = sb.simulate("validation/percona-lvm-2009/machine", given).get(RATE)
    loss = alone / sb.simulate(RANDOM, given).get(RATE)
    assert loss == pytest.approx({1: 6.0, 10: 2.0}[clients], rel=0.25)
