"""simbackup.devices.snapshot.spec"""

from __future__ import annotations

from typing import Annotated, Literal

from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import Duration, Frozen, PositiveSize, Size, Text, Word


class CopyOnWriteSheet(Frozen):
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


class SnapshotSheet(CopyOnWriteSheet):
    """A copy-on-write snapshot in the volume manager."""

    method: Annotated[Literal["copy_on_write"], Word()]
    """How the frozen image is kept."""


class SnapshotSpec(Modelled, SnapshotSheet):
    """A copy-on-write snapshot of a volume; without a job that creates it, it is in place from the start."""

    kind: Literal["snapshot"]
    of: Text
    """The volume that it freezes."""
    on: Text
    """The device that its copy area lies on."""
    size: PositiveSize
    """Size of its copy area; when that is full the snapshot is invalid."""


class CheckpointSheet(CopyOnWriteSheet):
    """A checkpoint of a file system: copy-on-write inside the file system, into its own free space."""


class CheckpointSpec(Modelled, CheckpointSheet):
    """A checkpoint of a file system; without a job that creates it, it is in place from the start."""

    kind: Literal["checkpoint"]
    of: Text
    """The volume whose file system it freezes; what is copied takes the room behind the data there."""
