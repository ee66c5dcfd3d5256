"""How users share a device with streams."""

from __future__ import annotations

from simbackup.devices.host.page_cache import VolumeRange

FIRST = 100.0
"""Weight of transactions that come by themselves, for that of a stream: a job ends where they ask for all and more."""


def weight(place: VolumeRange, own: float, *, first: bool) -> float:
    """Weight of users among flows when a transaction takes so many seconds of their device, in units a second.

    A transaction counts for the bytes that a stream moves meanwhile. Those that come by themselves, so many a second,
    come before all streams: however long each waits, the next still come, while a stream has so many requests under way
    and makes no more before these are done. What they leave is for the streams, as in a mixed queueing network
    (Baskett, Chandy, Muntz and Palacios 1975; see equations/waiting.py).
    """
    before = FIRST if first else 1.0
    if not own:
        return before
    region = place.volume.region
    return before * region.store.stream("read", region.begin + place.begin, place.size) / own
