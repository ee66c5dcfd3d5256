"""Closed forms of queueing theory.

Reiser and Lavenberg, "Mean-Value Analysis of Closed Multichain Queuing Networks", Journal of the ACM 27(2), 1980, for
the closed network.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple


class ClosedNetwork(NamedTuple):
    """Steady state of a closed network: customers per second, seconds per cycle, customers at each centre."""

    throughput: float
    response: float
    queue_lengths: tuple[float, ...]


def mva_closed(service_demands: Sequence[float], customers: int, think_time: float = 0.0) -> ClosedNetwork:
    """Throughput, response and queue lengths of a closed network of single-server queues, by exact MVA.

    A customer that arrives sees the network in equilibrium with one customer less, so for n = 1, 2, ...:
    `R_k = D_k (1 + Q_k)`, `X = n / (Z + sum R)`, `Q_k = X R_k`. Exact for product-form networks (exponential
    service in order of arrival, or processor sharing). The response excludes the think time.

    Parameters
    ----------
    service_demands
        Seconds that one cycle of a customer needs at each centre.
    customers
        Customers in the network.
    think_time
        Seconds per cycle spent outside all queues.

    Raises
    ------
    ValueError
        If an argument is negative, or a cycle takes no time at all.

    Examples
    --------
    >>> mva_closed([1.0, 1.0], customers=2)
    ClosedNetwork(throughput=0.6666666666666666, response=3.0, queue_lengths=(1.0, 1.0))

    """
    if customers < 0 or think_time < 0 or any(demand < 0 for demand in service_demands):
        raise ValueError("customers, demands and think time must not be negative")
    if think_time + sum(service_demands) == 0:
        raise ValueError("a cycle without service or think time has no finite throughput")
    throughput, residences = 0.0, list(service_demands)
    for throughput, residences in mva_steps(service_demands, customers, think_time):  # noqa: B007 (the last counts)
        pass
    return ClosedNetwork(throughput, math.fsum(residences), tuple(throughput * seconds for seconds in residences))


def mva_steps(
    service_demands: Sequence[float], customers: int, think_time: float = 0.0
) -> Iterator[tuple[float, list[float]]]:
    """Throughput, and seconds at each centre, in a closed network with one, two, ..., all customers.

    Arguments, equations and range are those of `mva_closed`, whose recursion this is.

    >>> [round(throughput, 3) for throughput, _ in mva_steps([1.0, 1.0], customers=2)]
    [0.5, 0.667]
    """
    throughput, residences, total = 0.0, [0.0] * len(service_demands), math.fsum
    for population in range(1, customers + 1):
        residences = [d * (1.0 + throughput * r) for d, r in zip(service_demands, residences)]  # noqa: B905 (it is hot)
        throughput = population / (think_time + total(residences))
        yield throughput, residences


def mva_pooled(
    service_demands: Sequence[float], customers: int, think_time: float, pool: tuple[float, int]
) -> ClosedNetwork:
    """The same where customers also visit a pool of equal servers, any of which serves the first that waits.

    All the rest acts like one queue that serves as many customers a second as it would alone with those who are there,
    X'(n), so that the number k of those at the pool is a birth and death process, `p_k / p_(k-1) = X'(N - k + 1) S /
    min(k, m)` (Chandy, Herzog and Woo, "Parametric analysis of queuing networks", IBM Journal of Research and
    Development 19(1), 1975). Exact as `mva_closed` is. The pool is the last of the queues.

    Parameters
    ----------
    service_demands, customers, think_time
        As for `mva_closed`.
    pool
        Seconds of one of its servers that one cycle of a customer needs, S, and its servers, m.

    >>> round(mva_pooled([], 3, 1.0, (1.0, 8)).throughput, 9)  # no queue: three customers take 2 s each
    1.5
    >>> mva_pooled([1.0], 2, 0.0, (1.0, 1)).throughput == mva_closed([1.0, 1.0], 2).throughput
    True
    """
    seconds, servers = pool
    nobody = [0.0] * len(service_demands)
    if think_time + math.fsum(service_demands) == 0.0:
        throughput = min(customers, servers) / seconds
        return ClosedNetwork(throughput, customers / throughput if customers else 0.0, (*nobody, float(customers)))
    steps, logs = [(0.0, nobody), *mva_steps(service_demands, customers, think_time)], [0.0]
    for here in range(1, customers + 1):
        logs.append(logs[-1] + math.log(steps[customers - here + 1][0] * seconds / min(here, servers)))
    weights = [math.exp(log - max(logs)) for log in logs]
    total = math.fsum(weights)
    shares = [weight / total for weight in weights]
    throughput = math.fsum([share * min(here, servers) / seconds for here, share in enumerate(shares)])
    queues = [
        math.fsum([share * rate * waits[i] for share, (rate, waits) in zip(shares, reversed(steps), strict=True)])
        for i in range(len(service_demands))
    ]
    queues.append(math.fsum([share * here for here, share in enumerate(shares)]))
    return ClosedNetwork(throughput, math.fsum(queues) / throughput if throughput else 0.0, tuple(queues))


def mixed_response(wait: float, own: float, found: float = 0.0) -> float:
    """Seconds of a request at a server that independent requests share with others.

    `R = (w + f) / (1 - rho)`, of a mixed network of queues (Baskett, Chandy, Muntz and Palacios, "Open, closed, and
    mixed networks of queues with different classes of customers", Journal of the ACM 22(2), 1975): who comes waits for
    what streams and users who wait have at the server, and for the independent requests that come to it. In order of
    arrival f is the work that these have there (`waiting.work_found`); where all who are there share the server, as
    many times w as they have requests there. Infinite from rho = 1 on.

    Parameters
    ----------
    wait
        Seconds of a request when alone, w.
    own
        Share of the server that all independent requests use, rho.
    found
        Seconds of work of others that a request finds, f.

    >>> mixed_response(0.01, own=0.5), mixed_response(0.01, own=0.5, found=0.01)
    (0.02, 0.04)
    """
    free = 1.0 - own
    return (wait + found) / free if free > 0.0 else math.inf


def processor_sharing(service: float, offered: float, servers: float, threads: float = 0.0) -> float:
    """Seconds of a request at servers that all who are there share, where requests come at random.

    Each of n requests and K threads of others has a server of its own until all m are busy, and an equal part of them
    from then on, so that n is a birth and death process, `p_n / p_(n-1) = a / (n min(1, m / (n + K)))`, and
    `R = s E[max(1, (n + 1 + K) / m)]`. Exact for processor sharing, for any distribution of services (Cohen, "The
    multiple phase service network with generalized processor sharing", Acta Informatica 12, 1979); the queue M/M/m
    where K is zero.

    Parameters
    ----------
    service
        Seconds of one server that a request needs, s.
    offered
        Servers that all requests together keep busy, a; from m on the response is infinite.
    servers
        How many there are, m.
    threads
        Others that always have work for one server each, K; a part of one has work for that part of the time.

    >>> processor_sharing(0.01, offered=0.5, servers=1.0)  # as mixed_response
    0.02
    >>> processor_sharing(0.01, offered=0.0, servers=8.0, threads=8.0)  # nine share eight cores
    0.01125
    >>> round(processor_sharing(1.0, offered=7.2, servers=8.0), 3)  # Erlang's C formula: 1 + 0.7016 / (8 - 7.2)
    1.877
    """
    if offered >= servers:
        return math.inf
    if offered > _HEAVY * servers:  # from here on it grows as 1 / (1 - a / m)
        within = processor_sharing(service, _HEAVY * servers, servers, threads)
        return within * (1.0 - _HEAVY) / (1.0 - offered / servers)
    term = total = 1.0
    slowed = max(1.0, (1.0 + threads) / servers)
    for number in count(1):
        ratio = offered / (number * min(1.0, servers / (number + threads)))
        term *= ratio
        each = max(1.0, (number + 1.0 + threads) / servers)
        total += term
        slowed += term * each
        if number + threads < servers or ratio >= 1.0:
            continue
        rest = term * ratio / (1.0 - ratio)  # as if all further terms had this ratio, which they have without threads
        if threads == 0.0 or rest * each <= _NEGLIGIBLE * slowed:
            slowed += rest * (each + 1.0 / servers / (1.0 - ratio))
            return service * slowed / (total + rest)
    raise AssertionError  # the ratio of the terms falls below one


def growing_response(service: float, load: float, seconds: float) -> float:
    """Mean seconds of a request that comes to a queue within a time, even if more come than can be served.

    R = s + T/4 (x - 1 + sqrt((x - 1)^2 + 8 x s / T)), from the queue of the steady state below saturation, s / (1 - x),
    to that which grows all the time far above it, T/2 (x - 1) (Akcelik, "Travel time functions for transport planning
    purposes", Australian Road Research 21(3), 1991, after Kimber and Hollis, "Traffic queues and delays at road
    junctions", TRRL Laboratory Report 909, 1979). The queue is empty at first, and goes on being served after the time.

    Parameters
    ----------
    service
        Seconds of a request when alone, s.
    load
        Requests that come for each that can be served, x; 1 or more where the queue grows.
    seconds
        The time within which they come, T.

    >>> round(growing_response(0.01, 1.2, 600.0), 2), round(growing_response(0.01, 0.5, 600.0), 4)
    (60.07, 0.02)
    """
    beyond = load - 1.0
    return service + seconds / 4.0 * (beyond + math.sqrt(beyond * beyond + 8.0 * load * service / seconds))


class Centre(NamedTuple):
    """Where users queue.

    Seconds that one transaction waits there behind what others have there; shares of the centre that one transaction a
    second uses while somebody waits, and while nobody does; the share that others use. Of several equal `servers` that
    all who are there share, such as the cores of a host, a transaction has one for `alone` seconds at the least.
    """

    wait: float
    held: float
    behind: float = 0.0
    others: float = 0.0
    servers: float = 1.0
    alone: float = 0.0

    def residence(self, busy: float) -> float:
        """Seconds of a transaction there while the users themselves keep so great a share of it busy."""
        room = 1.0 - self.others - busy
        return max(self.wait / (self.servers * room), self.alone) if room > 0.0 else math.inf


def interactive_rate(centres: Sequence[Centre], customers: float, think_time: float = 0.0) -> float:
    """Transactions per second of users who each wait for one transaction before the next.

    The X that solves `N = X (Z + sum_k w_k / (1 - o_k - X (a_k + b_k (N - 1) / N)))`, with w_k the wait when alone,
    b_k the share used while somebody waits, a_k the share used in the background, o_k that of others. For one server
    without others it is the approximate mean value analysis of Schweitzer ("Approximate analysis of multiclass closed
    networks of queues", 1979), never above `mva_closed` and at most 7 % below it; m equal servers visited at random
    are w = m b. What others use, and what is used in the background, stretches each wait as in an open queue.

    Where m servers are shared by all who are there, K threads of others among them, a transaction that needs s seconds
    of one takes `R = s max(1, (1 + K + X R (N - 1) / N) / m)`: each has a server of its own until all are busy, and an
    equal part of all from then on. With w = s (1 + K) this is `max(s, w / m / (1 - X s (N - 1) / (N m)))`. Exact for
    one user, and without think time; else within a tenth of X, as the mean number of those who are there stands for a
    number that varies.

    Parameters
    ----------
    centres
        The queues.
    customers
        Users, N.
    think_time
        Seconds that a user waits between two transactions, Z.

    Raises
    ------
    ValueError
        If a transaction takes no time at all.

    Examples
    --------
    >>> round(interactive_rate([Centre(0.01, 0.01)], customers=1), 6)  # alone, one after the other
    100.0
    >>> round(interactive_rate([Centre(0.01, 0.01)], customers=1000), 1)  # the centre is full
    100.0
    >>> round(interactive_rate([Centre(0.01, 0.01, others=0.2)], customers=1000), 1)
    80.0
    >>> one = Centre(9 * 0.01, 0.01 / 8, servers=8.0, alone=0.01)  # eight threads of others on eight cores
    >>> round(interactive_rate([one], customers=1), 1)
    88.9

    """
    if think_time + sum([centre.wait for centre in centres]) <= 0.0:
        raise ValueError("a transaction without service or think time has no finite rate")
    kept = (customers - 1.0) / customers
    loads = [centre.behind + kept * centre.held for centre in centres]
    ceilings = [(1.0 - c.others) / load for c, load in zip(centres, loads, strict=True) if load > 0.0]
    high = min(ceilings, default=math.inf)
    if high <= 0.0:
        return 0.0
    if math.isinf(high):
        high = customers / (think_time + math.fsum(c.residence(0.0) for c in centres))
    queues = [
        (c.wait / c.servers, 1.0 - c.others, load, c.alone)
        for c, load in zip(centres, loads, strict=True)
        if c.wait > 0.0
    ]
    low = tried = 0.0
    for _ in range(_HALVINGS):
        rate = (low + high) / 2.0
        if rate in (low, tried):  # no number lies between
            break
        tried = rate
        rooms = [(wait, free - rate * load, alone) for wait, free, load, alone in queues]
        residence = math.fsum([max(wait / room, alone) if room > 0.0 else math.inf for wait, room, alone in rooms])
        low, high = (rate, high) if rate * (think_time + residence) < customers else (low, rate)
    return low


_HALVINGS = 60
_NEGLIGIBLE = 1e-12
"""Share of a sum that its remaining terms may be."""
_HEAVY = 0.998
"""Load beyond which a response is taken to grow as in heavy traffic."""
