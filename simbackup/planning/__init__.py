"""Plans of a site over months: nights, capacity, cartridges, restore points, restores and cost."""

from __future__ import annotations

from simbackup.planning.prices import PricesSheet

SHEETS = {"prices": PricesSheet}
