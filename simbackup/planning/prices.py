"""What storage, hardware, lines and work cost: a datasheet of prices on a date."""

from __future__ import annotations

from typing import Annotated

from simbackup.schema.part import Modelled
from simbackup.schema.quantity import Duration, Frozen, Money, Multiple, PositiveDuration, Word


class PricesSheet(Frozen):
    """What storage, hardware, lines and work cost, in a currency, on a date. A terabyte is 10^12 bytes."""

    currency: Annotated[str, Word()]
    """The currency, such as `EUR`."""
    date: Annotated[str, Word()]
    """The date of the prices, such as `2026-01-31`."""
    pool_month: Money | None = None
    """Price of a terabyte of a disk pool for a month: purchase over its life, power, space. Disks of a pool with this
    price are not bought, too."""
    cartridge: Money | None = None
    """Price of a new cartridge."""
    object_month: Money | None = None
    """Price of a terabyte of object storage for a month. The host of a target with this price is not bought, too."""
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
    server: Money | None = None
    """Price of a server that does nothing but backups: a host of a target, or a proxy."""
    disk: Money | None = None
    """Price of a terabyte of rotating disks in a pool without `pool_month`, parity and mirrors included."""
    flash: Money | None = None
    """Price of a terabyte of solid-state disks in a pool without `pool_month`, parity and mirrors included."""
    library: Money | None = None
    """Price of a tape library without its drives."""
    drive: Money | None = None
    """Price of a tape drive."""
    line_month: Money | None = None
    """Price of a line of 1 Gb/s to another place for a month."""
    line_scale: Multiple | None = None
    """How the price of a line grows with its rate: as the rate to this power; 1 by default."""
    hour: Money | None = None
    """Price of an hour of work."""
    upkeep: Multiple | None = None
    """Share of its price that hardware costs each year for power, room and service; nothing by default."""
    life: PositiveDuration | None = None
    """Time after which hardware is bought anew; never by default."""


class PricesSpec(Modelled, PricesSheet):
    """The prices of a site or of a target: a datasheet `prices/name`, or a mapping."""
