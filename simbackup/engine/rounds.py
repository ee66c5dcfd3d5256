"""Flows that are requests which go round: customers of a closed queueing network, who wait behind each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow
    from simbackup.engine.limit import Limit
    from simbackup.engine.link import Link


class Customers(Protocol):
    """The requests of a flow that go round between queues: the customers of one class of a closed network."""

    @property
    def workers(self) -> int:
        """How many customers there are."""
        ...

    def waits(self) -> Mapping[Link, float]:
        """The links where customers may wait, with the seconds of service that one unit takes there."""
        ...

    def together(
        self,
        all_of_them: Sequence[Any],
        others: Callable[[Link], float],
        turns: Sequence[Mapping[Link, float]],
        away: Sequence[float],
    ) -> list[Limit]:
        """The limits of several flows whose requests go round at once, when others use a share of each link.

        `turns` are the units of each link for which a unit of each flow waits there by taking turns with others, `away`
        the seconds of each unit for which its customers stay away, as something else holds them up: its limit is that
        of the rest of the time.
        """
        ...


def go_round(
    flows: Sequence[Flow],
    lost: Callable[[Flow, Link], float],
    rates: Mapping[Flow, float] | None = None,
    away: Mapping[Flow, float] | None = None,
) -> dict[Flow, Limit]:
    """The limits of flows whose requests go round by the time that these wait, behind each other and behind the rest.

    Parameters
    ----------
    flows
        Those that are solved together; the answer is about those of them whose requests meet others.
    lost
        Units of a link that one unit of a flow loses by turning, at the present rates.
    rates
        What the rest makes of what the network offers it, asked once: a stream takes all of it, and users who wait for
        each transaction what they ask for. Without rates the rest does not count.
    away
        Seconds of a unit for which the customers of a flow stay away, as something else holds them up.

    Notes
    -----
    Requests go before flows of low priority, such as write-back, as in the queues of operating systems
    (deadline-iosched.c of Linux 2.6 serves reads for as long as no write has waited for seconds); they still share the
    device with them. Where all that go round take turns with streams, these turns are what they wait for on account of
    the streams.
    """
    going = [(flow, flow.going) for flow in flows if flow.going is not None and flow.asks]
    if not going:
        return {}
    round_trips, offered = [flow for flow in flows if flow.going is not None], rates or {}

    at_links = {link for flow, _ in going for link in flow.links}
    turning = {link for link in at_links if all(link in flow.places for flow in round_trips if link in flow.links)}

    used = dict.fromkeys(at_links, 0.0)
    for flow, rate in offered.items():
        if flow.going is not None or flow.low_priority:
            continue
        for link, demand in flow.demands.items():
            if link in used and not (link in turning and link in flow.places):
                used[link] += (demand + lost(flow, link)) * rate

    def others(link: Link) -> float:
        return min(used[link] / link.capacity, 1.0) if link.capacity > 0.0 else 1.0

    turns = [
        {link: lost(flow, link) / place.share / link.capacity for link, place in flow.places.items() if link.capacity}
        for flow, _ in going
    ]
    stay = [away.get(flow, 0.0) if away else 0.0 for flow, _ in going]
    limits = going[0][1].together([one for _, one in going], others, turns, stay)
    return {flow: limit for (flow, _), limit in zip(going, limits, strict=True)}


def alone(going: Customers) -> Limit:
    """The limit of a flow whose requests meet no others where they wait: nothing that others do moves it."""
    [limit] = going.together([going], lambda link: 0.0 if link.capacity > 0.0 else 1.0, [{}], [0.0])
    return limit
