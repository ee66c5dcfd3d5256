"""What a file may say of hosts, storage and links: for each kind its parameters, and how it is placed."""

from __future__ import annotations

from typing import Annotated, Literal

from simbackup.schema.placed import Placed
from simbackup.schema.quantity import (
    Duration,
    Frequency,
    Frozen,
    Pieces,
    PositiveShare,
    PositiveSize,
    Rate,
    Ratio,
    Share,
    Text,
    Word,
)


class HostParameters(Frozen):
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


class Host(Placed, HostParameters):
    """A computer: it owns devices, runs jobs, and caches what is written."""

    owns: tuple[Text, ...] = ()
    """The devices attached to it."""
    within: Text | None = None
    """The host on which it is a virtual machine: its cores are cores of that one, and as fast."""


class DiskParameters(Frozen):
    """A rotating disk."""

    capacity: PositiveSize
    """Formatted capacity."""
    rotation_speed: Frequency
    """Revolutions a second."""
    track_to_track_seek: Duration
    """Time of the shortest seek."""
    average_seek: Duration
    """Time of a seek over a third of the stroke."""
    full_stroke_seek: Duration
    """Time of the longest seek."""
    outer_rate: Rate
    """Sustained rate in the outermost zone, where the addresses begin."""
    inner_rate: Rate
    """Sustained rate in the innermost zone."""
    stream_turn: PositiveSize
    """Bytes served for one sequential stream before the disk turns to another."""
    command_overhead: Duration
    """Time that drive and controller spend on each request."""


class Disk(Placed, DiskParameters):
    """A rotating disk in a scenario."""

    kind: Literal["disk"]


class SsdParameters(Frozen):
    """A solid-state disk."""

    capacity: PositiveSize
    """Capacity."""
    read_rate: Rate
    """Sequential read rate."""
    write_rate: Rate
    """Sequential write rate."""
    read_latency: Duration
    """Time of one small read."""
    write_latency: Duration
    """Time of one small write."""


class Ssd(Placed, SsdParameters):
    """A solid-state disk in a scenario."""

    kind: Literal["ssd"]


class RaidParameters(Frozen):
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


class MemberDisk(Placed, DiskParameters):
    """The disks of an array."""


class Raid(Placed, RaidParameters):
    """An array of equal disks in a scenario."""

    kind: Literal["raid"]
    disk: MemberDisk
    """The disks it is made of: a datasheet `disk/name`, or a mapping."""
    disks: Pieces
    """Number of disks, parity and mirrors included."""
    groups: Pieces | None = None
    """Groups of equally many disks, each with its own parity or mirrors; one unless stated."""


class Volume(Frozen):
    """A volume on a device."""

    on: Text
    """The device that it lies on."""
    size: PositiveSize
    """Its size."""


class LogicalVolume(Volume):
    """A logical volume: a contiguous part of a device, allocated in the order in which the volumes are listed."""

    kind: Literal["logical_volume"]


class RedirectVolumeParameters(Frozen):
    """A volume that writes to free places, never over old data, as WAFL does."""

    block: PositiveSize
    """Bytes of a block, the least that is written to a new place."""
    run: PositiveSize
    """Bytes that are written to contiguous free room before the arms move on."""
    request: PositiveSize
    """Bytes that a client which reads in sequence asks for at once, where its host does not say."""
    read_ahead: PositiveSize | None = None
    """Bytes that the server reads ahead for such a client; none unless stated, as for a LUN."""
    write_latency: Duration
    """Time until a write is safe, in memory that keeps it or in a log."""
    create_time: Duration
    """Time to create a snapshot or a clone."""
    remove_time: Duration
    """Time to remove one."""


class RedirectVolume(Placed, RedirectVolumeParameters, Volume):
    """A volume that writes to free places, in a scenario."""

    kind: Literal["redirect_volume"]
    guarantee: Literal["volume", "none"] = "volume"
    """Whether its size is kept for it on its device, or only what it uses is taken."""


BLOCK_KINDS = (Disk, Ssd, Raid, Volume)
"""Devices that hold data and backups."""


class Nul(Frozen):
    """A device that takes whatever is written and keeps nothing, by which the reading side is measured alone."""

    kind: Literal["nul"]


class NetworkParameters(Frozen):
    """A network or bus."""

    rate: Rate
    """Payload rate in each direction."""
    latency: Duration
    """Round trip."""
    window: PositiveSize | None = None
    """Bytes that one stream has outstanding in the queue of the adapter; none stand there unless stated."""


class Link(Placed, NetworkParameters):
    """A network or bus that joins hosts and devices."""

    joins: tuple[Text, ...]
    """The hosts and devices that it joins, or other links, as a bridge does."""
    count: Pieces | None = None
    """Links of this kind side by side, each stream on one of them; one unless stated."""
