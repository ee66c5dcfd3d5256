"""A live disk from its spec."""

from __future__ import annotations

from simbackup.devices.disk.live import Disk
from simbackup.devices.disk.spec import DiskSheet, DiskSpec
from simbackup.devices.landing import LandingZone
from simbackup.devices.site import Site
from simbackup.equations import disk as equations
from simbackup.parameters import parameters_of


def make(site: Site, disk: DiskSpec) -> Disk:
    """The disk."""
    live = Disk(site.address, mechanics(disk))
    live.lands(site, parameters_of(LandingZone, disk), live.link.fastest)
    return live


def mechanics(disk: DiskSheet) -> equations.DiskParameters:
    """The mechanics of a disk, alone or in an array."""
    return parameters_of(equations.DiskParameters, disk)
