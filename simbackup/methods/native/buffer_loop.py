"""The steady rate of a native backup: its buffers are customers of one closed network, or of two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from simbackup.devices.network.adapter import Standing
from simbackup.devices.network.live import Network
from simbackup.devices.shape import FlowShape
from simbackup.engine.limit import Behind, Limit, Others
from simbackup.engine.link import Link
from simbackup.equations import stages
from simbackup.equations.buffers import LoopState, loop
from simbackup.equations.waiting import loop_queue
from simbackup.methods.native.sides import Side, Sides
from simbackup.trace.activity import Activity

Centre = tuple[Link, int]
"""A queue: a link, and one of its wires or servers."""

HALVINGS = 40


@dataclass(frozen=True, slots=True)
class SteadyLoop:
    """The buffers of a native backup as customers of a closed network; of two if it is compressed."""

    job: str
    """The address of the job."""
    sides: Sides
    """Where buffers are filled, coded and emptied."""
    buffers: int
    """Buffers in each loop."""
    size: float
    """Bytes of a buffer."""
    joined: bool = False
    """Whether there are two loops, of which one fills the other."""

    def centres(self, shape: FlowShape, others: Others) -> dict[Centre, float]:
        """The queues that a buffer passes, with the seconds of a byte, if others use a share of each link.

        Streams over several wires each use one of them.
        """
        found: dict[Centre, float] = {}
        wires = {link: self.wires(network) for network in self.visits() for link in network.links}
        beyond = self._beyond(shape, others)
        for link, demand in shape.demands.items():
            if link in beyond:
                continue
            free, servers = 1.0 - others(link), 1
            if link in wires:
                servers, rate = wires[link]
                each = demand / servers / (free * rate) if free > 0.0 else math.inf
            else:
                each = _seconds(shape, link, others)
            found |= {(link, server): each for server in range(servers)}
        return found

    def coding(self, others: Others) -> float:
        """Seconds of a thread for each byte, if others use a share of the cores."""
        coding = self.sides.coding
        if coding is None:
            return 0.0
        free = 1.0 - others(coding.host.cpu)
        return coding.seconds / free if free > 0.0 else math.inf

    def visits(self) -> dict[Network, tuple[float, int]]:
        """How often a buffer crosses each network in a cycle, and the number of streams there."""
        found: dict[Network, tuple[float, int]] = {}
        for side in (self.sides.before, self.sides.after):
            for place in side.places:
                for network in place.way(side.direction):
                    times, streams = found.get(network, (0.0, 0))
                    found[network] = (times + 1.0 / len(side.places), streams + 1)
        return found

    def wires(self, network: Network) -> tuple[int, float]:
        """Wires of a network that its streams use, at most one each, and the bytes a second of a wire."""
        return max(min(self.visits()[network][1], network.wires), 1), network.rate

    def _beyond(self, shape: FlowShape, others: Others) -> set[Link]:
        """Links that a buffer passes at the same time as a slower one; they have no queue of their own."""
        found, kept = set[Link](), set[Link]()
        for network in self.visits():
            crossed = [link for link in network.links if link in shape.demands]
            if crossed:
                slowest = max(crossed, key=lambda link: _seconds(shape, link, others))
                kept.add(slowest)
                found |= {*crossed} - {slowest}
        return found - kept

    def every(self, others: Others) -> list[tuple[Link, float]]:
        """All queues with the seconds of a byte; each thread between two loops has a queue, others share one."""
        both = self.centres(self.sides.before.shape(), others)
        for centre, each in self.centres(self.sides.after.shape(), others).items():
            both[centre] = both.get(centre, 0.0) + each
        found = [(link, each) for (link, _), each in both.items()]
        coding = self.sides.coding
        if coding is not None:
            found += [(coding.host.cpu, self.coding(others) / coding.threads)] * (coding.threads if self.joined else 1)
        return found

    def latency(self) -> float:
        """Seconds of a cycle in addition to all queues."""
        return self.sides.before.wait() + self.sides.after.wait()

    @property
    def law(self) -> Behind:
        """Its rate follows from its queues, whatever its fair share is."""
        return Behind(self.limit)

    def limit(self, others: Others) -> Limit:
        """Bytes a second of the loop, and what limits them: the longest queue, or all that a buffer passes.

        With enough buffers the longest queue is never empty, and what else they do meanwhile takes no time from it.
        With fewer they limit, and the parts are those of a round.
        """
        centres = self.every(others)
        found = self.state(others)
        longest, most = max(centres, key=lambda centre: centre[1])
        if self.rounds(others) / self.size <= most * self.buffers:
            return Limit(found.rate, longest.name)
        own = f"{self.job}.buffers"
        parts: dict[tuple[str, str], float] = {
            (own, Activity.WAIT_FOR_REQUESTS): (1.0 - math.fsum(found.standing)) / found.rate
        }
        for (link, _), share in zip(centres, found.standing, strict=True):
            parts[link.name, ""] = parts.get((link.name, ""), 0.0) + share / found.rate
        return Limit(found.rate, own, parts)

    def rounds(self, others: Others) -> float:
        """Seconds of a cycle of the slower loop in addition to queues of devices."""
        waits = self.sides.before.wait(), self.sides.after.wait()
        return (max(waits) if self.joined else sum(waits)) + self.size * self.coding(others)

    def state(self, others: Others) -> LoopState:
        """The rate, and the mean share of all buffers at each centre."""
        demands, latency = tuple(each for _, each in self.every(others)), self.latency()
        coder = self.sides.coding
        if not self.joined:
            pool = (self.coding(others), coder.threads) if coder is not None else None
            return loop(self.size, self.buffers, latency, demands if pool is None else demands[:-1], pool)
        before, after = (self._side(side, others) for side in (self.sides.before, self.sides.after))
        coding, threads = self.coding(others) * self.size, coder.threads if coder is not None else 1
        if math.isinf(coding) or any(map(math.isinf, demands)):
            return loop(self.size, self.buffers, latency, demands)
        rate = self.size * stages.joined_rate(self.buffers, before, after, coding, threads)
        return _as_one_loop(self.size, 2 * self.buffers, latency, demands, rate)[0]

    def busy_with(self, link: Link) -> float:
        """Mean number of buffers that wait or are served at a link while it is busy, if nobody else uses anything."""
        centres, state = self.every(_idle), self.state(_idle)
        here = [(each, share) for (other, each), share in zip(centres, state.standing, strict=True) if other is link]
        used = state.rate * math.fsum(each for each, _ in here)
        number = self.buffers * (2 if self.joined else 1)
        return number * math.fsum(share for _, share in here) / used if used > 0.0 else 1.0

    def _side(self, side: Side, others: Others) -> stages.HalfLoop:
        """One of the loops, with all centres of both."""
        here, numbers = self.centres(side.shape(), others), list[Centre]()
        for one in (self.sides.before, self.sides.after):
            numbers += [centre for centre in self.centres(one.shape(), others) if centre not in numbers]
        return stages.HalfLoop(tuple(here.get(centre, 0.0) * self.size for centre in numbers), side.wait())

    def standing(self, network: Network, others: Others) -> Standing:
        """The buffers that queue at a network, on each wire that they use."""
        crossed = self.sides.shape().demands.get(network.link, 0.0)
        visited = next((one for one in self.visits() if network.link in one.links), None)
        centres = self.every(others)
        here = next((i for i, (link, _) in enumerate(centres) if link is network.link), None)
        if visited is None or here is None or crossed <= 0.0:  # beyond a slower port nothing queues
            return Standing((), 0.0, 0.0)
        wires = self.wires(visited)[0]
        seconds = self.size * crossed / self.visits()[visited][0] / network.rate
        if any(math.isinf(each) for _, each in centres):
            stands = tuple(float(math.isinf(centres[here][1])) for _ in range(self.buffers))
            return Standing(stands, seconds, float(wires))
        demands, latency, buffers = tuple(each for _, each in centres), self.latency(), self.buffers
        if self.joined or self.sides.coding is not None:
            buffers *= 2 if self.joined else 1
            latency = _as_one_loop(self.size, buffers, latency, demands, self.state(others).rate)[1]
        return Standing(
            loop_queue([each * self.size for each in demands], buffers, latency, here), seconds, float(wires)
        )


def _idle(link: Link) -> float:
    """Nobody else uses a link."""
    del link
    return 0.0


def _seconds(shape: FlowShape, link: Link, others: Others) -> float:
    """Seconds of a byte on a link, if others use a share of it."""
    free = 1.0 - others(link)
    return shape.demands[link] / (free * link.nominal) if free > 0.0 else math.inf


@lru_cache(maxsize=1024)
def _as_one_loop(
    size: float, buffers: int, latency: float, demands: tuple[float, ...], rate: float
) -> tuple[LoopState, float]:
    """One loop with all buffers of two and their rate; its latency includes the waits for each other."""
    low, high = latency, max(buffers * size / rate, latency) if rate > 0.0 else latency
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if loop(size, buffers, middle, demands).rate > rate else (low, middle)
    return loop(size, buffers, high, demands)._replace(rate=rate), high
