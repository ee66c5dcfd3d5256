"""A live solid-state disk from its spec."""

from __future__ import annotations

from simbackup.devices.landing import LandingZone
from simbackup.devices.site import Site
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.ssd.spec import SsdSpec
from simbackup.parameters import parameters_of


def make(site: Site, ssd: SsdSpec) -> Ssd:
    """The solid-state disk."""
    live = Ssd(site.address, parameters_of(Flash, ssd))
    live.lands(site, parameters_of(LandingZone, ssd), live.link.fastest)
    return live
