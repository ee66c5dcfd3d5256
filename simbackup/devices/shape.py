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
    """How one unit of a flow loads the links it crosses, and how fast it can be at most.

    `demands` are units of each link, `moves` bytes on each link, `places` where these
    are, `cap` units a second. `parts` say where the seconds of
    a unit at that rate go, one after the other: (address, activity) -> seconds, which sum to 1 / cap; an activity that
    is empty is that of the flow. A share of it is `sequential`; the rest are requests here and there, which take no
    turns with streams. Where there are `workers`, the parts are a round that each of them goes, one request at a time,
    in the queues of others; `serial` are the seconds of it that only one of them at a time can spend, and `most` is
    what each may do of what bounds all of them together, as a thread that serves them. Some of the parts may be
    requests that are made `early`. `share` is the weight for that of a plain stream, which
    has that of its bytes where they are read, and of those that are `sent` elsewhere; or a weight `among` those of one
    link. A unit is so many bytes when it is `sent`. A `source` changes the shape while the flow is under way.
    """

    demands: dict[Link, float] = _NOTHING
    moves: dict[Link, float] = _NOTHING
    places: dict[Link, Spot] = _NOTHING
    cap: float = math.inf
    parts: dict[tuple[str, str], float] = _NOTHING
    sequential: float = 1.0
    workers: int = 0
    serial: float = 0.0
    most: Limit = UNBOUND
    early: Ahead | None = None
    share: float = 1.0
    sent: float = 1.0
    source: Source | None = None
    among: LocalWeight | None = None

    @property
    def cause(self) -> str | None:
        """The address that takes most of the seconds of a unit, the first among equals; None without a cap."""
        return limit_of(self.parts, self.cap).cause or None

    @property
    def bound(self) -> Limit:
        """What bounds the flow, or each of its workers, by itself: its own cycle, or what works meanwhile."""
        return self.most if self.most.rate < self.cap else limit_of(self.parts, self.cap)

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
        limit, going = self._limit()
        share, among = self._weight()
        flow = network.start(
            name, activity, amount, self.demands, share=share, cap=limit.rate, cap_cause=limit.cause or None,
            cap_parts=limit.parts, moves=self.moves, places=self.places, sequential=self.sequential, law=law,
            going=going, among=among, low_priority=low_priority,
        )  # fmt: skip
        if self.source is not None and flow.active:
            self.source.follow(network, flow, self)
        return flow

    def change(self, network: FlowNetwork, flow: Flow) -> None:
        """Give a flow under way this shape."""
        limit, going = self._limit()
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

    def _limit(self) -> tuple[Limit, Rounds | None]:
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
        allow. Workers share the connections.
        """
        shape = self
        if size <= 0.0 or not networks:
            return shape
        each = connections / size / max(self.workers, 1)
        demands, moves = dict(self.demands), dict(self.moves)
        for link in [link for network in networks for link in dict.fromkeys(network.links)]:
            demands[link], moves[link] = demands.get(link, 0.0) + size, moves.get(link, 0.0) + size
        shape = FlowShape(demands, moves, *self[2:])
        for network in networks:
            if connections < network.wires:
                shape = shape.at_most(each * network.rate, network.link.name)
        rate = connection_rate(networks, window)
        if math.isfinite(rate):
            away = travel_time(networks)
            parts = {part: seconds / away / (each * rate) for part, seconds in travelling(networks).items()}
            shape = shape.within(limit_of(parts, each * rate))
        return shape

    def through(self, path: Sequence[Network], size: float = 1.0, connections: int = 1) -> FlowShape:
        """The shape when each unit also moves so many bytes on the path to a device.

        Its requests use all wires, and as many connections as there are wires, or more.
        """
        wires = min((network.wires for network in path if math.isfinite(network.rate)), default=1)  # a zone has none
        return self.over(path, size, max(wires, connections))

    def at_most(self, rate: float, cause: str, activity: str = "") -> FlowShape:
        """The shape when a flow makes no more than so many units a second, or each of its workers, for a cause."""
        return self.within(Limit(rate, cause, {(cause, activity): 1.0 / rate} if rate > 0.0 else {}))

    def within(self, bound: Limit) -> FlowShape:
        """The shape when something that works meanwhile bounds a flow, or each of its workers.

        What follows in the cycle of the flow does not wait for it, nor do the rounds of workers.
        """
        return self._replace(most=bound) if bound.rate < self.most.rate else self

    def beside(self, other: FlowShape, alike: int = 1) -> FlowShape:
        """The shape when another process takes or gives each unit meanwhile, which so many workers share."""
        rate, cause, parts, _ = other.bound
        bound = Limit(rate / alike, cause, {part: seconds * alike for part, seconds in parts.items()})
        shape = self.plus(other.demands, other.moves, other.places).within(bound)
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
        """The shape when requests that take so many seconds of each unit are under way during a share of the work.

        There is so much work already; what takes seconds `after` it is more of it.
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
            return self._replace(demands={}, moves={}, places={}, cap=math.inf, parts={}, most=UNBOUND, early=None)
        if share == 1.0:
            return self
        demands = {link: demand * share for link, demand in self.demands.items()}
        moves = {link: moved * share for link, moved in self.moves.items()}
        parts = {part: seconds * share for part, seconds in self.parts.items()}
        early = self.early.times(share) if self.early else None
        return self._replace(
            demands=demands, moves=moves, cap=self.cap / share, parts=parts, most=self._most(share), early=early
        )

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
            most=self._most(units),
            early=self.early.times(units) if self.early else None,
            source=self.source.times(units) if self.source is not None else None,
            share=self.share if self.among is None else self.share / units,
        )

    def _most(self, units: float) -> Limit:
        """What bounds workers when each unit is so many of these."""
        parts = {part: seconds * units for part, seconds in self.most.parts.items()}
        return Limit(self.most.rate / units, self.most.cause, parts)

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
