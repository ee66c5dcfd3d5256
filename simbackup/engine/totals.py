"""How links take over the rates of the flows that cross them."""

from __future__ import annotations

from collections.abc import Iterable

from simbackup.engine.link import FEW, Link
from simbackup.engine.trace import Trace


def take_rates(links: Iterable[Link], crossed: dict[Link, None], now: float, trace: Trace | None) -> None:
    """Let links take over the rates of the flows attached at `now`, seconds, and record the changes.

    Those that nobody crosses any more are removed from the ones that are `crossed`. This is the hottest loop of a
    simulation: it asks others only where it has to.
    """
    for link in links:
        capacity = link.known_capacity if link.known_capacity >= 0.0 else link.capacity
        if link.tracks or link.crowds or link.streams is not None or len(link.movers) > FEW:
            used, bytes_per_s = link.sums()
        else:
            used = bytes_per_s = 0.0
            for flow, (demand, moved) in link.crossing.items():
                rate = flow.own_rate
                used += demand * rate
                if moved:
                    bytes_per_s += moved * rate
        busy = (used / capacity if used < capacity else 1.0) if used > 0.0 else 0.0
        if trace is not None and (bytes_per_s != link.recorded_bytes or busy != link.recorded_busy):
            _record(link, busy, bytes_per_s, now, trace)
        if link.crowds:
            used, bytes_per_s = link.with_crowds(used, bytes_per_s, capacity)
            busy = min(1.0, used / capacity) if used > 0.0 else 0.0
        link.solved_capacity, link.stale = capacity, False
        if used != link.used or bytes_per_s != link.bytes_per_s or busy != link.busy:
            if now > link.settled_at:
                link.settle(now)
            link.used, link.busy, link.bytes_per_s = used, busy, bytes_per_s
        if not link.crossing:
            crossed.pop(link, None)


def _record(link: Link, busy: float, bytes_per_s: float, now: float, trace: Trace) -> None:
    """Record what flows by themselves do, unless the record of a level that they join or leave is about to say it."""
    link.recorded_busy, link.recorded_bytes = busy, bytes_per_s
    if not (link.crowds and link.joined) or link.recorded_at == now:
        link.recorded_at = now
        trace.rate(now, link.name, busy, bytes_per_s)
