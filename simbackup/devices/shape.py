"""How one unit of a flow loads what it crosses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from simbackup.devices.early import Ahead
from simbackup.devices.network.live import Network, connection_rate, travel_time, travelling
from simbackup.devices.rounds import Rounds
from simbackup.engine.flow import Flow, LocalWeight
from simbackup.engine.limit import Law, Limit, Spot, limit_of
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork

Key = TypeVar("Key")
UNBOUND = Limit(math.inf, "")
"""Nothing bounds the workers of a flow together."""


class Source(Protocol):
    """What a flow reads that changes while it does."""

    def follow(self, network: FlowNetwork, flow: Flow, shape: FlowShape) -> None:
        """Change the shape of a flow that was started with one, until it ends."""
        ...

    def times(self, units: float) -> Source:
        """The source of a flow each unit of which is so many units of this one."""
        ...


_NOTHING: dict[Any, Any] = {}
"""No links and no parts; never changed."""


class FlowShape(NamedTuple):
    """How one unit of a flow loads the links that it crosses, and how fast the flow can be at most.

    `FlowShape.start` makes a flow of a shape and an amount. A unit is usually a byte.
    """

    demands: dict[Link, float] = _NOTHING
    """Units of each link that one unit of the flow takes: seconds of a disk, core seconds, bytes of a wire."""
    moves: dict[Link, float] = _NOTHING
    """Bytes that one unit moves on each link."""
    places: dict[Link, Spot] = _NOTHING
    """Where these bytes are on the device, and whether they are written."""
    cap: float = math.inf
    """Units a second at most: of one worker, where there are `workers`."""
    parts: dict[tuple[str, str], float] = _NOTHING
    """Where the seconds of a unit at that rate go, one after the other: (address, activity) -> seconds, which sum to
    1 / cap. An empty activity is that of the flow. Where there are `workers`, they are the round that each of them
    goes, one request at a time, behind those of others.
    """
    sequential: float = 1.0
    """Share of the bytes that is a stream; the rest are requests here and there, which take no turns with streams."""
    workers: int = 0
    """Workers that go round; 0 for a plain stream."""
    serial: float = 0.0
    """Seconds of a worker's round that only one worker at a time can spend."""
    most: Limit = UNBOUND
    """What each worker can do at most of what bounds all of them together, such as a thread that serves them."""
    early: Ahead | None = None
    """Requests of the round that are made ahead, while the worker does something else."""
    share: float = 1.0
    """Weight beside a plain stream, which has that of the bytes that it reads."""
    sent: float = 1.0
    """Bytes of one unit when it is sent to another host."""
    source: Source | None = None
    """What changes the shape while the flow is under way."""
    among: LocalWeight | None = None
    """The link on which `share` is the weight, if it holds on one only."""
    one: Limit = UNBOUND
    """What one worker can do at most while the others wait for it."""
    alone: float = 0.0
    """Share of the units (0 to 1) that one worker moves while the others wait."""

    @property
    def cause(self) -> str | None:
        """The address that takes most of the seconds of a unit, the first among equals; None without a cap."""
        return limit_of(self.parts, self.cap).cause or None

    @property
    def bound(self) -> Limit:
        """What bounds the flow, or each of its workers, by itself: its own cycle, or what works meanwhile."""
        return self.most if self.most.rate < self.cap else limit_of(self.parts, self.cap)

    @property
    def by_one(self) -> FlowShape:
        """The shape while one worker, thread or connection works and the others wait for it."""
        return self._replace(workers=min(self.workers, 1), most=self.one, alone=0.0)

    @property
    def shared_out(self) -> bool:
        """Whether several workers, threads or connections do more than one of them, if no device limits them."""
        return self.by_one.limited()[0].rate < self.limited()[0].rate

    def start(
        self,
        network: FlowNetwork,
        name: str,
        activity: str,
        amount: float,
        law: Law | None = None,
        *,
        low_priority: bool = False,
    ) -> Flow:
        """A flow of this shape under way; requests that go round are served before one of low priority."""
        limit, going = self.limited()
        share, among = self._weight()
        flow = network.start(
            name, activity, amount, self.demands, share=share, cap=limit.rate, cap_cause=limit.cause or None,
            cap_parts=limit.parts, moves=self.moves, places=self.places, sequential=self.sequential, law=law,
            going=going, among=among, low_priority=low_priority,
        )  # fmt: skip
        if self.source is not None and flow.active:
            self.source.follow(network, flow, self)
        if self.alone > 0.0 and flow.active and math.isfinite(amount) and self.shared_out:
            network.split(flow, (1.0 - self.alone) * amount, lambda: self.by_one.go_on(network, flow))
        return flow

    def go_on(self, network: FlowNetwork, flow: Flow) -> None:
        """Bound a flow under way as this shape is, wherever it reads and writes by now."""
        limit, going = self.limited()
        network.reshape(flow, flow.demands, flow.moves, limit, going, places=flow.places)

    def change(self, network: FlowNetwork, flow: Flow) -> None:
        """Give a flow under way this shape."""
        limit, going = self.limited()
        network.reshape(flow, self.demands, self.moves, limit, going, places=self.places)

    def _weight(self) -> tuple[float, LocalWeight | None]:
        """The weight of a flow of this shape, by bytes that are read or sent, and where it holds."""
        if self.among is not None:
            return self.share, self.among._replace(elsewhere=1.0 / self.sent)
        read = next((link for link, place in self.places.items() if not place.writes), None)
        moved = self.moves.get(read, 0.0) if read is not None else 0.0
        if read is None or moved <= 0.0:
            return self.share, None
        among = LocalWeight(read, self.share / self.sent) if moved != self.sent else None
        return self.share / moved, among

    def limited(self) -> tuple[Limit, Rounds | None]:
        """The limit of a flow of this shape, and how its requests go round."""
        limit, going = self.bound, None
        if not self.workers:
            return limit, None
        if math.isfinite(self.cap):
            ahead = {link for link, place in self.places.items() if math.isinf(place.share)}
            waited = {link: demand for link, demand in self.demands.items() if link not in ahead}
            going = Rounds(self.workers, self.parts, waited, self.serial)
        parts = {part: seconds / self.workers for part, seconds in limit.parts.items()}
        return Limit(limit.rate * self.workers, limit.cause, parts), going

    def plus(
        self,
        demands: Mapping[Link, float],
        moves: Mapping[Link, float] | None = None,
        places: Mapping[Link, Spot] | None = None,
    ) -> FlowShape:
        """The shape when each unit also takes so much of some links, and moves bytes on some, at some places."""
        there = dict(places or {}) | self.places
        return FlowShape(_sum(self.demands, demands), _sum(self.moves, moves or {}), there, *self[3:])

    def ahead(self, size: float | None) -> FlowShape:
        """The shape when no fewer than so many bytes at each place go before another flow has its turn."""
        least = size or 0.0
        if all(place.run >= least for place in self.places.values()):
            return self
        runs = {link: place._replace(run=max(place.run, least)) for link, place in self.places.items()}
        return self._replace(places=runs)

    def over(
        self, networks: Sequence[Network], size: float = 1.0, connections: int = 1, window: float | None = None
    ) -> FlowShape:
        """The shape when each unit also moves so many bytes over networks, one behind the other, on some connections.

        A connection keeps to one wire of each, and is no faster than its window, that of its program, and the losses
        allow. Workers share the connections; one that works alone has its share of them, or one.
        """
        shape = self
        if size <= 0.0 or not networks:
            return shape
        each = connections / size / max(self.workers, 1)
        alone = max(connections / max(self.workers, 1), 1.0) / size
        demands, moves = dict(self.demands), dict(self.moves)
        for link in [link for network in networks for link in dict.fromkeys(network.links)]:
            demands[link], moves[link] = demands.get(link, 0.0) + size, moves.get(link, 0.0) + size
        shape = FlowShape(demands, moves, *self[2:])
        for network in networks:
            if connections < network.wires:
                shape = shape.at_most(each * network.rate, network.link.name, alone=alone * network.rate)
        rate = connection_rate(networks, window)
        if math.isfinite(rate):
            away = travel_time(networks)
            parts = {part: seconds / away / (each * rate) for part, seconds in travelling(networks).items()}
            shape = shape.within(limit_of(parts, each * rate), each / alone)
        return shape

    def through(self, path: Sequence[Network], size: float = 1.0, connections: int = 1) -> FlowShape:
        """The shape when each unit also moves so many bytes on the path to a device.

        Its requests use all wires, and as many connections as there are wires, or more.
        """
        wires = min((network.wires for network in path if math.isfinite(network.rate)), default=1)  # a zone has none
        return self.over(path, size, max(wires, connections))

    def at_most(self, rate: float, cause: str, activity: str = "", *, alone: float | None = None) -> FlowShape:
        """The shape when a flow makes no more than so many units a second, or each of its workers, for a cause.

        One worker `alone` may make more, where the others share the rate with it, or less, where several threads do.
        """
        bound = Limit(rate, cause, {(cause, activity): 1.0 / rate} if rate > 0.0 else {})
        return self.within(bound, 1.0 if alone is None else rate / alone)

    def within(self, bound: Limit, alone: float = 1.0) -> FlowShape:
        """The shape when something that works meanwhile bounds a flow, or each of its workers.

        One worker alone takes so many times the seconds. What follows in the cycle of the flow does not wait for it,
        nor do the rounds of workers.
        """
        most = bound if bound.rate < self.most.rate else self.most
        one = _longer(bound, alone)
        return self._replace(most=most, one=one if one.rate < self.one.rate else self.one)

    def beside(self, other: FlowShape, alike: int = 1) -> FlowShape:
        """The shape when another process takes or gives each unit meanwhile, which so many workers share."""
        shape = self.plus(other.demands, other.moves, other.places).within(_longer(other.bound, alike), 1.0 / alike)
        alone = other._replace(most=other.one).bound
        shape = shape._replace(one=alone) if alone.rate < shape.one.rate else shape
        return shape._replace(sequential=min(self.sequential, other.sequential))  # requests here and there stay such

    def cycle(self, parts: Mapping[tuple[str, str], float], rate: float | None = None) -> FlowShape:
        """The shape when each unit takes no less than some seconds, one after the other; their rate may be given."""
        total = sum(parts.values())
        cap = rate if rate is not None else 1.0 / total if total > 0.0 else math.inf
        if cap >= self.cap:
            return self
        kept = {part: seconds for part, seconds in parts.items() if seconds > 0.0}
        return self._replace(cap=cap, parts=kept, early=None)

    def asking_early(self, parts: Mapping[tuple[str, str], float], share: float, work: float = 0.0) -> FlowShape:
        """The shape when some requests of each unit are under way while its worker computes.

        `parts` are the seconds of these requests by address and activity. `share` is the share of the worker's
        computing (0 to 1) during which they are under way, and `work` are its seconds for each unit so far; `after`
        adds to them.
        """
        early = Ahead(parts, share, work)
        return self._replace(early=early).waiting_more(early.waited() - 1.0)

    def waiting_more(self, change: float) -> FlowShape:
        """The shape when the share of the early requests' seconds that is waited for changes."""
        if self.early is None or not change:
            return self
        changed = _sum(self.parts, {part: change * seconds for part, seconds in self.early.parts.items()})
        total = 1.0 / self.cap + change * math.fsum(self.early.parts.values())
        parts = {part: seconds for part, seconds in changed.items() if seconds > 0.0}
        return self._replace(cap=1.0 / total if total > 0.0 else math.inf, parts=parts)

    def preceding(self, turns: float) -> FlowShape:
        """The shape of a stream that has so many turns for each one of another stream."""
        places = {link: place._replace(turns=place.turns * turns) for link, place in self.places.items()}
        return self._replace(share=self.share * turns, places=places)

    def part(self, share: float) -> FlowShape:
        """The shape when only a share of the units loads the links; nothing that takes no part is crossed."""
        if share <= 0.0:
            return self._replace(
                demands={}, moves={}, places={}, cap=math.inf, parts={}, most=UNBOUND, one=UNBOUND, early=None
            )
        if share == 1.0:
            return self
        demands = {link: demand * share for link, demand in self.demands.items()}
        moves = {link: moved * share for link, moved in self.moves.items()}
        parts = {part: seconds * share for part, seconds in self.parts.items()}
        early = self.early.times(share) if self.early else None
        return self._replace(
            demands=demands, moves=moves, cap=self.cap / share, parts=parts, early=early,
            most=_longer(self.most, share), one=_longer(self.one, share),
        )  # fmt: skip

    def times(self, units: float) -> FlowShape:
        """The shape of a flow each unit of which is so many units of this one."""
        if units == 1.0:
            return self
        return self._replace(
            demands={link: demand * units for link, demand in self.demands.items()},
            moves={link: moved * units for link, moved in self.moves.items()},
            cap=self.cap / units,
            parts={part: seconds * units for part, seconds in self.parts.items()},
            serial=self.serial * units,
            sent=self.sent * units,
            most=_longer(self.most, units),
            one=_longer(self.one, units),
            early=self.early.times(units) if self.early else None,
            source=self.source.times(units) if self.source is not None else None,
            share=self.share if self.among is None else self.share / units,
        )

    def after(self, seconds: float, on: Link | str, activity: str = "", *, idle: bool = False) -> FlowShape:
        """The shape when each unit takes some seconds more, one after the other, on a link or at an address.

        Requests that are made early are under way meanwhile, unless their device is `idle` then.
        """
        before = 0.0 if math.isinf(self.cap) else 1.0 / self.cap
        total = before + seconds
        shape = self if isinstance(on, str) else self._replace(demands=_sum(self.demands, {on: seconds}))
        address = on if isinstance(on, str) else on.name
        parts = _sum(self.parts, {(address, activity): seconds}) if seconds > 0.0 else self.parts
        shape = shape._replace(cap=1.0 / total if total else math.inf, parts=parts)
        if self.early is None or idle:
            return shape
        early = self.early._replace(work=self.early.work + seconds)
        return shape._replace(early=early).waiting_more(early.waited() - self.early.waited())

    def following(self, parts: Mapping[tuple[str, str], float]) -> FlowShape:
        """The shape when each unit takes several parts more, one after the other, which load no link here."""
        shape = self
        for (address, activity), seconds in parts.items():
            shape = shape.after(seconds, address, activity)
        return shape


def _sum(one: Mapping[Key, float], other: Mapping[Key, float]) -> dict[Key, float]:
    """Both mappings, with the sums where both have a key."""
    return dict(one) | {key: one.get(key, 0.0) + value for key, value in other.items()}


def _longer(limit: Limit, times: float) -> Limit:
    """The limit when each unit takes so many times the seconds."""
    if times == 1.0:
        return limit
    return Limit(limit.rate / times, limit.cause, {part: seconds * times for part, seconds in limit.parts.items()})
