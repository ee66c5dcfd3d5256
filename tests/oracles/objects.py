"""Requests to an object store, one by one: a connection takes the next part when it has the answer to the last."""

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
