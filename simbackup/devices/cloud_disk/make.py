"""A live block volume of a cloud from its spec."""

from __future__ import annotations

from simbackup.devices.cloud_disk.live import CloudDisk, Limits
from simbackup.devices.cloud_disk.spec import CloudDiskSpec
from simbackup.devices.credits import Credits
from simbackup.devices.site import Site
from simbackup.equations.burst import Bucket
from simbackup.parameters import parameters_of
from simbackup.schema.quantity import si_or


def make(site: Site, disk: CloudDiskSpec) -> CloudDisk:
    """The volume, with its credits if it has any."""
    live = CloudDisk(site.address, parameters_of(Limits, disk))
    saved = si_or(disk.saved_up, 1.0)
    if disk.baseline_iops is not None and disk.credits is not None:
        bucket = Bucket(disk.iops.si, disk.baseline_iops.si, disk.credits.si)
        live.credits = Credits(live.link, bucket, bucket.credits * saved, site.system.clock, site.system.network)
    if disk.baseline_rate is not None and disk.byte_credits is not None:
        bucket = Bucket(disk.rate.si, disk.baseline_rate.si, disk.byte_credits.si)
        left = bucket.credits * saved
        live.byte_credits = Credits(live.pipe.link, bucket, left, site.system.clock, site.system.network)
    return live
