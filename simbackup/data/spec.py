"""What a file may say about data sets, their file systems and database engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from simbackup import units
from simbackup.data.change import ChangeSheet, ChangeSpec
from simbackup.schema.capability import BlockDevice, VolumeDevice
from simbackup.schema.origin import Unknown
from simbackup.schema.part import Fact, Facts, Modelled, Part, Path, amount, made, number
from simbackup.schema.quantity import (
    Count,
    Duration,
    Frozen,
    Multiple,
    PositiveCount,
    PositiveSize,
    PositiveTimePerByte,
    Quantity,
    Ratio,
    Reduction,
    Share,
    ShareOrSize,
    Size,
    SizePerFile,
    Text,
    TimePerByte,
    TimePerFile,
    Unit,
    Word,
    si_or,
    usual,
)
from simbackup.schema.registry import Look

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class DatabaseSheet(Frozen):
    """The costs of a database engine in backups and restores."""

    dump_ratio: Ratio
    """Bytes of a logical dump for each byte of the rows as they are stored."""
    dump_cpu: PositiveTimePerByte
    """Time of the reference core for each byte of a dump: read the rows, write the text."""
    dump_client: Share = usual("0 %", "1")
    """Share of dump_cpu that the dumping program spends while the server already reads the next rows, each on a core of
    its own: the slower of the two sets the pace.
    """
    load_cpu: PositiveTimePerByte
    """Time of the reference core for each byte of a dump that is loaded: parse, insert, build indexes."""
    replay_cpu: PositiveTimePerByte
    """Time of the reference core for each byte of a binary log that is replayed."""
    flush_time: Duration
    """Time to flush tables and logs on an idle server."""
    index_cpu: TimePerByte | None = None
    """Time of the reference core for each byte of the indexes, which a load builds when all rows are loaded. By
    default, load_cpu includes it, and rows and indexes are filled together.
    """
    index_reads: Multiple = usual("0", "1")
    """Bytes of rows and of sorted runs that a load reads for each byte of the indexes that it builds; none where all
    rows are in memory.
    """
    load_log: Multiple = usual("0", "1")
    """Bytes of log that a load writes for each byte of rows and indexes."""
    locks_for_dump: Annotated[bool, Word()] = True
    """Whether a logical dump needs the read lock to be consistent. An engine that keeps old versions of rows does not
    need it.
    """
    locks_for_snapshot: Annotated[bool, Word()]
    """Whether a snapshot needs the read lock while it is created."""
    hot_copy: Annotated[bool, Word()] = True
    """Whether its files can be copied under the read lock while it runs."""


class DatabaseSpec(Modelled, DatabaseSheet):
    """The database engine that a data set belongs to."""


ROUNDED = 1e-4
"""What a rounded share times a rounded ratio may exceed 1 by."""
Times = Annotated[Quantity, Unit("1")]
"""How many on average."""
Layout = Annotated[Quantity, Unit("1", most=1.0, words=(("together", 0.0), ("scattered", 1.0)))]
"""A share, or one of two words for its ends."""
UNSTATED_LAYOUT = {
    "value": "50 %", "basis": "assumed", "range": ["0 %", "100 %"],
    "why": "not stated: files that were written at once lie together, and with use they scatter",
}  # fmt: skip
"""The layout of files about which a scenario says nothing, as it would say it."""
AGED_LAYOUT = {
    "value": "0 %", "basis": "derived", "rule": "'aged' counts from when the data were written in sequence",
}  # fmt: skip
"""The layout of files about which a scenario says how they were updated since they were written."""


class FilesystemSheet(Frozen):
    """The costs of a file system for each file."""

    reads_per_file: Multiple
    """Positioned reads for each file in addition to its data, with a cold cache, in directory order."""
    cpu_per_file: TimePerFile
    """Time of the reference core to walk to, open, read and close a file."""
    fragment: PositiveSize
    """Mean contiguous run of a file's data."""
    record: PositiveSize | None = None
    """Bytes of a file's metadata record, which is read before its data."""
    record_read: PositiveSize | None = None
    """Bytes of records that one read returns, because neighbours are in the same block or are read ahead; by default,
    the host's read-ahead.
    """
    entry: PositiveSize | None = None
    """Bytes of a file's entry in its directory. If this and directory_read are stated, files that are only examined
    share the reads of directories and records; otherwise each takes reads_per_file.
    """
    directory_read: PositiveSize | None = None
    """Bytes of a directory that one read returns."""
    listed: Annotated[bool, Word()] = False
    """Whether directory entries contain sizes and times, so that examining a file takes no read of its record."""
    resident: PositiveSize | None = None
    """Size of the largest file that is stored inside its record; by default, no files are."""
    walk_cpu: TimePerFile | None = None
    """Time of the reference core to find that a file has not changed, without opening it; cpu_per_file by default."""
    open_time: TimePerFile = usual("0 s/file", "s/file")
    """Further time to open a file for reading, in addition to processor time and reads, such as that of filter drivers.
    """
    create_cpu: TimePerFile | None = None
    """Time of the reference core to create, write and close a file; cpu_per_file by default."""
    create_writes: Times = usual("0", "1")
    """Positioned writes in the background for each created file, after neighbours are gathered."""
    attribute_cpu: TimePerFile = usual("0 s/file", "s/file")
    """Time of the reference core to change the times, owner or rights of a file once."""
    log_record: SizePerFile = usual("0 B/file", "B/file")
    """Bytes that a journal needs for each created file, and for each change of its attributes."""
    files_per_directory: Ratio | None = None
    """Number of files in a directory, if the data do not state how many directories there are; by default, all files
    are in one directory.
    """


