"""A live array from its spec."""

from __future__ import annotations

from simbackup.devices.disk.make import mechanics
from simbackup.devices.raid.array import ArrayLayout, Controller
from simbackup.devices.raid.live import Array, Raid
from simbackup.devices.raid.spec import RaidSpec
from simbackup.devices.site import Site
from simbackup.parameters import parameters_of


def make(site: Site, array: RaidSpec) -> Raid:
    """The array."""
    layout, controller = parameters_of(ArrayLayout, array), parameters_of(Controller, array)
    return Raid(site.address, Array(layout, mechanics(array.disk), controller))
