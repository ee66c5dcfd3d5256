"""Redirect-on-write: how random updates break the order of data on disk, and what that costs sequential readers.

Every update is written to a free place, away from the block's neighbours (Hitz, Lau and Malcolm, "File System Design
for an NFS File Server Appliance", USENIX Winter 1994).
"""

from __future__ import annotations

import math

_LEFT = 1e-9
_SELDOM = 1e-6
"""Mean number of requests below which two at once are out of the question."""
_FAR = 10.0
"""Standard deviations below the mean beyond which a number of requests never is."""


def broken_share(updated: float) -> float:
    """Share of logical neighbours that are no longer physical neighbours: `1 - (1 - s)^2`.

    Two neighbours are still side by side if neither was updated. Holds while updates fall on blocks independently of
    each other. Neighbours that are updated together and written side by side are not considered, so for updates that
    come in runs the share is an upper bound.

    Parameters
    ----------
    updated
        Share of the blocks that have been updated since they were written in sequence, s. After U updates at random of
        N blocks that is `1 - exp(-U / N)` on average.

    Raises
    ------
    ValueError
        If it is not a share.

    >>> broken_share(0.0), broken_share(0.5), broken_share(1.0)
    (0.0, 0.75, 1.0)
    """
    if not 0.0 <= updated <= 1.0:
        raise ValueError(f"a share must be between 0 and 1, not {updated}")
    return 1.0 - (1.0 - updated) ** 2


def longest_queue(requests: float, disks: int) -> float:
    """Mean requests at the busiest disk when requests fall on equal disks at random.

    The number at each disk is Poisson of mean `q / d`, and `E[max] = sum over m >= 0 of 1 - F(m)^d`. It is `q` on one
    disk, about 1 for a few requests on many disks, and approaches `q / d` as the number of requests grows.

    Parameters
    ----------
    requests
        Mean number of requests in flight at once, q.
    disks
        Disks, d.

    Raises
    ------
    ValueError
        If requests are negative or there is no disk.

    >>> longest_queue(0.0, 8), longest_queue(20.0, 1)
    (0.0, 20.0)
    >>> round(longest_queue(32.0, 8), 2), round(longest_queue(3200.0, 8) / 400.0, 2)
    (7.04, 1.07)
    """
    if requests < 0.0 or disks < 1:
        raise ValueError(f"need requests >= 0 and a disk, not {requests} and {disks}")
    if disks == 1 or requests < _SELDOM:
        return float(requests)
    mean = requests / disks
    m = max(math.floor(mean - _FAR * math.sqrt(mean)), 0)  # fewer on the fullest disk are out of the question
    term = math.exp(m * math.log(mean) - mean - math.lgamma(m + 1.0))
    total, below = float(m), 0.0
    while True:
        below = min(below + term, 1.0)
        rest = 1.0 - below**disks
        total += rest
        m += 1
        term *= mean / m
        if m > mean and (rest < _LEFT or term == 0.0):
            return total


def fetch_time(window: float, requests: float, disks: int, positioning: float, rate: float) -> float:
    """Seconds until all fragments of a window have arrived: the transfer, and the queue at the busiest disk.

    `t = w / r + E[max](q, d) t_p`. All known fragments are requested at once: without read-ahead those of the client's
    own request, with read-ahead those of all that is read ahead. More requests over the same disks share the waits, so
    the time per byte falls towards `1 / r + (q / w) t_p / d`.

    A safe bound in two ways: a window arrives whole before the next one is requested, and a server that never pauses
    takes as little as 0.6 of that. Where few blocks have moved, breaks come in pairs (away and back), and both are
    requested at once: the waits are then up to twice too long. A test that simulates request by request checks both.

    Parameters
    ----------
    window
        Bytes that are requested at once, w.
    requests
        Positioned requests among them, q.
    disks
        Disks that serve one request each at a time, d.
    positioning
        Seconds of each positioned request besides its transfer, t_p.
    rate
        Bytes per second of the same data in one piece, r.

    >>> round(fetch_time(131072.0, 0.0, 8, 0.008, 131072000.0), 4)
    0.001
    >>> round(fetch_time(131072.0, 32.0, 1, 0.008, 131072000.0), 4)
    0.257
    """
    return window / rate + longest_queue(requests, disks) * positioning
