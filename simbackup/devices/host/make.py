"""A live host from its spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.devices.host.live import Host, Machine
from simbackup.devices.host.spec import HostSpec
from simbackup.parameters import parameters_of

if TYPE_CHECKING:
    from simbackup.system import System


def make(system: System, name: str, host: HostSpec) -> Host:
    """The host, on the cores of the host that it lies within."""
    machine = parameters_of(
        Machine, host, dirty_limit=lambda: host.memory.si * host.dirty_limit.si,
        dirty_background=lambda: host.memory.si * host.dirty_background.si, speed=lambda: host.core_speed,
    )  # fmt: skip
    below = system.hosts[host.within] if host.within is not None else None
    return Host(system.network, f"hosts.{name}", machine, below)
