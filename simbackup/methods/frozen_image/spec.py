"""What a file may say about backups that are frozen images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from simbackup.schema.job import BackupJob, FileKeeping
from simbackup.schema.part import Path
from simbackup.schema.refers import OF_DATA, ONTO_DEVICE

if TYPE_CHECKING:
    from simbackup.schema.job import Restoring
if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

from typing import Literal

from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.schema.quantity import (
    Text,
)


class FrozenImageBackupSpec(BackupJob, FileKeeping):
    """Backup that is itself a frozen image: nothing is copied until something is restored."""

    method: Literal["frozen_image"]
    data: Annotated[Text, OF_DATA]
    """The data set that is saved."""
    to: Annotated[Text, ONTO_DEVICE]
    """The snapshot or checkpoint to create, or the mirror to split off."""
    tool: BackupToolSpec | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none by default."""

    moves: ClassVar[bool] = False

    def creates(self) -> str | None:
        """The frozen image that is the backup."""
        return self.to

    def check(self, checks: Checks, path: Path) -> None:
        """Report a backup that is not a frozen image of the data."""
        known = checks.data_set(path, self.data, owned=False)
        with checks.about(*path):
            if checks.frozen_image((*path, "to"), self.to) and known:
                checks.freezes((*path, "to"), self.to, self.data)
        if known:
            checks.owned(path, checks.spec.data[self.data].on)

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report a restore that does not fit, or is to another host."""
        target = checks.spec.data.get(job.to or "")
        checks.nothing_replayed(path, job)
        with checks.about(*path):
            if target is not None:
                checks.owned(path, target.on, "to")
                checks.at_one_host((*path, "to"), job.to or "", self.to)
        if job.streams is not None:
            checks.report((*path, "streams"), "has no effect on a restore from disk", "leave it out")
        if self.data in checks.spec.data:
            checks.extent(path, job, checks.spec.data[self.data], whole=False)
