import math

import pytest
import simpy

from simbackup.devices.changes import Spread
from simbackup.devices.host.live import Host, Machine
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.image import Times
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Region, Store
from simbackup.devices.volume.live import Volume
from simbackup.engine.network import FlowNetwork
from simbackup.equations.snapshot import CopyOnWriteParameters
from simbackup.trace.trace import Trace
from simbackup.workloads.users.load import Outstanding
from simbackup.workloads.users.transactions import Transaction, fresh_shares, load

CHUNK = 8192.0
COW = CopyOnWriteParameters(chunk=CHUNK, record=16.0, in_flight=2.0**20, commit_backlog=8 * CHUNK)
COMMITS = 1 + 1 / 512
"""Metadata writes for each chunk of a user who waits for each: one, and one in 512 clears the next metadata chunk."""
DATA = 30e9
RATE, LATENCY = 100e6, 1e-4
EACH = LATENCY + CHUNK / RATE
"""Seconds of one request to a solid-state disk."""
BUSY = CHUNK / RATE


class Bench:
    """A volume on a disk, a place of 30 GB at its beginning, a copy area on another disk, and a host of two cores."""

    def __init__(self, here: Store, there: Store) -> None:
        self.env = simpy.Environment()
        self.trace = Trace()
        self.here, self.there = here, there
        self.volume = Volume(self.env, "devices.v", Region(here, 0.0, 60e9))
        self.place = VolumeRange(self.volume, 0.0, DATA)
        self.host = Host(FlowNetwork(self.env), "hosts.h", Machine(2.0, 1e9, 1e9, 1e8))

    def snapshot(self, name: str = "devices.c", cow: CopyOnWriteParameters = COW) -> Snapshot:
        area = Region(self.there, 0.0, 10e9)
        return Snapshot(name, self.volume, area, parameters=cow, times=Times(0.0, 0.0), trace=self.trace)


@pytest.fixture
def bench() -> Bench:
    here, there = (Ssd(f"devices.{n}", Flash(100e9, RATE, RATE, LATENCY, LATENCY)) for n in "ab")
    return Bench(here, there)


def asked(
    *, reads: float = 0.0, cpu: float = 0.0, updates: float = 0.0, synchronous: bool = True, size: float = CHUNK
) -> Transaction:
    return Transaction(reads, CHUNK, cpu, updates, Spread(size, DATA), synchronous)


@pytest.mark.parametrize("synchronous", [True, False])
def test_users_wait_for_updates_only_if_these_are_synchronous(bench: Bench, synchronous: bool) -> None:
    found = load(asked(reads=1.0, updates=2.0, synchronous=synchronous), bench.place, bench.host, {})
    assert found.shape.demands[bench.here.link] == pytest.approx(3 * BUSY)
    assert found.shape.moves[bench.here.link] == 3 * CHUNK
    assert found.waited[bench.here.link] == pytest.approx((3 if synchronous else 1) * EACH)
    (centre,) = found.centres({bench.here.link: Outstanding(0.25, 0.002)})
    assert centre.held == pytest.approx((3 if synchronous else 1) * BUSY)
    assert centre.behind == pytest.approx((0 if synchronous else 2) * BUSY)
    assert centre.others == 0.25
    assert centre.wait == pytest.approx((3 if synchronous else 1) * (EACH + 0.002))


def test_the_first_update_of_a_chunk_reads_copies_and_commits_first(bench: Bench) -> None:
    snapshot = bench.snapshot()
    found = load(asked(updates=2.0), bench.place, bench.host, {snapshot: 1.0})
    assert found.shape.demands == {
        bench.here.link: pytest.approx(2 * 2 * BUSY),
        bench.there.link: pytest.approx(2 * (1 + COMMITS) * BUSY),
    }
    assert found.waited == {
        bench.here.link: pytest.approx(2 * 2 * EACH),
        bench.there.link: pytest.approx(2 * (1 + COMMITS) * EACH),
    }
    assert found.shape.moves[bench.there.link] == pytest.approx(2 * (1 + COMMITS) * CHUNK)


def test_only_the_fresh_share_of_the_updates_costs_a_copy(bench: Bench) -> None:
    snapshot = bench.snapshot()
    none, tenth = (load(asked(updates=1.0), bench.place, bench.host, {snapshot: share}) for share in (0.0, 0.1))
    assert none.shape.demands == {bench.here.link: pytest.approx(BUSY)}
    assert tenth.shape.demands[bench.here.link] == pytest.approx(1.1 * BUSY)
    assert tenth.shape.demands[bench.there.link] == pytest.approx(0.1 * (1 + COMMITS) * BUSY)


def test_shares_of_fresh_chunks_are_reported_for_each_snapshot_in_place(bench: Bench) -> None:
    """Over as many updates as there are chunks, 1 - 1/e of them find a fresh one."""
    old, new, gone = bench.snapshot("devices.c"), bench.snapshot("devices.d"), bench.snapshot("devices.e")
    spread = Spread(CHUNK, 1000 * CHUNK)
    for snapshot in (old, new):
        snapshot.create()
    old.changes.scatter("workloads.u", spread).update(1000.0)
    shares = fresh_shares([old, new, gone], "workloads.u", spread, 1000.0)
    assert shares == {old: pytest.approx((1 - math.exp(-1)) * math.exp(-1)), new: pytest.approx(1 - math.exp(-1))}
    assert fresh_shares([new], "workloads.others", spread, 0.0) == {new: 1.0}
