"""The rates of a trace in columns; in a long run, all but the newest are in a temporary file."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from simbackup.trace.columns import Columns, Names
from simbackup.trace.records import Rate

BATCH = 250_000
"""Rates that are kept in memory, and then written together: 7 MB."""
BYTES = 28
"""Bytes of a rate in the file."""


class RateBatch(NamedTuple):
    """Rates that follow each other: their times, the numbers of their links, busy shares, and bytes a second."""

    times: array[float]
    links: array[int]
    busy: array[float]
    bytes_per_s: array[float]

    @classmethod
    def empty(cls) -> RateBatch:
        """No rates."""
        return cls(array("d"), array("I"), array("d"), array("d"))


class Rates(Columns[Rate]):
    """Rates of links.

    The file has no name, so that nothing of it is left however the program ends. If it cannot be written, rates stay in
    memory.

    >>> rates = Rates([Rate(0.0, "links.lan", 0.5, 1e6)])
    >>> rates.add(1.0, "links.lan", 0.0, 0.0)
    >>> rates[-1], len(rates), rates.end
    (Rate(time=1.0, link='links.lan', busy=0.0, bytes_per_s=0.0), 2, 1.0)
    """

    __slots__ = ("_file", "_last", "_length", "_most", "_newest", "_written", "names")

    def __init__(self, records: Iterable[Rate] = ()) -> None:
        self._file: IO[bytes] | None = None
        self.names = Names()
        self._newest = RateBatch.empty()
        self._length = self._most = BATCH
        self._last = -1, self._newest
        self._written = 0
        """Batches in the file, each of `_length` rates."""
        self.extend(records)

    def add(self, time: float, link: str, busy: float, bytes_per_s: float) -> None:
        """Add a rate by its fields."""
        times, links, shares, bytes_ = self._newest
        times.append(time)
        links.append(self.names.number(link))
        shares.append(busy)
        bytes_.append(bytes_per_s)
        if len(times) >= self._most:
            self._write()

    def append(self, record: Rate) -> None:
        """Add a rate behind the others."""
        self.add(record.time, record.link, record.busy, record.bytes_per_s)

    def extend_by(self, batch: RateBatch) -> None:
        """Add a batch, whose links have the numbers that `names` gives them."""
        done = 0
        while done < len(batch.times):
            until = done + self._most - len(self._newest.times)
            for mine, its in zip(self._newest, batch, strict=True):
                mine.extend(its[done:until])  # type: ignore[arg-type]
            done = until
            if len(self._newest.times) >= self._most:
                self._write()

    def batches(self) -> Iterator[RateBatch]:
        """All rates, in batches that do not depend on where they are kept; the last one is shorter.

        They are not to be changed.
        """
        for number in range(self._written):
            yield self._read(number)
        if len(self._newest.times) < self._length:
            yield self._newest
            return
        times, links, busy, bytes_per_s = self._newest
        for first in range(0, len(times) + 1, self._length):
            part = slice(first, first + self._length)
            yield RateBatch(times[part], links[part], busy[part], bytes_per_s[part])

    @property
    def end(self) -> float:
        """Seconds at which the last rate changed; 0 if none did."""
        return max((max(batch.times) for batch in self.batches() if batch.times), default=0.0)

    def _write(self) -> None:
        """Move the newest rates to the file."""
        try:
            if self._file is None:
                self._file = TemporaryFile(buffering=0)  # noqa: SIM115 (it lives as long as this)
            self._file.seek(self._written * self._length * BYTES)
            written = sum([self._file.write(column) for column in self._newest])
        except OSError:
            written = 0
        if written < self._length * BYTES:  # there is no room
            self._most = sys.maxsize
        else:
            self._written += 1
            self._newest = RateBatch.empty()

    def _read(self, number: int) -> RateBatch:
        """A batch of the file, of which the last one is kept, as most readers go on where they are."""
        if self._file is not None and number != self._last[0]:
            found = RateBatch.empty()
            self._file.seek(number * self._length * BYTES)
            for column in found:
                column.frombytes(self._file.read(self._length * column.itemsize))
            self._last = number, found
        return self._last[1]

    def __len__(self) -> int:
        return self._written * self._length + len(self._newest.times)

    def __iter__(self) -> Iterator[Rate]:
        texts = self.names.texts
        for batch in self.batches():
            for time, link, busy, bytes_per_s in zip(*batch, strict=True):
                yield Rate(time, texts[link], busy, bytes_per_s)

    def _at(self, index: int) -> Rate:
        number = min(index // self._length, self._written)
        place = index - number * self._length
        batch = self._newest if number == self._written else self._read(number)
        time, link, busy, bytes_per_s = (column[place] for column in batch)
        return Rate(float(time), self.names.texts[int(link)], float(busy), float(bytes_per_s))

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def __reduce__(self) -> tuple[Callable[..., Rates], tuple[list[str], list[RateBatch]]]:
        return _joined, (self.names.texts, list(self.batches()))


def _joined(texts: list[str], batches: Iterable[RateBatch]) -> Rates:
    """Rates of batches, whose links are numbers of texts."""
    rates = Rates()
    rates.names = Names(texts)
    for batch in batches:
        rates.extend_by(batch)
    return rates
