"""Networks and buses, and the queues of their adapters."""

from __future__ import annotations

from simbackup.devices.network.spec import LinkSpec, NetworkSheet
from simbackup.schema.registry import Look

SECTIONS = {"links": LinkSpec}
SHEETS = {"network": NetworkSheet}
LOOKS = {"link": Look("M8 2v5M3 13V9h10v4M6.5 2h3M1.5 13h3M11.5 13h3", "#eef0f3", "#475569", "hexagon")}
