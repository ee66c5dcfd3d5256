"""What a site has for its backups and pays for beside storage: servers, disks, libraries, drives, lines, work."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import count, takewhile
from typing import NamedTuple

from dateutil.relativedelta import relativedelta

from simbackup.planning.loading import SiteFile
from simbackup.planning.night import DAY
from simbackup.planning.prices import PricesSpec
from simbackup.planning.spec import MAIN, CostSpec
from simbackup.scenario import Scenario
from simbackup.schema.capability import BlockDevice, MediaLibrary, ObjectTarget
from simbackup.schema.quantity import Quantity, si_or

TERABYTE = 1e12
GIGABIT = 1e9 / 8.0
"""Bytes a second of a line that a price is for."""
DAYS = 365.0
"""Days of a year."""
WEEKS = DAYS / 7.0
HOUR = 3600.0
MONTHS = 12.0
SERVER, LINE, WORK, OWN = "server", "line", "work", "cost"
"""What an expense is for; `cost` is what the site states under `costs`."""


class Expense(NamedTuple):
    """Something that is paid for: at once, each year, or both, in the currency of the prices."""

    part: str
    """The part of the site, or the name of a cost."""
    what: str
    """What it is: `server`, `disks`, `flash`, `library`, `drives`, `line`, `work`, or `cost`."""
    amount: float
    """How many there are, or how much: servers, libraries, drives and costs; terabytes of disks; Gb/s; hours a week."""
    price: float
    """What it costs at once."""
    bought: date
    """When it is paid for the first time, maybe before the plan."""
    life: float | None
    """Seconds after which it is paid for again; None if never."""
    yearly: float
    """What it costs each year."""

    def paid(self, first: date, last: date) -> float:
        """What is paid at once from a day to another, both included."""
        return self.price * sum(first <= day for day in takewhile(lambda day: day <= last, self._payments()))

    def _payments(self) -> Iterator[date]:
        """The days on which it is paid for; whole years end on the date of the purchase, leap years or not."""
        if self.life is None:
            yield self.bought
            return
        years, rest = divmod(self.life, DAYS * DAY)
        step = relativedelta(days=max(int(self.life // DAY), 1)) if rest else relativedelta(years=int(years))
        yield from (self.bought + i * step for i in count())

    def running(self, first: date, last: date) -> float:
        """What it costs by time from a day to another, both included."""
        return self.yearly * max((last - max(first, self.bought)).days + 1, 0) / DAYS


def expenses(file: SiteFile, scenario: Scenario) -> tuple[Expense, ...]:
    """What a site pays for beside storage.

    Hosts and datastores on which systems run are there without backups, too: they cost what the site states under
    `costs`. A pool with a price for each month holds its disks, and a bucket with one its host.

    Parameters
    ----------
    file
        The site.
    scenario
        Its first night, with the values of its datasheets.
    """
    own = {one.of for one in file.spec.costs.values()}
    listed = [one for one in _listed(file, scenario) if one.part not in own]
    stated = [each for name, cost in file.spec.costs.items() for each in _stated(file, name, cost)]
    return (*listed, *stated)


def _stated(file: SiteFile, name: str, cost: CostSpec) -> Iterator[Expense]:
    """What the site itself states that something costs."""
    price, start, prices = si_or(cost.price, 0.0), cost.bought or file.spec.start, file.spec.prices
    listed = prices if cost.of is not None else None
    life = cost.life or (listed.life if listed is not None else None)
    upkeep = price * si_or(listed.upkeep, 0.0) if listed is not None else 0.0
    if cost.price is not None or cost.yearly is not None or cost.weekly is None:
        yield Expense(cost.of or name, OWN, 1.0, price, start, _si(life), si_or(cost.yearly, upkeep))
    if cost.weekly is not None and prices is not None:
        hours = cost.weekly.si / HOUR
        yield Expense(name, WORK, hours, 0.0, file.spec.start, None, hours * WEEKS * si_or(prices.hour, 0.0))


def _si(said: Quantity | None) -> float | None:
    return None if said is None else said.si


def _listed(file: SiteFile, scenario: Scenario) -> Iterator[Expense]:
    """What the prices of the site and of its targets say of its parts."""
    spec = file.spec
    devices, busy = scenario.spec.devices, {system.host for system in spec.systems.values()}
    servers: dict[str, PricesSpec | None] = {
        name: spec.prices for name, host in spec.hosts.items() if name not in busy and host.within is None
    }
    for name in spec.targets:
        if spec.device_of(name) != name:
            continue
        device, prices = devices[name], spec.targets[name].prices or spec.prices
        if not isinstance(device, ObjectTarget) or prices is None or prices.object_month is None:
            servers |= {host: prices for host in spec.hosts_of(name) if host not in spec.hosts}
        if isinstance(device, MediaLibrary):
            yield from _hardware(file, prices, name, "library", 1.0)
            yield from _hardware(file, prices, name, "drives", device.drive_count())
        elif isinstance(device, BlockDevice) and (media := device.media()) is not None and _bought(prices):
            yield from _hardware(file, prices, name, "flash" if media.solid else "disks", media.raw / TERABYTE)
    for name, prices in servers.items():
        part = name if name in spec.hosts else name.removesuffix("-host")
        yield from _hardware(file, prices, part, SERVER, 1.0)
    for name, link in _lines(file, scenario):
        prices = (spec.targets[name].prices if name in spec.targets else None) or spec.prices
        if prices is not None and prices.line_month is not None:
            rate = scenario.spec.links[link].rate.si / GIGABIT
            price = prices.line_month.si * rate ** si_or(prices.line_scale, 1.0)
            yield Expense(name, LINE, rate, 0.0, spec.start, None, price * MONTHS)


def _bought(prices: PricesSpec | None) -> bool:
    """Whether the disks of a pool are bought, and not paid for by the month."""
    return prices is not None and prices.pool_month is None


PRICED = {SERVER: "server", "disks": "disk", "flash": "flash", "library": "library", "drives": "drive"}
"""The key of the price of each kind of hardware."""


def _hardware(file: SiteFile, prices: PricesSpec | None, part: str, what: str, amount: float) -> Iterator[Expense]:
    """Hardware that is bought on the first day, if it has a price."""
    each: Quantity | None = getattr(prices, PRICED[what], None)
    if prices is not None and each is not None:
        price = each.si * amount
        yield Expense(part, what, amount, price, file.spec.start, _si(prices.life), price * si_or(prices.upkeep, 0.0))


def _lines(file: SiteFile, scenario: Scenario) -> Iterator[tuple[str, str]]:
    """The lines to other places, with their links: uplinks, networks of single hosts, and links to object stores."""
    spec, links = file.spec, scenario.spec.links
    home = next((spec.place_of(name) for name, host in spec.hosts.items() if host.uplink is None), None)
    home = home or next((machine.place for machine in spec.machines.values()), MAIN)
    behind = {host.uplink for name, host in spec.hosts.items() if spec.place_of(name) != home}
    yield from ((name, name) for name in spec.uplinks if name in behind and name in links)
    for name, host in spec.hosts.items():
        if f"{name}-network" in links and host.uplink is None and spec.place_of(name) != home:
            yield name, f"{name}-network"
    for name in spec.targets:
        if spec.device_of(name) != name:
            continue
        if f"{name}-network" in links and spec.place_of(name) != home:
            yield name, f"{name}-network"
        if f"{name}-link" in links and isinstance(scenario.spec.devices[name], ObjectTarget):
            yield name, f"{name}-link"
