"""A fluid store between flows: the page cache of a host, or a buffer between worker groups of a program."""

from __future__ import annotations

import math
from typing import NamedTuple

import simpy

from simbackup.engine.events import Alarm
from simbackup.engine.flow import Flow
from simbackup.engine.group import Pair
from simbackup.engine.network import FlowNetwork

ROUNDING = 2.0**-48
"""Share of all bytes moved within which a content counts as reached, for rounding of sums."""

EQUAL = 1e-9
"""Relative difference below which inflow and outflow count as equal."""

SLACK = 0.3
"""Share by which the rates of flows that share a level may move before a buffer looks again, while it is far off."""

NEARER = 0.5
"""Factor on the square of the slack when a buffer looks again."""

EXACT = 2e-3
"""Slack below which a buffer assumes present rates, and looks again at each change."""

MARGIN = 0.25
"""Share of the capacity by which a content leaves its bound before a hold that wastes some of the room ends."""


def _same(inflow: float, outflow: float) -> bool:
    return abs(inflow - outflow) <= EQUAL * max(inflow, outflow)


class Ports(dict[Flow, tuple[float, float]]):
    """The flows that fill a buffer, or those that drain it, in the order in which they were attached.

    For each flow: the bytes of one unit, and the units that it had completed when it was attached.
    """

    def moved(self) -> tuple[float, float]:
        """Bytes that these flows have moved since they were attached, and bytes that they still have to move."""
        moved = left = 0.0
        for flow, (size, start) in self.items():
            completed = flow.completed
            moved += (completed - start) * size
            left += (flow.amount - completed) * size
        return moved, left

    @property
    def bytes_per_s(self) -> float:
        """Bytes a second that these flows move together."""
        rate = 0.0
        for flow, (size, _) in self.items():
            rate += flow.rate * size
        return rate

    @property
    def sizes(self) -> dict[Flow, float]:
        """Bytes of one unit of each flow."""
        return {flow: size for flow, (size, _) in self.items()}

    def range(self, slack: float) -> tuple[float, float]:
        """The least and the greatest bytes a second of these flows together, if levels of groups move by `slack`."""
        low = high = 0.0
        for flow, (size, _) in self.items():
            rate = flow.rate * size
            if flow.group is None:
                low, high = low + rate, high + rate
            else:
                low, high = low + rate * (1.0 - slack), high + rate * (1.0 + slack)
        return low, high


class BufferReading(NamedTuple):
    """The content of a buffer at a time, its possible rounding error, and what is left to fill and to drain, in bytes.

    The content, bytes in less bytes out, may leave its range by what moves in the smallest step of the clock. It is not
    clipped to the range: a drain that found fewer bytes than were filled would wait for the last of them forever.
    """

    now: float
    balance: float
    rounding: float
    to_fill: float
    to_drain: float


UNKNOWN = BufferReading(-math.inf, 0.0, 0.0, 0.0, 0.0)
"""The reading of a buffer of which nothing is known."""


class _ContentWatch(NamedTuple):
    """An event that waits for so many bytes to be reached from below or from above."""

    content: float
    rising: bool
    event: simpy.Event