class FilesystemSpec(Modelled, FilesystemSheet):
    """The file system that holds a data set."""


class FilesSheet(Frozen):
    """Files: how many, and how well they compress."""

    files: PositiveCount | None = None
    """Number of files; by default, `size` divided by `file_size`, or one."""
    file_size: Size | None = None
    """Mean size of a file on disk, zero for empty files; by default, `size` divided by `files`."""
    directories: Count | None = None
    """Number of directories; by default, it follows from the file system's files_per_directory."""
    layout: Layout | None = None
    """Share of the files that are scattered on disk, and not together as they were written: `scattered` means all,
    `together` none. By default, half of the files of a file system are assumed to be scattered, with the range from
    none to all; none of `aged` data, whose updates say what is scattered.
    """
    compression: Reduction = usual("1", "1")
    """Compression ratio: bytes before divided by bytes after compression, such as `2:1`."""
    incompressible: Share = usual("0", "1")
    """Share of the bytes that no compressor makes smaller, such as films, archives and encrypted files. The others then
    shrink more than `compression`, which is the ratio of all of them.
    """


class PopulationSheet(FilesSheet):
    """A population of files, with their total size."""

    size: Size | None = None
    """Bytes of all files."""


class AgedSpec(Frozen):
    """Random updates since the data were written in sequence; each went to free space."""

    updates: Count
    """Number of updates."""
    update_size: PositiveSize
    """Bytes of each update, such as the `8 KiB` of a page."""


