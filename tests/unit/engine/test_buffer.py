import math
from collections.abc import Callable

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


def stops(rate: float, others: Callable[[Link], float]) -> Limit:
    """A tape that needs 20 to keep moving, and else takes a tenth less than its host has room for."""
    del others
    return Limit(rate if rate >= 20.0 else 0.9 * rate, "tape")


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
