"""The records of a trace: facts with their times and addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class SpanPart(NamedTuple):
    """Seconds of a span that are due to another address and activity than the span as a whole."""

    cause: str
    activity: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time (seconds) that a job spent because of `cause`, an address, in `activity`.

    For a repeated cycle, `parts` say where its seconds went; they sum to its length.
    """

    start: float
    end: float
    job: str
    cause: str
    activity: str
    parts: tuple[SpanPart, ...] = ()

    @property
    def split(self) -> tuple[SpanPart, ...]:
        """Its parts; itself as the only one where it has none."""
        return self.parts or (SpanPart(self.cause, self.activity, self.end - self.start),)


@dataclass(frozen=True, slots=True)
class Rate:
    """From `time` on: the share of a link in use (0 to 1), and the bytes per second that it moves.

    In a trace, without what flows do that share a level.
    """

    time: float
    link: str
    busy: float
    bytes_per_s: float


@dataclass(frozen=True, slots=True)
class SharedLevel:
    """From `time` on: the level of flows that share that of a full link, `root`, in units per second of share one.

    `loads` are the links whose load at a level of one is another than before: the share of the link, and bytes.
    `beside` is the rate of flows by themselves there, zero where none is given, unless a `Rate` of that time says it.
    """

    time: float
    root: str
    level: float
    loads: Mapping[str, tuple[float, float]]
    beside: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at one instant to the thing at `address`."""

    time: float
    address: str
    what: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DeviceRecord:
    """What one device did in the whole run.

    Seconds busy, units used, bytes moved, greatest bytes per second, and `data` of its own kind.
    """

    address: str
    kind: str
    busy_s: float
    units: float
    bytes_moved: float
    peak_bytes_per_s: float
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JobRecord:
    """What one job reports of itself when it has ended."""

    data: Mapping[str, Any]


Record = Span | Rate | SharedLevel | Event | DeviceRecord | JobRecord
