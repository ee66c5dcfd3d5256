"""Requests to an object store, one by one: a connection takes the next part when it has the answer to the last."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

import simpy


def seconds(sizes: list[float], *, part: float, latency: float, rate: float, connections: int, extra: int = 0) -> float:
    """Seconds until all objects of some sizes are moved.

    A part waits for `latency` and then takes its bytes at the `rate` of a connection; an object of several parts has
    some `extra` requests that carry nothing.
    """
    queue: list[float] = []
    for size in sizes:
        whole = math.ceil(size / part)
        queue += [min(part, size - i * part) for i in range(whole)] + [0.0] * (extra if whole > 1 else 0)
    env = simpy.Environment()

    def connection() -> Generator[simpy.Event, Any, None]:
        while queue:
            yield env.timeout(latency + queue.pop(0) / rate)

    env.run(until=env.all_of([env.process(connection()) for _ in range(connections)]))
    return float(env.now)


def streamed(
    size: float, *, part: float, latency: float, rate: float, connections: int, buffers: int, source: float
) -> float:
    """Seconds until a stream is sent that comes from a source at its rate and fills so many buffers, one by one.

    A full buffer waits for a connection, and is free again when it has its answer.
    """
    env, left = simpy.Environment(), size
    empty, full = simpy.Container(env, buffers, buffers), simpy.Store(env)
    whole = math.ceil(size / part)

    def fill() -> Generator[simpy.Event, Any, None]:
        nonlocal left
        while left > 0.0:
            yield empty.get(1)
            each = min(part, left)
            yield env.timeout(each / source)
            left -= each
            yield full.put(each)

    def connection(takes: int) -> Generator[simpy.Event, Any, None]:
        for _ in range(takes):
            each = yield full.get()
            yield env.timeout(latency + each / rate)
            yield empty.put(1)

    env.process(fill())
    shares = [whole // connections + (i < whole % connections) for i in range(connections)]
    env.run(until=env.all_of([env.process(connection(takes)) for takes in shares]))
    return float(env.now)
