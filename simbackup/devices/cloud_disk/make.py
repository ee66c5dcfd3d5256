"""A live block volume of a cloud from its spec."""

from __future__ import annotations

from simbackup.devices.cloud_disk.live import CloudDisk, Limits
from simbackup.devices.cloud_disk.spec import CloudDiskSpec
from simbackup.devices.credits import Credits
from simbackup.devices.site import Site
from simbackup.equations.burst import Bucket
from simbackup.parameters import parameters_of


def make(site: Site, disk: CloudDiskSpec) -> CloudDisk:
    """The volume, with its credits if it has any."""
    live = CloudDisk(site.address, parameters_of(Limits, disk))
    if disk.baseline_iops is not None and disk.credits is not None:
        bucket = Bucket(disk.iops.si, disk.baseline_iops.si, disk.credits.si)
        live.credits = Credits(
            live.link, bucket, bucket.credits * disk.saved_up.si, site.system.clock, site.system.network
        )
    return live
