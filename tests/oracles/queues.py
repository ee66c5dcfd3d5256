"""Equations of queueing that only tests need: Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley 1975."""

import heapq
import math
from collections.abc import Generator
from random import Random
from typing import Any, NamedTuple

import numpy as np
import simpy


def mg1_wait(arrival_rate: float, service_time: float, service_variance: float) -> float:
    """Seconds in queue, service excluded, at one server with Poisson arrivals and any service times.

    Pollaczek-Khinchine: `W = lambda (s^2 + variance) / (2 (1 - rho))`; infinite from `rho = 1` on.

    Parameters
    ----------
    arrival_rate
        Customers per second.
    service_time
        Mean seconds of service.
    service_variance
        Seconds squared.

    Raises
    ------
    ValueError
        If an argument is negative.

    Examples
    --------
    >>> mg1_wait(0.5, 1.0, 3.0)
    2.0

    """
    if min(arrival_rate, service_time, service_variance) < 0:
        raise ValueError("arrival rate, service time and variance must not be negative")
    utilisation = arrival_rate * service_time
    if utilisation >= 1:
        return math.inf
    return arrival_rate * (service_time**2 + service_variance) / (2 * (1 - utilisation))


def mm1_wait(arrival_rate: float, service_time: float) -> float:
    """Seconds in queue, service excluded, at one server with Poisson arrivals and exponential service.

    `W = rho s / (1 - rho)` with `rho = arrival_rate * service_time`; infinite from `rho = 1` on.

    Parameters
    ----------
    arrival_rate
        Customers per second.
    service_time
        Mean seconds of service.

    Raises
    ------
    ValueError
        If an argument is negative.

    Examples
    --------
    >>> mm1_wait(0.5, 1.0)
    1.0

    """
    return mg1_wait(arrival_rate, service_time, service_time**2)


def md1_wait(arrival_rate: float, service_time: float) -> float:
    """Seconds in queue, service excluded, at one server with Poisson arrivals and constant service.

    Half the wait of exponential service (Pollaczek-Khinchine with no variance).

    Parameters
    ----------
    arrival_rate
        Customers per second.
    service_time
        Seconds of service.

    Raises
    ------
    ValueError
        If an argument is negative.

    Examples
    --------
    >>> md1_wait(0.5, 1.0)
    0.5

    """
    return mg1_wait(arrival_rate, service_time, 0.0)


def mmc_wait(arrival_rate: float, service_time: float, servers: int) -> float:
    """Seconds in queue, service excluded, before several equal servers with one queue (M/M/c).

    `W = C s / (c - a)`, with offered load `a = lambda s` and C the Erlang C probability that all servers are
    busy, found from Erlang B by its recursion so that no factorial overflows. Infinite from `a = c` on.

    Parameters
    ----------
    arrival_rate
        Customers per second.
    service_time
        Mean seconds of service.
    servers
        Servers, at least one.

    Raises
    ------
    ValueError
        If an argument is negative or there is no server.

    Examples
    --------
    >>> round(mmc_wait(1.5, 1.0, 2), 9)
    1.285714286

    """
    if servers < 1 or min(arrival_rate, service_time) < 0:
        raise ValueError("need at least one server, and no negative arrival rate or service time")
    load = arrival_rate * service_time
    if load >= servers:
        return math.inf
    blocked = 1.0
    for server in range(1, servers + 1):
        blocked = load * blocked / (server + load * blocked)
    all_busy = servers * blocked / (servers - load * (1 - blocked))
    return all_busy * service_time / (servers - load)


def shared_with_streams(rate: float, service: float, requests: int, *, streams: int, seed: int = 1) -> float:
    """Mean seconds of requests at a server that all who are there share equally, simulated event by event.

    Requests come at random and take as long each; each stream has a request there at all times.
    """
    draws, env = np.random.default_rng(seed), simpy.Environment()
    left: dict[int, float] = {}
    begun: dict[int, float] = {}
    came = env.event()
    total = 0.0

    def arrive() -> Generator[simpy.Event, Any, None]:
        nonlocal came
        for number in range(requests):
            yield env.timeout(float(draws.exponential(1.0 / rate)))
            event, came = came, env.event()
            event.succeed(number)

    def serve() -> Generator[simpy.Event, Any, None]:
        nonlocal total
        while len(begun) < requests or left:
            since, sharing = float(env.now), len(left) + streams
            first = min(left.values(), default=math.inf)
            arrival = came
            ends = [arrival, env.timeout(first * sharing)] if left else [arrival]
            yield simpy.AnyOf(env, ends)
            for each in left:
                left[each] -= (env.now - since) / sharing
            for each in [each for each, rest in left.items() if rest <= service * 1e-9]:
                del left[each]
                total += env.now - begun[each]
            if arrival.triggered:
                number: Any = arrival.value
                left[number], begun[number] = service, float(env.now)

    env.process(serve())
    env.process(arrive())
    env.run()
    return total / requests


class Sender(NamedTuple):
    """Who sends over a wire: so many requests a second at random, or some users who each wait for their last and think.

    Each request takes some seconds of the wire, and some more on its way.
    """

    seconds: float
    latency: float
    rate: float = 0.0
    users: int = 0
    think_time: float = 0.0


def behind_windows(sender: Sender, window: float, streams: int, *, seconds: float = 2000.0) -> tuple[float, float]:
    """Requests a second, and mean seconds of one, on a wire in order of arrival, beside streams.

    Each stream has one window there at all times, of some seconds; all times of the wire are exponential.
    """
    random = Random(5)  # noqa: S311
    coming: list[tuple[float, float, int]] = []  # when it is at the wire, when it began, and whose it is

    def send(at: float, who: int) -> None:
        heapq.heappush(coming, (at + sender.latency, at, who))

    for stream in range(streams):
        heapq.heappush(coming, (0.0, 0.0, stream))
    if sender.rate:
        send(random.expovariate(sender.rate), -1)
    for user in range(sender.users):
        send(random.random() * sender.think_time, -2 - user)
    free, done, waited = 0.0, 0, 0.0
    while free < seconds:
        at, began, who = heapq.heappop(coming)
        free = max(free, at) + random.expovariate(1.0 / (window if who >= 0 else sender.seconds))
        if who >= 0:
            heapq.heappush(coming, (free, free, who))
            continue
        done, waited = done + 1, waited + free - began
        if who == -1:
            send(began + random.expovariate(sender.rate), who)
        else:
            send(free + (random.expovariate(1.0 / sender.think_time) if sender.think_time else 0.0), who)
    return done / free, waited / done


def from_an_empty_queue(rate: float, service: float, seconds: float, *, runs: int, seed: int = 1) -> float:
    """Mean seconds of requests that come within a time to a server at rest, simulated one by one, over many runs.

    They come at random and are served in the order in which they come, also after that time. A server works without
    a pause since the request that found it idle: the latest of all times at which it could have begun (Lindley).
    """
    draws, total, requests = np.random.default_rng(seed), 0.0, 0
    for _ in range(runs):
        come = np.cumsum(draws.exponential(1.0 / rate, int(rate * seconds + 10 * math.sqrt(rate * seconds) + 10)))
        assert come[-1] >= seconds
        come = come[come < seconds]
        work = draws.exponential(service, come.size)
        done = np.cumsum(work)
        free = done + np.maximum.accumulate(come - (done - work))
        total, requests = total + float((free - come).sum()), requests + come.size
    return total / requests
