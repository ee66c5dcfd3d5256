"""What a request finds at a device: the requests that streams and users have there, one of each stream."""

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
"""Share by which the rate of requests that go round may be below what their rounds allow, in rounding."""


class Outstanding(NamedTuple):
    """What a request finds at a link: the share that requests at random take, and seconds of what others have there."""

    load: float = 0.0
    work: float = 0.0


NOBODY = Outstanding()


def at_device(store: Store, own: Flow, each: float, asking: Waiters) -> Outstanding:
    """What a request of the flow `own` finds at a device: how busy that is, and the work that is there already.

    `each` are the seconds that the request takes itself; `asking` what the users of the flow ask of the device.


    A stream has one run at each disk at most, or as many as it has turns for each one of others. One that writes
    counts as one request as long as the own: reads go before what page caches and controllers write behind. So does any
    where no arm moves, as all who are there are served at the same time.
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
    """A flow that is no user: how many requests it has at the device, and how long they take."""
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
    """Requests that a flow has at one of the disks of a link at most."""
    if flow.going is None:
        return 1.0
    taken = flow.going.waits().get(link, 0.0)
    return flow.going.workers / (max(taken * link.capacity / flow.demands[link], 1.0) if taken > 0.0 else 1.0)


def _waiting(flow: Flow, link: Link) -> float | None:
    """The requests that a flow, or each of its workers, has at a link; None where something else holds it up."""
    if flow.going is None or link not in flow.going.waits():  # it has been read ahead
        place = flow.places.get(link)
        turns = place.turns if place is not None else 1.0
        return turns if flow.bottleneck is link else None
    if flow.bottleneck is not link and flow.rate < flow.cap * (1.0 - CLOSE):
        return None
    elsewhere = [flow.rate * seconds for (at, _), seconds in flow.limit.parts.items() if at != link.name]
    return max(1.0 - math.fsum(elsewhere), 0.0)


def _run(store: Store, flow: Flow) -> Run | None:
    """Seconds of the runs of a stream that reads on one disk; None where no arm moves, or it does not read.

    What else a byte of it asks of the device are requests of their own, such as those for blocks in a copy area.
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