class DataSpec(Part, Modelled, FilesSheet):
    """A data set: bytes in files on a device."""

    sheet = "population"
    on: Text
    """The device or volume that holds it."""
    size: Size
    """Bytes of the data set, such as `2 TB`; with `files`, of all files together. `0 B` for files without bytes, such
    as directories, which are simulated as one byte.
    """
    at: Size | None = None
    """Where it begins on the device; by default, after the data sets listed before it."""
    filesystem: FilesystemSpec | None = None
    """The file system that holds its files: a datasheet `filesystem/name`, or a mapping."""
    database: DatabaseSpec | None = None
    """The database engine that it belongs to: a datasheet `database/name`, or a mapping."""
    cached: Share = usual("0 %", "1")
    """Share of it that is in the memory of its host."""
    aged: AgedSpec | None = None
    """Random updates before the start, on a volume that writes to free space; none by default."""
    change: ChangeSpec | None = None
    """How it changes: a datasheet `change/name`, or a mapping; needed by backups of a level other than full."""
    content: PositiveSize | None = None
    """Bytes of its rows, which a logical dump writes; by default, all its bytes except those of its indexes."""
    indexes: PositiveSize = usual("0 B", "B")
    """Bytes of the indexes of a database, which a logical dump neither reads nor writes."""
    largest: ShareOrSize | None = None
    """Share of the bytes that is in the largest table or file, which a single worker must process, or its size, such as
    `364 GB`; by default, all workers share the work evenly.
    """

    @property
    def number(self) -> float:
        """Number of files, at least one: as many as of their mean size, if that is stated alone."""
        if self.files is not None:
            return self.files.si
        mean = si_or(self.file_size, 0.0)
        return max(self.size.si / mean, 1.0) if mean > 0.0 else 1.0

    @property
    def largest_share(self) -> float:
        """Share of the bytes that is in the largest table or file."""
        if self.largest is None:
            return 0.0
        return self.largest.si if self.largest.unit == "1" else min(self.largest.si / max(self.size.si, 1.0), 1.0)

    @classmethod
    def unstated(cls, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """The layout of files in a file system."""
        if "filesystem" not in said:
            return {}
        return {"layout": AGED_LAYOUT if "aged" in said else UNSTATED_LAYOUT}

    def facts(self) -> Facts:
        """Size, files, compression, and file system or database."""
        yield from amount(self.size)
        yield from number(self.files, "file")
        if self.compression.si != 1:
            yield Fact(f"{self.compression.si:g}:1 compressible")
        if self.cached.si > 0:
            yield from amount(self.cached, "in memory")
        yield from made(self.filesystem)
        yield from made(self.database)

    def check(self, checks: Checks, path: Path) -> None:
        """Report data that are on no block device, or overlap its volumes and copy areas."""
        if isinstance(self.on, Unknown) or not checks.block_device((*path, "on"), self.on):
            return
        for step in (
            self._check_empty, self._check_incompressible, self._check_largest, self._check_cached, self._check_aged,
            self._check_indexes, self._check_room,
        ):  # fmt: skip
            with checks.about(*path):
                step(checks, path)

    def _check_incompressible(self, checks: Checks, path: Path) -> None:
        """Report more bytes that do not shrink than compression leaves."""
        share, ratio = self.incompressible.si, max(self.compression.si, 1.0)
        if share * ratio > 1.0 + ROUNDED:
            message = f"at {ratio:g}:1, only {1.0 / ratio:.3g} of the bytes are left after compression"
            checks.report((*path, "incompressible"), message, "state a smaller share, or a smaller compression")

    def _check_empty(self, checks: Checks, path: Path) -> None:
        """Report data of no bytes that are not files."""
        if self.size.si > 0.0:
            return
        if self.database is not None:
            checks.report((*path, "size"), "a database has bytes", "write more than 0")
        elif self.files is None:
            message = "there are neither bytes nor files"
            checks.report((*path, "size"), message, "write more than 0, or 'files: 1000' for files without bytes")

    def _check_largest(self, checks: Checks, path: Path) -> None:
        """Report a file that is larger than all together."""
        if self.largest is not None and self.largest.unit == "B" and self.largest.si > self.size.si:
            message = f"a file of {self.largest.text} is larger than all data, which have {self.size.text}"
            checks.report((*path, "largest"), message, "write a smaller one, or a share such as '20 %'")

    def _check_room(self, checks: Checks, path: Path) -> None:
        """Report data that do not fit on their device."""
        spec, below, room = checks.spec, checks.spec.devices[self.on], checks.capacity(self.on)
        begin = spec.begins_on(self.on)[str(path[-1])]
        whole = isinstance(below, BlockDevice) and below.holds_volumes
        if whole and begin < spec.guaranteed(self.on):
            message = f"overlaps the volumes and copy areas on '{self.on}'"
            checks.report((*path, "on"), message, "put it on a volume, or place it behind them with 'at:'")
        if room is not None and begin + self.size.si > room:
            over = units.show_short(begin + self.size.si - room, "B")
            where = units.show_short(begin, "B")
            message = f"does not fit on '{self.on}': it begins at {where} and is {over} too large"
            checks.report((*path, "size"), message, f"'{self.on}' holds {units.show_short(room, 'B')}")

    def _check_cached(self, checks: Checks, path: Path) -> None:
        """Report cached data that do not fit in memory."""
        host = checks.spec.hosts.get(checks.spec.owner_of(self.on) or "")
        if not self.cached.si or host is None:
            return
        bytes_there = self.cached.si * self.size.si
        if bytes_there > host.memory.si:
            message = f"{units.show_short(bytes_there, 'B')} do not fit in the memory of the host"
            checks.report((*path, "cached"), message, f"it has {units.show_short(host.memory.si, 'B')}")

    def _check_indexes(self, checks: Checks, path: Path) -> None:
        """Report a database of nothing but indexes."""
        if self.indexes.si >= self.size.si > 0.0:
            message = f"there is no room for rows: all {units.show_short(self.size.si, 'B')} are indexes"
            checks.report((*path, "indexes"), message, "write less than 'size', which counts them, too")

    def dump_size(self) -> float:
        """Bytes of a logical dump; without an engine, those of the content."""
        content = self.content.si if self.content is not None else self.size.si - self.indexes.si
        return content if self.database is None else content * self.database.dump_ratio.si

    def _check_aged(self, checks: Checks, path: Path) -> None:
        """Report `aged` on a device that is overwritten in place."""
        if self.aged is None:
            return
        below = checks.spec.devices[self.on]
        if not isinstance(below, VolumeDevice) or below.overwrites:
            message = f"has no effect on '{self.on}', which is overwritten in place"
            checks.report((*path, "aged"), message, "leave it out, or put the data on a redirect_volume")


SECTIONS = {"data": DataSpec}
SHEETS = {
    "filesystem": FilesystemSheet,
    "database": DatabaseSheet,
    "population": PopulationSheet,
    "change": ChangeSheet,
}
LOOKS = {"data": Look("M3 1.5h7l3 3v10H3zM10 1.5v3h3M5.5 8h5M5.5 11h5", "#ecf8ec", "#4b9150")}
