"""What limits a flow, where its seconds go, and how long its requests wait behind those of others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from simbackup.engine.filling import TIE

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow
    from simbackup.engine.link import Link

Parts = Mapping[tuple[str, str], float]
"""Where the seconds of one unit go that a flow takes by itself: by address and activity, one after the other."""

WHOLE: Parts = {}
"""Parts of what is due to one cause alone."""


class Spot(NamedTuple):
    """Where a flow moves its bytes on a link, and how it takes turns with others there."""

    position: float
    """Where it begins, in bytes."""
    run: float = 0.0
    """Bytes that it moves before another flow has its turn."""
    writes: bool = False
    share: float = 1.0
    """Share of the link that one request occupies, such as one disk of several; infinite if it has been read ahead, so
    that it waits for nobody there."""
    turns: float = 1.0
    """Turns that it has for each one of another stream."""
    visited: Hashable = None
    """Who else visits the device there; only what computes the losses of the link looks at it."""


class Limit(NamedTuple):
    """A flow's own greatest rate, and what explains it."""

    rate: float
    """Units a second."""
    cause: str
    """The address that explains it."""
    parts: Parts = WHOLE
    """Where the seconds of a unit go, if several addresses explain it."""
    rest: float = 0.0
    """Seconds of a unit that are not due to the law of the flow: what limits the flow without its law explains them."""

    def shared(self, cause: str, parts: Parts) -> Limit:
        """The limit with parts that add up to a whole unit: the rest is attributed to a cause, or to other parts."""
        if not self.rest:
            return self
        whole = parts or {(cause, ""): 1.0}
        scale = self.rest / sum(whole.values())
        found = dict(self.parts)
        for part, seconds in whole.items():
            found[part] = found.get(part, 0.0) + seconds * scale
        return self._replace(parts=found, rest=0.0)

    def at_most(self, seconds: float) -> Limit:
        """The limit with no more than so many seconds of a unit in its parts; its rest takes the others."""
        own = sum(self.parts.values())
        if not self.rest or own <= seconds:
            return self
        parts = (
            {part: part_seconds * seconds / own for part, part_seconds in self.parts.items()} if seconds > 0.0 else {}
        )
        return self._replace(parts=parts, rest=self.rest + own - seconds)


def limit_of(parts: Parts, rate: float) -> Limit:
    """The limit of what takes some seconds of a unit, one after the other, which comes to a rate."""
    spent: dict[str, float] = {}
    for (address, _), seconds in parts.items():
        spent[address] = spent.get(address, 0.0) + seconds
    return Limit(rate, max(spent, key=lambda address: spent[address], default=""), parts)


Others = Callable[["Link"], float]
"""The share of any link, 0 to 1, that other flows use."""

Use = Callable[[float, Others], Limit]
"""What a flow makes of the rate that the network offers it, beside what others are offered."""


@dataclass(frozen=True, slots=True)
class Behind:
    """A law of requests: the rate that they reach while waiting behind others, whatever the network offers."""

    limit: Callable[[Others], Limit]


class OnOwnLink:
    """A law that depends on the use of a single link.

    While nobody else is there the flow goes on like any other, as long as it uses all that others leave it.
    """

    __slots__ = ("link", "use")

    def __init__(self, use: Use, link: Link) -> None:
        self.use = use
        self.link = link

    def __call__(self, rate: float, others: Others) -> Limit:
        """What the flow makes of a rate."""
        return self.use(rate, others)

    @property
    def alone(self) -> bool:
        """Whether nobody else is on the link."""
        return len(self.link.crossing) <= 1

    def leaves(self, rate: float) -> bool:
        """Whether all of a rate is used while nobody else is on the link."""
        return self.use(rate, nobody).rate >= rate * (1.0 - TIE)


def nobody(_: Link) -> float:
    """Zero: the use of a link by others where there are none."""
    return 0.0


Law = Use | Behind
"""How a flow uses what the network offers: its greatest rate, and what explains it; one that does not bind changes
nothing."""


def depends_on_others(law: Law | None) -> bool:
    """Whether a law depends on what others use of the links."""
    return law is not None and not (isinstance(law, OnOwnLink) and law.alone)


