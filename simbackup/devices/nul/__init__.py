"""A device that keeps nothing."""

from __future__ import annotations

from simbackup.devices.nul.spec import NulSpec
from simbackup.schema.registry import DeviceKind

KINDS = (DeviceKind("nul", NulSpec, "simbackup.devices.nul.make:make"),)
