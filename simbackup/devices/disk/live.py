"""Rotating disks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simbackup.devices.disk.turns import DiskTurns
from simbackup.devices.landing import Landed, LandingZone
from simbackup.devices.store import Direction, Service
from simbackup.engine.link import Link
from simbackup.equations import disk as disks
from simbackup.equations import disk_turns
from simbackup.equations.disk_scatter import waiting_seek_time
from simbackup.parameters import parameters_of

if TYPE_CHECKING:
    from simbackup.devices.disk.spec import DiskSheet, DiskSpec
    from simbackup.devices.site import Site


class Disk(Landed):
    """A rotating disk."""

    def __init__(self, name: str, parameters: disks.DiskParameters) -> None:
        self.name = name
        self.parameters = parameters
        self.size = parameters.capacity
        self.link = Link(name, 1.0, DiskTurns(parameters), fastest=parameters.outer_rate)

    def run(self, direction: Direction, window: float) -> float:
        """What is requested at once, or what the disk itself reads ahead or gathers, if that is more."""
        del direction
        return disk_turns.turn_size(self.parameters, window)

    @property
    def passed(self) -> float:
        """Any gap: its heads wait until the next bytes have turned below them, if that is faster than a seek."""
        return self.size

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream."""
        del direction  # a disk reads and writes at the rate of its media
        return disks.transfer_time(self.parameters, position, size) / size

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """The time of one positioned request, which occupies the disk throughout."""
        del direction
        time = disks.request_time(self.parameters, head, position, size)
        return Service(time, time)

    def scattered(
        self, direction: Direction, begin: float, extent: float, size: float, waiting: float = 1.0
    ) -> Service:
        """The time of a request at a random place of an extent when the one before was at another."""
        del direction
        disk = self.parameters
        moved = disks.transfer_time(disk, begin + max(extent - size, 0.0) / 2.0, size)
        alone, served = (scattered_positioning(disk, begin, extent, number) + moved for number in (1.0, waiting))
        return Service(alone, served)

    def continued(self, position: float, size: float) -> Service:
        """The time of the next read of a sequence: overhead and transfer."""
        time = self.parameters.command_overhead + size / disks.rate_at(self.parameters, position)
        return Service(time, time)

    def append(self, position: float, size: float) -> Service:
        """The time of a write that just missed its place: whole revolutions."""
        return missed(self.parameters, position, size)

    def switchover(self, here: float, there: float, size: float, *, back: bool = False, writing: int = 0) -> Service:
        """The loss to a stream elsewhere: a seek from there, or there and back, and half a revolution."""
        ahead = size if writing else self.parameters.stream_turn  # it cannot gather what it was not given
        time = turning(self.parameters, here, there, back=back) * min(size / ahead, 1.0)
        return Service(time, time)


def scattered_positioning(disk: disks.DiskParameters, begin: float, extent: float, waiting: float) -> float:
    """Seconds before a transfer can start at a random place of an extent of one disk, from another such place.

    So many requests are `waiting` there, and the disk, or its host, serves them on the way of the arm.
    """
    span = disks.cylinder(disk, begin + extent) - disks.cylinder(disk, begin)
    return waiting_seek_time(disk, span, waiting) + disks.rotational_latency(disk) + disk.command_overhead


def missed(disk: disks.DiskParameters, position: float, size: float) -> Service:
    """A write whose place has just passed under the head: overhead and transfer, up to the next whole revolution."""
    time = disk.command_overhead + size / disks.rate_at(disk, position)
    whole = math.ceil(time * disk.rotation_speed) / disk.rotation_speed
    return Service(whole, whole)


def turning(disk: disks.DiskParameters, here: float, there: float, *, back: bool = False) -> float:
    """Seconds until one stream continues after another: a seek, or one there and one back, and half a revolution."""
    seek = disks.seek_time(disk, abs(disks.cylinder(disk, there) - disks.cylinder(disk, here)))
    return (2.0 if back else 1.0) * seek + disks.rotational_latency(disk)


def make(site: Site, disk: DiskSpec) -> Disk:
    """The disk."""
    live = Disk(site.address, mechanics(disk))
    live.lands(site, parameters_of(LandingZone, disk), live.link.fastest)
    return live


def mechanics(disk: DiskSheet) -> disks.DiskParameters:
    """The mechanics of a disk, alone or in an array."""
    return parameters_of(disks.DiskParameters, disk)
