"""What links have for the flows that are solved."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping

from simbackup.engine.beside import above
from simbackup.engine.link import Link
from simbackup.engine.mover import Mover
from simbackup.engine.solver import TIE, same

BELOW, ABOVE = 1.0 - TIE, 1.0 + TIE
"""Factors within which levels are reached together."""


class LinkRoom:
    """What a link has for the flows that are solved: capacity, use, and the weight of those whose rates still rise."""

    __slots__ = ("beside", "capacity", "flows", "link", "rising", "summed", "taken", "total", "weight", "whole")

    def __init__(self, link: Link) -> None:
        self.link = link
        self.flows: list[tuple[Mover, float]] = []
        self.weight = self.summed = self.taken = self.total = self.beside = self.capacity = 0.0
        self.rising = 0
        self.whole = True

    def begin(self, solved: Container[Mover]) -> float:
        """The level at which it is full if all flows rise; what flows beside those solved use is not on offer."""
        link = self.link
        self.capacity = link.capacity
        self.summed = self.weight = self.total
        self.taken = 0.0
        self.rising = len(self.flows)
        self.whole = self.rising == len(link.movers)
        if not self.whole:
            self.beside = link.used_beside(self.flows, solved)
            self.capacity = self.capacity - self.beside if self.capacity > self.beside else 0.0
        return self.capacity / self.weight

    def level(self, rising: Container[Mover]) -> float:
        """The level at which it is full if all that rise now go on; infinite if none does."""
        del rising  # it knows
        return (self.capacity - self.taken) / self.weight if self.rising else math.inf

    def take(self, rate: float, demand: float, weight: float, rising: Container[Mover]) -> None:
        """Note that a flow rises no more. The weight is summed anew in time, so that cancellation never shows."""
        self.taken += demand * rate
        self.weight -= weight
        self.rising -= 1
        if self.rising and self.weight < 0.5 * self.summed:
            self.weight = self.summed = sum([units * flow.share for flow, units in self.flows if flow in rising])

    def beyond(self, rates: Mapping[Mover, float], *, full: bool) -> list[Mover]:
        """Flows beside those that are solved which these rates move, or change what limits them."""
        link = self.link
        limited = [flow for flow in link.limited if flow not in rates]
        near = full or self.beside + self.taken >= link.capacity * BELOW
        if not (limited or near):
            return limited
        if any(not same(rates[flow], flow.rate) for flow, _ in self.flows):
            full = near
        else:
            limited.clear()
        if full:
            level = max(rates[flow] / flow.share for flow, _ in self.flows)
            limited += [flow for flow in link.movers if flow not in rates and above(flow, link, level)]
        return limited


class OwnLink:
    """The first link to be full of those that a flow has for itself, and the level at which it is."""

    __slots__ = ("at", "flow", "link")

    def __init__(self, flow: Mover, link: Link, at: float) -> None:
        self.flow = flow
        self.link = link
        self.at = at

    def meet(self, link: Link, at: float) -> None:
        """Take another link of the flow that is full at a level, if that is the first."""
        if at < self.at * BELOW:
            self.link, self.at = link, at
        elif at <= self.at * ABOVE and link.name < self.link.name:
            self.link = link

    def level(self, rising: Container[Mover]) -> float:
        """The level at which it is full if the flow rises; infinite if it does not."""
        return self.at if self.flow in rising else math.inf
