"""simbackup.devices.raid.spec"""

from __future__ import annotations

from typing import Annotated, Literal

from simbackup.devices.disk.spec import DiskSheet
from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Pieces,
    PositiveSize,
    Rate,
    Word,
)


class RaidSheet(Frozen):
    """A redundant or striped array of equal disks."""

    level: Annotated[Literal["0", "1", "10", "4", "5", "6", "dp"], Word()]
    """RAID level; `dp` is double parity on two dedicated disks."""
    stripe_unit: PositiveSize
    """Bytes on one disk before the stripe goes on to the next."""
    controller_rate: Rate | None = None
    """Greatest rate through the controller, if it may bind."""
    controller_overhead: Duration
    """Time that the controller spends on each request."""
    prefetches: Annotated[bool, Word()] = False
    """Whether the controller reads ahead into a cache of its own, and serves sequential reads from there."""
    group_limit: Pieces | None = None
    """Disks that one group has at most, parity included; any number unless stated."""


class MemberDiskSpec(Modelled, DiskSheet):
    """The disks of an array."""


class RaidSpec(Modelled, RaidSheet):
    """An array of equal disks in a scenario."""

    kind: Literal["raid"]
    disk: MemberDiskSpec
    """The disks it is made of: a datasheet `disk/name`, or a mapping."""
    disks: Pieces
    """Number of disks, parity and mirrors included."""
    groups: Pieces | None = None
    """Groups of equally many disks, each with its own parity or mirrors; one unless stated."""
