"""A live array from its spec."""

from __future__ import annotations

from simbackup.devices.disk.make import mechanics
from simbackup.devices.raid.live import Array, Raid
from simbackup.devices.raid.spec import RaidSpec
from simbackup.devices.site import Site
from simbackup.parameters import parameters_of


def make(site: Site, array: RaidSpec) -> Raid:
    """The array."""
    return Raid(site.address, parameters_of(Array, array, disk=mechanics(array.disk)))
