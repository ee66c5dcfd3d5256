"""simbackup.data.spec"""

from __future__ import annotations

from typing import Annotated, Literal

from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import (
    Count,
    Duration,
    Frozen,
    PositiveCount,
    PositiveShare,
    PositiveSize,
    PositiveTimePerByte,
    Ratio,
    Share,
    Size,
    Text,
    TimePerFile,
    Word,
)


class FilesystemSheet(Frozen):
    """What a file system costs for each file."""

    reads_per_file: Ratio
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


class FilesystemSpec(Modelled, FilesystemSheet):
    """The file system that a data set lies in."""


class DatabaseSheet(Frozen):
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


class DatabaseSpec(Modelled, DatabaseSheet):
    """The database engine that a data set belongs to."""


class FilesSheet(Frozen):
    """Files: how many, and how well they compress."""

    files: PositiveCount | None = None
    """Number of files; one unless stated."""
    file_size: PositiveSize | None = None
    """Mean size of a file on disk; size over files unless stated, which may hold what a save set says of each file."""
    layout: Annotated[Literal["scattered", "together"], Word()] = "scattered"
    """Whether files that follow each other in a directory lie anywhere, or together as they were written."""
    compression: Ratio | None = None
    """Bytes before over bytes after compression, such as `2:1`; 1 unless stated."""


class PopulationSheet(FilesSheet):
    """A population of files, and how large they are together."""

    size: PositiveSize | None = None
    """Bytes of all files."""


class AgedSpec(Frozen):
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


class DataSpec(Modelled, FilesSheet):
    """A data set: so many bytes in so many files on a device."""

    sheet = "population"
    on: Text
    """The device or volume that it lies on."""
    size: PositiveSize
    """Its bytes."""
    at: Size | None = None
    """Where it begins on the device; behind the data sets listed before it unless stated."""
    filesystem: FilesystemSpec | None = None
    """The file system that holds its files: a datasheet `filesystem/name`, or a mapping."""
    database: DatabaseSpec | None = None
    """The database engine that it belongs to: a datasheet `database/name`, or a mapping."""
    cached: Share | None = None
    """Share of it that lies in the memory of its host; none unless stated."""
    aged: AgedSpec | None = None
    """Updates before the beginning, on a volume that writes them to free places; none unless stated."""
    content: PositiveSize | None = None
    """Bytes of its rows, which a logical dump writes and which it is named by; all its bytes unless stated."""
