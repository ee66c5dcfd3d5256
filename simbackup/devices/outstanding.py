"""The queue that an arriving request finds at a device: requests of users, and one request of each stream."""

from __future__ import annotations

import math
from typing import NamedTuple, cast

from simbackup.devices.store import Store
from simbackup.devices.visitors import Waiters
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.equations.arrival import Party, Run, work_found
from simbackup.equations.disk_turns import Visited

CLOSE = 1e-6
"""Relative distance of the rate of workers from their own limit that is a rounding error."""


class Outstanding(NamedTuple):
    """What a request finds at a link."""

    load: float = 0.0
    """Share (0 to 1) of the link that requests at a given rate use."""
    work: float = 0.0
    """Seconds of work that others have there."""


NOBODY = Outstanding()


def at_device(store: Store, own: Flow, each: float, asking: Waiters) -> Outstanding:
    """What a request of the flow `own` finds at a device: how busy it is, and the work that is already there.

    `each` is the seconds of the request itself; `asking` is what the users of the flow have requested.

    A stream has at most one run at each disk, or as many as the times that it is served for each time of others. A
    stream that writes counts as one request as long as the own: reads are served before what page caches and
    controllers write in the background. So does any stream on a device without an arm, as all requests there are served
    at the same time.
    """
    link, load, mine = store.link, 0.0, 0.0
    users = {visitor.flow(): visitor for visitor in store.visitors.values()}
    parties: list[Party] = []
    for flow in link.flows:
        used = link.demand(flow) * flow.rate / link.capacity if link.capacity > 0.0 else 0.0
        if flow is own:
            mine = max(used - asking.held, 0.0)
        elif flow in users:
            they = users[flow].asking()
            load += max(used - they.held, 0.0)
            parties += [Party(they.held, each, each, each, they.number)] if they.number else []
        elif used > 0.0:
            parties.append(_party(store, flow, used, each))
    return Outstanding(load, work_found(parties, load + mine, each, asking.number * each))


def _party(store: Store, flow: Flow, used: float, each: float) -> Party:
    """The requests of a flow that is not users: how many it has at the device, and their seconds."""
    workers = _workers(flow, store.link)
    waiting = _waiting(flow, store.link)
    number = max(waiting * workers, used) if waiting is not None else None
    run = _run(store, flow)
    if run is None:
        return Party(used, each, each, each, number, workers)
    share = min(flow.sequential, 1.0)

    def mixed(seconds: float) -> float:
        return share * seconds + (1.0 - share) * each

    return Party(used, mixed(run.mean), mixed(run.left), mixed(max(run.waited, run.mean)), number, workers)


def _workers(flow: Flow, link: Link) -> float:
    """Greatest number of requests that a flow has at one of the disks of a link."""
    if flow.customers is None:
        return 1.0
    taken = flow.customers.service_demands().get(link, 0.0)
    return flow.customers.workers / (max(taken * link.capacity / flow.demands[link], 1.0) if taken > 0.0 else 1.0)


def _waiting(flow: Flow, link: Link) -> float | None:
    """Requests that a flow, or each of its workers, has at a link; None if something else limits it."""
    if flow.customers is None or link not in flow.customers.service_demands():  # it has been read ahead
        place = flow.places.get(link)
        turns = place.turns if place is not None else 1.0
        return turns if flow.bottleneck is link else None
    if flow.bottleneck is not link and flow.rate < flow.cap * (1.0 - CLOSE):
        return None
    elsewhere = [flow.rate * seconds for (at, _), seconds in flow.limit.parts.items() if at != link.name]
    return max(1.0 - math.fsum(elsewhere), 0.0)


def _run(store: Store, flow: Flow) -> Run | None:
    """Seconds of the runs of a stream that reads on one disk; None without an arm, or if it does not read.

    Other demands of its bytes on the device are requests of their own, such as those for blocks in a copy area.
    """
    link, place = store.link, flow.places.get(store.link)
    moved = flow.moves.get(link, 0.0)
    if place is None or place.writes or moved <= 0.0 or not flow.sequential:
        return None
    size = store.run("read", place.run)
    if math.isinf(size):
        return None
    visited = cast("Visited | None", place.visited)
    begin, whole = max(place.position - size / 2.0, 0.0), size * store.width
    begin, size = min(begin, max(store.size - whole, 0.0)), min(whole, store.size)
    moving, sides = whole * store.stream("read", begin, size), store.sides(begin, size)
    turn = sides * whole * link.lost(flow) / moved / flow.sequential
    longest = moving + max(turn, visited.back if visited is not None else 0.0)
    mean = sides * whole * link.demand(flow) / moved / flow.sequential
    return Run(moving, min(max(mean, moving), longest), longest)
