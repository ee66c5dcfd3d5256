"""Block volumes of a cloud."""

from __future__ import annotations

from simbackup.devices.cloud_disk.spec import CloudDiskSheet, CloudDiskSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (DeviceKind("cloud_disk", CloudDiskSpec, "simbackup.devices.cloud_disk.make:make"),)
SHEETS = {"cloud_disk": CloudDiskSheet}
LOOKS = {
    "cloud_disk": Look("M4.5 12.5a3 3 0 0 1-.3-6 4 4 0 0 1 7.6-.6 3.3 3.3 0 0 1-.3 6.6z", "#e8f0fb", "#4a7ab5"),
}
