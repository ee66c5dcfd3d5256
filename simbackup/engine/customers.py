"""Flows that are made of requests: customers of a closed queueing network, who wait behind each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow
    from simbackup.engine.limit import Limit
    from simbackup.engine.link import Link


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
