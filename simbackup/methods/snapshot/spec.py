"""simbackup.methods.snapshot.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    Text,
)


class CreateSnapshotSpec(JobSpec):
    """Creation of a frozen image: of a snapshot or a checkpoint, or a mirror is split off."""

    method: Literal["create_snapshot"]
    snapshot: Text
    """The snapshot, checkpoint or mirror."""


class RemoveSnapshotSpec(JobSpec):
    """Removal of a frozen image; what was copied for it is given up."""

    method: Literal["remove_snapshot"]
    snapshot: Text
    """The snapshot, checkpoint or mirror."""


class SynchroniseSpec(JobSpec):
    """Synchronisation of a mirror with its volume: of all at first, later of what changed since it was split."""

    method: Literal["synchronise"]
    mirror: Text
    """The mirror."""
