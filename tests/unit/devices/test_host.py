"""A host's reading, requests that are held up elsewhere, and queues of jobs."""

from collections.abc import Sequence
from itertools import product

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from simbackup.devices.closed_network import ClosedClass
from simbackup.devices.host.live import Host, Machine
from simbackup.devices.job_queue.live import ORDERS, Claim, JobQueue, enter
from simbackup.devices.raid.live import ArrayLayout, Controller, FlashArray
from simbackup.devices.shape import FlowShape
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Region
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork


def machine(
    cores: float = 2.0, speed: float = 1.0, read_ahead: float | None = None, *, looks_ahead: bool = False
) -> Machine:
    return Machine(cores, 1e9, 1e9, 0.0, read_ahead=read_ahead, memory=4e9, speed=speed, looks_ahead=looks_ahead)


def ssd() -> Ssd:
    return Ssd("devices.a", Flash(1e12, 100e6, 50e6, 1e-3, 1e-3))


def reading(host: Host, cached: float, each: float | None = None) -> FlowShape:
    return host.reading(Region(ssd(), 0.0, 1e9), each, cached)


def test_an_array_of_the_operating_system_is_read_stripes_ahead() -> None:
    """Two stripes of four disks of data, 512 KiB of each disk, against a window of 128 KiB."""
    layout = ArrayLayout("5", 5, 524288.0, stripes_ahead=2.0)
    figures = Flash(1e12, 500e6, 400e6, 1e-4, 1e-4)
    array = FlashArray("devices.md", layout, figures, Controller())
    assert array.ahead == 2 * 4 * 524288
    host = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine(read_ahead=131072.0))
    window = 2 * 4 * 524288
    fetched = array.continued(0.0, window).latency
    assert host.reading(Region(array, 0.0, 1e9), 0.0).cap == pytest.approx(window / fetched)


# Requests that go round, and what holds some of them up elsewhere
DISK = Link("devices.disk", 1.0)


def reads(processor: float, workers: int = 1, seconds: float = 1.0, *, ordered: bool = False) -> ClosedClass:
    """Readers that take seconds of a disk for each unit, and some of their own."""
    parts = {("devices.disk", "read"): seconds, ("jobs.x", ""): processor}
    return ClosedClass(workers, parts, {DISK: seconds}, visits={DISK: 1.0} if ordered else {})


def first_rate(away: float) -> float:
    """What the first of two readers achieves, when the other stays away for so many seconds of each unit."""
    pair = [reads(0.5), reads(0.5)]
    return pair[0].limits_of(pair, lambda _: 0.0, None, [0.0, away])[0].rate


def test_who_is_held_up_elsewhere_is_waited_for_less() -> None:
    alone = reads(0.5).limits_of([reads(0.5)], lambda _: 0.0)[0].rate
    assert alone == pytest.approx(1.0 / 1.5)
    assert first_rate(0.0) < first_rate(2.0) < first_rate(20.0) < alone
    assert first_rate(1e7) == pytest.approx(alone, rel=1e-3)


def test_a_small_request_waits_for_a_large_one_that_came_before() -> None:
    pair = [reads(0.1, seconds=0.1, ordered=True), reads(0.0, seconds=10.0, ordered=True)]
    small, large = pair[0].limits_of(pair, lambda _: 0.0)
    assert small.rate == pytest.approx(1.0 / 10.2, rel=0.02)  # each of its requests finds the other one there
    assert large.rate == pytest.approx((1.0 - 0.1 * small.rate) / 10.0, rel=0.02)


# Queues of jobs
def makespan(works: Sequence[int], drives: int, order: str) -> float:
    """When the last of some jobs, each of which takes as long as it is large, has ended."""
    env = simpy.Environment()
    queue = JobQueue(env, "devices.q", drives, order)

    def job(size: int) -> simpy.events.ProcessGenerator:
        place = enter([queue], Claim(size, 0.0, 0.0))
        yield place.admitted
        yield env.timeout(size)
        place.leave()

    for size in works:
        env.process(job(size))
    env.run()
    return float(env.now)


def shortest(works: Sequence[int], drives: int) -> int:
    """The shortest makespan of all ways to deal jobs out to drives."""
    return min(
        max(sum(size for size, at in zip(works, dealt, strict=True) if at == drive) for drive in range(drives))
        for dealt in product(range(drives), repeat=len(works))
    )


@given(st.lists(st.integers(1, 100), min_size=1, max_size=7), st.integers(1, 3))
def test_longest_first_takes_no_more_than_four_thirds_of_the_shortest(works: list[int], drives: int) -> None:
    """R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17, 1969: 4/3 - 1/(3 m)."""
    found, least = makespan(works, drives, "longest_first"), shortest(works, drives)
    assert least <= found <= (4 / 3 - 1 / (3 * drives)) * least + 1e-9


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=60), st.integers(1, 8), st.sampled_from(sorted(ORDERS)))
def test_no_drive_is_idle_while_a_job_waits(works: list[int], drives: int, order: str) -> None:
    """Then the last job begins when all drives were busy, after no more than the others' work over the drives."""
    bound = max(sum(works) / drives, *works)
    found = makespan(works, drives, order)
    assert bound <= found <= sum(works) / drives + (1 - 1 / drives) * max(works) + 1e-9
