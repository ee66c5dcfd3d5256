"""How users share a device with streams."""

from __future__ import annotations

import math

from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.store import Store
from simbackup.workloads.users.transactions import Demand, Load

FIRST = 100.0
"""Weight of transactions at a given rate; a stream has 1, so that a job still ends if they overload the device."""


def weight(place: VolumeRange, demand: Demand, load: Load, window: float) -> float:
    """Weight of users among flows, in transactions a second for each byte a second of a stream.

    Transactions that come by themselves, so many a second, come before all streams: however long each waits, the next
    still come, while a stream has so many requests under way and makes no more before these are done. What they leave
    is for the streams, as in a mixed queueing network (Baskett, Chandy, Muntz and Palacios 1975; see
    equations/waiting.py).

    Users who each wait for their last request have as many under way as there are users, or fewer. In order of
    arrival, a disk serves one request of each of them for one run of a stream, of which a `window` is asked for at
    once; so does each disk of an array. Where no arm moves, a run has no size: there all users together have the time
    of one stream. Several groups have the weight of one, in proportion to what they ask for.
    """
    region, waits = place.volume.region, demand.rate is None
    store, asked = region.store, asked_at_once(demand, load, region.store)
    before = 1.0 if waits else FIRST
    if not asked:
        return before
    run = store.run("read", window) * store.width
    if waits and demand.waited > 0.0 and load.held.get(store.link, 0.0) > 0.0 and math.isfinite(run):
        return demand.clients / demand.waited / run
    groups = max(sum([group.asked() for group in store.visitors.values() if group.waits == waits]), asked)
    begin = region.begin + place.begin
    stream = store.stream("read", begin, place.size) / store.sides(begin, place.size)
    return before * stream * demand.number / groups


def asked_at_once(demand: Demand, load: Load, store: Store) -> float:
    """Seconds of a device for one transaction of each user, or for all transactions of a second."""
    return demand.number * load.shape.demands.get(store.link, 0.0)
