"""simbackup.methods.native.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.schema.job import JobSpec, Names
from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Pieces,
    PositiveSize,
    TimePerByte,
)


class BackupEngineSheet(Frozen):
    """The backup engine of a database server: a closed loop of buffers between readers and writers."""

    transfer_size: PositiveSize
    """Bytes of a buffer, which one read fills and one write empties; a job may say another."""
    io_depth: Pieces
    """Requests in flight for each backup file, by which the default number of buffers is counted."""
    request_latency: Duration
    """Time that a request takes besides the device's own: on its way through engine, system and adapters."""
    compress_cpu: TimePerByte
    """Time of the reference core for each byte of the database that is compressed."""
    expand_cpu: TimePerByte
    """Time of the reference core for each byte of the database that is expanded in a restore."""
    buffer_sets: Pieces
    """Sets of buffers that a compressed backup takes."""
    memory_limit: PositiveSize
    """Memory for all buffers, beyond which a backup fails."""


class BackupEngineSpec(Modelled, BackupEngineSheet):
    """The backup engine that runs a job."""


Rounds = Literal["steady", "by_event"]
ServiceTimes = Literal["exponential", "constant"]


class NativeBackupSpec(JobSpec):
    """Full backup of a database by its own server, as SQL Server's BACKUP: a loop of buffers."""

    method: Literal["database_native"]
    data: Names
    """The data sets of the database, one for each volume that is read."""
    to: Names
    """The volumes, devices or `nul` that take the backup files, one for each file."""
    engine: BackupEngineSpec
    """The backup engine: a datasheet `backup_engine/name`, or a mapping."""
    buffers: Pieces | None = None
    """Number of buffers (BUFFERCOUNT); unless stated, depth and one for each file, and two for each volume."""
    transfer_size: PositiveSize | None = None
    """Bytes of a buffer (MAXTRANSFERSIZE); that of the engine unless stated."""
    compress: bool = False
    """Whether the backup is compressed, by the ratio that its data say."""
    rounds: Rounds | None = None
    """`steady`, as unless stated: the mean rate of the loop, an equation; `by_event`: each buffer for itself."""
    service_times: ServiceTimes | None = None
    """`exponential`, as unless stated, about the mean that the steady loop takes, or `constant`; only by event."""
