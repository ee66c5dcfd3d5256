"""What a file may say about data sets, their file systems and database engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from simbackup import units
from simbackup.data.change import ChangeSpec
from simbackup.schema.capability import BlockDevice, VolumeDevice
from simbackup.schema.facts import Fact, Facts, amount, made, number
from simbackup.schema.part import Modelled, Part, Path
from simbackup.schema.unknown import Unknown

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

from typing import Annotated

from simbackup.schema.quantity import (
    Count,
    Duration,
    Frozen,
    Multiple,
    PositiveCount,
    PositiveShare,
    PositiveSize,
    PositiveTimePerByte,
    Quantity,
    Ratio,
    Reduction,
    Share,
    Size,
    SizePerFile,
    Text,
    TimePerByte,
    TimePerFile,
    Unit,
    Word,
)

Times = Annotated[Quantity, Unit("1")]
"""How many on average."""
Layout = Annotated[Quantity, Unit("1", most=1.0, words=(("together", 0.0), ("scattered", 1.0)))]
"""A share, or one of two words for its ends."""
UNSTATED_LAYOUT = {
    "value": "50 %", "basis": "assumed", "range": ["0 %", "100 %"],
    "why": "not stated: files that were written at once lie together, and with use they scatter",
}  # fmt: skip
"""The layout of files about which a scenario says nothing, as it would say it."""


class FilesystemSheet(Frozen):
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
    """Bytes of records that come with one read, as neighbours lie in one block or are read ahead; the host's read-ahead
    by default."""
    entry: PositiveSize | None = None
    """Bytes of a file's entry in its directory. Where this and directory_read are stated, files that are only looked at
    share the reads of directories and records; else each takes reads_per_file."""
    directory_read: PositiveSize | None = None
    """Bytes of a directory that come with one read."""
    listed: Annotated[bool, Word()] = False
    """Whether entries of directories say sizes and times, so that looking at a file takes no read of its record."""
    resident: PositiveSize | None = None
    """Largest file that lies inside its record; none does by default."""
    walk_cpu: TimePerFile | None = None
    """Time of the reference core to find that a file has not changed, without opening it; that of cpu_per_file unless
    stated."""
    open_time: TimePerFile | None = None
    """Time that opening a file to read it waits beside processor and reads, as for filters; none by default."""
    create_cpu: TimePerFile | None = None
    """Time of the reference core to create, write and close a file; that of cpu_per_file by default."""
    create_writes: Times | None = None
    """Positioned writes behind for each file made, after neighbours are gathered; none by default."""
    create_syncs: Times | None = None
    """Positioned writes for each file made that whoever makes it waits for; none by default."""
    attribute_cpu: TimePerFile | None = None
    """Time of the reference core to change times, owner or rights of a file once; none by default."""
    log_record: SizePerFile | None = None
    """Bytes that a journal takes for each file made, and for each change of its attributes; none by default."""
    files_per_directory: Ratio | None = None
    """Files of a directory where the data do not say how many directories they have; all in one by default."""


class FilesystemSpec(Modelled, FilesystemSheet):
    """The file system that holds a data set."""


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
    in_turn: Share | None = None
    """Share of dump_cpu and load_cpu that only one of several workers takes at a time: locks, logs, an index that all
    fill; none by default."""
    index_cpu: TimePerByte | None = None
    """Time of the reference core for each byte of the indexes, which a load builds when all rows are there; unless
    stated, load_cpu holds it, and rows and indexes are filled together."""
    index_reads: Multiple | None = None
    """Bytes of rows and of sorted runs that are read for each byte of the indexes; none, as in memory, unless
    stated."""
    load_log: Multiple | None = None
    """Bytes of its own log that a load writes for each byte of rows and indexes; none by default."""
    locks_for_dump: Annotated[bool, Word()] = True
    """Whether a logical dump needs the read lock to be consistent; not where old versions of rows are kept for it; yes
    by default."""
    locks_for_snapshot: Annotated[bool, Word()]
    """Whether a snapshot needs the read lock while it is created."""
    hot_copy: Annotated[bool, Word()] = True
    """Whether its files may be copied under the read lock while it runs; yes by default."""


class DatabaseSpec(Modelled, DatabaseSheet):
    """The database engine that a data set belongs to."""

    conditional: ClassVar[Mapping[str, str]] = {
        "dump_ratio": "in logical dumps",
        "dump_cpu": "in logical dumps",
        "load_cpu": "in restores of logical dumps",
        "replay_cpu": "in restores with 'replay'",
        "flush_time": "in backups of databases",
        "in_turn": "in logical dumps and their restores with several workers",
        "index_cpu": "in restores of logical dumps of data with 'indexes'",
        "index_reads": "in restores of logical dumps of data with 'indexes', and 'index_cpu'",
        "load_log": "in restores of logical dumps",
        "locks_for_dump": "in logical dumps that do not say 'read_lock'",
        "locks_for_snapshot": "in snapshot copies",
    }


class FilesSheet(Frozen):
    """Files: how many, and how well they compress."""

    files: PositiveCount | None = None
    """Number of files; one by default."""
    file_size: Size | None = None
    """Mean size of a file on disk, zero for empty files; `size` over `files` by default."""
    directories: Count | None = None
    """Number of directories; by the file system's files_per_directory by default."""
    layout: Layout | None = None
    """Share of the files that are scattered, not together as they were written: `scattered` all, `together` none.
    By default, half of them of a file system, and an assumption with the range of all shares."""
    compression: Reduction | None = None
    """Bytes before over bytes after compression, such as `2:1`; 1 by default."""


