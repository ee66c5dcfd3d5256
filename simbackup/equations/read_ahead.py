"""A program that reads a file in sequence through the page cache, one read-ahead window at a time."""

from __future__ import annotations


def read_ahead_rate(window: float, request_time: float, copy_rate: float) -> float:
    """Bytes a second of one reader: a window is fetched, then copied to the program, and the next is asked for.

    r = W / (t + W / c): nothing overlaps, as where the next window is asked for only when the last has been used up
    (mm/readahead.c of Linux 2.6 with its default of 128 KiB on arrays that need far more in flight).

    Parameters
    ----------
    window
        Bytes of one read-ahead window, W.
    request_time
        Seconds until the device has delivered a window, t.
    copy_rate
        Bytes a second of one core between page cache and program, c.

    >>> round(read_ahead_rate(128 * 1024, request_time=0.002, copy_rate=1e9) / 1e6, 1)
    61.5
    """
    return window / (request_time + window / copy_rate)
