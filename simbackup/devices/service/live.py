"""A service at work: equal servers of one queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.devices.shape import FlowShape
from simbackup.engine.link import Link
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.devices.service.spec import ServiceSpec
    from simbackup.devices.site import Site


class Operations:
    """A service with a queue of operations, so many of which are served at once."""

    def __init__(self, name: str, operations: float, at_once: int, latency: float) -> None:
        self.link = Link(name, float(at_once), pooled=at_once > 1)
        self.each = at_once / operations
        self.latency = latency

    def asked(self, times: float) -> FlowShape:
        """The shape of so many operations, one after the other."""
        shape = FlowShape().after(times * self.each, self.link)
        away = (self.link.name, Activity.TRAVEL.value)  # nobody queues meanwhile
        return shape.following({away: times * self.latency} if self.latency else {})


def make(site: Site, service: ServiceSpec) -> Operations:
    """The service."""
    return Operations(site.address, service.operations.si, int(service.at_once.si), service.latency.si)
