"""simbackup.schema.job"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from simbackup.methods.copy.spec import CopySpec
from simbackup.methods.database.spec import BinaryLogSpec, DatabaseBackupSpec
from simbackup.methods.file_backup.spec import FileBackupSpec
from simbackup.methods.frozen_image.spec import FrozenImageBackupSpec
from simbackup.methods.group.spec import SaveIndexSpec, StartGroupSpec, SystemStateSpec
from simbackup.methods.native.spec import NativeBackupSpec
from simbackup.methods.observe.spec import ObserveSpec
from simbackup.methods.snapshot.spec import CreateSnapshotSpec, RemoveSnapshotSpec, SynchroniseSpec
from simbackup.methods.virtual_machine.spec import ResumeSpec, SuspendSpec
from simbackup.methods.write.spec import WriteSpec
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Text,
)
from simbackup.workloads.requests.spec import RequestsSpec
from simbackup.workloads.users.spec import UsersSpec


def _names(raw: Any) -> Any:
    """One name is a list of one."""
    return (raw,) if isinstance(raw, str) else raw


Names = Annotated[tuple[Text, ...], BeforeValidator(_names)]
Workload = UsersSpec | RequestsSpec


class JobSpec(Frozen):
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


AnyBackup = NativeBackupSpec | FileBackupSpec | FrozenImageBackupSpec | DatabaseBackupSpec | BinaryLogSpec
METHODS: dict[str, type[JobSpec]] = {
    "write": WriteSpec,
    "copy": CopySpec,
    "create_snapshot": CreateSnapshotSpec,
    "remove_snapshot": RemoveSnapshotSpec,
    "synchronise": SynchroniseSpec,
    "observe": ObserveSpec,
    "frozen_image": FrozenImageBackupSpec,
    "suspend": SuspendSpec,
    "resume": ResumeSpec,
    "start_group": StartGroupSpec,
    "save_index": SaveIndexSpec,
    "system_state": SystemStateSpec,
    "image": FileBackupSpec,
    "file_level": FileBackupSpec,
    "logical_dump": DatabaseBackupSpec,
    "hot_copy": DatabaseBackupSpec,
    "snapshot_copy": DatabaseBackupSpec,
    "binary_log": BinaryLogSpec,
    "database_native": NativeBackupSpec,
}
"""What a job of each method may say; a job with the key `restore` is a Restore."""
