"""What a file may say of frozen images: copy-on-write snapshots, checkpoints of a file system, split mirrors."""

from __future__ import annotations

from typing import Annotated, Literal

from simbackup.schema.placed import Placed
from simbackup.schema.quantity import Duration, Frozen, Pieces, PositiveSize, Size, Text, Word


class CopyOnWriteParameters(Frozen):
    """What it costs to keep the old data of whatever is overwritten."""

    chunk: PositiveSize
    """Bytes that are copied when the first of them is overwritten."""
    record: Size
    """Bytes of metadata for each copied chunk."""
    in_flight: PositiveSize
    """Greatest amount of chunks being copied at once."""
    commit_backlog: PositiveSize
    """Mean amount of waiting writes whose chunks share one metadata commit."""
    create_time: Duration
    """Time to create the frozen image."""
    remove_time: Duration
    """Time to remove it."""
    lookup_time: Duration
    """Time that a read of the frozen image spends on each chunk to find where it lies."""


class SnapshotParameters(CopyOnWriteParameters):
    """A copy-on-write snapshot in the volume manager."""

    method: Annotated[Literal["copy_on_write"], Word()]
    """How the frozen image is kept."""


class Snapshot(Placed, SnapshotParameters):
    """A copy-on-write snapshot of a volume; without a job that creates it, it is in place from the start."""

    kind: Literal["snapshot"]
    of: Text
    """The volume that it freezes."""
    on: Text
    """The device that its copy area lies on."""
    size: PositiveSize
    """Size of its copy area; when that is full the snapshot is invalid."""


class CheckpointParameters(CopyOnWriteParameters):
    """A checkpoint of a file system: copy-on-write inside the file system, into its own free space."""


class Checkpoint(Placed, CheckpointParameters):
    """A checkpoint of a file system; without a job that creates it, it is in place from the start."""

    kind: Literal["checkpoint"]
    of: Text
    """The volume whose file system it freezes; what is copied takes the room behind the data there."""


class MirrorParameters(Frozen):
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


class Mirror(Placed, MirrorParameters):
    """A mirror of a volume on disks of its own."""

    kind: Literal["mirror"]
    of: Text
    """The volume that it mirrors."""
    on: Text
    """The device that it lies on; it takes as much room there as the volume."""
    state: Literal["attached", "new"] = "attached"
    """At the start: in line with the volume, or still to be synchronised with it for the first time."""


class RedirectSnapshot(Frozen):
    """A snapshot of a redirect-on-write volume: nothing is copied, and what is overwritten stays allocated."""

    kind: Literal["redirect_snapshot"]
    of: Text
    """The volume that it freezes."""
    autodelete: bool = False
    """Whether it is deleted where writes find no room otherwise; unless stated it stays, and writes fail."""


class Clone(Frozen):
    """A clone of a redirect-on-write volume: a snapshot that is kept as much room as its volume has."""

    kind: Literal["clone"]
    of: Text
    """The volume that it is a clone of."""
    guarantee: Literal["volume", "none"] = "volume"
    """Whether the size of its volume is kept for it; where there is not so much room its creation fails."""


FrozenImage = Snapshot | Checkpoint | Mirror | RedirectSnapshot | Clone
"""Whatever keeps a volume as it was."""
