"""simbackup.schema.job"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from simbackup.methods.copy.spec import CopyData
from simbackup.methods.database.spec import BinaryLog, DatabaseBackup
from simbackup.methods.file_backup.spec import Backup
from simbackup.methods.frozen_image.spec import ImageBackup
from simbackup.methods.group.spec import SaveIndex, StartGroup, SystemState
from simbackup.methods.native.spec import NativeBackup
from simbackup.methods.observe.spec import Observe
from simbackup.methods.snapshot.spec import CreateSnapshot, RemoveSnapshot, Synchronise
from simbackup.methods.virtual_machine.spec import Resume, Suspend
from simbackup.methods.write.spec import Write
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Text,
)
from simbackup.workloads.requests.spec import Requests
from simbackup.workloads.users.spec import Users


def _names(raw: Any) -> Any:
    """One name is a list of one."""
    return (raw,) if isinstance(raw, str) else raw


Names = Annotated[tuple[Text, ...], BeforeValidator(_names)]
Workload = Users | Requests


class Job(Frozen):
    """What every job may say."""

    after: Names = ()
    """The jobs that have to end before it begins."""
    begin: Text | None = None
    """Time of day such as `22:00`, or time after the start such as `90 s`."""
    every: Duration | None = None
    """Period after which it begins again."""
    until: Duration | None = None
    """End of the repetition, counted from the start."""
    window: Duration | None = None
    """Time within which it should end, counted from when it was due."""
    deadline: Text | None = None
    """Time of day such as `06:00` by which it should end: the first after the beginning of it, or of its chain."""


AnyBackup = NativeBackup | Backup | ImageBackup | DatabaseBackup | BinaryLog
METHODS: dict[str, type[Job]] = {
    "write": Write,
    "copy": CopyData,
    "create_snapshot": CreateSnapshot,
    "remove_snapshot": RemoveSnapshot,
    "synchronise": Synchronise,
    "observe": Observe,
    "frozen_image": ImageBackup,
    "suspend": Suspend,
    "resume": Resume,
    "start_group": StartGroup,
    "save_index": SaveIndex,
    "system_state": SystemState,
    "image": Backup,
    "file_level": Backup,
    "logical_dump": DatabaseBackup,
    "hot_copy": DatabaseBackup,
    "snapshot_copy": DatabaseBackup,
    "binary_log": BinaryLog,
    "database_native": NativeBackup,
}
"""What a job of each method may say; a job with the key `restore` is a Restore."""
