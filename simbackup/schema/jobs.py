"""What a file may say of data and of jobs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from simbackup.schema.placed import Placed
from simbackup.schema.quantity import (
    Count,
    Duration,
    Frequency,
    Frozen,
    Pieces,
    PositiveCount,
    PositiveDuration,
    PositiveShare,
    PositiveSize,
    PositiveTimePerByte,
    Share,
    Size,
    Text,
)
from simbackup.schema.software import (
    BackupEngine,
    BackupTool,
    Database,
    FilesParameters,
    Filesystem,
    WorkloadParameters,
)


def _names(raw: Any) -> Any:
    """One name is a list of one."""
    return (raw,) if isinstance(raw, str) else raw


Names = Annotated[tuple[Text, ...], BeforeValidator(_names)]


class Aged(Frozen):
    """What happened to data since they were written in sequence: updates at random, each written to a free place."""

    updates: Count
    """Number of updates."""
    update_size: PositiveSize
    """Bytes of each."""
    working_set: PositiveShare | None = None
    """Share of the data that they went to; all of it unless stated."""
    hot_data: PositiveShare | None = None
    """Share of the working set that took most of them."""
    hot_updates: PositiveShare | None = None
    """Share of the updates that went to the hot data."""


class Data(Placed, FilesParameters):
    """A data set: so many bytes in so many files on a device."""

    sheet = "population"
    on: Text
    """The device or volume that it lies on."""
    size: PositiveSize
    """Its bytes."""
    at: Size | None = None
    """Where it begins on the device; behind the data sets listed before it unless stated."""
    filesystem: Filesystem | None = None
    """The file system that holds its files: a datasheet `filesystem/name`, or a mapping."""
    database: Database | None = None
    """The database engine that it belongs to: a datasheet `database/name`, or a mapping."""
    cached: Share | None = None
    """Share of it that lies in the memory of its host; none unless stated."""
    aged: Aged | None = None
    """Updates before the beginning, on a volume that writes them to free places; none unless stated."""
    content: PositiveSize | None = None
    """Bytes of its rows, which a logical dump writes and which it is named by; all its bytes unless stated."""


class Users(Placed, WorkloadParameters):
    """Users who go on working on a data set: so many transactions a second, or so many users one after the other."""

    data: Text
    """The data set that they work on."""
    transactions: Frequency | None = None
    """Transactions a second that they ask for, however long each takes."""
    clients: PositiveCount | None = None
    """Users of whom each asks for the next transaction when the last is done."""
    think_time: Duration | None = None
    """Time that such a user waits between two transactions; none unless stated."""
    via: Names = ()
    """The links that a transaction crosses, in the order in which it does; none unless stated."""
    request: PositiveSize | None = None
    """Mean bytes that a transaction moves over each of these links, question and answer together."""
    timeout: PositiveDuration | None = None
    """Wait for its turn on the links after which a transaction has timed out; none does unless stated."""


class Requests(Frozen):
    """An application whose requests cross links: so many a second, or so many clients one after the other."""

    via: Annotated[Names, Field(min_length=1)]
    """The links that a request crosses, in the order in which it does."""
    request: PositiveSize
    """Mean bytes of a request and its answer together, on each of these links; they spread exponentially about it."""
    timeout: PositiveDuration | None = None
    """Wait for its turn on the links after which a request has timed out; none does unless stated."""
    transactions: Frequency | None = None
    """Requests a second, which come by themselves, however long each waits."""
    clients: PositiveCount | None = None
    """Clients of whom each makes the next request when it has the answer to the last."""
    think_time: Duration | None = None
    """Time that such a client waits between two requests; none unless stated."""


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


class Write(Job):
    """Foreground program that writes a data set in sequence through the page cache, as dd does."""

    method: Literal["write"]
    data: Text
    """The data set that is written."""
    portion: PositiveShare | None = None
    """Share of the data set that is written, from its beginning; all of it unless stated."""
    cpu_per_byte: PositiveTimePerByte | None = None
    """Time of the reference core for each byte; that of the host's copy_rate unless stated."""
    flush: bool = False
    """Whether it ends only when all it wrote is on disk, as dd does with conv=fsync."""
    synchronous: bool = False
    """Whether each request is on disk before the next is made."""
    request: PositiveSize | None = None
    """Bytes of one request of a synchronous writer."""
    over: Text | None = None
    """The network through which the writer reaches the host of the data."""


class CopyData(Job):
    """Copy of one data set onto another place, as cp does."""

    method: Literal["copy"]
    data: Text
    """The data set that is read."""
    to: Text
    """The data set whose place is written."""


class CreateSnapshot(Job):
    """Creation of a frozen image: of a snapshot or a checkpoint, or a mirror is split off."""

    method: Literal["create_snapshot"]
    snapshot: Text
    """The snapshot, checkpoint or mirror."""


