"""The append-only record of a run: facts with their times and addresses, and nothing derived from them."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Any, Self, cast

from simbackup.trace.columns import (
    DeviceRecord,
    Event,
    JobRecord,
    Jobs,
    Rate,
    Rates,
    Record,
    SharedLevel,
    Span,
    SpanPart,
    Spans,
)

__all__ = ["DeviceRecord", "Event", "JobRecord", "Rate", "Record", "SharedLevel", "Span", "SpanPart", "Trace"]


FULL, JOBS, NONE = "full", "jobs", "none"
"""How much a trace keeps: everything; of rates and spans only what tables need; nothing of these."""
KEEPS = (NONE, JOBS, FULL)

_TYPES: dict[str, type[Record]] = {
    "span": Span, "rate": Rate, "shared_level": SharedLevel, "event": Event, "device": DeviceRecord, "job": JobRecord,
}  # fmt: skip


@dataclass(slots=True)
class Trace:
    """All records of a run, by type, in the order in which they were made."""

    spans: Spans = field(default_factory=Spans)
    rates: Rates = field(default_factory=Rates)
    events: list[Event] = field(default_factory=list[Event])
    devices: list[DeviceRecord] = field(default_factory=list[DeviceRecord])
    jobs: Jobs = field(default_factory=Jobs)
    shared_levels: list[SharedLevel] = field(default_factory=list[SharedLevel])
    keeps: str = FULL
    """One of `KEEPS`. Unless it is `full`, there are no rates, shared levels and spans."""
    left_out: int = 0
    """Number of rates, shared levels and spans that were made and not kept."""
    last: float = 0.0
    """Seconds at which rates that were not kept last changed."""
    beside: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Other jobs whose time a running job spends with its own, by its address."""

    def span(
        self,
        start: float,
        end: float,
        job: str,
        cause: str,
        activity: str,
        *,
        cycle: Mapping[tuple[str, str], float] | None = None,
    ) -> None:
        """Record that `job` spent `start` to `end` (seconds) in `activity`, because of `cause`.

        `cycle` says how one round of it is divided, by address and activity; an empty activity is the span's own.
        """
        if end < start:
            raise ValueError(f"a span of {job} ends at {end}, before its start at {start}")
        if self.keeps == NONE:
            self.left_out += 1
            return
        parts = _parts(end - start, activity, cycle)
        for who in (job, *self.beside.get(job, ())):
            self.spans.append(Span(float(start), float(end), who, cause, str(activity), parts))  # as it is read back

    def rate(self, time: float, link: str, busy: float, bytes_per_s: float) -> None:
        """Record the state of a link from `time` on: its busy share and its bytes per second."""
        if self.keeps == NONE:
            self.left_out, self.last = self.left_out + 1, float(time)
            return
        self.rates.add(float(time), link, float(busy), float(bytes_per_s))

    def shared_level(
        self,
        time: float,
        root: str,
        level: float,
        loads: Mapping[str, tuple[float, float]],
        beside: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        """Record the level of a saturated link from `time` on, and the loads of links at level 1 that have changed.

        `beside` are the busy shares and bytes a second of other flows on these links, zero if not named.
        """
        if self.keeps == NONE:
            self.left_out, self.last = self.left_out + 1, float(time)
            return
        self.shared_levels.append(SharedLevel(float(time), root, float(level), dict(loads), dict(beside or {})))

    def event(self, time: float, address: str, what: str, **data: Any) -> None:
        """Record that `what` happened at `address`; `data` is anything that JSON can hold."""
        self.events.append(Event(float(time), address, what, _plain(data)))

    def note(self, time: float, address: str, what: str, **data: Any) -> None:
        """Record an event that people should know of, as a sentence without its subject, which is `address`."""
        self.event(time, address, what, note=True, **data)

    def device(
        self,
        address: str,
        kind: str,
        busy_s: float,
        *,
        units: float,
        bytes_moved: float,
        peak_bytes_per_s: float,
        **data: Any,
    ) -> None:
        """Record the summary of a device; `data` is anything that JSON can hold."""
        numbers = (float(busy_s), float(units), float(bytes_moved), float(peak_bytes_per_s))
        self.devices.append(DeviceRecord(address, kind, *numbers, _plain(data)))

    def job(self, record: Mapping[str, Any]) -> None:
        """Record what a job reports of itself; anything that JSON can hold."""
        self.jobs.append(JobRecord(_plain(record)))

    def records(self, without: Collection[str] = ()) -> Iterator[tuple[str, Record]]:
        """Every record with the name of its type, type by type, without some types."""
        for name in [name for name in _TYPES if name not in without]:
            for record in cast("Sequence[Record]", getattr(self, f"{name}s")):
                yield name, record

    def to_lines(self, without: Collection[str] = ()) -> Iterator[str]:
        """The trace as JSON, one record a line, without some types; the same bytes for the same records.

        Examples
        --------
        >>> trace = Trace()
        >>> trace.rate(0, "devices.sda", 0.5, 4e6)
        >>> list(trace.to_lines())
        ['{"busy":0.5,"bytes_per_s":4000000.0,"link":"devices.sda","record":"rate","time":0.0}']
        """
        encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
        for name, record in self.records(without):
            row = {part: getattr(record, part) for part in _FIELDS[name]}
            yield encode(row | {"record": name})

    @property
    def length(self) -> int:
        """Rates, shared levels and spans that were made; the cost of a run grows with them."""
        return len(self.rates) + len(self.shared_levels) + len(self.spans) + self.left_out

    @property
    def end(self) -> float:
        """Seconds from the start until all jobs have ended, and rates no longer change."""
        levels = (record.time for record in self.shared_levels)
        return max(chain(self.jobs.column("end"), levels, [self.rates.end, self.last]), default=0.0)

    def counts(self) -> dict[str, int]:
        """How many records of each type there are."""
        return {name: len(getattr(self, f"{name}s")) for name in _TYPES}

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> Self:
        """The trace whose `to_lines` gave these lines.

        Raises
        ------
        ValueError
            A line is not a record of a trace.

        >>> Trace.from_lines(['{"busy":"all","bytes_per_s":4.0,"link":"devices.sda","record":"rate","time":0.0}'])
        Traceback (most recent call last):
        ValueError: line 1: busy is not a number
        """
        trace = cls()
        for number, line in enumerate(lines, 1):
            try:
                name, record = _read(line)
            except RecursionError:
                raise ValueError(f"line {number}: is nested too deeply") from None
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
            getattr(trace, f"{name}s").append(record)
        return trace


_KINDS: dict[str, tuple[type, str]] = {
    "float": (float, "a number"), "str": (str, "a text"), "Mapping[str, Any]": (dict, "a mapping"),
    "Mapping[str, tuple[float, float]]": (dict, "a mapping"),
    "tuple[SpanPart, ...]": (list, "a list"),
}  # fmt: skip
_FIELDS = {name: {part.name: _KINDS[str(part.type)] for part in fields(kind)} for name, kind in _TYPES.items()}
"""The JSON form of each field of a record, and its name."""


def _read(line: str) -> tuple[str, Record]:
    """The record in a line, with the name of its type."""
    found: object = _DECODER.decode(line)
    if not isinstance(found, dict):
        raise ValueError("is not a record")  # noqa: TRY004 (a wrong file, not a wrong call)
    row = cast("dict[str, Any]", found)
    name: object = row.pop("record", None)
    if not isinstance(name, str) or name not in _TYPES:
        raise ValueError("has an unknown type")
    if row.keys() != _FIELDS[name].keys():
        raise ValueError(f"is not a whole {name}")
    for key, (kind, noun) in _FIELDS[name].items():
        if not isinstance(row[key], kind):
            raise ValueError(f"{key} is not {noun}")  # noqa: TRY004 (a wrong file, not a wrong call)
    if name == "span":
        message = "parts are not lists of a cause, an activity and seconds"
        row["parts"] = tuple(SpanPart(*_listed(part, (str, str, float), message)) for part in row["parts"])
    if name == "shared_level":
        for key in ("loads", "beside"):
            message = "loads and what is beside them are not lists of two numbers"
            row[key] = {link: tuple(_listed(found, (float, float), message)) for link, found in row[key].items()}
    if not all(math.isfinite(row[key]) for key in ("start", "end", "time") if key in row):
        raise ValueError("has no time")
    return name, _TYPES[name](**row)


def _infinity(text: str) -> float:
    """The constants beside numbers that a record may have: infinity of either sign."""
    if text == "NaN":
        raise ValueError("NaN is not a number")
    return float(text)


_DECODER = json.JSONDecoder(parse_constant=_infinity)


def _listed(found: object, kinds: tuple[type, ...], message: str) -> list[Any]:
    """The values of such types that a list in JSON stands for."""
    if isinstance(found, list) and tuple(map(type, cast("list[object]", found))) == kinds:
        return cast("list[Any]", found)
    raise ValueError(message)


def _parts(seconds: float, activity: str, cycle: Mapping[tuple[str, str], float] | None) -> tuple[SpanPart, ...]:
    """The seconds of a span, divided in proportion to its cycle; empty without one."""
    total = sum(cycle.values()) if cycle else 0.0
    if cycle is None or total <= 0.0:
        return ()
    shares: dict[tuple[str, str], float] = {}
    for (cause, own), part in cycle.items():
        key = (cause, str(own or activity))
        shares[key] = shares.get(key, 0.0) + part / total
    return tuple(SpanPart(*key, seconds * share) for key, share in shares.items() if share > 0.0)


def _plain(data: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of `data` exactly as it comes back from JSON, where tuples are lists; most values are plain already."""
    return {str(key): value if type(value) in _PLAIN else _through_json(value) for key, value in data.items()}


_PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types whose values JSON gives back as they are."""


def _through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))
