"""A live service from its spec."""

from __future__ import annotations

from simbackup.devices.service.live import Operations
from simbackup.devices.service.spec import ServiceSpec
from simbackup.devices.site import Site


def make(site: Site, service: ServiceSpec) -> Operations:
    """The service."""
    return Operations(site.address, service.operations.si, int(service.at_once.si), service.latency.si)
