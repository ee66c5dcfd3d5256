"""What a site costs: its pools, its cartridges, its object storage, month by month."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from simbackup.planning.ledger import Day, Stock
from simbackup.planning.prices import PricesSpec
from simbackup.planning.site import PlannedSite
from simbackup.planning.stored import NOTHING
from simbackup.schema.quantity import si_or

TERABYTE = 1e12
COSTS = ("pools", "cartridges", "objects", "total")
"""What costs are for."""
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


def months(site: PlannedSite, days: Iterable[Day]) -> list[Month]:
    """The costs of each month of some days; none without prices.

    A pool costs by the bytes that it holds when it is full. Object storage costs by those that are there on each day or
    were deleted too early, and by the requests that write. A month that is not whole costs its part.
    """
    priced = {name: target.prices for name, target in site.targets.items() if target.prices is not None}
    found: list[Month] = []
    bought = dict.fromkeys(priced, 0)
    for month, group in groupby(days, key=lambda day: f"{day.day:%Y-%m}"):
        inside = list(group) if priced else []
        pools = cartridges = objects = 0.0
        for name, prices in priced.items():
            target, stocks = site.targets[name], [day.stocks[name] for day in inside]
            if target.stores_objects:
                objects += _objects(prices, stocks)
            elif target.tape:
                cartridges += (stocks[-1].bought - bought[name]) * si_or(prices.cartridge, 0.0)
                bought[name] = stocks[-1].bought
            else:
                month_of_all = target.capacity / TERABYTE * si_or(prices.pool_month, 0.0)
                pools += month_of_all * len(stocks) / MEAN_MONTH
        if priced:
            currency = next(iter(priced.values())).currency
            found.append(Month(month, pools, cartridges, objects, pools + cartridges + objects, currency))
    return found


def _objects(prices: PricesSpec, stocks: Iterable[Stock]) -> float:
    """The cost of object storage on some days: what it holds, or is paid for all the same, and what was written."""
    held, written = 0.0, NOTHING
    for stock in stocks:
        held += stock.used + stock.early
        written = written.plus(stock.written)
    each = si_or(prices.write_requests, 0.0)
    requests = written.objects * each + written.parts * si_or(prices.part_requests, each)
    return held / TERABYTE / MEAN_MONTH * si_or(prices.object_month, 0.0) + requests / A_PRICE


def by_year(found: Iterable[Month]) -> dict[str, list[float]]:
    """What pools, cartridges, objects and all of them together cost in each year."""
    years: dict[str, list[float]] = {}
    for month in found:
        sums = years.setdefault(month.month[:4], [0.0, 0.0, 0.0, 0.0])
        for i, each in enumerate((month.pools, month.cartridges, month.objects, month.total)):
            sums[i] += each
    return years
