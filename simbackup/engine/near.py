"""A change that reaches a few plain flows: whom it reaches is found while their rates are.

Most changes concern nothing but links and caps, and a few flows. No store is asked and no law, and nobody waits for
others. Then it is enough to go from flow to flow over the links that may be full, and to those whom their rates move.

Invariant: the flows and rates are those of `Reach` and `plain_rates`, which solve whatever is odd, and many flows.
"""

from __future__ import annotations

from itertools import islice

from simbackup.engine.crowds import MANY
from simbackup.engine.mover import Mover
from simbackup.engine.plain import PlainFilling
from simbackup.engine.reach import Touches


def few(touched: Touches) -> PlainFilling | None:
    """The rates of all flows that changes reach, if these are few and plain."""
    waiting: list[Mover] = []
    for flow in touched.flows:
        waiting.append(flow)
        for link in flow.links:  # also those that it demands no more
            if link.limited:
                waiting += link.limited
    for link in touched.links:
        if link.odd:
            return None
        if link.limited:
            waiting += link.limited
    filling = PlainFilling()
    if not waiting:
        return filling
    while _took(filling, waiting):
        filling.fill()
        if not (waiting := list(filling.beyond())):
            return filling
    return None


def _took(filling: PlainFilling, waiting: list[Mover]) -> bool:
    """Whether flows are plain, and few together with those whom a link limits that they cross; these are added."""
    rooms = filling.rooms
    while waiting:
        flow = waiting.pop()
        if flow in filling.flows:
            continue
        known = len(rooms)
        filling.add(flow)
        if filling.odd or flow.crowd is not None or len(filling.flows) >= MANY:
            return False
        if len(rooms) > known:
            for link in islice(rooms, known, None):
                if link.limited:
                    waiting += link.limited
    return True
