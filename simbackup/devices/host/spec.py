"""simbackup.devices.host.spec"""

from __future__ import annotations

from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import (
    Frozen,
    Pieces,
    PositiveShare,
    PositiveSize,
    Rate,
    Ratio,
    Share,
    Text,
)


class HostSheet(Frozen):
    """A computer and the page cache of its operating system."""

    cores: Pieces
    """Processor cores."""
    memory: PositiveSize
    """Main memory."""
    dirty_limit: PositiveShare
    """Share of memory that may hold unwritten data before writers are held to the pace of the disks."""
    dirty_background: Share
    """Share of memory that may hold unwritten data before write-back begins."""
    copy_rate: Rate
    """Rate at which one core moves data between a program and the page cache."""
    speed: Ratio | None = None
    """Speed of one core over that of the reference core, one of SPECint_base2006 10; the same unless stated."""
    read_ahead: PositiveSize | None = None
    """Window that is read ahead of a program, and waited for; without it reading never waits for its own windows."""


class HostSpec(Modelled, HostSheet):
    """A computer: it owns devices, runs jobs, and caches what is written."""

    owns: tuple[Text, ...] = ()
    """The devices attached to it."""
    within: Text | None = None
    """The host on which it is a virtual machine: its cores are cores of that one, and as fast."""
