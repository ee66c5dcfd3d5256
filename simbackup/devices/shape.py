"""`FlowShape`: what one unit of a job's work costs each device, in series and in parallel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from simbackup.devices.closed_network import ClosedClass
from simbackup.devices.network.live import Network, connection_rate, travel_time, travelling
from simbackup.engine.flow import Flow, LocalWeight
from simbackup.engine.limit import Law, Limit, Spot, limit_of
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.equations.files import window_wait
from simbackup.equations.queueing import mva_closed
from simbackup.trace.activity import Activity


class Ahead(NamedTuple):
    """Requests for later parts of a file that are in flight while the worker computes with earlier ones."""

    parts: Mapping[tuple[str, str], float]
    """Seconds of these requests for each unit, in series, by address and activity."""
    share: float
    """Share (0 to 1) of the worker's computing during which they are in flight."""
    work: float = 0.0
    """Seconds that the worker computes for each unit, so far."""

    def waited(self) -> float:
        """Share (0 to 1) of their seconds that the worker waits for."""
        taken = math.fsum(self.parts.values())
        return window_wait(taken, self.share * self.work) / taken if taken > 0.0 else 0.0

    def times(self, units: float) -> Ahead:
        """The same for a unit that is so many of these."""
        return Ahead({part: seconds * units for part, seconds in self.parts.items()}, self.share, self.work * units)


Key = TypeVar("Key")
UNBOUND = Limit(math.inf, "")
"""No limit that all workers of a flow share."""


class Source(Protocol):
    """Something that a flow reads, and that changes meanwhile."""

    def follow(self, network: FlowNetwork, flow: Flow, shape: FlowShape) -> None:
        """Change the shape of a flow that was started with `shape`, until it ends."""
        ...

    def times(self, units: float) -> Source:
        """The source for a flow whose unit is so many units of this one."""
        ...


_NOTHING: dict[Any, Any] = {}
"""No links and no parts; never changed."""


