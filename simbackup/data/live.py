"""Data sets, and the costs of their file systems and database engines."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.devices.volume.live import Volume
from simbackup.equations.change import Change
from simbackup.equations.database import dumped
from simbackup.late import Late


@dataclass(frozen=True, slots=True)
class Files(Late):
    """The costs of a file system for each file.

    Processor time is in seconds of the reference core, and sizes are in bytes.
    """

    reads_per_file: float
    """Positioned reads in addition to those of its data, with a cold cache."""
    cpu_per_file: float
    """Core seconds to find, open, read and close a file."""
    fragment: float
    """Mean contiguous run of the data of a file, bytes."""
    record: float = 0.0
    """Bytes of its metadata record (inode), which is read before its data."""
    walk_cpu: float | None = None
    """Core seconds to find that a file has not changed; None for `cpu_per_file`."""
    resident: float = 0.0
    """Bytes of the largest file that is stored inside its record."""
    record_read: float | None = None
    """Bytes of records that one read returns; None for the host's read-ahead."""
    open_time: float = 0.0
    """Seconds that opening a file for reading waits, in addition to reads and processor time."""
    create_cpu: float | None = None
    """Core seconds to create, write and close a file; None for `cpu_per_file`."""
    create_writes: float = 0.0
    """Positioned writes in the background for each file that is created."""
    create_syncs: float = 0.0
    """Positioned writes that the creator of a file waits for."""
    attribute_cpu: float = 0.0
    """Core seconds to change the times, owner or rights of a file once."""
    log_record: float = 0.0
    """Bytes of journal for each file that is created, and for each change of its attributes."""
    files_per_directory: float | None = None
    """Files in a directory, where the data set does not state its directories; None if all are in one."""
    entry: float | None = None
    """Bytes of its entry in a directory; None if files that are only examined take `reads_per_file`."""
    directory_read: float | None = None
    """Bytes of a directory that one read returns."""
    listed: bool = False
    """Whether directory entries contain sizes and times, so that examining a file does not read its record."""


@dataclass(frozen=True, slots=True)
class Database(Late):
    """The costs of a database engine in backups and restores.

    Processor time is in seconds of the reference core.
    """

    dump_ratio: float
    """Bytes of a logical dump for each byte of the rows on disk, where the data do not state their `rows`."""
    dump_cpu: float
    """Core seconds to dump, for each byte of the dump."""
    load_cpu: float
    """Core seconds to load, for each byte of the dump."""
    replay_cpu: float
    """Core seconds for each byte of a log that is replayed."""
    flush_time: float
    """Seconds to flush tables and logs on an idle server."""
    locks_for_snapshot: bool
    """Whether a snapshot needs the read lock while it is created."""
    in_turn: float = 0.0
    """Share (0 to 1) of `dump_cpu` and `load_cpu` that only one worker at a time can spend."""
    locks_for_dump: bool = True
    """Whether a logical dump needs the read lock."""
    index_cpu: float | None = None
    """Core seconds for each byte of the indexes that a load builds at its end; None if `load_cpu` includes them."""
    index_reads: float = 0.0
    """Bytes that are read for each byte of the indexes that a load builds."""
    load_log: float = 0.0
    """Bytes of log that a load writes for each byte of rows and indexes."""
    dump_client: float = 0.0
    """Share (0 to 1) of `dump_cpu` that the dumping program spends while the server reads on."""
    row_overhead: float = 0.0
    """Bytes of a stored row in addition to its values."""
    row_text: float = 1.0
    """Bytes of a dump for each byte of the values in stored rows."""


@dataclass(frozen=True, slots=True)
class DataSet(Late):
    """A data set: a range of bytes on a volume, the files or the database in it, and how they change."""

    name: str
    volume: Volume
    begin: float
    """Byte of the volume at which it begins."""
    size: float
    """Bytes on the volume."""
    files: int
    """Number of files."""
    compression: float = 1.0
    """Bytes before compression for each byte after it."""
    filesystem: Files | None = None
    """Costs of the file system; None if files cost nothing by themselves."""
    database: Database | None = None
    content: float = 0.0
    """Bytes of a database without its indexes; otherwise all bytes."""
    cached: float = 0.0
    """Share (0 to 1) that is in the memory of its host."""
    scattered: float = 1.0
    """Share (0 to 1) of the files that are scattered on disk; the others lie in the order in which they were written.
    """
    file_size: float | None = None
    """Mean bytes of a file; None for `size` divided by `files`."""
    change: Change | None = None
    """How its bytes change; None if that is not stated."""
    file_change: Change | None = None
    """How its files change, each of which counts as a whole."""
    run: float = math.inf
    """Mean bytes of a contiguous run of changes."""
    directories: float | None = None
    """Number of directories; None if the file system states `files_per_directory` instead."""
    indexes: float = 0.0
    """Bytes of the indexes of a database."""
    rows: float | None = None
    """Rows of a database; None if the engine's `dump_ratio` gives the size of a dump."""
    largest: float = 0.0
    """Share (0 to 1) of a database in its largest table or file, which only one worker can process."""

    @property
    def directories_per_file(self) -> float:
        """Directories for each file, as the data set or else its file system states."""
        if self.directories is not None:
            return self.directories / self.files
        usual = self.filesystem.files_per_directory if self.filesystem is not None else None
        return 1.0 / usual if usual else 0.0

    def dump(self, engine: Database) -> float:
        """Bytes of a logical dump that an engine writes of it."""
        if self.rows is None:
            return self.content * engine.dump_ratio
        return dumped(self.content, self.rows, engine.row_overhead, engine.row_text)
