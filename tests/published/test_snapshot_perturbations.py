"""What halving and doubling does to snapshots in published scenarios: the direction, and roughly how much."""

from functools import cache
from typing import NamedTuple

import pytest

import simbackup as sb
from tests.cases import for_each

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
