"""A fluid store between flows: page cache, drive buffer, spool."""

from __future__ import annotations

import math
from dataclasses import dataclass

import simpy

from simbackup.engine.alarm import Alarm
from simbackup.engine.flows import Flow, FlowNetwork

ROUNDING = 2.0**-48
"""Share of all bytes that came and went within which a level counts as reached: what sums may lose."""

EQUAL = 1e-9
"""Relative difference below which inflow and outflow count as equal."""

EXACT = 1e-13
"""Relative difference at which the search for equal inflow and outflow ends."""

MOST_STEPS = 100
"""Steps of that search before it gives up."""


@dataclass(frozen=True, slots=True)
class _Port:
    """A flow attached to a buffer: bytes per unit, and the units completed when it was attached."""

    flow: Flow
    bytes_per_unit: float
    start: float

    @property
    def bytes_moved(self) -> float:
        return (self.flow.completed - self.start) * self.bytes_per_unit

    @property
    def bytes_per_s(self) -> float:
        return self.flow.rate * self.bytes_per_unit


@dataclass(frozen=True, slots=True)
class _Watch:
    """An event that waits for a level (bytes) to be reached from below or from above."""

    level: float
    rising: bool
    event: simpy.Event


_Ports = dict[Flow, _Port]


class Buffer:
    """Bytes held between filling flows and draining flows.

    At capacity the filling flows are held to the rate at which the buffer is drained, in proportion to their
    shares; at zero the draining flows are held to the rate of filling. The limits carry the cause that limits
    the other side (the buffer's own name when nothing is attached there), and are lifted when they no longer
    bind. Flows that end let go by themselves.

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
    With limits the rates of both sides can depend on each other through links that they share. The limit is
    the root of outflow minus inflow, which is continuous and piecewise linear in the limit, positive at zero
    and negative without limit: regula falsi with the Illinois step (Dowell and Jarratt, BIT 11, 1971)
    finds it. Buffers in a row take turns until all agree. Range: any one buffer, and rows of buffers whose
    flows are limited by links of their own; a row of two or more whose flows all contend for one link may
    find no agreement, and then a RuntimeError names the buffers.
    """

    def __init__(self, network: FlowNetwork, capacity_bytes: float, name: str) -> None:
        if not 0.0 < capacity_bytes < math.inf:
            raise ValueError(f"capacity of {name} must be above zero and finite, is {capacity_bytes}")
        self.name = name
        self.capacity_bytes = capacity_bytes
        self._network = network
        self._fills: _Ports = {}
        self._drains: _Ports = {}
        self._held: _Ports | None = None
        self._base = 0.0
        self._watches: list[_Watch] = []
        self._alarm = Alarm(network.env, self._ring)

    @property
    def level(self) -> float:
        """Bytes held now."""
        if self._held is not None:
            return self.capacity_bytes if self._held is self._fills else 0.0
        return min(self.capacity_bytes, max(0.0, self._balance_of_bytes()))

    def fill(self, flow: Flow, *, bytes_per_unit: float = 1.0) -> None:
        """Let a flow bring bytes from now on, so many a unit."""
        self._attach(self._fills, flow, bytes_per_unit)

    def drain(self, flow: Flow, *, bytes_per_unit: float = 1.0) -> None:
        """Let a flow take bytes from now on, so many a unit."""
        self._attach(self._drains, flow, bytes_per_unit)

    def release(self, flow: Flow) -> None:
        """Let go of a flow, which keeps what it has moved and loses the limits of this buffer."""
        if flow not in self._fills and flow not in self._drains:
            raise ValueError(f"{flow.name} neither fills nor drains {self.name}")
        self._detach(flow)
        self._network.changed()

    def when(self, level: float, *, rising: bool) -> simpy.Event:
        """An event that fires when `level` (bytes) is reached from below (`rising`) or from above.

        It fires at once when the level is already there or beyond.
        """
        if not 0.0 <= level <= self.capacity_bytes:
            raise ValueError(f"{self.name} holds 0 to {self.capacity_bytes} bytes, never {level}")
        watch = _Watch(level, rising, self._network.env.event())
        self._watches.append(watch)
        self._look()
        return watch.event

    def balance(self) -> bool:
        """Whether limits had to change to keep the level in range; asked by the network within a solve."""
        for flow in [flow for flow in (*self._fills, *self._drains) if not flow.active]:
            self._detach(flow)
        before = self._held
        if before is None:
            over = self._overrun(before)
            if over is None:
                return False
        elif self._steady(before):
            return False
        else:
            for flow in (*self._fills, *self._drains):
                flow.lift(self)
            self._held = None
            self._network.resolve()
            over = self._overrun(before)
        if over is not None:
            self._hold(over, self._leaders_of(over))
        return True

    def solved(self) -> None:
        """Take note of rates that hold from now on; called by the network."""
        if not self._fills and not self._drains:
            self._network.unobserve(self)
        self._look()

    def _attach(self, ports: _Ports, flow: Flow, bytes_per_unit: float) -> None:
        if flow in self._fills or flow in self._drains:
            raise ValueError(f"{flow.name} already fills or drains {self.name}")
        if not 0.0 < bytes_per_unit < math.inf:
            raise ValueError(f"bytes per unit of {flow.name} must be above zero, are {bytes_per_unit}")
        ports[flow] = _Port(flow, bytes_per_unit, flow.completed)
        self._network.observe(self)
        self._network.changed()

    def _detach(self, flow: Flow) -> None:
        port = self._fills.pop(flow, None)
        self._base += port.bytes_moved if port else -self._drains.pop(flow).bytes_moved
        flow.lift(self)

    def _leaders_of(self, followers: _Ports) -> _Ports:
        return self._drains if followers is self._fills else self._fills

    def _balance_of_bytes(self) -> float:
        """Bytes that came less bytes that went.

        This may leave the range by what moves in the least step of the clock. It is never put right by force:
        a drain that found fewer bytes than were filled would wait for the last of them for ever.
        """
        return self._base + _moved(self._fills) - _moved(self._drains)

    def _rounding(self) -> float:
        return ROUNDING * (abs(self._base) + _moved(self._fills) + _moved(self._drains))

    def _at_bound(self, ports: _Ports) -> bool:
        """Whether the level is where these ports can move no more."""
        if ports is self._fills:
            return self._balance_of_bytes() >= self.capacity_bytes - self._rounding()
        return self._balance_of_bytes() <= self._rounding()

    def _equal(self) -> bool:
        inflow, outflow = _rate(self._fills), _rate(self._drains)
        return abs(inflow - outflow) <= EQUAL * max(inflow, outflow)

    def _overrun(self, before: _Ports | None) -> _Ports | None:
        """The side that would drive the level out of range, given the one that was held until now."""
        over = self._fills if _rate(self._fills) > _rate(self._drains) else self._drains
        if self._equal():
            return None
        # Held on, the level stays where it is; but with nothing from the other side the last bytes must move.
        held_on = over is before and _rate(self._leaders_of(over)) > 0.0
        return over if held_on or self._at_bound(over) else None

    def _steady(self, held: _Ports) -> bool:
        """Whether the limits in force still do what they are for, and name the right cause."""
        cause = self._cause(self._leaders_of(held))
        return self._equal() and all(flow.cause_of_limit(self) == cause for flow in held)

    def _cause(self, leaders: _Ports) -> str:
        """What limits the greatest of these ports, the first among equals."""
        if not leaders:
            return self.name
        return max(leaders.values(), key=lambda port: port.bytes_per_s).flow.cause

    def _hold(self, followers: _Ports, leaders: _Ports) -> None:
        """Limit the followers so that they move together what the leaders move; rates are without limits."""
        self._held = followers
        total = _rate(leaders)
        natural = [(port.bytes_per_s / port.flow.share, port.flow.share) for port in followers.values()]
        low, low_gap = 0.0, total  # the gap is a guess, its sign is sure
        high, high_gap = max(level for level, _ in natural), total - _rate(followers)
        level, before = _fair_level(natural, total), 0.0
        for _ in range(MOST_STEPS):
            gap = self._try(level, followers, leaders)
            if abs(gap) <= EXACT * _rate(leaders):
                break
            if gap > 0.0:
                low, low_gap, high_gap = level, gap, high_gap * (0.5 if before > 0.0 else 1.0)
            else:
                high, high_gap, low_gap = level, gap, low_gap * (0.5 if before < 0.0 else 1.0)
            before = gap
            level = (low * high_gap - high * low_gap) / (high_gap - low_gap)
            if not low < level < high:
                level = 0.5 * (low + high)
            if not low < level < high:
                break
        else:
            raise RuntimeError(f"{self.name}: no limit makes inflow and outflow equal")
        if not self._steady(followers):
            self._try(level, followers, leaders)  # the leaders' cause changed on the way

    def _try(self, level: float, followers: _Ports, leaders: _Ports) -> float:
        """Bytes per second that the leaders move beyond the followers, these held to `level` a share."""
        cause = self._cause(leaders)
        for flow, port in followers.items():
            flow.limit(self, level * flow.share / port.bytes_per_unit, cause)
        self._network.resolve()
        return _rate(leaders) - _rate(followers)

    def _ring(self) -> None:
        self._look()
        if self._held is None and self._overrun(None) is not None:
            self._network.changed()

    def _look(self) -> None:
        """Fire the watches that are reached, and set the alarm for the next level that will be."""
        level, rounding = self.level, self._rounding()
        waiting: list[_Watch] = []
        for watch in self._watches:
            short = watch.level - level if watch.rising else level - watch.level
            if short <= rounding:
                watch.event.succeed(watch.level)
            else:
                waiting.append(watch)
        self._watches = waiting
        net = _rate(self._fills) - _rate(self._drains)
        if self._held is not None or net == 0.0:
            return
        targets = [watch.level for watch in waiting if watch.rising is (net > 0.0)]
        targets.append(self.capacity_bytes if net > 0.0 else 0.0)
        gaps = [gap for gap in (abs(target - level) for target in targets) if gap > rounding]
        if gaps:
            now = float(self._network.env.now)
            self._alarm.set(max(now + min(gaps) / abs(net), math.nextafter(now, math.inf)))


def _moved(ports: _Ports) -> float:
    return sum(port.bytes_moved for port in ports.values())


def _rate(ports: _Ports) -> float:
    return sum(port.bytes_per_s for port in ports.values())


def _fair_level(natural: list[tuple[float, float]], total: float) -> float:
    """The level at which ports of (natural level, share), each held to it, move `total` together."""
    left, weight = total, sum(share for _, share in natural)
    for level, share in sorted(natural):
        if left <= level * weight:
            return left / weight
        left -= level * share
        weight -= share
    return max(level for level, _ in natural)
