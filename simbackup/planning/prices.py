"""What storage costs: a datasheet of prices on a date."""

from __future__ import annotations

from typing import Annotated

from simbackup.schema.part import Modelled
from simbackup.schema.quantity import Duration, Frozen, Money, Word


class PricesSheet(Frozen):
    """What storage costs, in a currency, on a date. A terabyte is 10^12 bytes."""

    currency: Annotated[str, Word()]
    """The currency, such as `EUR`."""
    date: Annotated[str, Word()]
    """The date of the prices, such as `2026-01-31`."""
    pool_month: Money | None = None
    """Price of a terabyte of a disk pool for a month: purchase over its life, power, space."""
    cartridge: Money | None = None
    """Price of a new cartridge."""
    object_month: Money | None = None
    """Price of a terabyte of object storage for a month."""
    minimum_storage: Duration | None = None
    """Minimum time for which object storage is paid: data deleted earlier cost as much as if they had stayed."""
    write_requests: Money | None = None
    """Price of a million requests that write objects to object storage."""
    part_requests: Money | None = None
    """Price of a million requests that write parts of large objects; `write_requests` by default."""
    egress: Money | None = None
    """Price of a terabyte that a restore reads back from object storage; `plan restore` prints the cost."""
    retrieval: Money | None = None
    """Price of a terabyte that an archive makes readable, in addition to `egress`."""


class PricesSpec(Modelled, PricesSheet):
    """The prices of a site or of a target: a datasheet `prices/name`, or a mapping."""
