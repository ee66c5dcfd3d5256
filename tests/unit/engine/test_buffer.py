import math
from collections.abc import Callable, Generator
from typing import Any

import pytest
import simpy

from simbackup.engine.buffer import Buffer
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Limit
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork


def system() -> tuple[simpy.Environment, FlowNetwork, Buffer]:
    env = simpy.Environment()
    network = FlowNetwork(env)
    return env, network, Buffer(network, 100.0, "hosts.cache")


def flow(network: FlowNetwork, name: str, rate: float, amount: float = math.inf) -> Flow:
    return network.start(f"jobs.{name}", "copy", amount, {Link(f"links.{name}", rate): 1.0})


@pytest.mark.parametrize("amount", [50.0, 80.0])
def test_nobody_looks_when_it_will_be_empty_if_its_flows_end_first(amount: float) -> None:
    env, network, cache = system()
    fill = flow(network, "in", 10.0, 50.0)
    cache.fill(fill)
    env.run(until=fill.done)
    drain = flow(network, "out", 4.0, amount)
    cache.drain(drain)
    env.run(until=5.1)
    before, rings = cache.looks, cache.rings
    env.run(until=17.4)
    assert (cache.looks, cache.content) == (before, pytest.approx(0.4))
    assert rings == (math.inf if amount == 50.0 else pytest.approx(17.5))
    env.run(until=18.0)
    assert (drain.completed, drain.rate, cache.content) == pytest.approx((50.0, 0.0, 0.0))
    assert drain.active == (amount > 50.0)


def test_full_without_a_drain_stops_the_filler() -> None:
    env, network, cache = system()
    fill = flow(network, "in", 10.0)
    cache.fill(fill)
    env.run(until=15.0)
    assert fill.rate == 0.0
    assert fill.completed == pytest.approx(100.0)
    assert fill.waited == pytest.approx({"links.in": 10.0, "hosts.cache": 5.0})
    drain = flow(network, "out", 4.0)
    cache.drain(drain)
    env.run(until=20.0)
    assert (fill.rate, drain.rate) == pytest.approx((4.0, 4.0))
    network.stop(drain)
    env.run(until=21.0)
    assert fill.rate == 0.0
    assert cache.content == pytest.approx(100.0)


def test_an_alarm_that_comes_early_is_no_look() -> None:
    env, network, cache = system()
    fill = flow(network, "in", 10.0)
    cache.fill(fill)
    env.run(until=5.0)
    network.set_cap(fill, 5.0)
    env.run(until=6.0)
    looks = cache.looks
    env.run(until=14.0)  # it would have been full at 10 s
    assert cache.looks == looks
    env.run(until=16.0)
    assert fill.waited == pytest.approx({"links.in": 5.0, "jobs.in": 10.0, "hosts.cache": 1.0})


def stops(rate: float, others: Callable[[Link], float]) -> Limit:
    """A tape that needs 20 to keep moving, and else takes a tenth less than its host has room for."""
    del others
    return Limit(rate if rate >= 20.0 else 0.9 * rate, "tape")


def test_what_stops_before_a_full_buffer_goes_on_as_soon_as_that_is_drained_faster() -> None:
    env, network, cache = system()
    fill = network.start("jobs.in", "copy", math.inf, {Link("links.in", 20.0): 1.0}, law=stops)
    drain = flow(network, "out", 10.0)
    cache.fill(fill)
    cache.drain(drain)
    env.run(until=12.0)  # full since 10 s
    assert fill.rate == pytest.approx(9.0)
    (disk,) = drain.links
    network.set_capacity(disk, 50.0)
    env.run(until=13.0)
    assert (fill.rate, drain.rate) == (20.0, 50.0)


def test_what_stops_before_a_full_buffer_goes_on_once_that_has_room_again() -> None:
    env, network, cache = system()
    fill = network.start("jobs.in", "copy", math.inf, {Link("links.in", 20.0): 1.0}, law=stops)
    drain = flow(network, "out", 10.0)
    cache.fill(fill)
    cache.drain(drain)
    env.run(until=34.0)  # the level has fallen by 1 a second since 10 s, and by a quarter of 100 at 35 s
    assert fill.rate == pytest.approx(9.0)
    env.run(until=36.0)
    assert fill.rate == 20.0
    env.run(until=38.0)  # full again at 37.5 s
    assert fill.rate == pytest.approx(9.0)


def test_limits_are_lifted_when_they_no_longer_bind() -> None:
    env, network, cache = system()
    fill, drain = flow(network, "in", 20.0), flow(network, "out", 10.0)
    cache.fill(fill)
    cache.drain(drain)
    env.run(until=12.0)
    assert fill.rate == pytest.approx(10.0)
    (tape,) = drain.links
    network.set_capacity(tape, 50.0)
    env.run(until=14.0)
    assert (fill.rate, drain.rate) == (20.0, 50.0)
    assert cache.content == pytest.approx(40.0)
    env.run(until=16.0)
    assert (fill.rate, drain.rate) == pytest.approx((20.0, 20.0))
    assert cache.content == pytest.approx(0.0, abs=1e-6)
    assert drain.waited == pytest.approx({"links.out": 12.0 + 100.0 / 30.0, "links.in": 2.0 - 40.0 / 30.0})


