"""The work on frozen images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.frozen_image.live import (
    CreateSnapshot,
    FrozenImageBackup,
    FrozenImageRestore,
    RemoveSnapshot,
    Synchronise,
)
from simbackup.methods.frozen_image.spec import (
    CreateSnapshotSpec,
    FrozenImageBackupSpec,
    RemoveSnapshotSpec,
    SynchroniseSpec,
)
from simbackup.methods.restore.make import selection_of
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.methods.tool.make import tool_of

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


def make(job: FrozenImageBackupSpec, spec: Spec) -> FrozenImageBackup:
    """The creation of the image that is the backup."""
    del spec
    return FrozenImageBackup(job.data, job.to, tool_of(job.tool))


def restore(job: RestoreSpec, saved: FrozenImageBackupSpec, spec: Spec) -> FrozenImageRestore:
    """The copy back from the image."""
    to = job.to or saved.data
    return FrozenImageRestore(spec.host_of(to), job.restore, to, selection_of(job), tool_of(saved.tool))
