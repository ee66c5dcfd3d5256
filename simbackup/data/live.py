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
    """What a file system costs for each file: reads, reference core seconds; bytes of runs, records, residents.

    What finding costs that one has not changed, where that is less; bytes of its entry in a directory, and of a
    directory that come with one read; whether entries say all that one looks at.

    What opening one for reading waits besides; and what making one costs: core seconds, writes behind and writes that
    are waited for, core seconds of a change of attributes, bytes of the journal for each of these, and how many files a
    directory has.
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
    create_syncs: float = 0.0
    attribute_cpu: float = 0.0
    log_record: float = 0.0
    files_per_directory: float | None = None
    entry: float | None = None
    directory_read: float | None = None
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Database(Late):
    """What a database engine costs: bytes of dump a stored byte, reference core seconds a byte, seconds to flush.

    Of dumping and loading, a share that only one of several workers takes at a time. Where indexes are built after a
    load, reference core seconds for each byte of them, and bytes read for it; bytes of log for each byte loaded. Of
    dumping, the share of the program that goes on beside the server; bytes of a row besides its values, and bytes of
    dump for each byte of these.
    """

    dump_ratio: float
    dump_cpu: float
    load_cpu: float
    replay_cpu: float
    flush_time: float
    locks_for_snapshot: bool
    in_turn: float = 0.0
    locks_for_dump: bool = True
    index_cpu: float | None = None
    index_reads: float = 0.0
    load_log: float = 0.0
    dump_client: float = 0.0
    row_overhead: float = 0.0
    row_text: float = 1.0


@dataclass(frozen=True, slots=True)
class DataSet(Late):
    """Data on a volume; how their bytes change, and whole files, and the bytes that change in one place at once.

    Of a database, bytes of its indexes, how many rows it has, and the share of the largest table or file.
    """

    name: str
    volume: Volume
    begin: float
    size: float
    files: int
    compression: float = 1.0
    filesystem: Files | None = None
    database: Database | None = None
    content: float = 0.0
    cached: float = 0.0
    scattered: float = 1.0
    file_size: float | None = None
    change: Change | None = None
    file_change: Change | None = None
    run: float = math.inf
    directories: float | None = None
    indexes: float = 0.0
    rows: float | None = None
    largest: float = 0.0

    @property
    def directories_per_file(self) -> float:
        """Directories over files: its own, or as its file system has them."""
        if self.directories is not None:
            return self.directories / self.files
        usual = self.filesystem.files_per_directory if self.filesystem is not None else None
        return 1.0 / usual if usual else 0.0

    def dump(self, engine: Database) -> float:
        """Bytes of a logical dump by an engine."""
        if self.rows is None:
            return self.content * engine.dump_ratio
        return dumped(self.content, self.rows, engine.row_overhead, engine.row_text)
