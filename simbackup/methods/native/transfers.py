"""A native backup event by event (`rounds: by_event`): each buffer at each queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import simpy

from simbackup.data.live import DataSet
from simbackup.devices.network.adapter import Standing
from simbackup.devices.network.live import Network
from simbackup.devices.shape import FlowShape
from simbackup.engine.limit import Others
from simbackup.engine.link import Link
from simbackup.errors import JobFailedError
from simbackup.randomness import generator
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

if TYPE_CHECKING:
    import numpy as np


Services = Literal["exponential", "constant"]
"""Distribution of the service times of a buffer at a centre."""

LEAST = 1e-12
"""Least service time as a share of the mean, so that no service takes no time at all."""


class Stop(NamedTuple):
    """A service centre that a buffer passes."""

    link: Link
    """The link whose queue it is."""
    wire: int
    """Which of its wires."""
    activity: str
    """What is done there."""
    shape: FlowShape
    """What a byte loads there."""
    network: Network | None = None
    """The network, if it is one."""
    servers: int = 1
    """Number of servers."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One side of a buffer's cycle."""

    name: str
    """The volume or file."""
    latency: float
    """Seconds of its request in addition to all queues."""
    stops: tuple[Stop, ...]
    """The service centres, in order."""


class Ways(NamedTuple):
    """All sides of the cycle."""

    volumes: Sequence[Leg]
    """Those of volumes that are not done yet, in order."""
    files: Sequence[Leg]
    """Those of backup files."""
    coding: Leg | None = None
    """Compression or expansion between the two; None without it."""


_Served = Sequence[tuple[Leg, Sequence[float]]]
"""Legs, each with the service times at its centres, divided by their means."""


@dataclass(slots=True)
class Draws:
    """The random numbers of one job: each centre of each leg has a stream of its own.

    The service times of a transfer are drawn when it begins, so that the tenth transfer from a volume has the same
    numbers however many buffers circulate.
    """

    seed: int
    """The seed of the run."""
    job: str
    """The address of the job."""
    services: Services
    """The distribution of service times."""
    streams: dict[str, np.random.Generator] = field(default_factory=dict[str, "np.random.Generator"])
    """The generator of each centre."""
    taken: dict[str, int] = field(default_factory=dict[str, int])
    """With constant services, the last choice among several equal servers or wires."""

    def service(self, leg: Leg, stop: Stop) -> float:
        """The next service time at a centre, divided by its mean."""
        if self.services == "constant":
            return 1.0
        return max(float(self._stream(f"{leg.name}.{stop.link.name}").standard_exponential()), LEAST)

    def choice(self, among: str, count: int) -> int:
        """The next of several equal servers or wires: at random, or with constant services each in turn."""
        if count == 1:
            return 0
        if self.services == "constant":
            self.taken[among] = self.taken.get(among, -1) + 1
            return self.taken[among] % count
        return int(self._stream(among).random() * count)

    def _stream(self, path: str) -> np.random.Generator:
        if path not in self.streams:
            self.streams[path] = generator(self.seed, f"{self.job}.{path}")
        return self.streams[path]


@dataclass(frozen=True, slots=True)
class WireQueue:
    """The queue at one wire of a network: who is served, who waits, and the mean seconds of one."""

    turns: simpy.Resource
    network: Network
    seconds: float

    def standing(self, network: Network, others: Others) -> Standing:
        """The buffers that are there now."""
        del others
        if network.link not in self.network.links:
            return Standing((), 0.0, 0.0)
        waiting = len(self.turns.queue)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        return Standing((1.0,) * (self.turns.count + waiting), self.seconds, 1.0)


