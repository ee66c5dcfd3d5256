"""Buffers in a closed loop: their rate, and where they queue."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from simbackup.devices.host.live import Host
from simbackup.devices.network.adapter import Standing
from simbackup.devices.network.live import Network
from simbackup.devices.shape import FlowShape
from simbackup.engine.activity import Activity
from simbackup.engine.flows import Link
from simbackup.engine.limit import Behind, Limit, Others
from simbackup.equations.buffers import loop
from simbackup.equations.waiting import loop_queue


@dataclass(frozen=True, slots=True)
class SteadyLoop:
    """A closed loop of buffers: their number and bytes, what a byte loads, and seconds of one round besides all queues.

    `visits` says how many times a buffer crosses each network on one round, and how many streams it has there.
    """

    job: str
    shape: FlowShape
    buffers: int
    size: float
    latency: float
    host: Host
    compressors: float
    visits: Mapping[Network, tuple[float, int]] = field(default_factory=dict[Network, tuple[float, int]])

    def centres(self, others: Others) -> list[tuple[Link, float]]:
        """The queues that a buffer passes, with the seconds of a byte, when others use a share of each link.

        A compressor is one core. Streams over several wires each keep to one of them.
        """
        found: list[tuple[Link, float]] = []
        wires = {network.link: self.wires(network) for network in self.visits}
        for link, demand in self.shape.demands.items():
            free = 1.0 - others(link)
            if link is self.host.cpu:
                each, servers = (demand / self.compressors / free if free > 0.0 else math.inf), int(self.compressors)
            elif link in wires:
                servers, rate = wires[link]
                each = demand / servers / (free * rate) if free > 0.0 else math.inf
            else:
                free *= link.capacity
                each, servers = (demand / free if free > 0.0 else math.inf), 1
            found += [(link, each)] * servers
        return found

    def wires(self, network: Network) -> tuple[int, float]:
        """Wires of a network that its streams use, at most one each, and the bytes a second of one."""
        return max(min(self.visits[network][1], round(network.link.capacity / network.rate)), 1), network.rate

    @property
    def law(self) -> Behind:
        """Its rate follows from its queues, whatever is on offer."""
        return Behind(self.limit)

    def limit(self, others: Others) -> Limit:
        """Bytes a second of the loop, and what limits them: the longest queue, or all that a buffer passes.

        With enough buffers the longest queue is never empty, and what else they do meanwhile takes no time from it.
        With fewer they limit, and the parts are those of a round.
        """
        centres = self.centres(others)
        found = loop(self.size, self.buffers, self.latency, [each for _, each in centres])
        longest, most = max(centres, key=lambda centre: centre[1])
        if self.latency / self.size <= most * self.buffers:
            return Limit(found.rate, longest.name)
        own = f"{self.job}.buffers"
        parts: dict[tuple[str, str], float] = {
            (own, Activity.WAIT_FOR_REQUESTS): (1.0 - math.fsum(found.standing)) / found.rate
        }
        for (link, _), share in zip(centres, found.standing, strict=True):
            parts[link.name, ""] = parts.get((link.name, ""), 0.0) + share / found.rate
        return Limit(found.rate, own, parts)

    def standing(self, network: Network, others: Others) -> Standing:
        """The buffers that queue at a network, on each wire that they use."""
        crossed = self.shape.demands.get(network.link, 0.0)
        if network not in self.visits or crossed <= 0.0:
            return Standing((), 0.0, 0.0)
        centres, wires = self.centres(others), self.wires(network)[0]
        seconds = self.size * crossed / self.visits[network][0] / network.rate
        here = next(i for i, (link, _) in enumerate(centres) if link is network.link)
        if any(math.isinf(each) for _, each in centres):
            stands = tuple(float(math.isinf(centres[here][1])) for _ in range(self.buffers))
            return Standing(stands, seconds, float(wires))
        demands = [each * self.size for _, each in centres]
        return Standing(loop_queue(demands, self.buffers, self.latency, here), seconds, float(wires))


def visits(ways: Sequence[Sequence[Sequence[Network]]]) -> dict[Network, tuple[float, int]]:
    """Times that a buffer crosses each network on one round, and the streams there.

    A round has some legs, each over one of some ways, as that of reading does over those to the volumes.
    """
    found: dict[Network, tuple[float, int]] = {}
    for leg in ways:
        for way in leg:
            for network in way:
                times, streams = found.get(network, (0.0, 0))
                found[network] = (times + 1.0 / len(leg), streams + 1)
    return found
