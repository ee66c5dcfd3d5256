"""Failures in the nights of a plan: what a site file may say about them, and when each happens."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from pydantic import BeforeValidator

from simbackup.policies.clock import moment
from simbackup.schema.failure import Ageing
from simbackup.schema.part import Rules
from simbackup.schema.quantity import Count, Duration, PositiveCount, PositiveDuration, Text, si_or, usual

if TYPE_CHECKING:
    from simbackup.planning.spec import SiteSpec

DISK, SECTOR = "disk", "sector"
"""The keys of a failure of a disk of an array, and of a sector of such a disk."""
WHAT = ("host", "device", "link", "drive", "robot", DISK, SECTOR, "cartridge")
"""Keys of which a failure has one: what fails."""
HAVE_NO_TIMEOUT = {
    "host": "what runs on a host cannot wait for it", DISK: "the array goes on without it",
    "cartridge": "who reads it cannot wait for it", "robot": "who needs it waits for it",
    SECTOR: "who rebuilds a disk cannot wait for it",
}  # fmt: skip
"""What fails without a time for which transfers wait, and why not."""
YEAR = 365.0 * 86_400.0
MOST = 1_000.0
"""Failures in a year up to which a plan can follow each of them."""


def _moments(raw: Any) -> Any:
    """One moment or several, as texts."""
    return tuple(map(str, raw)) if isinstance(raw, list | tuple) else (str(raw),)  # pyright: ignore[reportUnknownArgumentType]


Moments = Annotated[tuple[Text, ...], BeforeValidator(_moments)]


class SiteFailureSpec(Ageing):
    """A part of a site that fails in the plan and comes back, as under `failures` of a scenario.

    Backups and copies that move data over it fail, are tried again as `retries` of their policy say, or run late. What
    is not saved is no restore point.
    """

    host: Text | None = None
    """The host that fails: a name under `hosts`, a target whose own host fails, or a system whose machine fails."""
    device: Text | None = None
    """The target, or the datastore, whose device fails. What is on it is there again when it is back."""
    link: Text | None = None
    """The link that fails: `network`, a name under `uplinks`, or a target, a host or a datastore that has links of its
    own."""
    drive: Text | None = None
    """The target of whose tape library one drive fails: the first that works at the time, or else the first."""
    robot: Text | None = None
    """The target whose tape library has no robot meanwhile; loaded drives go on."""
    disk: Text | None = None
    """The target, or the datastore, of whose array one disk fails. The array goes on without it, and is rebuilt beside
    the jobs when a spare disk has taken its place."""
    sector: Text | None = None
    """The target, or the datastore, on one of whose disks a sector becomes unreadable. Nobody knows until a disk of
    this array is rebuilt the next time: if no redundancy is left by then, the array loses its data, and otherwise it
    repairs the sector."""
    cartridge: Text | None = None
    """The target whose newest cartridge becomes unreadable. Nobody knows until it is loaded: restores then take other
    copies, or older ones, of the save sets on it."""
    at: Moments | None = None
    """When it fails, such as `2027-03-01 02:00`, or several times as a list."""
    yearly: PositiveCount | None = None
    """Instead of `at`, how often it fails in a year on average, at times that are drawn at random."""
    seed: Count = usual("0")
    """Which random times are drawn for `yearly`: each number draws others."""
    lasts: PositiveDuration | None = None
    """How long it is away each time; of a disk, until a spare one takes its place. A cartridge or a sector stays
    unreadable."""
    timeout: Duration = usual("0 s", "s")
    """How long transfers wait for it before they fail, and go on if it is back by then."""

    @property
    def what(self) -> str:
        """The key that names what fails; empty if none does."""
        return next((key for key in WHAT if getattr(self, key) is not None), "")

    @property
    def name(self) -> str:
        """The name of what fails."""
        return str(getattr(self, self.what, ""))

    def rules(self) -> Rules:
        """Report what does not say what fails and when."""
        named = [key for key in WHAT if getattr(self, key) is not None]
        if len(named) != 1:
            message = "names several parts that fail" if named else "does not say what fails"
            yield (named[-1] if named else WHAT[0],), message, f"write one of {', '.join(map(repr, WHAT))}"
        if (self.at is None) == (self.yearly is None):
            message = "says when it fails, and how often" if self.at is not None else "does not say when it fails"
            yield ("at",), message, "write 'at: 2027-03-01 02:00', or 'yearly: 2'"
        for text in self.at or ():
            try:
                datetime.fromisoformat(text)
            except ValueError:
                yield ("at",), f"'{text}' is not a date and a time of day", "write for example '2027-03-01 02:00'"
        if self.yearly is not None and self.yearly.si > MOST:
            yield ("yearly",), f"{self.yearly.si:,.0f} failures in a year are too many", f"write {MOST:.0f} or less"
        if self.states("seed") and self.yearly is None:
            yield ("seed",), "has no effect without 'yearly'", "leave it out"
        if self.states("timeout") and self.what in HAVE_NO_TIMEOUT:
            yield ("timeout",), f"has no effect on a {self.what}", HAVE_NO_TIMEOUT[self.what]
        yield from self.of_ages()
        stays = self.what in {"cartridge", SECTOR}
        if self.lasts is None and not stays:
            yield ("lasts",), "does not say how long it is away", "write for example 'lasts: 4 h'"
        if self.lasts is not None and stays:
            yield ("lasts",), f"has no effect on a {self.what}", "leave it out: it stays unreadable"

    def moments(self, name: str, start: date, last: date, zone: ZoneInfo) -> Iterator[datetime]:
        """The moments at which it fails from the start of a site to the last day, in order."""
        if self.at is not None:
            found = sorted(datetime.fromisoformat(text) for text in self.at)
            yield from (moment(one.date(), one.time(), zone) for one in found if start <= one.date() <= last)
            return
        if self.yearly is None:
            return
        draws = np.random.default_rng([zlib.crc32(name.encode()), int(self.seed.si)])
        at, end = (moment(day, time(), zone).astimezone(UTC) for day in (start, last + timedelta(days=1)))
        pieces = ((seconds, rate.si) for seconds, rate in self.pieces(self.yearly))
        length, rate = next(pieces)
        while True:
            wait, left = 0.0, float(draws.exponential())  # failures on average until the next one
            while rate == 0.0 or left * YEAR / rate > length:
                wait += length
                if wait >= (end - at).total_seconds():
                    return
                left -= length * rate / YEAR
                length, rate = next(pieces)
            length -= left * YEAR / rate
            at += timedelta(seconds=round(wait + left * YEAR / rate))
            if at >= end:
                return
            yield at.astimezone(zone)


class Outage(NamedTuple):
    """A failure of a site that happens: its name, and the moments from which and until which its part is away.

    A cartridge that becomes unreadable is away from then on for no time at all: it is no part that nights need.
    """

    name: str
    begin: datetime
    end: datetime


class NightFailure(NamedTuple):
    """A failure in the nights that are simulated together: when, in seconds from the first midnight, and how long."""

    name: str
    at: float
    lasts: float


def outages(spec: SiteSpec, last: date) -> list[Outage]:
    """All that fails in a site until the last day and that nights notice, in order.

    A sector that cannot be read is noticed in the night in which a disk of its array fails the next time.
    """
    each, found = happening(spec, last), list[Outage]()
    disks = [(one, _failing(spec, one)) for one in each if spec.failures[one.name].what == DISK]
    for one in each:
        what, parts = spec.failures[one.name].what, _failing(spec, one)
        if what == SECTOR:
            rebuilt = (disk for disk, of in disks if of == parts and disk.end >= one.begin)
            found += [disk._replace(name=one.name, begin=max(one.begin, disk.begin)) for disk in rebuilt][:1]
        elif what != "cartridge":
            found.append(one)
    return sorted(found, key=lambda one: (one.begin, one.name))


def _failing(spec: SiteSpec, one: Outage) -> list[str]:
    return parts_that_fail(spec, spec.failures[one.name])


def unreadable(spec: SiteSpec, last: date) -> list[tuple[str, datetime]]:
    """The targets whose newest cartridge becomes unreadable until the last day, and when, in order."""
    found = (one for one in happening(spec, last) if spec.failures[one.name].what == "cartridge")
    return [(spec.failures[one.name].name, one.begin) for one in found]


def happening(spec: SiteSpec, last: date) -> list[Outage]:
    """All failures of a site until the last day, in order."""
    zone = ZoneInfo(spec.zone)
    found = [
        Outage(name, begin, (begin.astimezone(UTC) + timedelta(seconds=si_or(one.lasts, 0.0))).astimezone(zone))
        for name, one in spec.failures.items()
        for begin in one.moments(name, spec.start, last, zone)
    ]
    return sorted(found, key=lambda one: (one.begin, one.name))


def outside(spec: SiteSpec, last: date) -> Iterator[tuple[str, str]]:
    """The failures that do not happen in a plan until the last day, with the moments at which they would."""
    for name, one in spec.failures.items():
        for text in one.at or ():
            if not spec.start <= datetime.fromisoformat(text).date() <= last:
                yield name, text


def in_night(found: Outage, day: date) -> NightFailure:
    """An outage as the scenario of the nights from a day on has it; one that began before is there from the first."""
    at = (found.begin.replace(tzinfo=None) - datetime.combine(day, time())).total_seconds()
    lasts = (found.end.astimezone(UTC) - found.begin.astimezone(UTC)).total_seconds()
    return NightFailure(found.name, max(at, 0.0), lasts + min(at, 0.0))


def parts_that_fail(spec: SiteSpec, one: SiteFailureSpec) -> list[str]:
    """What fails, by the names that parts have in the scenarios of nights; none if the site has no such part."""
    return _FINDERS[one.what](spec, one.name)


def legal(spec: SiteSpec, what: str) -> list[str]:
    """The names that a key of a failure may have."""
    names = [*spec.hosts, *spec.uplinks, *spec.targets, *spec.datastores, *spec.systems, "network"]
    return [name for name in names if _FINDERS[what](spec, name)]


def _hosts(spec: SiteSpec, name: str) -> list[str]:
    if name in spec.hosts or (name in spec.systems and spec.systems[name].host is None):
        return [name]
    own = f"{name}-host"
    return [own] if name in spec.targets and not spec.targets[name].beside and spec.hosts_of(name) == (own,) else []


def _devices(spec: SiteSpec, name: str) -> list[str]:
    if name in spec.targets:
        return [spec.device_of(name)]
    return [spec.datastores[name].lies_on or name] if name in spec.datastores else []


def _links(spec: SiteSpec, name: str) -> list[str]:
    if name == "network" or name in spec.uplinks:
        return [name]
    if name in spec.targets and spec.targets[name].shares_with is None:
        found = spec.targets[name]
        own = not found.beside and spec.hosts_of(name) == (f"{name}-host",)
        given = {"network": found.network if own else None, "link": found.link}
    elif name in spec.hosts:
        given = {"network": spec.hosts[name].network}
    elif name in spec.datastores:
        link = spec.datastores[name].link
        given = {"link": None if link == "network" else link}
    else:
        return []
    return [f"{name}-{key}" for key, link in given.items() if link is not None]


def _arrays(spec: SiteSpec, name: str) -> list[str]:
    return [each for each in _devices(spec, name) if spec.is_array(each)]


def _libraries(spec: SiteSpec, name: str) -> list[str]:
    return [spec.device_of(name)] if name in spec.targets and spec.is_library(name) else []


_FINDERS = {
    "host": _hosts, "device": _devices, "link": _links, "drive": _libraries, DISK: _arrays, SECTOR: _arrays,
    "cartridge": _libraries, "robot": _libraries,
}  # fmt: skip
