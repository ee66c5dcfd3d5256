"""Limits of a deduplicating store: ingest, restore rate, and reads of its index."""

from __future__ import annotations

from simbackup.catalogue import Reduction
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.engine.link import Link
from simbackup.system import System
from simbackup.trace.activity import Activity

Pace = tuple[Link, float | None, float | None]
"""The link that all streams share, and the greatest rates of all of them and of one, bytes a second."""


def ingested(shape: FlowShape, system: System, job: str, device: str, reduction: Reduction) -> FlowShape:
    """The shape of a byte that is saved when a store takes it, too.

    All streams share what the store takes at most, and the disks on which its index is read for some chunks. A store of
    objects has no such disks.
    """
    pace = (system.ingest(device), reduction.ingest, reduction.stream_ingest)
    shape = _paced(shape, pace, (f"{job}.ingest", Activity.FIND_CHUNKS))
    if device in system.of(Volume) and reduction.index_reads > 0.0:
        region = system.of(Volume)[device].region
        one = region.store.scattered("read", region.begin, region.size, 1.0)
        shape = shape.plus({region.store.link: reduction.index_reads * one.busy})
    return shape


def given_back(shape: FlowShape, system: System, device: str, reduction: Reduction) -> FlowShape:
    """The shape of a byte that comes back when a store on disk gives it, which all streams share."""
    link = system.ingest(device, back=True)
    return _paced(
        shape, (link, reduction.restore_rate, reduction.stream_restore_rate), (link.name, Activity.JOIN_CHUNKS)
    )


def _paced(shape: FlowShape, pace: Pace, own: tuple[str, str]) -> FlowShape:
    """The shape of a byte that a store handles, at a stream's own pace, which others do not slow."""
    link, of_all, of_one = pace
    if of_all is None and of_one is None:
        return shape
    if of_all is not None:
        shape = shape.plus({link: 1.0 / of_all})
    rate = min(each for each in (of_all, of_one) if each is not None)
    return shape.at_most(rate / max(shape.workers, 1), *own, alone=rate)
