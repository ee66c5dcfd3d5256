"""The records of a trace: facts with their times and addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class SpanPart(NamedTuple):
    """Seconds of a span that another address or activity caused than the span as a whole."""

    cause: str
    activity: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Span:
    """A time that a job spent in an activity, because of one address."""

    start: float
    """Seconds."""
    end: float
    """Seconds."""
    job: str
    """The address of the run."""
    cause: str
    """The address that it spent the time on."""
    activity: str
    """What was done there, such as `read`."""
    parts: tuple[SpanPart, ...] = ()
    """For a repeated cycle, its length divided by cause and activity."""

    @property
    def split(self) -> tuple[SpanPart, ...]:
        """Its parts, or itself as a single part if it has none."""
        return self.parts or (SpanPart(self.cause, self.activity, self.end - self.start),)


@dataclass(frozen=True, slots=True)
class Rate:
    """The state of a link from a time on.

    In a trace, flows that share a level are not included; `SharedLevel` has these.
    """

    time: float
    """Seconds."""
    link: str
    """The address of the link."""
    busy: float
    """Share (0 to 1) of the link that is in use."""
    bytes_per_s: float
    """Bytes per second that it carries."""


@dataclass(frozen=True, slots=True)
class SharedLevel:
    """The common level of the flows that share a saturated link, from a time on."""

    time: float
    """Seconds."""
    root: str
    """The address of the saturated link."""
    level: float
    """Units per second of a flow with weight 1."""
    loads: Mapping[str, tuple[float, float]]
    """Share in use and bytes per second at level 1, of each link for which these have changed."""
    beside: Mapping[str, tuple[float, float]]
    """Share in use and bytes per second by other flows on these links; zero if not given, unless a `Rate` of that time
    states them.
    """


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at one instant."""

    time: float
    """Seconds."""
    address: str
    """Where it happened."""
    what: str
    """What happened, in words."""
    data: Mapping[str, Any]
    """Further facts."""


@dataclass(frozen=True, slots=True)
class DeviceRecord:
    """What one device did in the whole run."""

    address: str
    """Its address."""
    kind: str
    """Its kind, in words."""
    busy_s: float
    """Seconds for which it was busy."""
    units: float
    """Units of its capacity that were used, such as seconds, bytes or requests."""
    bytes_moved: float
    """Bytes that it moved."""
    peak_bytes_per_s: float
    """Greatest bytes per second."""
    data: Mapping[str, Any]
    """Facts of its kind."""


@dataclass(frozen=True, slots=True)
class JobRecord:
    """What one job reports of itself when it has ended."""

    data: Mapping[str, Any]


Record = Span | Rate | SharedLevel | Event | DeviceRecord | JobRecord
