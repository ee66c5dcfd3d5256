"""The rates of links from what a trace records: rates of single flows, and levels that many flows share.

A level moves the rates of all links that its flows cross. It is recorded once, so that a trace grows with what happens,
and not with how many links that concerns. Here the rates of links follow from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from heapq import merge
from itertools import chain
from operator import attrgetter

from simbackup.trace.trace import Rate, SharedLevel, Trace


def link_rates(trace: Trace, only: Collection[str] | None = None) -> list[Rate]:
    """The rates of each link whenever they change, of all flows together, in the order of time.

    Parameters
    ----------
    trace
        The records of a run.
    only
        The links that are asked for; all unless given.

    Examples
    --------
    >>> trace = Trace()
    >>> trace.rate(0, "devices.sda", 0.1, 1e6)
    >>> loads, beside = {"links.lan": (0.5e-6, 1.0), "devices.sda": (0.1e-6, 0.5)}, {"devices.sda": (0.1, 1e6)}
    >>> trace.shared_level(5, "links.lan", 2e6, loads, beside)
    >>> [(rate.time, rate.link, round(rate.busy, 3), rate.bytes_per_s) for rate in link_rates(trace)]
    [(0.0, 'devices.sda', 0.1, 1000000.0), (5.0, 'links.lan', 1.0, 2000000.0), (5.0, 'devices.sda', 0.3, 2000000.0)]
    """
    if not trace.shared_levels:
        return [rate for rate in trace.rates if only is None or rate.link in only]
    return list(_LinkRates(only).over(trace))


def link_shares(trace: Trace, only: Collection[str] | None = None) -> Iterator[tuple[float, str, float]]:
    """From when on each link is in use with what share, as `link_rates` gives them; others may come with `only` some.

    >>> trace = Trace()
    >>> trace.rate(0, "devices.sda", 0.1, 1e6)
    >>> list(link_shares(trace))
    [(0.0, 'devices.sda', 0.1)]
    """
    if trace.shared_levels:
        return ((rate.time, rate.link, rate.busy) for rate in _LinkRates(only).over(trace))
    name = trace.rates.names.texts.__getitem__
    return chain.from_iterable(
        zip(batch.times, map(name, batch.links), batch.busy, strict=True) for batch in trace.rates.batches()
    )


def used_outside(trace: Trace, begin: float, end: float) -> set[str]:
    """The links that may be in use before a time or after another, in seconds.

    >>> trace = Trace()
    >>> for time, link in enumerate(["links.lan", "devices.sda", "links.san"]):
    ...     trace.rate(time, link, 0.5, 1e6)
    ...     trace.rate(time + 0.5, link, 0.0, 0.0)
    >>> sorted(used_outside(trace, 0.7, 2.2))
    ['links.lan', 'links.san']
    """
    known, found, ended = _LinkRates(None), set[str](), False
    for record in _records(trace):
        if record.time > end and not ended:
            found, ended = found | known.in_use(), True
        loads = known.take(record)
        if not begin <= record.time <= end:
            found.update(_named(record), loads)
    return found if ended else found | known.in_use()


def _records(trace: Trace) -> Iterator[Rate | SharedLevel]:
    """The rates and the shared levels of a trace, in the order of time."""
    both: list[Sequence[Rate | SharedLevel]] = [trace.rates, trace.shared_levels]
    return merge(*both, key=attrgetter("time"))


def _named(record: Rate | SharedLevel) -> Collection[str]:
    """The links whose own rates or loads a record states."""
    return (record.link,) if isinstance(record, Rate) else record.loads


class _LinkRates:
    """What is known of each link at a time of a trace."""

    def __init__(self, only: Collection[str] | None) -> None:
        self.only = only
        self.alone: dict[str, Rate] = {}
        self.levels: dict[str, float] = {}
        self.loads: dict[str, dict[str, tuple[float, float]]] = {}
        self.roots: dict[str, dict[str, None]] = {}
        self.last: dict[str, tuple[float, float]] = {}

    def over(self, trace: Trace) -> Iterator[Rate]:
        """The rates of links after each instant of a trace."""
        time, moved = 0.0, dict[str, None]()
        for record in _records(trace):
            if record.time > time:
                yield from self._moved(time, moved)
                time, moved = record.time, {}
            loads = self.take(record)
            moved.update(dict.fromkeys(filter(self._asked, _named(record))))
            moved.update(dict.fromkeys(loads))
        yield from self._moved(time, moved)

    def take(self, record: Rate | SharedLevel) -> Collection[str]:
        """Note a record; the links of a level that moves."""
        if isinstance(record, Rate):
            self.alone[record.link] = record
            return ()
        loads = self.loads.setdefault(record.root, {})
        for link, load in record.loads.items():
            if not self._asked(link):
                continue
            if link not in self.alone or self.alone[link].time < record.time:
                self.alone[link] = Rate(record.time, link, *record.beside.get(link, (0.0, 0.0)))
            roots = self.roots.setdefault(link, {})
            if any(load):
                loads[link], roots[record.root] = load, None
            else:
                loads.pop(link, None)
                roots.pop(record.root, None)
        if record.level == self.levels.get(record.root):
            return ()
        self.levels[record.root] = record.level
        return loads

    def in_use(self) -> set[str]:
        """The links of which some share is in use."""
        levels = [loads for root, loads in self.loads.items() if self.levels[root]]
        return {link for link, rate in self.alone.items() if rate.busy}.union(*levels)

    def _asked(self, link: str) -> bool:
        return self.only is None or link in self.only

    def _moved(self, time: float, links: dict[str, None]) -> Iterator[Rate]:
        for link in links:
            alone = self.alone.get(link)
            busy, bytes_per_s = (alone.busy, alone.bytes_per_s) if alone is not None else (0.0, 0.0)
            for root in self.roots.get(link, ()):
                load, level = self.loads[root][link], self.levels[root]
                busy, bytes_per_s = busy + load[0] * level, bytes_per_s + load[1] * level
            rates = (min(1.0, busy), bytes_per_s)
            if rates != self.last.get(link, (0.0, 0.0)):
                self.last[link] = rates
                yield Rate(time, link, *rates)
