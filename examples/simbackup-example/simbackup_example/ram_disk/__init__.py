"""Memory that is used as a disk."""

from __future__ import annotations

from simbackup.schema.registry import DeviceKind, Look
from simbackup_example.ram_disk.spec import RamDiskSheet, RamDiskSpec

KINDS = (DeviceKind("ram_disk", RamDiskSpec, "simbackup_example.ram_disk.make:make"),)
SHEETS = {"ram_disk": RamDiskSheet}
LOOKS = {"ram_disk": Look("M1 5h14v7H1zM3 7h2v3H3zM7 7h2v3H7zM11 7h2v3h-2z", "#e8f0fb", "#4a7ab5")}
