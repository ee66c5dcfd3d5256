"""A live array from its spec."""

from __future__ import annotations

from simbackup.devices.disk.make import mechanics
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
    if array.disk is None:
        return FlashArray(site.address, layout, parameters_of(Flash, array.ssd), controller)
    return Raid(site.address, Array(layout, mechanics(array.disk), controller))