class Buffer:
    """Bytes held between filling flows and draining flows.

    At capacity the filling flows are held to the rate at which the buffer is drained, each to its share of it
    as on a link; at zero the draining flows are held to the rate of filling. What holds them is the cause that
    limits the other side (the buffer's own name when nothing is attached there). Flows that end are detached.

    Parameters
    ----------
    network
        The network that the flows belong to.
    capacity_bytes
        Bytes held at most, above zero and finite.
    name
        The address of the buffer.

    Notes
    -----
    All full and empty buffers are solved together (`coupled_rates`). Range: rates always exist; should none be
    found that make use of all that is drained or filled, the followers stay below it and the content leaves its
    bound, by up to `MARGIN` of the capacity, before the hold ends.
    """

    def __init__(self, network: FlowNetwork, capacity_bytes: float, name: str) -> None:
        if not 0.0 < capacity_bytes < math.inf:
            raise ValueError(f"capacity of {name} must be above zero and finite, not {capacity_bytes}")
        self.name = name
        self.capacity_bytes = capacity_bytes
        self._network = network
        self._fills, self._drains = Ports(), Ports()
        self._followers: Ports | None = None
        self._held_content: float | None = None
        self._base = 0.0
        self._known = UNKNOWN
        self._watches: list[_ContentWatch] = []
        self.looks = 0
        self.rings = math.inf
        """The time, seconds, before which no content can be reached, infinite if a flow ends first."""
        self._slack = SLACK
        self._alarm = Alarm(network.env)

    @property
    def content(self) -> float:
        """Bytes held now."""
        if self._held_content is not None:
            return self._held_content
        return min(self.capacity_bytes, max(0.0, self._read().balance))

    def fill(self, flow: Flow, *, bytes_per_unit: float = 1.0) -> None:
        """Attach a filling flow, with its bytes per unit."""
        self._attach(self._fills, flow, bytes_per_unit)

    def drain(self, flow: Flow, *, bytes_per_unit: float = 1.0) -> None:
        """Attach a draining flow, with its bytes per unit."""
        self._attach(self._drains, flow, bytes_per_unit)

    def when(self, content: float, *, rising: bool) -> simpy.Event:
        """An event that fires when `content` (bytes) is reached from below (`rising`) or from above.

        It fires at once when the content is already there or beyond.
        """
        if not 0.0 <= content <= self.capacity_bytes:
            raise ValueError(f"{self.name} holds 0 to {self.capacity_bytes} bytes, not {content}")
        watch = _ContentWatch(content, rising, self._network.env.event())
        self._watches.append(watch)
        self._look()
        return watch.event

    def constraint(self) -> tuple[dict[Flow, float], dict[Flow, float]] | None:
        """The side that must not be faster, and the other side, with bytes per unit; called by the network."""
        for ports in (self._fills, self._drains):
            for flow in [flow for flow in ports if not flow.active]:
                self._detach(flow)
        before, self._followers = self._followers, self._bounded()
        followers = self._followers
        if not followers:
            for flow in before or ():
                self._network.touch(flow)
            return None
        return followers.sizes, self._leaders_of(followers).sizes

    def solved(self, *, binding: bool) -> None:
        """Note the rates from now on; called by the network."""
        if not self._fills and not self._drains:
            self._network.uncouple(self)
        if not binding:
            self._followers = self._held_content = None
        elif not self._equal():
            self._held_content = None
        elif self._held_content is None:
            self._held_content = self._bound() if self._at_bound(self._followers) else self.content
        self._slack = SLACK
        self._look()

    @property
    def holds(self) -> bool:
        """Whether it holds a flow to the rates of others."""
        return self._followers is not None

    def pair(self) -> Pair | None:
        """The only flow that it holds and its only leader, if they move in proportion for as long as both go on."""
        if self._followers is None or self._held_content is None:
            return None
        leaders = self._leaders_of(self._followers)
        if len(self._followers) != 1 or len(leaders) != 1:
            return None
        [(follower, (size, _))], [(leader, (led, _))] = self._followers.items(), leaders.items()
        return Pair(follower, leader, led / size)

    def look(self) -> None:
        """Ask the network for a hold if the buffer is full or empty; set the alarm for the next content."""
        if self._held_content is not None and not self._watches:  # it stays there
            return
        self._look()
        leaves = self._followers is not None and not self._within_margin()
        if self._held_content is None and (leaves or self._overruns()):
            self._network.changed(self)

    def _attach(self, ports: Ports, flow: Flow, bytes_per_unit: float) -> None:
        if flow in self._fills or flow in self._drains:
            raise ValueError(f"{flow.name} already fills or drains {self.name}")
        if not 0.0 < bytes_per_unit < math.inf:
            raise ValueError(f"bytes per unit of {flow.name} must be above zero, not {bytes_per_unit}")
        ports[flow] = (bytes_per_unit, flow.completed)
        self._known = UNKNOWN
        self._network.couple(self, flow, watcher=self)
        self._network.changed(self)

    def _detach(self, flow: Flow) -> None:
        self._known = UNKNOWN
        fills = flow in self._fills
        size, start = (self._fills if fills else self._drains).pop(flow)
        moved = (flow.completed - start) * size
        self._base += moved if fills else -moved

    def _leaders_of(self, followers: Ports) -> Ports:
        return self._drains if followers is self._fills else self._fills

    def _read(self) -> BufferReading:
        """What the buffer holds now; computed once an instant."""
        known, now = self._known, float(self._network.env.now)
        if known.now == now:
            return known
        (filled, to_fill), (drained, to_drain) = self._fills.moved(), self._drains.moved()
        rounding = min(ROUNDING * (abs(self._base) + filled + drained), 0.25 * self.capacity_bytes)  # not both bounds
        known = self._known = BufferReading(now, self._base + filled - drained, rounding, to_fill, to_drain)
        return known

    def _at_bound(self, ports: Ports | None) -> bool:
        """Whether the content is where these ports cannot move more."""
        reading = self._read()
        if ports is self._fills:
            return reading.balance >= self.capacity_bytes - reading.rounding
        return reading.balance <= reading.rounding

    def _equal(self) -> bool:
        return _same(self._fills.bytes_per_s, self._drains.bytes_per_s)

    def _bounded(self) -> Ports | None:
        """The side that may move no more than the other: the content is at its bound, or was and has hardly left."""
        for ports in (self._fills, self._drains):
            if self._at_bound(ports):
                return ports
        followers = self._followers
        # With nobody on the other side the last bytes, which rounding kept back, must move.
        if followers is None or not self._leaders_of(followers):
            return None
        return followers if self._held_content is not None or self._within_margin() else None

    def _bound(self) -> float:
        """The content, bytes, at which the followers are held."""
        return self.capacity_bytes if self._followers is self._fills else 0.0

    def _within_margin(self) -> bool:
        reading = self._read()
        return abs(reading.balance - self._bound()) < MARGIN * self.capacity_bytes - reading.rounding

    def _overruns(self) -> bool:
        """Whether the content is at a bound, with rates that would drive it beyond."""
        _, balance, rounding, _, _ = self._read()
        if rounding < balance < self.capacity_bytes - rounding:
            return False
        inflow, outflow = self._fills.bytes_per_s, self._drains.bytes_per_s
        over = self._fills if inflow > outflow else self._drains
        return self._at_bound(over) and not _same(inflow, outflow)

    def _ring(self) -> None:
        if self._network.env.now < self.rings:  # nothing that it depends on has moved since it looked
            self._alarm.set(self.rings, self._ring)
            return
        self._slack *= NEARER * self._slack
        self.look()

    def _look(self) -> None:
        """Fire the watches that are reached, and set the alarm for the next content that will be.

        Where levels that flows share may move, it is set for the least time that this can take while they stay within a
        slack, and the next look is nearer. Whoever moves such a level beyond asks for another look.
        """
        now, content, rounding, to_fill, to_drain = self._read()
        content = min(self.capacity_bytes, max(0.0, content)) if self._held_content is None else self._held_content
        if self._watches:
            self._fire(content, rounding)
        self.looks += 1
        if self._held_content is not None:
            return
        room = self.capacity_bytes - content
        fills_up, empties = rounding < room < to_fill - rounding, rounding < content < to_drain - rounding
        if not (fills_up or empties or self._watches or self._followers is not None):  # a flow ends first
            self.rings = math.inf
            return
        slack = self._slack if rounding < content < self.capacity_bytes - rounding and self._slack > EXACT else 0.0
        self._watch_shared_levels(slack)
        fills, drains = self._fills.range(slack), self._drains.range(slack)
        rise, fall = fills[1] - drains[0], drains[1] - fills[0]
        soon = math.inf
        if rise > 0.0 and fills_up:
            soon = room / rise
        if fall > 0.0 and empties:
            soon = min(soon, content / fall)
        for watch in self._watches:
            gap, rate = abs(watch.content - content), rise if watch.rising else fall
            if rate > 0.0 and gap > rounding:
                soon = min(soon, gap / rate)
        if self._followers is not None:
            gap, rate = abs(abs(self._bound() - MARGIN * self.capacity_bytes) - content), max(rise, fall)
            if rate > 0.0 and gap > rounding:
                soon = min(soon, gap / rate)
        self.rings = max(now + soon, math.nextafter(now, math.inf))
        self._alarm.set(self.rings, self._ring)

    def _fire(self, content: float, rounding: float) -> None:
        """Fire the watches that are reached at a content."""
        for watch in tuple(self._watches):
            if (watch.content - content if watch.rising else content - watch.content) <= rounding:
                watch.event.succeed(watch.content)
                self._watches.remove(watch)

    def _watch_shared_levels(self, slack: float) -> None:
        """Ask for another look when a level that its flows share moves by more than a share."""
        flows = (*self._fills, *self._drains)
        for group in dict.fromkeys([flow.group for flow in flows if flow.group is not None]):
            group.ranges.add(self, group.rate * (1.0 - slack), group.rate * (1.0 + slack))
