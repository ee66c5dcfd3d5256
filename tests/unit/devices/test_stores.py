import heapq

import pytest
import simpy
from oracles.disk import served_in_turn
from oracles.raid import rewrite

from simbackup.devices.disk.live import Disk
from simbackup.devices.raid.live import ArrayLayout, Controller, Raid
from simbackup.devices.store import Region
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks
from simbackup.equations import raid
from simbackup.randomness import generator
from tests.cases import for_each

FIGURES = disks.DiskParameters(
    capacity=100e9,
    rotation_speed=100.0,  # 10 ms a revolution
    track_to_track_seek=1e-3,
    average_seek=5e-3,
    full_stroke_seek=9e-3,
    outer_rate=50e6,
    inner_rate=50e6,  # one rate, so that a cylinder is in proportion to its bytes
    command_overhead=0.5e-3,
    stream_turn=1e6,
)
UNIT = 64 * 1024.0
HALF, OVERHEAD = 5e-3, 0.5e-3


def array(level: raid.Level, count: int, controller: float = 1e12) -> Raid:
    return Raid("devices.array", ArrayLayout(level, count, UNIT), FIGURES, Controller(controller))


@for_each("level, count, parallel, again", [("0", 4, 1, 0), ("1", 2, 2, 0), ("5", 5, 2, 1), ("6", 6, 3, 1)])
def test_a_small_write_pays_for_copies_and_parity(level: raid.Level, count: int, parallel: int, again: int) -> None:
    service = array(level, count).request("write", 0.0, 0.0, 4096.0)
    transfer = 4096 / 50e6
    assert service.latency == pytest.approx(0.01 * parallel / (parallel + 1) + OVERHEAD + transfer + again * 0.01)
    assert service.busy == pytest.approx(parallel * (HALF + OVERHEAD + transfer + again * 0.01) / count)


@for_each("level", ["0", "1", "5", "6"])
def test_no_request_occupies_an_array_longer_than_it_lasts(level: raid.Level) -> None:
    store = array(level, 6)
    for size in (512.0, 4096.0, UNIT, 3 * UNIT, 20 * UNIT):
        for direction in ("read", "write"):
            service = store.request(direction, 0.0, 10e9, size)
            assert 0.0 < service.busy <= service.latency


def test_a_parity_disk_of_its_own_bounds_small_writes() -> None:
    """Each write reads parity and writes it a revolution later, however many data disks there are."""
    few, many = array("4", 5).request("write", 0.0, 0.0, 4096.0), array("4", 21).request("write", 0.0, 0.0, 4096.0)
    assert few.busy == pytest.approx(HALF + OVERHEAD + 0.01 + 4096 / 50e6)
    assert many.busy == few.busy
    assert array("5", 21).request("write", 0.0, 0.0, 4096.0).busy < few.busy / 4


def test_groups_have_parity_each_and_work_side_by_side() -> None:
    one, two = (Raid("devices.a", ArrayLayout("dp", 8 * groups, UNIT, groups), FIGURES) for groups in (1, 2))
    assert (one.size, two.size) == (6 * 100e9, 12 * 100e9)
    assert two.stream("write", 0.0, 1e9) == pytest.approx(one.stream("write", 0.0, 1e9) / 2)
    small = (one.request("write", 0.0, 0.0, 4096.0), two.request("write", 0.0, 0.0, 4096.0))
    assert small[1].latency == small[0].latency
    assert small[1].busy == pytest.approx(small[0].busy / 2)


def beside(stores: Disk | Raid, places: list[tuple[float, float, bool]]) -> float:
    """Seconds in which streams of 200 MB each pass side by side, with so many bytes at once, read or written."""
    env = simpy.Environment()
    network, going = FlowNetwork(env), list[simpy.Event]()
    for i, (begin, run, writes) in enumerate(places):
        shape = Region(stores, begin, 200e6).streaming("write" if writes else "read").ahead(run)
        going.append(shape.start(network, f"jobs.{i}", "move", 200e6).done)
    env.run(until=env.all_of(going))
    return env.now


@for_each("far, run", [(0.3e9, 0.0), (95e9, 0.0), (95e9, 4e6), (50e9, 20e6)])
def test_what_streams_lose_follows_from_their_places_and_from_what_is_asked_for_at_once(far: float, run: float) -> None:
    expected = served_in_turn(FIGURES, [(0.0, 200e6), (far, 200e6)], max(run, FIGURES.stream_turn))
    assert beside(Disk("devices.a", FIGURES), [(0.0, run, False), (far, run, False)]) == pytest.approx(
        expected, rel=0.02
    )


