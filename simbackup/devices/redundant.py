"""What an array offers to failures and rebuilds: lose a disk, run degraded, rebuild it."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from simbackup.devices.closed_network import ClosedClass
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Service, Store
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Limit
from simbackup.engine.network import FlowNetwork

Outcome = TypeVar("Outcome")


class Redundant(Store):
    """A block device of several disks that makes what a failed one held again on a new one."""

    @property
    @abstractmethod
    def degraded(self) -> bool:
        """Whether a disk is missing."""

    @property
    @abstractmethod
    def exposed(self) -> bool:
        """Whether no more disk may fail."""

    unreadable: bool
    """Whether a sector cannot be read on one of its disks, which nobody knows."""

    @abstractmethod
    def fail(self) -> bool:
        """Go on without one more disk; whether it still has its data."""

    @abstractmethod
    def rebuilding(self, allocated: float, scattered: float) -> tuple[FlowShape, float]:
        """How a byte of the new disk loads all disks, and the bytes of it; its share is that of a stream.

        So many bytes of the device are allocated, of which a share lies scattered.
        """

    @abstractmethod
    def rebuilt(self) -> None:
        """Put the new disk in the place of a missing one."""


def changing(network: FlowNetwork, store: Store, change: Callable[[], Outcome]) -> Outcome:
    """Change a device under flows: each goes on as if every unit took as many times as long there as its like does.

    Streams take as many times as long as a stream at their place. What is made of requests takes as many times as long
    as requests of its size here and there.
    """
    flows = [flow for flow in store.link.flows if store.link in flow.demands]
    before = [_taken(store, flow) for flow in flows]
    outcome = change()
    for flow, was in zip(flows, before, strict=True):
        now = _taken(store, flow)
        times = Service(now.latency / was.latency, now.busy / was.busy)
        if times != (1.0, 1.0):
            _slow(network, store, flow, times)
    return outcome


def _taken(store: Store, flow: Flow) -> Service:
    """Seconds, and seconds of the device, that what is like a flow takes there for each byte."""
    place = flow.places.get(store.link)
    direction: Direction = "write" if place is not None and place.writes else "read"
    position = place.position if place is not None else store.size / 2.0
    size = min(max(place.run if place is not None else 0.0, LEAST), store.size - position)
    stream = store.stream(direction, position, size)
    sides = store.sides(position, size) if direction == "read" else 1.0
    asked = store.scattered(direction, 0.0, store.size, size)
    share = flow.sequential
    return Service(
        share * stream + (1.0 - share) * asked.latency / size,
        share * stream / sides + (1.0 - share) * asked.busy / size,
    )


LEAST = 4096.0
"""Bytes of a request of which nothing is known."""


def _slow(network: FlowNetwork, store: Store, flow: Flow, times: Service) -> None:
    """Let each unit of a flow take so many times as long at a device."""

    def spent(parts: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
        return {part: seconds * (times.latency if part[0] == store.name else 1.0) for part, seconds in parts.items()}

    demands = {link: demand * (times.busy if link is store.link else 1.0) for link, demand in flow.demands.items()}
    own, going = flow.limits.own, flow.customers
    parts = spent(own.parts)
    total = math.fsum(own.parts.values())
    rate = own.rate * total / math.fsum(parts.values()) if parts and total > 0.0 else own.rate
    if isinstance(going, ClosedClass):
        held = {link: need * (times.busy if link is store.link else 1.0) for link, need in going.demands.items()}
        going = replace(going, parts=spent(going.parts), demands=held)
    network.reshape(flow, demands, flow.moves, Limit(rate, own.cause, parts), going, places=flow.places)
