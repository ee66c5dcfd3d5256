"""A live service from its spec."""

from __future__ import annotations

from simbackup.devices.service.live import Operations
from simbackup.devices.service.spec import ServiceSpec
from simbackup.devices.site import Site
from simbackup.schema.quantity import si_or


def make(site: Site, service: ServiceSpec) -> Operations:
    """The service."""
    at_once, latency = int(si_or(service.at_once, 1.0)), si_or(service.latency, 0.0)
    return Operations(site.address, service.operations.si, at_once, latency)