class FlowShape(NamedTuple):
    """How one unit of a flow, usually a byte, loads the links that it crosses, and how fast the flow can be at most.

    A shape has a *cycle*: seconds of a unit in series (`parts`), to which `after`, `following` and `cycle` add. Stages
    *parallel* to the cycle only limit the rate: `within`, `at_most` and `in_parallel_with`. `plus`, `over` and
    `through` add demands on links. `start` makes a flow of a shape and an amount.
    """

    demands: dict[Link, float] = _NOTHING
    """Units of each link that one unit of the flow takes: seconds of a disk, core seconds, bytes of a wire."""
    moves: dict[Link, float] = _NOTHING
    """Bytes that one unit moves on each link."""
    places: dict[Link, Spot] = _NOTHING
    """Where these bytes are on the device, and whether they are written."""
    cap: float = math.inf
    """Greatest rate of the cycle, units a second: of one worker, if there are `workers`."""
    parts: dict[tuple[str, str], float] = _NOTHING
    """Seconds of a unit in series, by address and activity, which sum to 1 / cap. An empty activity is that of the
    flow. If there are `workers`, they are the cycle of each of them, which has one request in flight, behind those of
    others.
    """
    sequential: float = 1.0
    """Share (0 to 1) of the bytes that is a sequential stream; the rest are random requests, without switchover losses.
    """
    workers: int = 0
    """Workers that circulate as customers of a queueing network; 0 for a plain stream."""
    parallel: Limit = UNBOUND
    """Greatest rate of each worker in stages parallel to the cycle that all workers share, such as a compressor thread.
    """
    early: Ahead | None = None
    """Requests of the cycle that are made ahead, while the worker does something else."""
    weight: float = 1.0
    """Fairness weight relative to a plain stream, which has that of the bytes that it reads."""
    sent: float = 1.0
    """Bytes of one unit on a network to another host."""
    source: Source | None = None
    """What changes the shape while the flow runs."""
    among: LocalWeight | None = None
    """The only link on which `weight` counts; None if it is everywhere."""
    parallel_alone: Limit = UNBOUND
    """The same limit while only one worker works and the others wait for it."""
    serial_share: float = 0.0
    """Share (0 to 1) of the units that one worker moves while the others wait for it."""
    visits: Mapping[Link, float] = _NOTHING
    """Visits of a unit to links that serve in order of arrival, as locks do."""
    afar: frozenset[str] = frozenset()
    """Addresses of remote services in the cycle: a worker who waits there, or for travel, does no work meanwhile."""

    @property
    def cause(self) -> str | None:
        """The address with the most seconds of a unit, the first among equals; None without a cap."""
        return limit_of(self.parts, self.cap).cause or None

    @property
    def bound(self) -> Limit:
        """The limit of the flow, or of each worker, without others: its own cycle, or a stage parallel to it."""
        return self.parallel if self.parallel.rate < self.cap else limit_of(self.parts, self.cap)

    @property
    def by_one(self) -> FlowShape:
        """The shape while only one worker, thread or connection works at a time.

        Workers wait for each other's work as for a lock, but their waits for remote services overlap: `n` workers who
        wait R seconds and work L seconds for each unit complete `X(n)` units a second, the throughput of a closed
        queueing network with one server.
        """
        alone = self._replace(workers=min(self.workers, 1), parallel=self.parallel_alone, serial_share=0.0)
        away = {part: s for part, s in self.parts.items() if part[1] == Activity.TRAVEL.value or part[0] in self.afar}
        if self.workers <= 1 or not away:
            return alone
        gone = math.fsum(away.values())
        work = math.fsum(self.parts.values()) - gone
        cap = mva_closed([work] if work > 0.0 else [], self.workers, gone).throughput
        parts = {**self.parts, **{part: s * max(1.0 / cap - work, 0.0) / gone for part, s in away.items()}}
        return alone._replace(parts=parts, cap=cap, early=None)

    @property
    def shared_out(self) -> bool:
        """Whether several workers, threads or connections are faster than one, if no device limits them."""
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
        """Start a flow of this shape; requests of workers are served before those of low priority."""
        limit, customers = self.limited()
        weight, among = self._weight()
        flow = network.start(
            name, activity, amount, self.demands, weight=weight, cap=limit.rate, cap_cause=limit.cause or None,
            cap_parts=limit.parts, moves=self.moves, places=self.places, sequential=self.sequential, law=law,
            customers=customers, among=among, low_priority=low_priority,
        )  # fmt: skip
        if self.source is not None and flow.active:
            self.source.follow(network, flow, self)
        if self.serial_share > 0.0 and flow.active and math.isfinite(amount) and self.shared_out:
            network.add_phase(flow, (1.0 - self.serial_share) * amount, lambda: self.by_one.go_on(network, flow))
        return flow

    def go_on(self, network: FlowNetwork, flow: Flow) -> None:
        """Give a running flow the limits of this shape; where it reads and writes stays as it is."""
        limit, customers = self.limited()
        network.reshape(flow, flow.demands, flow.moves, limit, customers, places=flow.places)

    def change(self, network: FlowNetwork, flow: Flow) -> None:
        """Give a running flow this shape."""
        limit, customers = self.limited()
        network.reshape(flow, self.demands, self.moves, limit, customers, places=self.places)

    def _weight(self) -> tuple[float, LocalWeight | None]:
        """The weight of a flow of this shape, by bytes that are read or sent, and where it holds."""
        if self.among is not None:
            return self.weight, self.among._replace(elsewhere=1.0 / self.sent)
        read = next((link for link, place in self.places.items() if not place.writes), None)
        moved = self.moves.get(read, 0.0) if read is not None else 0.0
        if read is None or moved <= 0.0:
            return self.weight, None
        among = LocalWeight(read, self.weight / self.sent) if moved != self.sent else None
        return self.weight / moved, among

    def limited(self) -> tuple[Limit, ClosedClass | None]:
        """The limit of a flow of this shape, and how its requests go round."""
        limit, customers = self.bound, None
        if not self.workers:
            return limit, None
        if math.isfinite(self.cap):
            ahead = {link for link, place in self.places.items() if math.isinf(place.share)}
            waited = {link: demand for link, demand in self.demands.items() if link not in ahead}
            customers = ClosedClass(self.workers, self.parts, waited, self.visits)
        parts = {part: seconds / self.workers for part, seconds in limit.parts.items()}
        return Limit(limit.rate * self.workers, limit.cause, parts), customers

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

    def over(self, networks: Sequence[Network], size: float = 1.0, connections: int = 1) -> FlowShape:
        """The shape when each unit also moves `size` bytes over several networks, on a number of connections.

        A connection uses one wire of each network, and is no faster than its window and losses allow. Workers share
        the connections; one that works alone has its share of their wires, and waits for answers on all of them.
        """
        shape = self
        if size <= 0.0 or not networks:
            return shape
        each = connections / size / max(self.workers, 1)
        alone = max(connections / max(self.workers, 1), 1.0) / size
        demands, moves = dict(self.demands), dict(self.moves)
        for network in networks:
            for link in dict.fromkeys(network.links) if network.beyond else (network.link,):
                demands[link], moves[link] = demands.get(link, 0.0) + size, moves.get(link, 0.0) + size
        shape = FlowShape(demands, moves, *self[2:])
        for network in networks:
            if connections < network.wires:
                shape = shape.at_most(each * network.rate, network.link.name, alone=alone * network.rate)
        rate = connection_rate(networks)
        if math.isfinite(rate):
            away = travel_time(networks)
            parts = {part: seconds / away / (each * rate) for part, seconds in travelling(networks).items()}
            shape = shape.within(limit_of(parts, each * rate), 1.0 / self.workers if self.workers > 1 else each / alone)
        return shape

    def through(self, path: Sequence[Network], size: float = 1.0, connections: int = 1) -> FlowShape:
        """The shape when each unit also moves `size` bytes on the path to a device.

        Requests use all wires, and at least as many connections as there are wires.
        """
        wires = min((network.wires for network in path if math.isfinite(network.rate)), default=1)  # a zone has none
        return self.over(path, size, max(wires, connections))

    def at_most(self, rate: float, cause: str, activity: str = "", *, alone: float | None = None) -> FlowShape:
        """The shape with a greatest rate in parallel with the cycle, units a second, of the flow or of each worker.

        A worker `alone` may have a higher rate, if others share it, or a lower one, if several threads work for all.
        """
        bound = Limit(rate, cause, {(cause, activity): 1.0 / rate} if rate > 0.0 else {})
        return self.within(bound, 1.0 if alone is None else rate / alone)

    def within(self, bound: Limit, alone: float = 1.0) -> FlowShape:
        """The shape with a limit in parallel with the cycle, of the flow or of each of its workers.

        A worker alone takes `alone` times the seconds of the limit. The cycle does not wait for what the limit stands
        for.
        """
        most = bound if bound.rate < self.parallel.rate else self.parallel
        one = _longer(bound, alone)
        return self._replace(
            parallel=most,
            parallel_alone=one if one.rate < self.parallel_alone.rate else self.parallel_alone,
        )

    def in_parallel_with(self, other: FlowShape, alike: int = 1) -> FlowShape:
        """The shape when another process handles each unit in parallel with the cycle; `alike` workers share it."""
        shape = self.plus(other.demands, other.moves, other.places).within(_longer(other.bound, alike), 1.0 / alike)
        alone = other._replace(parallel=other.parallel_alone).bound
        shape = shape._replace(parallel_alone=alone) if alone.rate < shape.parallel_alone.rate else shape
        return shape._replace(sequential=min(self.sequential, other.sequential))  # requests here and there stay such

    def cycle(self, parts: Mapping[tuple[str, str], float], rate: float | None = None) -> FlowShape:
        """The shape with a cycle of some seconds in series, if that is slower than the present one.

        Its `rate` may be given, in units a second.
        """
        total = sum(parts.values())
        cap = rate if rate is not None else 1.0 / total if total > 0.0 else math.inf
        if cap >= self.cap:
            return self
        kept = {part: seconds for part, seconds in parts.items() if seconds > 0.0}
        return self._replace(cap=cap, parts=kept, early=None)

    def asking_early(self, parts: Mapping[tuple[str, str], float], share: float, work: float = 0.0) -> FlowShape:
        """The shape when some requests of each unit are in flight while its worker computes.

        `parts` are the seconds of these requests by address and activity. `share` is the share of the worker's
        computing (0 to 1) during which they are in flight, and `work` its seconds for each unit so far; `after` adds to
        them.
        """
        early = Ahead(parts, share, work)
        return self._replace(early=early).waiting_more(early.waited() - 1.0)

    def waiting_more(self, change: float) -> FlowShape:
        """The shape when the waited share (0 to 1) of the seconds of early requests changes by so much."""
        if self.early is None or not change:
            return self
        changed = _sum(self.parts, {part: change * seconds for part, seconds in self.early.parts.items()})
        total = 1.0 / self.cap + change * math.fsum(self.early.parts.values())
        parts = {part: seconds for part, seconds in changed.items() if seconds > 0.0}
        return self._replace(cap=1.0 / total if total > 0.0 else math.inf, parts=parts)

    def preceding(self, turns: float) -> FlowShape:
        """The shape of a stream that is served `turns` times for each time of another stream."""
        places = {link: place._replace(turns=place.turns * turns) for link, place in self.places.items()}
        return self._replace(weight=self.weight * turns, places=places)

    def part(self, share: float) -> FlowShape:
        """The shape when only a share (0 to 1) of the units loads the links; at 0, no link is crossed."""
        if share <= 0.0:
            return self._replace(
                demands={},
                moves={},
                places={},
                cap=math.inf,
                parts={},
                parallel=UNBOUND,
                parallel_alone=UNBOUND,
                early=None,
            )
        return self if share == 1.0 else self._replace(**self._scaled(share))

    def times(self, units: float) -> FlowShape:
        """The shape of a flow whose unit is `units` units of this one."""
        if units == 1.0:
            return self
        return self._replace(
            visits={link: times * units for link, times in self.visits.items()},
            sent=self.sent * units,
            source=self.source.times(units) if self.source is not None else None,
            weight=self.weight if self.among is None else self.weight / units,
            **self._scaled(units),
        )

    def _scaled(self, factor: float) -> dict[str, Any]:
        """The fields that change with the size of a unit, for a unit that is `factor` times as large."""
        return {
            "demands": {link: demand * factor for link, demand in self.demands.items()},
            "moves": {link: moved * factor for link, moved in self.moves.items()},
            "cap": self.cap / factor,
            "parts": {part: seconds * factor for part, seconds in self.parts.items()},
            "early": self.early.times(factor) if self.early else None,
            "parallel": _longer(self.parallel, factor),
            "parallel_alone": _longer(self.parallel_alone, factor),
        }

    def after(self, seconds: float, on: Link | str, activity: str = "", *, idle: bool = False) -> FlowShape:
        """The shape when each unit takes further seconds in series with its cycle, on a link or at an address.

        Early requests are in flight meanwhile, unless their device is `idle` then.
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
        """The shape when each unit takes further parts in series with its cycle, which load no link here."""
        shape = self
        for (address, activity), seconds in parts.items():
            shape = shape.after(seconds, address, activity)
        return shape


def _sum(one: Mapping[Key, float], other: Mapping[Key, float]) -> dict[Key, float]:
    """Both mappings, with the sums where both have a key."""
    return dict(one) | {key: one.get(key, 0.0) + value for key, value in other.items()}


def _longer(limit: Limit, times: float) -> Limit:
    """The limit when each unit takes `times` the seconds."""
    if times == 1.0:
        return limit
    return Limit(limit.rate / times, limit.cause, {part: seconds * times for part, seconds in limit.parts.items()})
