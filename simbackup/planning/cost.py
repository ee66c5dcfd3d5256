"""What a site costs, month by month: pools, cartridges, object storage, hardware, lines, work."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from simbackup.planning.expenses import LINE, WORK
from simbackup.planning.ledger import Day, Stock, of_case
from simbackup.planning.prices import PricesSpec
from simbackup.planning.site import PlannedSite
from simbackup.planning.stored import NOTHING
from simbackup.schema.quantity import si_or

TERABYTE = 1e12
MEAN_MONTH = 365.0 / 12.0
"""Days of the month that a price per month is for."""
A_PRICE = 1e6
"""Requests that a price is for."""


class Month(NamedTuple):
    """The costs of a month, in the currency of the prices."""

    month: str
    """The month."""
    pools: float
    """Disk pools."""
    cartridges: float
    """New cartridges."""
    objects: float
    """Object storage."""
    hardware: float
    """Servers, disks, libraries and drives that are bought, and what else is paid at once."""
    yearly: float
    """What these cost by time, such as power, room and service, and what else is paid for each year."""
    lines: float
    """Lines to other places."""
    work: float
    """Work of people."""
    total: float
    """The sum."""
    currency: str
    """The currency."""


class ReadBack(NamedTuple):
    """What reading back from object storage costs."""

    bytes: float
    """Bytes that are read."""
    cost: float
    """In the currency of the prices."""
    currency: str
    """The currency."""


def read_back(site: PlannedSite, by_target: Iterable[tuple[str, float]]) -> ReadBack | None:
    """What it costs to read bytes back from targets; None if none stores objects, or without prices of reading."""
    total, costs, currency = 0.0, list[float](), ""
    for name, size in by_target:
        prices = site.targets[name].prices
        if not site.targets[name].stores_objects or prices is None or prices.egress is prices.retrieval is None:
            continue
        total += size
        costs.append(size / TERABYTE * (si_or(prices.egress, 0.0) + si_or(prices.retrieval, 0.0)))
        currency = prices.currency
    return ReadBack(total, math.fsum(costs), currency) if total else None


def months(site: PlannedSite, days: Iterable[Day], paid_for: PlannedSite | None = None) -> list[Month]:
    """The costs of each month of some days; none without prices.

    A pool costs by the bytes that it holds when it is full. Object storage costs by those that are there on each day or
    were deleted too early, and by the requests that write. A month that is not whole costs its part.

    Parameters
    ----------
    site
        The site.
    days
        Its ledger.
    paid_for
        The same site before purchases that have prices of their own: the pools and the hardware that it has are paid
        for, and no others. By default, all that the site has.
    """
    owner = site if paid_for is None else paid_for
    priced = {name: target.prices for name, target in site.targets.items() if target.prices is not None}
    currency = currency_of(site)
    found: list[Month] = []
    bought = dict.fromkeys(priced, 0)
    for month, group in groupby(days, key=lambda day: f"{day.day:%Y-%m}"):
        if currency is None:
            break
        inside = list(group)
        pools = cartridges = objects = 0.0
        for name, prices in priced.items():
            target, stocks = site.targets[name], [day.stocks[name] for day in inside]
            if target.stores_objects:
                objects += _objects(prices, stocks)
            elif target.tape:
                cartridges += (stocks[-1].bought - bought[name]) * si_or(prices.cartridge, 0.0)
                bought[name] = stocks[-1].bought
            elif prices.pool_month is not None:
                capacity = owner.targets.get(name, target).capacity
                pools += capacity / TERABYTE * prices.pool_month.si * len(stocks) / MEAN_MONTH
        others = _others(owner, inside[0].day, inside[-1].day)
        total = math.fsum((pools, cartridges, objects, *others))
        found.append(Month(month, pools, cartridges, objects, *others, total, currency))
    return found


def currency_of(site: PlannedSite) -> str | None:
    """The currency of all prices of a site; None without any."""
    each = (site.file.spec.prices, *(target.prices for target in site.targets.values()))
    return next((prices.currency for prices in each if prices is not None), None)


def _others(site: PlannedSite, first: date, last: date) -> tuple[float, float, float, float]:
    """What a site costs beside storage from a day to another: hardware, what it costs by time, lines, work."""
    hardware = math.fsum(one.paid(first, last) for one in site.expenses)
    running = {LINE: 0.0, WORK: 0.0, "": 0.0}
    for one in site.expenses:
        running[one.what if one.what in running else ""] += one.running(first, last)
    return hardware, running[""], running[LINE], running[WORK]


def _objects(prices: PricesSpec, stocks: Iterable[Stock]) -> float:
    """The cost of object storage on some days: what it holds, or is paid for all the same, and what was written."""
    held, written = 0.0, NOTHING
    for stock in stocks:
        held += stock.used + stock.early
        written = written.plus(stock.written)
    each = si_or(prices.write_requests, 0.0)
    objects, parts = (of_case(count, 0) for count in written)
    requests = objects * each + parts * si_or(prices.part_requests, each)
    return held / TERABYTE / MEAN_MONTH * si_or(prices.object_month, 0.0) + requests / A_PRICE


STORAGE = {"pools": "pools", "cartridges": "cartridges", "objects": "object storage"}
OTHERS = {"hardware": "hardware", "yearly": "upkeep", "lines": "lines", "work": "work"}
"""Fields of a month that are costs, with their heads in tables."""


def by_year(found: Iterable[Month]) -> dict[str, dict[str, float]]:
    """What each year costs, by the names of the fields of a month; the last is the total."""
    years: dict[str, dict[str, float]] = {}
    for month in found:
        sums = years.setdefault(month.month[:4], dict.fromkeys((*STORAGE, *OTHERS, "total"), 0.0))
        for name in sums:
            sums[name] += getattr(month, name)
    return years


def cost_heads(found: Sequence[Month]) -> dict[str, str]:
    """The heads of costs in tables, by the fields of a month; of what is not storage, only what costs anything."""
    others = {key: head for key, head in OTHERS.items() if any(getattr(one, key) for one in found)}
    return STORAGE | others | {"total": f"total, {found[0].currency}" if found else "total"}
