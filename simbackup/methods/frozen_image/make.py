"""The work of backups that are frozen images, and of their restores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.frozen_image.live import FrozenImageBackup, FrozenImageRestore
from simbackup.methods.frozen_image.spec import FrozenImageBackupSpec
from simbackup.methods.restore.make import selection_of
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.methods.tool.make import tool_of

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: FrozenImageBackupSpec, spec: Spec) -> FrozenImageBackup:
    """The creation of the image that is the backup."""
    del spec
    return FrozenImageBackup(job.data, job.to, tool_of(job.tool))


def restore(job: RestoreSpec, saved: FrozenImageBackupSpec, spec: Spec) -> FrozenImageRestore:
    """The copy back from the image."""
    to = job.to or saved.data
    return FrozenImageRestore(spec.host_of(to), job.restore, to, selection_of(job), tool_of(saved.tool))