def test_the_cause_follows_what_limits_the_drain() -> None:
    env, network, cache = system()
    fill, drain = flow(network, "in", 20.0), flow(network, "out", 10.0)
    cache.fill(fill)
    cache.drain(drain)
    env.run(until=11.0)
    network.set_cap(drain, 10.0 - 1e-3, "hosts.cpu")
    env.run(until=12.0)
    assert fill.waited == pytest.approx({"links.in": 10.0, "links.out": 1.0, "hosts.cpu": 1.0})


def test_own_cap_and_limit_are_combined() -> None:
    env, network, cache = system()
    fill, drain = flow(network, "in", 20.0), flow(network, "out", 10.0)
    cache.fill(fill)
    cache.drain(drain)
    network.set_cap(fill, 15.0, "hosts.cpu")
    env.run(until=30.0)
    assert fill.cap == 15.0
    assert (fill.rate, fill.cause) == (pytest.approx(10.0), "links.out")
    network.set_cap(fill, 5.0, "hosts.cpu")
    env.run(until=31.0)
    assert fill.rate == 5.0
    assert fill.waited == pytest.approx({"hosts.cpu": 21.0, "links.out": 10.0})


def test_watches_fire_in_their_direction_only() -> None:
    env, network, cache = system()
    fill, drain = flow(network, "in", 20.0, 200.0), flow(network, "out", 10.0)
    fired: dict[str, float] = {}

    def note(name: str, event: simpy.Event) -> Generator[simpy.Event, Any, None]:
        yield event
        fired[name] = env.now

    def watch(name: str, level: float, *, rising: bool) -> None:
        env.process(note(name, cache.when(level, rising=rising)))

    cache.fill(fill)
    cache.drain(drain)
    watch("at once", 0.0, rising=True)
    watch("already below", 50.0, rising=False)
    watch("up", 60.0, rising=True)
    watch("never", 100.0, rising=True)
    env.run(until=8.0)
    watch("down", 60.0, rising=False)
    watch("empty", 0.0, rising=False)
    env.process(note("in", fill.done))
    network.set_cap(drain, 12.0)
    network.set_cap(fill, 10.0)
    env.run(until=60.0)
    # 80 at 8 s (160 in, 80 out); its link still holds the drain to 10, so 80 until all is in at 12 s.
    assert fired == pytest.approx(
        {"at once": 0.0, "already below": 0.0, "up": 6.0, "in": 12.0, "down": 14.0, "empty": 20.0}
    )


def test_a_buffer_of_nearly_nothing_couples_the_two_sides() -> None:
    env = simpy.Environment(1e9)
    network = FlowNetwork(env)
    cache = Buffer(network, 1e-3, "hosts.cache")
    fill, drain = flow(network, "in", 30.0, 300.0), flow(network, "out", 20.0, 300.0)
    cache.fill(fill)
    cache.drain(drain)
    env.run(until=drain.done)
    assert env.now - 1e9 == pytest.approx(15.0, rel=1e-4)
    assert fill.waited["links.out"] == pytest.approx(15.0, rel=1e-3)


@pytest.mark.parametrize("begin", [0.0, 3e7, 1e9])
@pytest.mark.parametrize("fill_rate", [1.0, 1e6, 1e8])
@pytest.mark.parametrize("amount", [1.0, 4096.0, 1e7])
def test_a_drain_gets_the_last_byte(begin: float, fill_rate: float, amount: float) -> None:
    # A small flow through a large buffer late in the clock: no rounding may keep the drain waiting.
    env = simpy.Environment(begin)
    network = FlowNetwork(env)
    cache = Buffer(network, 8e9, "hosts.cache")
    fill, drain = flow(network, "in", fill_rate, amount / 3.0), flow(network, "out", 1e8, amount / 3.0)
    cache.fill(fill)
    cache.drain(drain)
    env.run(until=drain.done)
    step = math.ulp(begin)
    assert env.now - begin == pytest.approx(amount / 3.0 / fill_rate, rel=1e-6, abs=10.0 * step)
    assert fill.done.triggered


def test_wrong_use_is_refused() -> None:
    _, network, cache = system()
    fill = flow(network, "in", 1.0)
    cache.fill(fill)
    with pytest.raises(ValueError, match="already fills or drains"):
        cache.drain(fill)
    with pytest.raises(ValueError, match="bytes per unit"):
        cache.drain(flow(network, "third", 1.0), bytes_per_unit=0.0)
    with pytest.raises(ValueError, match="not 101"):
        cache.when(101.0, rising=True)
    with pytest.raises(ValueError, match="above zero and finite"):
        Buffer(network, 0.0, "hosts.cache")
