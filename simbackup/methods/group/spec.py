"""What a file may say about the work that a backup program adds to a group of save sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from simbackup.errors import choices
from simbackup.schema.chosen import of_class
from simbackup.schema.job import FileKeeping
from simbackup.schema.part import Path
from simbackup.schema.refers import OF_DATA, Refers

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

from typing import Literal

from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.schema.job import JobSpec, Names
from simbackup.schema.quantity import (
    Text,
)


class StartGroupSpec(JobSpec):
    """Start of a group: what the backup program does before the first save set begins."""

    method: Literal["start_group"]
    tool: BackupToolSpec
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""

    moves: ClassVar[bool] = False


class SaveIndexSpec(JobSpec):
    """Backup of the index in which the backup program lists every file that it has saved."""

    method: Literal["save_index"]
    of: Annotated[Names, Refers("indexes", "jobs")]
    """The backups whose files it lists."""
    tool: BackupToolSpec
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""

    moves: ClassVar[bool] = False

    def check(self, checks: Checks, path: Path) -> None:
        """Report jobs that are not file backups."""
        legal = of_class(checks.spec.jobs, FileKeeping)
        for name in self.of:
            if not checks.name((*path, "of"), name, legal, "job") and name in checks.spec.jobs:
                checks.report((*path, "of"), f"'{name}' is not a file backup", choices(name, legal))


class SystemStateSpec(FileKeeping):
    """Backup of the state of an operating system through its shadow copy service."""

    method: Literal["system_state"]
    machine: Annotated[Text, Refers("acts on", "hosts")]
    """The host whose state is saved."""
    data: Annotated[Text, OF_DATA] | None = None
    """The data set with its files; none by default."""
    tool: BackupToolSpec
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""

    moves: ClassVar[bool] = False

    def check(self, checks: Checks, path: Path) -> None:
        """Report an unknown host or unknown data."""
        with checks.about(*path):
            checks.name((*path, "machine"), self.machine, checks.spec.hosts, "host")
        if self.data is not None:
            checks.data_set(path, self.data)
