"""A live array from its spec."""

from __future__ import annotations

from simbackup.devices.disk.make import mechanics
from simbackup.devices.raid.array import Controller, Layout
from simbackup.devices.raid.live import Array, Raid
from simbackup.devices.raid.spec import RaidSpec
from simbackup.devices.site import Site
from simbackup.parameters import parameters_of


def make(site: Site, array: RaidSpec) -> Raid:
    """The array."""
    layout, controller = parameters_of(Layout, array), parameters_of(Controller, array)
    return Raid(site.address, Array(layout, mechanics(array.disk), controller))
