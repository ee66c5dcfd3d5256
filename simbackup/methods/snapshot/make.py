"""The work on frozen images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.snapshot.live import CreateSnapshot, RemoveSnapshot, Synchronise
from simbackup.methods.snapshot.spec import CreateSnapshotSpec, RemoveSnapshotSpec, SynchroniseSpec

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make_create(job: CreateSnapshotSpec, spec: Spec) -> CreateSnapshot:
    """The creation of a frozen image."""
    del spec
    return CreateSnapshot(job.snapshot)


def make_remove(job: RemoveSnapshotSpec, spec: Spec) -> RemoveSnapshot:
    """The removal of a frozen image."""
    del spec
    return RemoveSnapshot(job.snapshot)


def make_synchronise(job: SynchroniseSpec, spec: Spec) -> Synchronise:
    """The synchronisation of a mirror."""
    del spec
    return Synchronise(job.mirror)
