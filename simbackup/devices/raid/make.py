"""A live array from its spec."""

from __future__ import annotations

from simbackup.devices.disk.make import mechanics
from simbackup.devices.landing import LandingZone
from simbackup.devices.raid.array import ArrayLayout, Controller
from simbackup.devices.raid.flash import FlashArray
from simbackup.devices.raid.live import Array, Raid
from simbackup.devices.raid.spec import RaidSpec
from simbackup.devices.site import Site
from simbackup.devices.ssd.live import Flash
from simbackup.parameters import parameters_of


def make(site: Site, array: RaidSpec) -> Raid | FlashArray:
    """The array, of rotating disks or of solid-state ones."""
    layout, controller = parameters_of(ArrayLayout, array), parameters_of(Controller, array)
    live = (
        FlashArray(site.address, layout, parameters_of(Flash, array.ssd), controller)
        if array.disk is None
        else Raid(site.address, Array(layout, mechanics(array.disk), controller))
    )
    live.lands(site, parameters_of(LandingZone, array.member).of(layout.data_disks), live.link.fastest)
    return live
