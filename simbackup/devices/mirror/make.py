"""A live mirror from its spec."""

from __future__ import annotations

from simbackup.devices.image import Times
from simbackup.devices.mirror.live import Mirror, MirrorParameters
from simbackup.devices.mirror.spec import MirrorSpec
from simbackup.devices.site import Site
from simbackup.devices.volume.live import Volume
from simbackup.parameters import parameters_of


def make(site: Site, mirror: MirrorSpec) -> Mirror:
    """The mirror, in its region."""
    return Mirror(
        site.address, site.system.of(Volume)[mirror.of], site.room, parameters=parameters_of(MirrorParameters, mirror),
        times=Times(mirror.create_time.si, mirror.remove_time.si), state=mirror.state,
    )  # fmt: skip
