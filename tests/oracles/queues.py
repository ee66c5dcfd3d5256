"""Equations of queueing that only tests need."""

from __future__ import annotations

import math

from simbackup.equations.queueing import mg1_wait


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
