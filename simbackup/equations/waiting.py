"""Waits of requests at a network adapter that also carries the buffers of a backup.

The adapter is one queue of a mixed network, with independent requests, and buffers that circulate in a closed loop.
Baskett, Chandy, Muntz and Palacios, "Open, Closed, and Mixed Networks of Queues with Different Classes of Customers",
Journal of the ACM 22(2), 1975: the requests, which take a share `load` of the adapter, stretch each service to the
buffers by 1 / (1 - load). The buffers at the adapter are then those of the closed network alone.

Exact for service in order of arrival, if all services are exponential with one mean. Compared with simulations of
requests of a third to three times a buffer, and of constant services: if the buffers fill the adapter, the mean wait
is within 10 %. If they do not, these waits are too long, by up to a half for small requests and up to three times for
constant services. Real waits vary less about their mean, so time-outs set in more suddenly.

Streams at a server that serves in order of arrival (`work_found`) ask for their next run when the one before is done,
and so have one there at the most. Runs take as long each, but for the way back to their place, which some lose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from simbackup.equations.queueing import mva_steps

ROUNDS = 50
"""Most rounds in which the numbers of requests that several have at a server are settled."""
SETTLED = 1e-9
SPREAD = 12.0
"""Standard deviations beyond which a Poisson distribution is zero."""


class Queue(NamedTuple):
    """What a request finds at an adapter.

    `at_least` are the probabilities that at least one, two, ... buffers are there, `stage` the seconds that one buffer
    takes on the idle adapter, `request` those of one request, and `load` the share that requests take of it.
    """

    at_least: tuple[float, ...]
    stage: float
    request: float
    load: float


def loop_queue(demands: Sequence[float], customers: int, think_time: float, centre: int) -> tuple[float, ...]:
    """Probabilities that at least one, two, ..., all customers of a closed network are at a centre.

    `P(Q >= k; N) = product over j < k of D X(N - j)`, with X(n) the throughput of n customers by exact mean value
    analysis: Buzen's "Computational algorithms for closed queueing networks with exponential servers", Communications
    of the ACM 16(9), 1973, with X(n) = G(n - 1) / G(n). Holds as `queueing.mva_closed` does.

    Parameters
    ----------
    demands
        Seconds that one cycle of a customer needs at each centre.
    customers
        Customers in the network.
    think_time
        Seconds of a cycle spent outside all queues.
    centre
        Which of the centres.

    >>> loop_queue([1.0, 1.0], customers=2, think_time=0.0, centre=0)  # 0, 1 or 2 of both, equally likely
    (0.6666666666666666, 0.3333333333333333)
    """
    throughputs = [throughput for throughput, _ in mva_steps(demands, customers, think_time)]
    found, probability = list[float](), 1.0
    for throughput in reversed(throughputs):
        probability *= min(demands[centre] * throughput, 1.0)
        found.append(probability)
    return tuple(found)


def mean_wait(queue: Queue) -> float:
    """Mean seconds that a request waits for its turn, its own service excluded.

    `W = (E[Q] d + load s) / (1 - load)` with Q buffers of d seconds and requests of s seconds.

    Parameters
    ----------
    queue
        What it finds.

    >>> mean_wait(Queue((), 0.0, 1.0, 0.5))  # no buffers: as mm1_wait
    1.0
    """
    if queue.load >= 1.0:
        return math.inf
    return (math.fsum(queue.at_least) * queue.stage + queue.load * queue.request) / (1.0 - queue.load)


def late_share(queue: Queue, seconds: float) -> float:
    """Share of the requests that wait longer than some seconds for their turn, their own service excluded.

    Behind k buffers a request waits k exponential times of mean d / (1 - load), each for a buffer and the requests
    that came before the next one, and with probability `load` one more of mean s / (1 - load), as in M/M/1.

    Parameters
    ----------
    queue
        What it finds.
    seconds
        The wait that is too long.

    >>> round(late_share(Queue((), 0.0, 1.0, 0.5), 2.0), 9) == round(0.5 * math.exp(-1.0), 9)  # no buffers: M/M/1
    True
    """
    if queue.load >= 1.0:
        return 1.0
    own = (1.0 - queue.load) / queue.request if queue.request > 0.0 else math.inf
    alone = math.exp(-own * seconds)
    if not queue.at_least or queue.stage <= 0.0:
        return queue.load * alone
    rate = (1.0 - queue.load) / queue.stage
    counts = _poisson(rate * seconds, len(queue.at_least))
    behind = math.fsum(count * share for count, share in zip(counts, queue.at_least, strict=False))
    chances = [one - more for one, more in zip((1.0, *queue.at_least), (*queue.at_least, 0.0), strict=True)]
    then = _then_own(rate, own, seconds, len(queue.at_least)) if queue.load > 0.0 else ()
    return min(behind + queue.load * math.fsum(p * g for p, g in zip(chances, then, strict=False)), 1.0)


def _poisson(mean: float, most: int) -> list[float]:
    """Probabilities of 0, 1, ..., most - 1 events."""
    if mean <= 0.0:
        return [1.0, *[0.0] * (most - 1)]
    return [math.exp(k * math.log(mean) - mean - math.lgamma(k + 1.0)) for k in range(most)]


def _then_own(rate: float, own: float, seconds: float, most: int) -> list[float]:
    """Probabilities that 0, 1, ..., most stages have passed, and the one of the requests that follows has not.

    `(rate - own) g[k] = rate g[k - 1] - f[k]` with f the density of k stages; taken in the direction in which errors
    fade.
    """
    if math.isinf(own):
        return [0.0] * (most + 1)
    if own >= 2.0 * rate:
        density, found = _poisson(rate * seconds, most), [math.exp(-own * seconds)]
        for k in range(most):
            found.append(max((rate * density[k] - rate * found[-1]) / (own - rate), 0.0))
        return found
    mean = rate * seconds
    if mean > most + SPREAD * math.sqrt(mean) + SPREAD**2:  # all stages have passed, and at most the request has not
        if own > rate / 2.0:
            return [0.0] * (most + 1)
        return [min(math.exp(-own * seconds - k * math.log1p(-own / rate)), 1.0) for k in range(most + 1)]
    far = max(most, math.ceil(mean + SPREAD * math.sqrt(mean) + SPREAD**2))
    density, found = _poisson(mean, far), [0.0]
    for k in reversed(range(far)):
        found.append(max(density[k] + (rate - own) / rate * found[-1], 0.0))
    return found[::-1][: most + 1]


def late_behind_all(queues: Sequence[Queue], seconds: float, steps: int = 200) -> float:
    """Share of the requests that wait longer than some seconds at several adapters, one after the other.

    Waits at different adapters are assumed to be independent, and summed over `steps` steps of time.

    Parameters
    ----------
    queues
        What they find at each adapter.
    seconds
        The wait that is too long.
    steps
        Steps of the sum.

    >>> lan = Queue((), 0.0, 1.0, 0.5)
    >>> late_behind_all([lan], 2.0) == late_share(lan, 2.0) < late_behind_all([lan, lan], 2.0)
    True
    """
    if len(queues) == 1:
        return late_share(queues[0], seconds)
    width = seconds / steps
    late = [late_share(queues[0], step * width) for step in range(steps + 1)]
    for queue in queues[1:]:
        own = [late_share(queue, step * width) for step in range(steps + 1)]
        passed = [1.0 - own[0], *(before - now for before, now in pairwise(own))]
        late = [own[i] + math.fsum(passed[j] * late[i - j] for j in range(i + 1)) for i in range(steps + 1)]
    return min(late[-1], 1.0)


class Run(NamedTuple):
    """Seconds of the runs of a stream: what they move, the mean with what they lose, and one that has waited."""

    moving: float
    mean: float
    waited: float

    @property
    def left(self) -> float:
        """Mean seconds that the one in service still takes.

        `E[R^2] / (2 E[R])` of a run that loses its place or does not, so that it takes one of two times.

        >>> Run(1.0, 1.0, 1.0).left, Run(1.0, 2.0, 3.0).left  # half of a run; the longer ones are met more often
        (0.5, 1.25)
        """
        longest = max(self.waited, self.mean)
        square = self.moving**2 + (self.mean - self.moving) * (longest + self.moving)
        return square / (2.0 * self.mean) if self.mean > 0.0 else 0.0


class Party(NamedTuple):
    """Somebody else at a server: the share of it that they use, seconds of a request, and of what is left of one.

    `number` are the requests that they have there on average, where that is known, in service and waiting; `most` are
    those that they ever have. `waited` are the seconds of one that has waited.
    """

    used: float
    mean: float
    left: float
    waited: float
    number: float | None = None
    most: float = 1.0

    def work(self, number: float) -> float:
        """Seconds that so many requests still take."""
        return max(number - self.used, 0.0) * self.waited + min(self.used, number) * self.left


def work_found(parties: Sequence[Party], load: float = 0.0, each: float = 0.0, own: float = 0.0) -> float:
    """Seconds of work of others that a request finds on average, beside requests at random.

    `sum over all parties of (Q - u) w + u l`, with Q their requests there, of which u are in service and take l seconds
    still, and w for each that waits. Where Q is not known it is `(u / r) (r + f / (1 - load))` with f what all others
    have there, by Little's law, and not more than all that they have. Range: exact for requests at random that find
    streams always at the server, if these take their runs in turn; within 10 % where something else limits these.

    Parameters
    ----------
    parties
        The others.
    load
        Share that requests at random use, whose number follows from what they find.
    each
        Seconds of one of these.
    own
        Seconds of work of others like the request itself, which those whose number is not known find, too.

    >>> stream = Party(used=0.5, mean=0.1, left=0.05, waited=0.1, number=1.0)
    >>> round(work_found([stream, stream]), 9)  # one is in service, the other waits
    0.15
    >>> round(work_found([Party(used=0.2, mean=0.1, left=0.05, waited=0.1)]), 9)  # alone, it never waits
    0.01
    """
    free = 1.0 - load
    numbers = [party.used if party.number is None else party.number for party in parties]
    works = [party.work(number) for party, number in zip(parties, numbers, strict=True)]
    unknown = [i for i, party in enumerate(parties) if party.number is None and party.mean > 0.0]
    for _ in range(ROUNDS if unknown else 0):
        change = 0.0
        for i in unknown:
            party = parties[i]
            others = math.fsum(works) - works[i] / max(party.most, 1.0)  # without the one that comes
            before = (others + own + load * each) / free if free > 0.0 else math.inf
            residence = party.mean + before
            number = min(party.used / party.mean * residence, party.most)
            change = max(change, abs(number - numbers[i]))
            numbers[i], works[i] = number, party.work(number)
        if change <= SETTLED:
            break
    return math.fsum(works)
