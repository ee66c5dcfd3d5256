"""Rates of one network stream, and of requests to a server with a latency for each."""

from __future__ import annotations

import math

PERIODIC_LOSS = math.sqrt(1.5)
"""C of Mathis and others: losses at equal distances, every segment acknowledged."""


def window_rate(window: float, round_trip: float) -> float:
    """Bytes per second of a connection with a window of bytes in flight: `W / T`.

    Jacobson, Braden and Borman, "TCP Extensions for High Performance", RFC 1323, 1992, section 1.1. Holds once the
    window is open: the round trips in which it opens are left out.

    Parameters
    ----------
    window
        Most bytes under way, W.
    round_trip
        Seconds until their receipt arrives, T.

    >>> round(10e9 / window_rate(2.0**20, 0.05))
    477
    """
    return window / round_trip if round_trip > 0.0 else math.inf


def loss_rate(segment: float, round_trip: float, loss: float) -> float:
    """Bytes per second of a connection whose window is halved by each lost segment: `S C / (T sqrt(p))`.

    Mathis, Semke, Mahdavi and Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", Computer
    Communication Review 27(3), 1997, with C for losses at equal distances. Holds for losses below some percent, which
    are repaired without time-outs; senders that do not halve their window (CUBIC, BBR) are faster.

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


def requests_rate(size: float, latency: float, rate: float, at_once: float) -> float:
    """Bytes per second of equal requests, several of them at once: `n s / (t + s / r)`.

    A request waits for its first byte and then takes its bytes over a connection of its own; the next one follows.
    Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9(3), 1961, with n requests in the
    system. Holds while nothing but connections limits.

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
