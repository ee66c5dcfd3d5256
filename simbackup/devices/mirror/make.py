"""A live mirror from what a file says."""

from __future__ import annotations

from simbackup.devices.mirror.live import Mirror, MirrorParameters
from simbackup.devices.mirror.spec import MirrorSpec
from simbackup.devices.site import Site
from simbackup.parameters import parameters_of


def make(site: Site, mirror: MirrorSpec) -> Mirror:
    """The mirror, in the room that is kept for it."""
    return Mirror(
        site.address, site.system.volumes[mirror.of], site.room, parameters=parameters_of(MirrorParameters, mirror),
        times=(mirror.create_time.si, mirror.remove_time.si), state=mirror.state,
    )  # fmt: skip
