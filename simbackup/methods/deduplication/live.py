"""What a store takes at most, and what its index reads."""

from __future__ import annotations

from simbackup.catalogue import Reduction
from simbackup.devices.shape import FlowShape
from simbackup.engine.activity import Activity
from simbackup.system import System


def ingested(shape: FlowShape, system: System, job: str, device: str, how: Reduction) -> FlowShape:
    """The shape of a byte that is saved when a store on disk takes it, too.

    All streams share what the store takes at most, and the disks on which its index is read for some chunks.
    """
    if how.ingest is not None:
        link = system.ingest(device)
        rate = min(how.stream_ingest or how.ingest, how.ingest)
        own = f"{job}.ingest"  # a stream's own pace, which others do not slow
        shape = shape.plus({link: 1.0 / how.ingest}).at_most(rate / max(shape.workers, 1), own, Activity.FIND_CHUNKS)
    if how.index_reads > 0.0:
        region = system.volumes[device].region
        one = region.store.scattered("read", region.begin, region.size, 1.0)
        shape = shape.plus({region.store.link: how.index_reads * one.busy})
    return shape
