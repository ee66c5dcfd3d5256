"""What a file may say of hosts, devices and links: for each kind its parameters, and how it is placed."""

from __future__ import annotations

from typing import Annotated, Literal

from simbackup.schema.quantity import (
    Duration,
    Frequency,
    Frozen,
    Length,
    Pieces,
    PositiveCount,
    PositiveShare,
    PositiveSize,
    PositiveTimePerByte,
    Rate,
    Ratio,
    Share,
    Size,
    Speed,
    Text,
    TimePerByte,
    TimePerFile,
    Word,
)


class Placed(Frozen):
    """Anything that stands in a scenario and may take its parameters from a datasheet."""

    model: str | None = None
    """The datasheet it takes its parameters from, `kind/name`; own values beside it win."""


class HostParameters(Frozen):
    """A computer and the page cache of its operating system."""

    cores: Pieces
    """Processor cores."""
    memory: PositiveSize
    """Main memory."""
    dirty_limit: PositiveShare
    """Share of memory that may hold unwritten data before writers are held to the pace of the disks."""
    dirty_background: Share
    """Share of memory that may hold unwritten data before write-back begins."""
    copy_rate: Rate
    """Rate at which one core moves data between a program and the page cache."""
    read_ahead: PositiveSize | None = None
    """Window that is read ahead of a program, and waited for; without it reading never waits for its own windows."""


class Host(Placed, HostParameters):
    """A computer: it owns devices, runs jobs, and caches what is written."""

    owns: tuple[Text, ...] = ()
    """The devices attached to it."""


class DiskParameters(Frozen):
    """A rotating disk."""

    capacity: PositiveSize
    """Formatted capacity."""
    rotation_speed: Frequency
    """Revolutions a second."""
    track_to_track_seek: Duration
    """Time of the shortest seek."""
    average_seek: Duration
    """Time of a seek over a third of the stroke."""
    full_stroke_seek: Duration
    """Time of the longest seek."""
    outer_rate: Rate
    """Sustained rate in the outermost zone, where the addresses begin."""
    inner_rate: Rate
    """Sustained rate in the innermost zone."""
    stream_turn: PositiveSize
    """Bytes served for one sequential stream before the disk turns to another."""
    command_overhead: Duration
    """Time that drive and controller spend on each request."""


class Disk(Placed, DiskParameters):
    """A rotating disk in a scenario."""

    kind: Literal["disk"]


class SsdParameters(Frozen):
    """A solid-state disk."""

    capacity: PositiveSize
    """Capacity."""
    read_rate: Rate
    """Sequential read rate."""
    write_rate: Rate
    """Sequential write rate."""
    read_latency: Duration
    """Time of one small read."""
    write_latency: Duration
    """Time of one small write."""


class Ssd(Placed, SsdParameters):
    """A solid-state disk in a scenario."""

    kind: Literal["ssd"]


class RaidParameters(Frozen):
    """A redundant or striped array of equal disks."""

    level: Annotated[Literal["0", "1", "10", "4", "5", "6", "dp"], Word()]
    """RAID level; `dp` is double parity on two dedicated disks."""
    stripe_unit: PositiveSize
    """Bytes on one disk before the stripe goes on to the next."""
    controller_rate: Rate | None = None
    """Greatest rate through the controller, if it may bind."""
    controller_overhead: Duration
    """Time that the controller spends on each request."""


class MemberDisk(Placed, DiskParameters):
    """The disks of an array."""


class Raid(Placed, RaidParameters):
    """An array of equal disks in a scenario."""

    kind: Literal["raid"]
    disk: MemberDisk
    """The disks it is made of: a datasheet `disk/name`, or a mapping."""
    disks: Pieces
    """Number of disks, parity and mirrors included."""


class LogicalVolume(Frozen):
    """A logical volume: a contiguous part of a device, allocated in the order in which the volumes are listed."""

    kind: Literal["logical_volume"]
    on: Text
    """The device that it lies on."""
    size: PositiveSize
    """Its size."""


class SnapshotParameters(Frozen):
    """A copy-on-write snapshot in the volume manager."""

    method: Annotated[Literal["copy_on_write"], Word()]
    """How the frozen image is kept."""
    chunk: PositiveSize
    """Bytes that are copied when the first of them is overwritten."""
    record: Size
    """Bytes of metadata for each copied chunk."""
    in_flight: PositiveSize
    """Greatest amount of chunks being copied at once."""
    commit_backlog: PositiveSize
    """Mean amount of waiting writes whose chunks share one metadata commit."""
    create_time: Duration
    """Time to create the snapshot."""
    remove_time: Duration
    """Time to remove it."""
    lookup_time: Duration
    """Time that a read of the snapshot spends on each chunk to find where it lies."""


