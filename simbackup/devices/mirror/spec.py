"""simbackup.devices.mirror.spec"""

from __future__ import annotations

from typing import Annotated, Literal

from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import Duration, Frozen, Pieces, PositiveSize, Text, Word


class MirrorSheet(Frozen):
    """A mirror of a volume that is split off as a frozen image, and brought into line again."""

    region: PositiveSize
    """Bytes for which one bit remembers that they changed while the mirror was split."""
    request: PositiveSize
    """Bytes of one request of a synchronisation."""
    in_flight: Pieces
    """Requests of a synchronisation under way at once."""
    fast_resync: Annotated[bool, Word()]
    """Whether a split mirror is brought into line by copying only what changed."""
    create_time: Duration
    """Time to split the mirror off."""
    remove_time: Duration
    """Time to give the frozen image up, before it is synchronised again."""


class MirrorSpec(Modelled, MirrorSheet):
    """A mirror of a volume on disks of its own."""

    kind: Literal["mirror"]
    of: Text
    """The volume that it mirrors."""
    on: Text
    """The device that it lies on; it takes as much room there as the volume."""
    state: Literal["attached", "new"] = "attached"
    """At the start: in line with the volume, or still to be synchronised with it for the first time."""
