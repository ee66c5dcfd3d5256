"""What a site costs: its pools, its cartridges, its object storage, month by month."""

from __future__ import annotations

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