class Snapshot(Placed, SnapshotParameters):
    """A copy-on-write snapshot of a volume; without a job that creates it, it is in place from the start."""

    kind: Literal["snapshot"]
    of: Text
    """The volume that it freezes."""
    on: Text
    """The device that its copy area lies on."""
    size: PositiveSize
    """Size of its copy area; when that is full the snapshot is invalid."""


class TapeDriveParameters(Frozen):
    """A serpentine tape drive and its cartridge."""

    native_rate: Rate
    """Rate without compression."""
    cartridge_capacity: PositiveSize
    """Native capacity of a cartridge."""
    tape_length: Length
    """Recordable length of the tape."""
    passes: PositiveCount
    """End-to-end passes of the tape."""
    read_speed: Speed
    """Speed of the tape while it reads or writes."""
    search_speed: Speed
    """Speed of the tape while it searches or rewinds."""
    load_time: Duration
    """From insertion to ready at the beginning of the tape."""
    unload_time: Duration
    """From the beginning of the tape to ready for removal."""
    locate_overhead: Duration
    """Starting and stopping of one locate."""
    turn_time: Duration
    """Change of pass or of direction."""
    buffer: Size
    """The drive's buffer."""
    host_rate: Rate | None = None
    """Greatest rate at the interface, whatever the compression."""


class TapeDrive(Placed, TapeDriveParameters):
    """A tape drive in a library."""


class TapeLibraryParameters(Frozen):
    """A tape library."""

    slots: Pieces
    """Cartridge slots."""
    bays: Pieces
    """Greatest number of drives."""
    robots: Pieces
    """Robots that move cartridges."""
    exchange_time: Duration
    """Mean time of one move between a slot and a drive."""


class TapeLibrary(Placed, TapeLibraryParameters):
    """A tape library with its drives and cartridges."""

    kind: Literal["tape_library"]
    drive: TapeDrive
    """Its drives: a datasheet `tape_drive/name`, or a mapping."""
    drives: Pieces
    """Number of drives."""
    cartridges: Pieces | None = None
    """Cartridges in the pool; as many as there are slots unless stated."""


class NetworkParameters(Frozen):
    """A network or bus."""

    rate: Rate
    """Payload rate in each direction."""
    latency: Duration
    """Round trip."""


class Link(Placed, NetworkParameters):
    """A network or bus that joins hosts and devices."""

    joins: tuple[Text, ...]
    """The hosts and devices that it joins."""


class FilesystemParameters(Frozen):
    """What a file system costs for each file."""

    reads_per_file: Ratio
    """Positioned reads for each file besides its data, cache cold, in directory order."""
    cpu_per_file: TimePerFile
    """Time of one core to walk to, open, read and close a file."""
    fragment: PositiveSize
    """Mean contiguous run of a file's data."""


class Filesystem(Placed, FilesystemParameters):
    """The file system that a data set lies in."""


class DatabaseParameters(Frozen):
    """What the engine of a database costs when it is backed up and restored."""

    dump_ratio: Ratio
    """Bytes of a logical dump for each byte that the database takes on disk."""
    dump_cpu: PositiveTimePerByte
    """Time of one core for each byte of a dump: read the rows, write the text."""
    load_cpu: PositiveTimePerByte
    """Time of one core for each byte of a dump that is loaded: parse, insert, build indexes."""
    replay_cpu: PositiveTimePerByte
    """Time of one core for each byte of a binary log that is replayed."""
    flush_time: Duration
    """Time to flush tables and logs on an idle server."""
    locks_for_snapshot: Annotated[bool, Word()]
    """Whether a snapshot needs the read lock while it is created."""


class Database(Placed, DatabaseParameters):
    """The database engine that a data set belongs to."""


class BackupToolParameters(Frozen):
    """What a backup program adds to the copying."""

    start_time: Duration
    """Time from its start until it begins."""
    mount_time: Duration
    """Time to mount a snapshot and unmount it again."""
    check_cpu: TimePerByte
    """Time of one core for each byte of a finished backup, to read it once more."""


class BackupTool(Placed, BackupToolParameters):
    """The backup program that runs a job."""


DEVICES: dict[str, type[Frozen]] = {
    "disk": Disk,
    "ssd": Ssd,
    "raid": Raid,
    "logical_volume": LogicalVolume,
    "snapshot": Snapshot,
    "tape_library": TapeLibrary,
}
"""What a device of each kind may say."""

PARAMETERS: dict[str, type[Frozen]] = {
    "host": HostParameters,
    "disk": DiskParameters,
    "ssd": SsdParameters,
    "raid": RaidParameters,
    "snapshot": SnapshotParameters,
    "tape_drive": TapeDriveParameters,
    "tape_library": TapeLibraryParameters,
    "network": NetworkParameters,
    "filesystem": FilesystemParameters,
    "database": DatabaseParameters,
    "backup_tool": BackupToolParameters,
}
"""What a datasheet of each kind has to say."""
