"""What a site costs: its pools, its cartridges, its object storage, month by month."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from simbackup.planning.ledger import Day
from simbackup.planning.site import PlannedSite
from simbackup.schema.quantity import si_or

TERABYTE = 1e12
MEAN_MONTH = 365.0 / 12.0
"""Days of the month that a price per month is for."""


class Month(NamedTuple):
    """The costs of a month in the currency of the prices: disk pools, new cartridges, object storage, and their sum."""

    month: str
    pools: float
    cartridges: float
    objects: float
    total: float
    currency: str


class ReadBack(NamedTuple):
    """Bytes that are read back from object storage, and what that costs in the currency of the prices."""

    bytes: float
    cost: float
    currency: str


def read_back(site: PlannedSite, by_target: Iterable[tuple[str, float]]) -> ReadBack | None:
    """What it costs to read bytes back from targets; None without a price of `egress`, or if none stores objects."""
    prices = site.file.spec.prices
    size = math.fsum(size for name, size in by_target if site.targets[name].stores_objects)
    if not size or prices is None or prices.egress is None:
        return None
    return ReadBack(size, size / TERABYTE * prices.egress.si, prices.currency)


def months(site: PlannedSite, days: Iterable[Day]) -> list[Month]:
    """The costs of each month of some days; none without prices.

    A pool costs by the bytes that it holds when it is full, object storage by those that are there on each day, and a
    month that is not whole its part.
    """
    prices = site.file.spec.prices
    if prices is None:
        return []
    pool = sum(
        target.capacity / TERABYTE for target in site.targets.values() if not target.tape and not target.stores_objects
    )
    found: list[Month] = []
    bought = 0
    for month, group in groupby(days, key=lambda day: f"{day.day:%Y-%m}"):
        inside = list(group)
        share = len(inside) / MEAN_MONTH
        now = sum(stock.bought for stock in inside[-1].stocks.values())
        objects = sum(
            stock.used for day in inside for name, stock in day.stocks.items() if site.targets[name].stores_objects
        )
        each = (
            pool * si_or(prices.pool_month, 0.0) * share,
            (now - bought) * si_or(prices.cartridge, 0.0),
            objects / TERABYTE / MEAN_MONTH * si_or(prices.object_month, 0.0),
        )
        bought = now
        found.append(Month(month, *each, sum(each), prices.currency))
    return found