@pytest.mark.parametrize(("level", "rewritten"), [("5", 2), ("6", 3)])
def test_a_small_write_with_parity_occupies_its_disks_until_what_they_read_comes_round(
    level: raid.Level, rewritten: int
) -> None:
    """Every phase of every disk, tried one by one."""
    done, free = rewrite(rewritten, phases=24)
    service = array(level, 8).request("write", 0.0, 0.0, 4096.0)
    transfer = OVERHEAD + 4096 / 50e6
    assert service.latency == pytest.approx(done * 0.01 + transfer, rel=0.02)
    assert service.busy * 8 / rewritten == pytest.approx(free * 0.01 + transfer, rel=0.02)


@for_each("level, revolutions", [("0", 1), ("1", 1), ("10", 1), ("5", 2), ("6", 2)])
def test_a_synchronous_small_write_with_parity_takes_two_revolutions(level: raid.Level, revolutions: int) -> None:
    """Its place has just passed: one until it is read, another until it is written."""
    service = array(level, 6).append(0.0, 4096.0)
    assert service.latency == pytest.approx(revolutions * 0.01)


def test_a_write_that_finds_a_cache_is_done_when_it_is_there() -> None:
    through, cached = (
        Raid("devices.a", ArrayLayout("5", 5, UNIT), FIGURES, controller)
        for controller in (
            Controller(controller_overhead=0.2e-3),
            Controller(400e6, controller_overhead=0.2e-3, write_cache=64e6),
        )
    )
    slow, fast = (store.request("write", 0.0, 10e9, 4096.0) for store in (through, cached))
    assert fast.latency == pytest.approx(0.2e-3 + 4096 / 400e6)
    assert fast.busy == slow.busy  # it has to go to the disks all the same
    assert cached.append(0.0, 4096.0).busy == pytest.approx(4096 / 200e6)  # whole stripes of four data disks


def without_a_disk(level: raid.Level) -> tuple[Raid, Raid]:
    whole, lost = (Raid("devices.a", ArrayLayout(level, 8, UNIT, failed=n), FIGURES) for n in (0, 1))
    return whole, lost


def reads_side_by_side(touched: int, disks_in_all: int, requests: int) -> float:
    """Requests a second of many at once, disk by disk: each is done when the last of its disks is, and then comes anew.

    Every disk serves in order of arrival, and needs half a revolution on average.
    """
    rng, free, done = generator(5, "places"), [0.0] * disks_in_all, 0
    under_way = [(0.0, number) for number in range(requests)]
    heapq.heapify(under_way)
    while done < 40_000:
        now, number = heapq.heappop(under_way)
        first, ends = int(rng.uniform(0.0, disks_in_all)), 0.0
        for each in range(touched):
            disk = (first + each) % disks_in_all
            free[disk] = max(free[disk], now) + rng.uniform(0.0, 2 * HALF) + OVERHEAD + UNIT / 50e6
            ends = max(ends, free[disk])
        heapq.heappush(under_way, (ends, number))
        done += 1
    return done / under_way[0][0]


@pytest.mark.slow
@for_each("touched", [1, 2, 4, 8])
def test_a_disk_that_has_read_its_part_goes_on_to_another_request(touched: int) -> None:
    """Many reads at once keep all disks at work: `1 / busy` a second, though each waits for its slowest disk."""
    array = Raid("devices.a", ArrayLayout("0", 8, UNIT), FIGURES)
    service = array.request("read", 0.0, 0.0, touched * UNIT)
    assert reads_side_by_side(touched, 8, 200) == pytest.approx(1 / service.busy, rel=0.03)


def test_without_a_disk_the_other_half_of_a_mirror_reads_for_both() -> None:
    whole, lost = without_a_disk("10")
    before, after = (store.request("read", 0.0, 0.0, 4096.0) for store in (whole, lost))
    assert (after.latency, after.busy) == pytest.approx((before.latency, 2 * before.busy))
    one = HALF + OVERHEAD + 4096 / 50e6
    assert lost.request("write", 0.0, 0.0, 4096.0).busy == pytest.approx(2 * one / 8)
