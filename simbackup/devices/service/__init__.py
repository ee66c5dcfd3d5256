"""Services that answer so many operations a second: a metadata server, a catalogue, an interface with a quota."""

from __future__ import annotations

from simbackup.devices.service.spec import ServiceSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (DeviceKind("service", ServiceSpec, "simbackup.devices.service.make:make"),)
LOOKS = {"service": Look("M2 3h12v4H2zM2 9h12v4H2zM4 5h2M4 11h2", "#eef2ff", "#5a67b8")}
