"""What a file may say of file systems, database engines, backup programs and users."""

from __future__ import annotations

from typing import Annotated, Literal

from simbackup.schema.placed import Placed
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Multiple,
    Pieces,
    PositiveCount,
    PositiveShare,
    PositiveSize,
    PositiveTimePerByte,
    Ratio,
    Share,
    SizePerFile,
    TimePerByte,
    TimePerFile,
    Word,
)


class FilesystemParameters(Frozen):
    """What a file system costs for each file."""

    reads_per_file: Multiple
    """Positioned reads for each file besides its data, cache cold, in directory order."""
    cpu_per_file: TimePerFile
    """Time of the reference core to walk to, open, read and close a file."""
    fragment: PositiveSize
    """Mean contiguous run of a file's data."""
    record: PositiveSize | None = None
    """Bytes of a file's record, which are read before its data."""
    record_read: PositiveSize | None = None
    """Bytes that are read together where files that lie together are wanted; the host's read-ahead unless stated."""
    resident: PositiveSize | None = None
    """Largest file that lies inside its record; none does unless stated."""


class Filesystem(Placed, FilesystemParameters):
    """The file system that a data set lies in."""


class DatabaseParameters(Frozen):
    """What the engine of a database costs when it is backed up and restored."""

    dump_ratio: Ratio
    """Bytes of a logical dump for each byte that the database takes on disk."""
    dump_cpu: PositiveTimePerByte
    """Time of the reference core for each byte of a dump: read the rows, write the text."""
    load_cpu: PositiveTimePerByte
    """Time of the reference core for each byte of a dump that is loaded: parse, insert, build indexes."""
    replay_cpu: PositiveTimePerByte
    """Time of the reference core for each byte of a binary log that is replayed."""
    flush_time: Duration
    """Time to flush tables and logs on an idle server."""
    locks_for_snapshot: Annotated[bool, Word()]
    """Whether a snapshot needs the read lock while it is created."""
    hot_copy: Annotated[bool, Word()] = True
    """Whether its files may be copied under the read lock while it runs; they may unless stated."""


class Database(Placed, DatabaseParameters):
    """The database engine that a data set belongs to."""


class BackupToolParameters(Frozen):
    """What a backup program adds to the copying."""

    start_time: Duration
    """Time from its start until it begins."""
    mount_time: Duration
    """Time to mount a snapshot and unmount it again."""
    check_cpu: TimePerByte | None = None
    """Time of the reference core for each byte of a finished backup, to read it once more; none unless stated."""
    file_time: Duration | None = None
    """Time of what program and database tell each other of each file, before a backup and in a restore."""
    file_marks: Ratio | None = None
    """Tape marks that are written and waited for with each file; none unless stated."""
    request: PositiveSize | None = None
    """Bytes that it reads and then writes, one request at a time, when it copies from a frozen image."""
    copy_cpu: PositiveTimePerByte | None = None
    """Time of the reference core for each byte that it copies; twice that of the host's copy_rate unless stated."""
    file_cpu: TimePerFile | None = None
    """Time of the reference core for each file that it saves, beside that of the file system."""
    group_time: Duration | None = None
    """Time from the start of a group of save sets until the first of them begins."""
    index_record: SizePerFile | None = None
    """Bytes that its index keeps for each file."""
    index_time: Duration | None = None
    """Time to save the index, whatever its size."""
    system_state_time: Duration | None = None
    """Time to save the state of the operating system through its shadow copy service."""


class BackupTool(Placed, BackupToolParameters):
    """The backup program that runs a job."""


class BackupEngineParameters(Frozen):
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


class BackupEngine(Placed, BackupEngineParameters):
    """The backup engine that runs a job."""


class FilesParameters(Frozen):
    """Files: how many, and how well they compress."""

    files: PositiveCount | None = None
    """Number of files; one unless stated."""
    file_size: PositiveSize | None = None
    """Mean size of a file on disk; size over files unless stated, which may hold what a save set says of each file."""
    layout: Annotated[Literal["scattered", "together"], Word()] = "scattered"
    """Whether files that follow each other in a directory lie anywhere, or together as they were written."""
    compression: Ratio | None = None
    """Bytes before over bytes after compression, such as `2:1`; 1 unless stated."""


class PopulationParameters(FilesParameters):
    """A population of files, and how large they are together."""

    size: PositiveSize | None = None
    """Bytes of all files."""


class WorkloadParameters(Frozen):
    """What users ask of the data with each transaction."""

    reads: Multiple
    """Disk reads of a transaction."""
    read_size: PositiveSize
    """Bytes of one disk read."""
    cpu: Duration
    """Time of the reference core for a transaction."""
    writes: Share
    """Share of the transactions that write, and so wait for a read lock."""
    updates: Multiple | None = None
    """Disk writes of a transaction, each at a place of its own; none unless stated."""
    update_size: PositiveSize | None = None
    """Bytes of one disk write; those of a disk read unless stated."""
    synchronous: Annotated[bool, Word()] = False
    """Whether a transaction waits until its disk writes are done."""
    working_set: PositiveShare | None = None
    """Share of the data that disk writes go to; all of it unless stated."""
    hot_data: PositiveShare | None = None
    """Share of the working set that takes most of the writes."""
    hot_updates: PositiveShare | None = None
    """Share of the disk writes that go to the hot data."""