class RemoveSnapshot(Job):
    """Removal of a frozen image; what was copied for it is given up."""

    method: Literal["remove_snapshot"]
    snapshot: Text
    """The snapshot, checkpoint or mirror."""


class Synchronise(Job):
    """Synchronisation of a mirror with its volume: of all at first, later of what changed since it was split."""

    method: Literal["synchronise"]
    mirror: Text
    """The mirror."""


class Observe(Job):
    """Nothing but time that passes, over which it is told how much users get done."""

    method: Literal["observe"]
    workload: Text
    """The users."""
    duration: PositiveDuration
    """How long they are watched."""


Rounds = Literal["steady", "by_event"]
ServiceTimes = Literal["exponential", "constant"]


class Backup(Job):
    """Backup of a data set to a tape library or onto a disk."""

    method: Literal["image", "file_level"]
    """`image` reads the blocks in sequence, `file_level` walks the files."""
    data: Text
    """The data set that is saved."""
    to: Text
    """The tape library, or the volume or device of any host, that takes the save set."""
    source: Text | None = None
    """The frozen image that is read; the data themselves unless stated."""
    streams: Pieces | None = None
    """Parts that are saved at once, each on a drive of its own; one unless stated."""
    pool: Text | None = None
    """The pool whose cartridges are written; those of no pool unless stated."""
    tool: BackupTool | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none unless stated."""


class StartGroup(Job):
    """Start of a group: what the backup program does before the first save set begins."""

    method: Literal["start_group"]
    tool: BackupTool
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""


class SaveIndex(Job):
    """Backup of the index in which the backup program keeps every file that it has saved."""

    method: Literal["save_index"]
    of: Names
    """The backups whose files it keeps."""
    tool: BackupTool
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""


class SystemState(Job):
    """Backup of the state of an operating system through its shadow copy service."""

    method: Literal["system_state"]
    machine: Text
    """The host whose state is saved."""
    data: Text | None = None
    """Its files; none are counted unless stated."""
    tool: BackupTool
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""


class Suspend(Job):
    """Suspension of a virtual machine: its memory is saved to disk, and it stands still until it is resumed."""

    method: Literal["suspend"]
    machine: Text
    """The virtual machine."""
    to: Text
    """The volume or device that takes its memory."""


class Resume(Job):
    """Resumption of a virtual machine from the disk that holds its memory."""

    method: Literal["resume"]
    machine: Text
    """The virtual machine."""


class ImageBackup(Job):
    """Backup that is a frozen image itself: nothing is copied until something is restored."""

    method: Literal["frozen_image"]
    data: Text
    """The data set that is saved."""
    to: Text
    """The snapshot or checkpoint that is created, or the mirror that is split off."""
    tool: BackupTool | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none unless stated."""


class DatabaseBackup(Job):
    """Full backup of a database onto a volume."""

    method: Literal["logical_dump", "hot_copy", "snapshot_copy"]
    """`logical_dump` writes text under a read lock, `hot_copy` copies files under it, `snapshot_copy` a snapshot."""
    data: Text
    """The database."""
    to: Text
    """The volume or device that takes the backup, behind what lies there."""
    snapshot: Text | None = None
    """The snapshot that a `snapshot_copy` creates and removes."""
    tool: BackupTool | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none unless stated."""


class BinaryLog(Job):
    """Incremental backup of a database: the binary log of what was changed."""

    method: Literal["binary_log"]
    data: Text
    """The database."""
    to: Text
    """The volume or device that takes the backup."""
    changed: PositiveShare
    """Bytes of log since the backup before, as a share of the database."""
    tool: BackupTool | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none unless stated."""


class NativeBackup(Job):
    """Full backup of a database by its own server, as SQL Server's BACKUP: a loop of buffers."""

    method: Literal["database_native"]
    data: Names
    """The data sets of the database, one for each volume that is read."""
    to: Names
    """The volumes, devices or `nul` that take the backup files, one for each file."""
    engine: BackupEngine
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


AnyBackup = NativeBackup | Backup | ImageBackup | DatabaseBackup | BinaryLog


class Select(Frozen):
    """The part of a save set that is restored."""

    files: Pieces
    """Number of files; each is located by itself."""
    size: PositiveSize
    """Their bytes together."""
    at: Share | None = None
    """Where they lie in the save set; spread over it unless stated."""


class Restore(Job):
    """Restore of the last copy that a backup job made."""

    restore: Text
    """The backup job whose save set is restored."""
    select: Select | None = None
    """The files that are wanted; the whole save set unless stated."""
    to: Text | None = None
    """The data set whose place is written; where the data came from unless stated."""
    streams: Pieces | None = None
    """Drives that read from tape at once; one unless stated."""
    replay: Names = ()
    """Incremental backups whose runs since then are replayed after it."""
    rounds: Rounds | None = None
    """How the buffers of a native restore go round, `steady` or `by_event`; as in its backup unless stated."""


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
