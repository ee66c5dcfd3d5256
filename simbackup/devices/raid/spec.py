"""What a file may say about an array of equal disks, rotating or solid-state."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from simbackup.devices.disk.spec import DiskSheet
from simbackup.devices.ssd.spec import SsdSheet
from simbackup.equations import raid
from simbackup.schema.capability import Media, RedundantDevice
from simbackup.schema.part import Fact, Facts, Modelled, Rules, amount, made, number
from simbackup.schema.quantity import Count, Duration, Frozen, Pieces, PositiveCount, PositiveSize, Rate, Word, usual
from simbackup.schema.registry import DeviceKind, Look


class RaidSheet(Frozen):
    """A redundant or striped array of equal disks."""

    level: Annotated[Literal["0", "1", "10", "4", "5", "6", "dp"], Word()]
    """RAID level; `dp` is double parity on two dedicated disks."""
    stripe_unit: PositiveSize
    """Bytes on one disk before the stripe continues on the next."""
    controller_rate: Rate | None = None
    """Maximum rate through the controller, if it can be a limit."""
    controller_write_rate: Rate | None = None
    """Maximum rate of writes through the controller; by default, `controller_rate`."""
    controller_overhead: Duration
    """Time that the controller spends on each request."""
    prefetches: Annotated[bool, Word()] = False
    """Whether the controller reads ahead into a cache of its own, from which it serves sequential reads."""
    read_ahead: PositiveSize | None = None
    """Bytes of one stream that the controller reads ahead at once, if it `prefetches`."""
    stripes_ahead: Count = usual("0")
    """Minimum number of whole stripes that a host reads ahead, as operating systems do on their own software arrays.
    """
    write_cache: PositiveSize | None = None
    """Cache from which the controller acknowledges writes until it is full; by default, the controller writes through.
    """
    write_behind: PositiveSize | None = None
    """Maximum bytes of one stream that go from the write cache to the disks at once, when several streams are written;
    by default, the stream's part of the cache.
    """
    rebuild_rate: Rate | None = None
    """Maximum bytes per second that a rebuild writes to the new disk, as operating systems and controllers set it; no
    limit by default.
    """
    rebuilds: Annotated[Literal["whole", "allocated", "by_age"], Word()] = "whole"
    """What a rebuild copies: the `whole` disk, as arrays do that only see blocks; or what is allocated, as ZFS and
    arrays do that place data themselves, in sequence (`allocated`), or in the order in which it was written (`by_age`),
    so that files with a scattered `layout` are read piece by piece. What is allocated lies on the outer tracks of
    rotating disks, which are filled first.
    """
    rebuild_requests: PositiveCount = usual("1")
    """Number of pieces that a rebuild `by_age` requests at the same time; each disk reads them in the order of their
    places.
    """
    declustered: PositiveSize | None = None
    """Bytes of one disk after which a group goes on with other disks, in an array that spreads its groups and its spare
    space over all disks (declustered RAID, such as dRAID and disk pools). A rebuild then reads and writes all of them.
    By default, a group keeps its disks, and a rebuild fills a new disk.
    """


MIRROR = 2
"""Disks of one pair."""
SURVIVING = ("1", "10", "5", "6")
"""Levels that work without one of their disks, and spread its work."""


class MemberDiskSpec(Modelled, DiskSheet):
    """The rotating disks of an array."""


class MemberSsdSpec(Modelled, SsdSheet):
    """The solid-state disks of an array."""


class RaidSpec(RedundantDevice, Modelled, RaidSheet):
    """An array of equal disks in a scenario."""

    kind: Literal["raid"]
    disk: MemberDiskSpec | None = None
    """The rotating disks of the array: a datasheet `disk/name`, or a mapping."""
    ssd: MemberSsdSpec | None = None
    """The solid-state disks of the array, instead of `disk`: a datasheet `ssd/name`, or a mapping."""
    disks: Pieces
    """Number of disks, parity and mirrors included."""
    groups: Pieces = usual("1")
    """Number of groups with equally many disks, each with its own parity or mirrors."""
    failed: Pieces = usual("0")
    """Number of disks that have failed and have not been replaced: at most one, whose contents are reconstructed from
    the others.
    """

    drawn_as: ClassVar[str] = "array"
    one_of: ClassVar[tuple[str, ...]] = ("disk", "ssd")

    @property
    def member(self) -> MemberDiskSpec | MemberSsdSpec | None:
        """The disks it is made of, None if it names none."""
        return self.ssd if self.disk is None else self.disk

    def missing(self) -> bool:
        """Whether a disk has failed."""
        return self.failed.si > 0

    def tolerance(self) -> int | None:
        """How many disks of a group may fail before it loses data; None if it is not simulated without one."""
        if self.level not in SURVIVING:
            return 0 if self.level == "0" else None
        groups = int(self.groups.si)
        return raid.tolerance(self.level, int(self.disks.si) // groups)

    def rules(self) -> Rules:
        """Report disks that are missing or of two kinds, or do not make up whole groups of the level."""
        if self.member is None:
            message = "does not say what disks the array is made of"
            yield ("disks",), message, "write 'disk: disk/NAME' or 'ssd: ssd/NAME'"
        elif self.disk is not None and self.ssd is not None:
            yield ("disk", "ssd"), "an array is made of equal disks", "write one of 'disk' and 'ssd'"
        least, groups = raid.minimum_disks(self.level), int(self.groups.si)
        if self.disks.si < least * groups:
            each = f", in each of {groups} groups" if groups > 1 else ""
            message = f"level {self.level} needs {least} disks or more{each}"
            remedy = "write 'level: 1'" if self.level == "10" and self.disks.si == MIRROR * groups else None
            yield ("disks", "level"), message, remedy or f"write {least * groups} or more"
        elif self.disks.si % groups:
            yield (
                ("groups", "disks"),
                "the disks do not divide evenly into groups",
                f"make the number of disks a multiple of {groups}",
            )
        elif self.level == "10" and self.disks.si // groups % 2:
            yield ("disks", "level"), "mirrors come in pairs", "write an even number of disks"
        if self.failed.si:
            yield from self._survives(int(self.failed.si))
        if self.read_ahead is not None and not self.prefetches:
            message = "a controller that does not prefetch does not read ahead"
            yield ("read_ahead", "prefetches"), message, "leave read_ahead out, or write 'prefetches: true'"
        if self.write_behind is not None and self.write_cache is None:
            message = "a controller without a write cache writes nothing behind"
            yield ("write_behind",), message, "leave write_behind out, or write 'write_cache: 1 GB'"

    def _survives(self, failed: int) -> Rules:
        """Report a loss that the level does not survive, or that is not described."""
        if self.level not in SURVIVING:
            message = f"the loss of a disk at level {self.level} is not simulated"
            yield ("failed", "level"), message, "leave 'failed' out, or write level 1, 5, 6 or 10"
        elif failed > 1:
            yield ("failed",), "only one missing disk can be simulated", "write 'failed: 1'"

    def capacity_bytes(self) -> float | None:
        """Bytes for data, None if the disks do not make up whole groups."""
        disks, groups = int(self.disks.si), int(self.groups.si)
        odd, disks = (self.level == "10" and disks // groups % 2) or disks % groups, disks // groups
        if disks < raid.minimum_disks(self.level) or odd or self.member is None:
            return None
        return groups * raid.usable_capacity(self.level, disks, self.member.capacity.si)

    def media(self) -> Media | None:
        """All its disks; None if it names none."""
        if self.member is None:
            return None
        return Media(self.disks.si * self.member.capacity.si, solid=self.ssd is not None)

    def redundancy(self) -> tuple[int, int, int]:
        """Groups of disks that protect each other: how many, the disks of each, and how many may be missing."""
        disks, groups = int(self.disks.si), int(self.groups.si)
        if self.level == "10":
            return disks // MIRROR, MIRROR, MIRROR - 1
        each = disks // groups
        return groups, each, each - 1 if self.level == "1" else raid.SCHEMES[self.level].parity_disks

    def facts(self) -> Facts:
        """Level and disks."""
        yield Fact("RAID-DP" if self.level == "dp" else f"RAID {self.level}")
        if self.member is not None:
            yield from number(self.disks, "disk")
            yield from amount(self.member.capacity, "each")
            yield from made(self.member)


KINDS = (DeviceKind("raid", RaidSpec, "simbackup.devices.raid.live:make"),)
SHEETS = {"raid": RaidSheet}
_SIGN = "M2 3.5c0-2.5 12-2.5 12 0v9c0 2.5-12 2.5-12 0zM2 3.5c0 2.5 12 2.5 12 0M2 8c0 2.5 12 2.5 12 0"
LOOKS = {"array": Look(_SIGN, "#e8f0fb", "#4a7ab5")}
