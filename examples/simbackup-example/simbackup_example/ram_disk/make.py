"""A live disk of memory from what a file says."""

from __future__ import annotations

from simbackup.devices.site import Site
from simbackup_example.ram_disk.live import RamDisk
from simbackup_example.ram_disk.spec import RamDiskSpec


def make(site: Site, disk: RamDiskSpec) -> RamDisk:
    """The disk."""
    return RamDisk(site.address, disk.capacity.si, disk.rate.si, disk.latency.si)
