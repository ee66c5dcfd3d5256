"""The units of the figures of a result, by the last word of their address."""

from __future__ import annotations

UNITS = {
    "elapsed": "s", "back": "s", "start": "s", "end": "s", "due": "s", "window": "s", "slowest": "s", "mean": "s",
    "active": "s",
    "saturated": "s", "waits": "s", "lock": "s", "down": "s", "mean_wait": "s", "longest_wait": "s",
    "network_wait": "s", "busy_s": "s", "response": "s", "timed_out": "1", "lost": "1", "busy": "1", "busy_window": "1",
    "bytes": "B", "copied_bytes": "B", "area_bytes": "B", "used_bytes": "B", "kept_bytes": "B", "size": "B",
    "rate": "B/s", "transfer_rate": "B/s", "peak": "B/s", "tape_rate": "B/s", "streams_from": "B/s",
}  # fmt: skip
"""SI units; a share has the unit 1, and what is not here is counted."""


def unit_of(address: str) -> str | None:
    """The SI unit of the figure at an address; None for what is counted, and for words.

    >>> unit_of("jobs.dd.elapsed"), unit_of("jobs.dd.files")
    ('s', None)
    """
    return UNITS.get(address.rpartition(".")[2])
