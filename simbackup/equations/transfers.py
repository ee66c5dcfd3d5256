"""Rates of one network stream, and requests that each wait for a server: how many, how many at once, and their rate."""

from __future__ import annotations

import math

PERIODIC_LOSS = math.sqrt(1.5)
"""C of Mathis and others: losses at equal distances, every segment acknowledged."""

_GROWTH, _KEPT = 0.4, 0.7
"""C of CUBIC, segments per cubic second, and what is left of the window after a loss."""
_CUBIC = (_GROWTH * (3.0 + _KEPT) / (4.0 * (1.0 - _KEPT))) ** 0.25


def window_rate(window: float, round_trip: float) -> float:
    """Bytes per second of a connection with a window of bytes in flight: `W / T`.

    Jacobson, Braden and Borman, "TCP Extensions for High Performance", RFC 1323, 1992, section 1.1. Holds once the
    window is open; the round trips in which it opens are not counted.

    Parameters
    ----------
    window
        Greatest number of bytes in flight, W.
    round_trip
        Seconds until their acknowledgement arrives, T.

    >>> round(10e9 / window_rate(2.0**20, 0.05))
    477
    """
    return window / round_trip if round_trip > 0.0 else math.inf


def loss_rate(segment: float, round_trip: float, loss: float) -> float:
    """Bytes per second of a connection whose window is halved by each lost segment: `S C / (T sqrt(p))`.

    Mathis, Semke, Mahdavi and Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", Computer
    Communication Review 27(3), 1997, with C for evenly spaced losses. Holds for losses of at most a few percent, which
    are repaired without time-outs, and for senders that halve their window (Reno); see `cubic_rate` for others.

    Parameters
    ----------
    segment
        Bytes of payload of a segment, S.
    round_trip
        Seconds of a round trip, T.
    loss
        Share of the segments that are lost, p.

    >>> round(loss_rate(1448.0, 0.05, 1e-4) / 1e6, 2)
    3.55
    """
    lost = round_trip * math.sqrt(loss)
    return segment * PERIODIC_LOSS / lost if lost > 0.0 else math.inf


def cubic_rate(segment: float, round_trip: float, loss: float) -> float:
    """Bytes per second of a connection whose window grows with the cube of the time since a loss, as CUBIC's does.

    `S W / T` with `W = (C (3 + b) / (4 (1 - b)))^(1/4) (T / p)^(3/4)` segments, C = 0.4 per cubic second and b = 0.7.
    Xu, Ha, Rhee, Goel and Eggert, "CUBIC for Fast and Long-Distance Networks", RFC 9438, 2023, sections 4.6 and 5.1,
    for evenly spaced losses. Never less than `loss_rate`: where that is more, CUBIC grows as Reno does. Holds under
    the same conditions; a full line loses further segments.

    Parameters
    ----------
    segment
        Bytes of payload of a segment, S.
    round_trip
        Seconds of a round trip, T.
    loss
        Share of the segments that are lost, p.

    >>> round(cubic_rate(1448.0, 0.05, 1e-5) / 1e6, 1), round(loss_rate(1448.0, 0.05, 1e-5) / 1e6, 1)
    (18.1, 11.2)
    """
    if round_trip <= 0.0 or loss <= 0.0:
        return math.inf
    window = _CUBIC * (round_trip / loss) ** 0.75
    return max(segment * window / round_trip, loss_rate(segment, round_trip, loss))


def requests_rate(size: float, latency: float, rate: float, at_once: float) -> float:
    """Bytes per second of equal requests, several of them at once: `n s / (t + s / r)`.

    A request waits for its first byte and then transfers its bytes over its own connection; then the next one follows.
    Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9(3), 1961, with n requests in the
    system. Holds while connections are the only limit.

    Parameters
    ----------
    size
        Bytes of a request, s.
    latency
        Seconds until its first byte, t.
    rate
        Bytes per second of a connection, r.
    at_once
        Requests in flight at once, n.

    >>> round(requests_rate(8e6, latency=0.1, rate=80e6, at_once=4) / 1e6)
    160
    """
    return at_once * size / (latency + size / rate)


def parts(size: float, part: float, most: float = math.inf) -> float:
    """Requests for an object if each carries a limited number of bytes: `min(max(ceil(s / p), 1), m)`.

    "Uploading and copying objects using multipart upload", Amazon S3 user guide; "Put Block", reference of Azure Blob
    Storage.

    Parameters
    ----------
    size
        Bytes of the object, s.
    part
        Bytes of a part, p.
    most
        Parts that an object has at most, m; those of a larger object are larger.

    >>> parts(100e6, 8e6), parts(10.0, 8e6)
    (13.0, 1.0)
    """
    return float(min(max(math.ceil(size / part), 1), most))


def at_once(connections: int, objects: float, each: float) -> int:
    """Requests of a job that run at once: one per connection, and no more than there are parts to move.

    `min(c, n p)`. Range: all objects have the same size, and the last ones, which leave connections idle, are
    a small part of the whole.

    Parameters
    ----------
    connections
        Connections of the job, c.
    objects
        Objects, n.
    each
        Parts of each, p.

    >>> at_once(16, objects=1.0, each=13.0), at_once(16, objects=1e6, each=1.0)
    (13, 16)
    """
    return max(min(connections, math.floor(objects * each)), 1)
