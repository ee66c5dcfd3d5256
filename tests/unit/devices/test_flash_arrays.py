from dataclasses import replace

import pytest
from oracles.raid import Stripes, small_write_operations

from simbackup.devices.raid.live import ArrayLayout, Controller, FlashArray
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Direction
from simbackup.equations import raid
from tests.cases import for_each

DISK = Flash(capacity=1e12, read_rate=500e6, write_rate=250e6, read_latency=100e-6, write_latency=30e-6)
UNIT = 64 * 1024.0
LEVELS: tuple[tuple[raid.Level, int], ...] = (("0", 4), ("10", 8), ("5", 3), ("5", 5), ("5", 8), ("6", 8))


def array(level: raid.Level, disks: int, controller: Controller | None = None, groups: int = 1) -> FlashArray:
    return FlashArray("devices.a", ArrayLayout(level, disks, UNIT, groups), DISK, controller or Controller())


def test_one_disk_without_parity_is_that_disk() -> None:
    one = Ssd("devices.s", Flash(1e12, 500e6, 250e6, 100e-6, 30e-6))
    striped = array("0", 1)
    assert striped.size == one.size
    for size in (4096.0, UNIT, 1e6):
        assert striped.request("read", 0.0, 5e9, size) == pytest.approx(one.request("read", 0.0, 5e9, size))
        assert striped.append(5e9, size) == pytest.approx(one.append(5e9, size))
    assert striped.stream("write", 0.0, 1e9) == one.stream("write", 0.0, 1e9)


@for_each("level, disks", LEVELS)
@for_each("size", [512.0, 4096.0, UNIT, 2 * UNIT])
def test_a_write_takes_what_its_disks_take_one_by_one(level: raid.Level, disks: int, size: float) -> None:
    alone = Stripes(level, disks, UNIT, DISK).many("write", size, at_once=1, rounds=1)
    assert array(level, disks).request("write", 0.0, 0.0, size).latency == pytest.approx(alone, rel=0.02)


@pytest.mark.slow
@for_each("level, disks", LEVELS)
def test_many_writes_take_the_time_of_all_disks(level: raid.Level, disks: int) -> None:
    full = Stripes(level, disks, UNIT, DISK).many("write", 4096.0, at_once=400, rounds=6000 // disks**2)
    assert array(level, disks).request("write", 0.0, 0.0, 4096.0).busy == pytest.approx(full, rel=0.02)


DEGRADED: tuple[tuple[raid.Level, int], ...] = (("10", 8), ("5", 3), ("5", 5), ("5", 8), ("6", 8))


@for_each("level, disks", DEGRADED)
@for_each("size", [4096.0, 2 * UNIT])
@for_each("direction", ["read", "write"])
def test_without_a_disk_requests_take_what_those_left_take(
    level: raid.Level, disks: int, size: float, direction: Direction
) -> None:
    """Every place beside the missing disk, request by request."""
    store = FlashArray("devices.a", ArrayLayout(level, disks, UNIT, failed=1), DISK, Controller())
    found, alone = store.request(direction, 0.0, 0.0, size), Stripes(level, disks, UNIT, DISK, missing=0)
    assert found.latency == pytest.approx(alone.many(direction, size, at_once=1, rounds=1), rel=0.02)
    each = [seconds / alone.places for seconds in alone.seconds[1:]]
    busy = max(each) if level == "10" else sum(each) / len(each)  # only mirrors have a partner that bears it all
    assert found.busy == pytest.approx(busy, rel=0.02)


@pytest.mark.slow
@for_each("direction", ["read", "write"])
@for_each("level, disks", [("10", 8), ("5", 5), ("5", 8)])
def test_without_a_disk_many_requests_take_the_time_of_those_left(
    level: raid.Level, disks: int, direction: Direction
) -> None:
    store = FlashArray("devices.a", ArrayLayout(level, disks, UNIT, failed=1), DISK, Controller())
    full = Stripes(level, disks, UNIT, DISK, missing=0).many(direction, 4096.0, at_once=400, rounds=6000 // disks**2)
    assert store.request(direction, 0.0, 0.0, 4096.0).busy == pytest.approx(full, rel=0.02)


@for_each("level, disks", [("0", 4), ("1", 2), ("10", 8), ("5", 8), ("6", 8)])
def test_small_writes_cost_what_the_literature_counts(level: raid.Level, disks: int) -> None:
    """At equal rates of reading and writing, bytes times operations (Patterson, Gibson and Katz 1988)."""
    even = Flash(1e12, 500e6, 500e6, 100e-6, 30e-6)
    store = FlashArray("devices.a", ArrayLayout(level, disks, UNIT), even, Controller())
    operations = small_write_operations(level)
    assert store.request("write", 0.0, 0.0, 4096.0).busy * disks == pytest.approx(operations * 4096 / 500e6)


def test_parity_disks_of_their_own_bound_small_writes() -> None:
    few, many = (array("4", disks).request("write", 0.0, 0.0, 4096.0).busy for disks in (5, 21))
    assert few == many == pytest.approx(4096 / 500e6 + 4096 / 250e6)
    assert array("4", 20, groups=4).request("write", 0.0, 0.0, 4096.0).busy == pytest.approx(few / 4)


def test_a_write_cache_answers_before_the_disks_have_it() -> None:
    plain, cached = array("5", 5), array("5", 5, Controller(2e9, controller_overhead=50e-6, write_cache=1e9))
    small = cached.request("write", 0.0, 0.0, 4096.0)
    assert small.latency == pytest.approx(50e-6 + 4096 / 2e9)
    assert small.busy == plain.request("write", 0.0, 0.0, 4096.0).busy
    assert cached.append(0.0, 4096.0).busy == pytest.approx(4096 / 1e9)  # whole stripes of four data disks


def test_a_controller_that_reads_ahead_has_read_what_comes_next() -> None:
    ahead = array("5", 5, Controller(controller_overhead=20e-6, prefetches=True))
    assert ahead.continued(0.0, 1e6).latency == pytest.approx(20e-6)  # it is in the cache
    assert ahead.continued(0.0, 1e6).busy == pytest.approx(1e6 / 2.5e9)
    assert array("5", 5).continued(0.0, 4096.0) == array("5", 5).request("read", 0.0, 0.0, 4096.0)


@for_each("level, disks", [*LEVELS, ("1", 2), ("4", 5), ("dp", 8)])
def test_no_request_occupies_the_array_longer_than_it_lasts(level: raid.Level, disks: int) -> None:
    store = array(level, disks)
    for size in (512.0, 4096.0, UNIT, 3.5 * UNIT, 20 * UNIT):
        for direction in ("read", "write"):
            service = store.request(direction, 0.0, 0.0, size)
            assert 0.0 < service.busy <= service.latency


BUSY = replace(DISK, read_requests=50e3, write_requests=10e3)


def test_small_writes_of_an_array_share_the_number_that_its_disks_take() -> None:
    """RAID 5 reads and writes two blocks for a small one; RAID 10 writes two."""
    for level, disks, seconds in (("10", 8, 2 / 10e3), ("5", 8, 2 / 50e3 + 2 / 10e3)):
        store = FlashArray("devices.a", ArrayLayout(level, disks, UNIT), BUSY, Controller())
        assert store.request("write", 0.0, 0.0, 4096.0).busy == pytest.approx(seconds / disks)
