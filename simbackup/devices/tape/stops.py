"""How often the tape of a drive stopped for want of data, from the rates of a trace."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

from simbackup import units
from simbackup.equations import streaming
from simbackup.equations.tape import TapeDriveParameters
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Trace


def shares(trace: Trace, links: Collection[str]) -> dict[str, list[tuple[float, float]]]:
    """From when each of some links of a trace had which share of its capacity in use."""
    found: dict[str, list[tuple[float, float]]] = {}
    for rate in link_rates(trace, links):
        found.setdefault(rate.link, []).append((rate.time, rate.busy))
    return found


def stops(drive: TapeDriveParameters, used: Sequence[tuple[float, float]], end: float) -> dict[str, Any]:
    """How often a tape stopped, its mean rate while it was used, and its slowest, bytes a second.

    Words say so where it did not stream. `used` are shares of its native rate, each from a time on. Where rates change
    within a buffer's length the number is rough.

    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6, reposition_time=2.0)
    >>> stops(drive, [(0.0, 0.4), (100.0, 0.0)], end=200.0)["state"]
    'stops 15 times: 2 MB/s, streams from 5 MB/s'
    >>> stops(drive, [(0.0, 1.0), (100.0, 0.0)], end=200.0)
    {'stops': 0.0, 'tape_rate': 5000000.0, 'streams_from': 5000000.0}
    """
    number = moved = seconds = 0.0
    for (begin, share), (until, _) in pairwise([*used, (end, 0.0)]):
        if share > 0.0:
            lasted, rate = until - begin, share * drive.native_rate
            number += streaming.stop_frequency(drive, rate) * lasted
            moved, seconds = moved + rate * lasted, seconds + lasted
    slowest = drive.native_rate if drive.slowest_rate is None else drive.slowest_rate
    figures = {"stops": number, "tape_rate": moved / seconds if seconds else 0.0, "streams_from": slowest}
    if number < 1.0:
        return figures | {"stops": 0.0}
    found, least = (units.show_short(figures[each], "B/s", 3) for each in ("tape_rate", "streams_from"))
    return figures | {"state": f"stops {number:,.0f} times: {found}, streams from {least}"}
