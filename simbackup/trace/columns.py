"""The records of a trace: facts with their times and addresses, in columns of numbers.

Columns take a fifth of the memory of as many objects. A year of 1,000 backups each night makes some five million rates.
Here each takes 28 bytes, and the collector of cycles has nothing to look at. Records are made anew whenever they are
read.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar, cast, overload

Read = TypeVar("Read")


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
    """The address of the device, such as `devices.disk`."""
    kind: str
    """The kind of the device, in words."""
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


class Names:
    """Texts that many records have, each with its number, in the order in which they come."""

    __slots__ = ("_numbers", "texts")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts = list(texts)
        self._numbers = {text: number for number, text in enumerate(self.texts)}

    def number(self, text: str) -> int:
        """The number of a text, a new one if it is new.

        >>> names = Names()
        >>> names.number("read"), names.number("write"), names.number("read")
        (0, 1, 0)
        """
        found = self._numbers.get(text)
        if found is None:
            found = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return found


class Columns(Sequence[Read], Generic[Read]):
    """A sequence whose records are made when they are read."""

    __slots__ = ()

    @abstractmethod
    def _at(self, index: int) -> Read:
        """The record at an index that there is, from 0."""

    @abstractmethod
    def append(self, record: Read) -> None:
        """Add a record behind the others."""

    def extend(self, records: Iterable[Read]) -> None:
        """Add records behind the others, in their order."""
        for record in records:
            self.append(record)

    @overload
    def __getitem__(self, index: int) -> Read: ...

    @overload
    def __getitem__(self, index: slice) -> list[Read]: ...

    def __getitem__(self, index: int | slice) -> Read | list[Read]:
        if isinstance(index, slice):
            return [self._at(i) for i in range(*index.indices(len(self)))]
        return self._at(range(len(self))[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        others = cast("Sequence[object]", other)
        return len(self) == len(others) and all(mine == its for mine, its in zip(self, others, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as of a list

    def __repr__(self) -> str:
        return repr(list(self))


class Spans(Columns[Span]):
    """Spans of jobs.

    >>> spans = Spans([Span(0.0, 2.0, "jobs.save", "devices.sda", "read")])
    >>> spans[0].cause, list(spans) == [spans[0]]
    ('devices.sda', True)
    """

    __slots__ = ("activities", "causes", "ends", "first", "jobs", "names", "parts", "seconds", "starts")

    def __init__(self, records: Iterable[Span] = ()) -> None:
        self.names = Names()
        self.starts, self.ends = array("d"), array("d")
        self.jobs: list[str] = []  # one text for all spans of a run: each has its own, and there are many
        self.causes, self.activities = array("I"), array("I")
        self.first = array("Q", [0])
        """The number of the first part of each, and behind them that of all."""
        self.parts, self.seconds = array("I"), array("d")
        """The cause and the activity of each part, one after the other, and its seconds."""
        self.extend(records)

    def append(self, record: Span) -> None:
        """Add a span behind the others."""
        number = self.names.number
        self.starts.append(record.start)
        self.ends.append(record.end)
        jobs = self.jobs
        jobs.append(jobs[-1] if jobs and jobs[-1] == record.job else record.job)
        self.causes.append(number(record.cause))
        self.activities.append(number(record.activity))
        for cause, activity, seconds in record.parts:
            self.parts.append(number(cause))
            self.parts.append(number(activity))
            self.seconds.append(seconds)
        self.first.append(len(self.seconds))

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[Span]:
        return map(self._at, range(len(self)))

    def _at(self, index: int) -> Span:
        texts, parts = self.names.texts, self.parts
        first, last = self.first[index], self.first[index + 1]
        return Span(
            self.starts[index], self.ends[index], self.jobs[index], texts[self.causes[index]],
            texts[self.activities[index]],
            tuple(SpanPart(texts[parts[2 * i]], texts[parts[2 * i + 1]], self.seconds[i]) for i in range(first, last)),
        )  # fmt: skip


class Jobs(Columns[JobRecord]):
    """What jobs report: the values of each, and its keys, which are the same tuple for all that have the same.

    >>> jobs = Jobs([JobRecord({"job": "save", "end": 2.0}), JobRecord({"job": "copy", "end": 3.0, "files": 1})])
    >>> jobs[1].data, list(jobs.column("end"))
    ({'job': 'copy', 'end': 3.0, 'files': 1}, [2.0, 3.0])
    """

    __slots__ = ("_keys", "_rows")

    def __init__(self, records: Iterable[JobRecord] = ()) -> None:
        self._keys: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._rows: list[tuple[tuple[str, ...], tuple[Any, ...]]] = []
        self.extend(records)

    def append(self, record: JobRecord) -> None:
        """Add what a job reports behind the others."""
        keys = tuple(record.data)
        self._rows.append((self._keys.setdefault(keys, keys), tuple(record.data.values())))

    def column(self, key: str) -> Iterator[Any]:
        """What each job reports at a key that all have; KeyError if one has it not."""
        if not all(key in keys for keys in self._keys):
            raise KeyError(key)
        return (values[keys.index(key)] for keys, values in self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def _at(self, index: int) -> JobRecord:
        return JobRecord(dict(zip(*self._rows[index], strict=True)))


BATCH = 250_000
"""Rates that are read together: 7 MB."""


class RateBatch(NamedTuple):
    """Rates that follow each other: their times, the numbers of their links, busy shares, and bytes a second."""

    times: array[float]
    links: array[int]
    busy: array[float]
    bytes_per_s: array[float]


class Rates(Columns[Rate]):
    """Rates of links.

    >>> rates = Rates([Rate(0.0, "links.lan", 0.5, 1e6)])
    >>> rates.add(1.0, "links.lan", 0.0, 0.0)
    >>> rates[-1], len(rates), rates.end
    (Rate(time=1.0, link='links.lan', busy=0.0, bytes_per_s=0.0), 2, 1.0)
    """

    __slots__ = ("_columns", "names")

    def __init__(self, records: Iterable[Rate] = ()) -> None:
        self.names = Names()
        self._columns = RateBatch(array("d"), array("I"), array("d"), array("d"))
        self.extend(records)

    def add(self, time: float, link: str, busy: float, bytes_per_s: float) -> None:
        """Add a rate by its fields."""
        times, links, shares, bytes_ = self._columns
        times.append(time)
        links.append(self.names.number(link))
        shares.append(busy)
        bytes_.append(bytes_per_s)

    def append(self, record: Rate) -> None:
        """Add a rate behind the others."""
        self.add(record.time, record.link, record.busy, record.bytes_per_s)

    def extend_by(self, batch: RateBatch) -> None:
        """Add a batch, whose links have the numbers that `names` gives them."""
        for mine, its in zip(self._columns, batch, strict=True):
            mine.extend(its)  # type: ignore[arg-type]

    def batches(self) -> Iterator[RateBatch]:
        """All rates, in batches of one length; the last one is shorter."""
        times, links, busy, bytes_per_s = self._columns
        for first in range(0, len(times) + 1, BATCH):
            part = slice(first, first + BATCH)
            yield RateBatch(times[part], links[part], busy[part], bytes_per_s[part])

    @property
    def end(self) -> float:
        """Seconds at which the last rate changed; 0 if none did."""
        return max(self._columns.times, default=0.0)

    def __len__(self) -> int:
        return len(self._columns.times)

    def __iter__(self) -> Iterator[Rate]:
        texts = self.names.texts
        for time, link, busy, bytes_per_s in zip(*self._columns, strict=True):
            yield Rate(time, texts[link], busy, bytes_per_s)

    def _at(self, index: int) -> Rate:
        times, links, busy, bytes_per_s = self._columns
        return Rate(times[index], self.names.texts[links[index]], busy[index], bytes_per_s[index])