class Transfers:
    """A closed loop of buffers, event by event: each takes the next bytes of a volume, goes round, and starts again.

    Every leg of a round begins with a request, for which a buffer needs nobody; then it queues at each centre in order
    of arrival. There is one reader or writer for each volume and device, and one queue for all threads that compress.
    A service is a flow of the bytes of one buffer, so that what others do at the centre slows it. The loop fills from
    nothing and drains at the end, and each volume ends when it has been read.
    """

    def __init__(
        self, system: System, draws: Draws, size: float, parts: Sequence[DataSet], lay: Callable[[list[DataSet]], Ways]
    ) -> None:
        self.system = system
        self.draws = draws
        self.size = size
        self.lay = lay
        self.left = {part.name: part.size for part in parts}
        self.parts = [part for part in parts if part.size > 0.0]
        self.ways = lay(self.parts)
        self.queues: dict[tuple[Link, int], simpy.Resource] = {}
        self.spent: dict[tuple[str, str], float] = {}
        self.emptied: list[simpy.Event] = []
        self.failure: str | None = None
        """Why a buffer could not go on, if so."""

    def run(self, buffers: int, activity: str, *, files_first: bool, joined: bool = False) -> Process:
        """Run the loop with so many buffers until all bytes have passed, and record where the last of them was.

        Where loops are joined, as many buffers take over what those of the first hold, at the coding between them.
        """
        system, job = self.system, self.draws.job
        begin = system.env.now
        going = min(buffers, sum(map(self._transfers, self.left.values())))
        other = simpy.Resource(system.env, buffers) if joined else None
        yield system.env.all_of(
            [system.env.process(self._circulate(activity, other, files_first=files_first)) for _ in range(going)]
        )
        yield system.env.all_of(self.emptied)
        if self.failure is not None:
            raise JobFailedError(self.failure)
        if system.env.now > begin:
            most = max(self.spent, key=lambda part: self.spent[part])
            system.trace.span(begin, system.env.now, job, *most, cycle=self.spent)

    def _transfers(self, size: float) -> int:
        """Transfers of so many bytes; the last may be a smaller one."""
        return -int(-size // self.size)

    def _circulate(self, activity: str, other: simpy.Resource | None, *, files_first: bool) -> Process:
        """The rounds of one buffer, which end when nothing is left to begin."""
        env, spent = self.system.env, dict[tuple[str, str], float]()
        while self.parts:
            volume, file, size = self._next()
            legs = [file, volume] if files_first else [volume, file]
            if self.ways.coding is not None:
                legs.insert(1, self.ways.coding)
            served = [[self.draws.service(leg, stop) for stop in leg.stops] for leg in legs]
            ways = list(zip(legs, served, strict=True))
            if other is None:
                yield from self._go(ways, size, spent, activity)
                continue
            yield from self._go(ways[:1], size, spent, activity)
            began, turn = env.now, other.request()
            yield turn
            own = (f"{self.draws.job}.buffers", Activity.QUEUE)
            spent[own] = spent.get(own, 0.0) + env.now - began
            yield from self._go(ways[1:-1], size, spent, activity)
            self.emptied.append(env.process(self._empty(ways[-1:], size, dict(spent), activity, (other, turn))))
        self.spent = spent  # of whoever ends last, which has been under way all the time

    def _empty(
        self, ways: _Served, size: float, spent: dict[tuple[str, str], float], activity: str, held: tuple[Any, Any]
    ) -> Process:
        """The other half of a round, by a buffer of the second loop."""
        yield from self._go(ways, size, spent, activity)
        other, turn = held
        other.release(turn)
        self.spent = spent

    def _go(self, ways: _Served, size: float, spent: dict[tuple[str, str], float], activity: str) -> Process:
        """Go along some legs, one after the other."""
        own = (f"{self.draws.job}.buffers", activity)
        for leg, factors in ways:
            if leg.latency > 0.0:
                spent[own] = spent.get(own, 0.0) + leg.latency
                yield self.system.env.timeout(leg.latency)
            for stop, factor in zip(leg.stops, factors, strict=True):
                yield from self._pass(stop, size, factor, spent)

    def _next(self) -> tuple[Leg, Leg, float]:
        """The volume and the file of the next transfer, and its bytes."""
        which = self.draws.choice("volumes", len(self.parts))
        part, volume = self.parts[which], self.ways.volumes[which]
        file = self.ways.files[self.draws.choice("files", len(self.ways.files))]
        size = min(self.size, self.left[part.name])
        self.left[part.name] -= size
        if self.left[part.name] <= 0.0:
            self.parts = [other for other in self.parts if other is not part]
            if self.parts:
                self.ways = self.lay(self.parts)
        return volume, file, size

    def _pass(self, stop: Stop, size: float, factor: float, spent: dict[tuple[str, str], float]) -> Process:
        """Queue at a centre and be served; the time is spent there."""
        env, place = self.system.env, (stop.link, stop.wire)
        turns = self.queues.setdefault(place, simpy.Resource(env, stop.servers))
        began = env.now
        with turns.request() as turn:  # pyright: ignore[reportUnknownVariableType] (simpy leaves it open)
            if stop.network is not None and not turn.triggered:
                self.system.network.queued(stop.link)
            yield turn
            served = env.now
            peaks = {link: link.peak_bytes_per_s for link in stop.shape.moves}
            flow = _slower(stop.shape, factor).start(self.system.network, self.draws.job, stop.activity, size)
            if stop.network is None:
                yield flow.done
            else:
                mean = size * stop.shape.demands[stop.link] / stop.network.rate
                with self.system.standing(flow, WireQueue(turns, stop.network, mean)):
                    yield flow.done
        if flow.failure is not None:  # no buffer goes round any more
            self.failure, self.parts = flow.failure, []
        for link, before in peaks.items():  # chance makes a service short, and not the device faster
            if link.peak_bytes_per_s > before:
                link.peak_bytes_per_s = max(before, link.peak_bytes_per_s * min(factor, 1.0))
        for key, seconds in (
            ((stop.link.name, Activity.QUEUE), served - began),
            ((stop.link.name, stop.activity), env.now - served),
        ):
            spent[key] = spent.get(key, 0.0) + seconds


def _slower(shape: FlowShape, factor: float) -> FlowShape:
    """The shape when each byte takes so many times as long, and moves as many bytes."""
    demands = {link: demand * factor for link, demand in shape.demands.items()}
    most = shape.parallel._replace(rate=shape.parallel.rate / factor)
    return shape._replace(demands=demands, cap=shape.cap / factor, parallel=most)
