"""What has ended holds nothing that holds it: memory is free at once, and the collector has nothing to look for."""

import gc
from collections.abc import Generator
from typing import Any

import simpy

from simbackup.engine.buffer import Buffer
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork


def writing(env: simpy.Environment, network: FlowNetwork, links: tuple[Link, Link], number: int) -> Generator[Any, Any]:
    """One backup: it fills a buffer, which a second flow empties from its half on."""
    name = f"jobs.{number}"
    fill = network.start(name, "write", 100.0, {links[0]: 1.0})
    buffer = Buffer(network, 50.0, "cache")
    buffer.fill(fill)
    yield env.any_of([buffer.when(25.0, rising=True), fill.done])
    drain = network.start(name, "write back", 100.0, {links[1]: 1.0})
    buffer.drain(drain)
    yield env.all_of([fill.done, drain.done])


def test_flows_and_buffers_that_ended_are_gone() -> None:
    env = simpy.Environment()
    network, links = FlowNetwork(env), (Link("cards.a", 10.0), Link("devices.sda", 7.0))

    def nights() -> Generator[Any, Any]:
        for number in range(20):
            yield env.all_of([env.process(writing(env, network, links, 2 * number + pair)) for pair in range(2)])

    def alive() -> int:
        return sum(type(one) in (Flow, Buffer) for one in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = alive()
        env.run(until=env.process(nights()))
        env.run(until=env.now + 1000.0)  # alarms of the last ring
        assert alive() == before
    finally:
        gc.enable()