class PopulationSheet(FilesSheet):
    """A population of files, and how large they are together."""

    size: PositiveSize | None = None
    """Bytes of all files."""


class AgedSpec(Frozen):
    """Random updates since the data were written in sequence; each went to a free place."""

    updates: Count
    """Number of updates."""
    update_size: PositiveSize
    """Bytes of each update, such as the `8 KiB` of a page."""
    working_set: PositiveShare | None = None
    """Share of the data that was updated; all of it by default."""
    hot_data: PositiveShare | None = None
    """Share of the working set that took most of them."""
    hot_updates: PositiveShare | None = None
    """Share of the updates that went to the hot data."""


class DataSpec(Part, Modelled, FilesSheet):
    """A data set: bytes in files on a device."""

    sheet = "population"
    on: Text
    """The device or volume that it lies on."""
    size: PositiveSize
    """Bytes of the data set, such as `2 TB`; with `files`, of all files together."""
    at: Size | None = None
    """Where it begins on the device; behind the data sets listed before it by default."""
    filesystem: FilesystemSpec | None = None
    """The file system that holds its files: a datasheet `filesystem/name`, or a mapping."""
    database: DatabaseSpec | None = None
    """The database engine that it belongs to: a datasheet `database/name`, or a mapping."""
    cached: Share | None = None
    """Share of it that lies in the memory of its host; none by default."""
    aged: AgedSpec | None = None
    """Random updates before the start, on a volume that writes to free places; none by default."""
    change: ChangeSpec | None = None
    """How it changes: a datasheet `change/name`, or a mapping; needed by backups of a level other than full."""
    content: PositiveSize | None = None
    """Bytes of its rows, which a logical dump writes; all its bytes but those of its indexes by default."""
    indexes: PositiveSize | None = None
    """Bytes of the indexes of a database beside its rows, which a logical dump neither reads nor writes; none unless
    stated."""
    largest: PositiveShare | None = None
    """Share of a database that is in its largest table or file, which one of several workers takes alone; tables and
    files are divided among them by default."""

    conditional: ClassVar[Mapping[str, str]] = {
        "compression": "in backups to tape, in database_native backups, and in backups with a 'compressor'",
        "layout": "in file_level backups and copies of files",
        "file_size": "in file_level backups and copies of files",
        "directories": "where files are made: restores, copies, and writes of files",
        "indexes": "in logical dumps and their restores",
        "largest": "in backups of databases to a volume, and their restores, with several workers",
        "cached": "in image and file_level backups of the data themselves",
    }

    @classmethod
    def unstated(cls, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """The layout of files in a file system."""
        return {"layout": UNSTATED_LAYOUT} if "filesystem" in said else {}

    def facts(self) -> Facts:
        """Size, files, compression, and file system or database."""
        yield from amount(self.size)
        yield from number(self.files, "file")
        if self.compression is not None and self.compression.si != 1:
            yield Fact(f"{self.compression.si:g}:1 compressible")
        if self.cached is not None and self.cached.si > 0:
            yield from amount(self.cached, "in memory")
        yield from made(self.filesystem)
        yield from made(self.database)

    def check(self, checks: Checks, path: Path) -> None:
        """Report data that are on no block device, or overlap its volumes and copy areas."""
        if isinstance(self.on, Unknown) or not checks.block_device((*path, "on"), self.on):
            return
        for step in (self._check_cached, self._check_aged, self._check_indexes, self._check_room):
            with checks.about(*path):
                step(checks, path)

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
        if self.cached is None or host is None:
            return
        bytes_there = self.cached.si * self.size.si
        if bytes_there > host.memory.si:
            message = f"{units.show_short(bytes_there, 'B')} do not fit in the memory of the host"
            checks.report((*path, "cached"), message, f"it has {units.show_short(host.memory.si, 'B')}")

    def _check_indexes(self, checks: Checks, path: Path) -> None:
        """Report a database of nothing but indexes."""
        if self.indexes is not None and self.indexes.si >= self.size.si:
            message = f"there is no room for rows: all {units.show_short(self.size.si, 'B')} are indexes"
            checks.report((*path, "indexes"), message, "write less than 'size', which counts them, too")

    def _check_aged(self, checks: Checks, path: Path) -> None:
        """Report `aged` on a device that is overwritten in place."""
        if self.aged is None:
            return
        below = checks.spec.devices[self.on]
        if not isinstance(below, VolumeDevice) or below.overwrites:
            message = f"has no effect on '{self.on}', which is overwritten in place"
            checks.report((*path, "aged"), message, "leave it out, or put the data on a redirect_volume")
        if (self.aged.hot_data is None) != (self.aged.hot_updates is None):
            checks.report((*path, "aged"), "hot_data and hot_updates go together", "give both, or neither")
