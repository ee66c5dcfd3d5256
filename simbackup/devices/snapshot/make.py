"""Live snapshots and checkpoints from its spec."""

from __future__ import annotations

from simbackup.devices.image import Times
from simbackup.devices.site import Site
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.snapshot.spec import CheckpointSpec, CopyOnWriteSheet, SnapshotSpec
from simbackup.devices.store import Region
from simbackup.devices.volume.live import Volume
from simbackup.equations import snapshot as equations
from simbackup.parameters import parameters_of


def make_snapshot(site: Site, snapshot: SnapshotSpec) -> Snapshot:
    """A snapshot with a copy area of its own."""
    return _made(site, snapshot, snapshot.of, site.room, in_place=True)


def make_checkpoint(site: Site, checkpoint: CheckpointSpec) -> Snapshot:
    """A checkpoint with its copies behind the data of its volume."""
    volume, behind = site.system.of(Volume)[checkpoint.of].region, site.spec.data_end(checkpoint.of)
    return _made(site, checkpoint, checkpoint.of, volume.part(behind, volume.size - behind), in_place=False)


def _made(site: Site, image: CopyOnWriteSheet, of: str, area: Region, *, in_place: bool) -> Snapshot:
    return Snapshot(
        site.address, site.system.of(Volume)[of], area,
        parameters=parameters_of(equations.CopyOnWriteParameters, image),
        times=Times(image.create_time.si, image.remove_time.si, image.lookup_time.si), trace=site.system.trace,
        in_place=in_place,
    )  # fmt: skip
