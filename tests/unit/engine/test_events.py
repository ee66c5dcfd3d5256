"""The order in which flows will be done, when entries that do not count any more are removed from it."""

import simpy

from simbackup.engine.events import FEW
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork


def test_a_flow_that_stood_still_ends_when_it_goes_on_more_slowly() -> None:
    """A hundred seconds at full speed: half of it, a stop in which many others begin, and then at a tenth."""
    env = simpy.Environment()
    network, way = FlowNetwork(env), Link("links.way", 10.0)
    flow = network.start("jobs.slow", "save", 1000.0, {way: 1.0})
    env.run(until=50.0)
    network.set_capacity(way, 0.0)
    env.run(until=60.0)
    for number in range(2 * FEW):
        network.start(f"jobs.{number}", "save", 1000.0 + number, {Link(f"links.{number}", 10.0): 1.0})
    env.run(until=70.0)
    network.set_capacity(way, 1.0)
    for _ in range(20 * FEW):  # many times the events of all that begin and end
        if flow.active:
            env.step()
    assert not flow.active
    assert env.now == 570.0
