"""Hosts: computers with their page caches."""

from __future__ import annotations

from simbackup.devices.host.spec import HostSheet, HostSpec, ProcessorSheet
from simbackup.schema.registry import Look

SECTIONS = {"hosts": HostSpec}
SHEETS = {"host": HostSheet, "processor": ProcessorSheet}
LOOKS = {"host": Look("M2 2.5h12v8H2zM6 10.5v3M10 10.5v3M4 13.5h8", "#f8fafc", "#64748b")}