class Segment(NamedTuple):
    """A time (seconds) for which one thing limited a flow: an address, and the parts of a cycle where it is one."""

    begin: float
    end: float
    cause: str
    parts: Parts

    def follow(self, before: list[Segment]) -> None:
        """Append this segment, joined to the last one if that has the same cause."""
        last = before[-1] if before else None
        if last is not None and last.cause == self.cause and last.parts == self.parts:
            before[-1] = self._replace(begin=last.begin)
        else:
            before.append(self)


class Customers(Protocol):
    """The requests of a flow: the customers of one class of a closed queueing network.

    The network of several classes is solved by a method of any of them, `limits_of`, so that the engine need not know
    the equations of queueing networks. All classes of one flow network have the same method.
    """

    @property
    def workers(self) -> int:
        """How many customers there are."""
        ...

    def service_demands(self) -> Mapping[Link, float]:
        """Seconds of service that one unit takes at each link where customers may wait."""
        ...

    def limits_of(
        self,
        classes: Sequence[Any],
        others: Callable[[Link], float],
        switchovers: Sequence[Mapping[Link, float]],
        blocked: Sequence[float],
    ) -> list[Limit]:
        """The limit of each class when all of them are served at once.

        Parameters
        ----------
        classes
            The customers of each flow.
        others
            The share of a link, 0 to 1, that the rest of the network uses.
        switchovers
            For each class, the seconds at each link for which one unit waits there as the link turns to other streams.
        blocked
            For each class, the seconds of a unit for which something else, such as a full buffer, holds its customers
            up. They are not at any link meanwhile; the limit is that of the rest of the time.
        """
        ...


def customer_limits(
    flows: Sequence[Flow],
    lost: Callable[[Flow, Link], float],
    rates: Mapping[Flow, float] | None = None,
    blocked: Mapping[Flow, float] | None = None,
) -> dict[Flow, Limit]:
    """The limits of flows that are made of requests, by the time that these wait behind each other and behind the rest.

    Parameters
    ----------
    flows
        Those that are solved together; the answer is about those of them whose requests meet others.
    lost
        Units of a link that one unit of a flow loses to switchover, at the present rates.
    rates
        What the rest makes of what the network offers it, asked once: a stream takes all of it, and users who wait for
        each transaction what they ask for. Without rates the rest does not count.
    blocked
        Seconds of a unit for which something else holds the customers of a flow up.

    Notes
    -----
    Requests go before flows of low priority, such as write-back, as in the queues of operating systems
    (deadline-iosched.c of Linux 2.6 serves reads for as long as no write has waited for seconds); they still share the
    device with them. Where all flows of requests on a link take turns with its streams, these turns are what they wait
    for on account of the streams.
    """
    classes = [(flow, flow.customers) for flow in flows if flow.customers is not None and flow.depends]
    if not classes:
        return {}
    of_requests, offered = [flow for flow in flows if flow.customers is not None], rates or {}

    at_links = {link for flow, _ in classes for link in flow.links}
    turning = {link for link in at_links if all(link in flow.places for flow in of_requests if link in flow.links)}

    used = dict.fromkeys(at_links, 0.0)
    for flow, rate in offered.items():
        if flow.customers is not None or flow.low_priority:
            continue
        for link, demand in flow.demands.items():
            if link in used and not (link in turning and link in flow.places):
                used[link] += (demand + lost(flow, link)) * rate

    def others(link: Link) -> float:
        return min(used[link] / link.capacity, 1.0) if link.capacity > 0.0 else 1.0

    switchovers = [
        {link: lost(flow, link) / place.share / link.capacity for link, place in flow.places.items() if link.capacity}
        for flow, _ in classes
    ]
    away = [blocked.get(flow, 0.0) if blocked else 0.0 for flow, _ in classes]
    limits = classes[0][1].limits_of([one for _, one in classes], others, switchovers, away)
    return {flow: limit for (flow, _), limit in zip(classes, limits, strict=True)}


def alone(customers: Customers) -> Limit:
    """The limit of a flow whose requests meet no others where they wait: nothing that others do moves it."""
    [limit] = customers.limits_of([customers], lambda link: 0.0 if link.capacity > 0.0 else 1.0, [{}], [0.0])
    return limit
