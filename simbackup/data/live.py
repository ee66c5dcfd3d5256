"""Data sets, and the costs of their file systems and database engines."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.devices.volume.live import Volume
from simbackup.equations.change import Change
from simbackup.late import Late


@dataclass(frozen=True, slots=True)
class Files(Late):
    """The costs of a file system for each file.

    Processor time is in seconds of the reference core, and sizes are in bytes. Fields are those of `FilesystemSheet`,
    in SI units.
    """

    reads_per_file: float
    cpu_per_file: float
    fragment: float
    record: float = 0.0
    walk_cpu: float | None = None
    resident: float = 0.0
    record_read: float | None = None
    open_time: float = 0.0
    create_cpu: float | None = None
    create_writes: float = 0.0
    attribute_cpu: float = 0.0
    log_record: float = 0.0
    files_per_directory: float | None = None
    entry: float | None = None
    directory_read: float | None = None
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Database(Late):
    """The costs of a database engine in backups and restores.

    Processor time is in seconds of the reference core. Fields are those of `DatabaseSheet`, in SI units.
    """

    dump_ratio: float
    dump_cpu: float
    load_cpu: float
    replay_cpu: float
    flush_time: float
    locks_for_snapshot: bool
    locks_for_dump: bool = True
    index_cpu: float | None = None
    index_reads: float = 0.0
    load_log: float = 0.0
    dump_client: float = 0.0


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
        return self.content * engine.dump_ratio
