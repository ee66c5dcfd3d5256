"""What a file may say about backup programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from simbackup.schema.part import Modelled
from simbackup.schema.quantity import (
    Count,
    Duration,
    Frozen,
    PositiveCount,
    PositiveSize,
    PositiveTimePerByte,
    Ratio,
    Share,
    SizePerFile,
    TimePerByte,
    TimePerFile,
    Word,
)

LOOKING = "in file_level backups of a level other than full or with 'walks_first', and in repeated copies of trees"
"""Where files are looked at and left alone."""


class BackupToolSheet(Frozen):
    """What a backup program costs beside the copying."""

    start_time: Duration
    """Time from its start until it begins."""
    mount_time: Duration
    """Time to mount a snapshot and unmount it again."""
    check_cpu: TimePerByte | None = None
    """Time of the reference core for each byte of a finished backup, to read it once more; none by default."""
    file_time: Duration | None = None
    """Time that program and database spend on exchanging messages for each file, in backup and restore."""
    file_marks: Ratio | None = None
    """Tape marks that are written and waited for with each file; none by default."""
    block: PositiveSize | None = None
    """Bytes that it writes to tape, or reads from there, with each command; commands take no time by default."""
    unload_after: Duration | None = None
    """Idle time after which it has a tape drive unloaded, if the library says none; when a job ends by default."""
    request: PositiveSize | None = None
    """Bytes that it reads with one request: in images where the host reads no more ahead, in copies from a frozen
    image, and where it alternates."""
    reads_ahead: Annotated[bool, Word()] = False
    """Whether it asks for its next request while it works on one, as with asynchronous reads, also where its host does
    not read ahead."""
    copy_cpu: PositiveTimePerByte | None = None
    """Time of the reference core for each byte that it copies; twice that of the host's copy_rate by default."""
    scan_cpu: TimePerByte | None = None
    """Time of the reference core for each byte that an incremental image reads to find those that changed: a program
    that states it reads all of them; by default, changes are tracked, and it reads these alone."""
    restore_cpu: PositiveTimePerByte | None = None
    """Time of the reference core for each byte that comes back; copy_cpu, or one copy from tape, by default."""
    server_cpu: TimePerByte | None = None
    """Time of the reference core at the host with the target, if that is another, for each byte that it takes or sends;
    twice that of its copy_rate by default."""
    server_file_cpu: TimePerFile | None = None
    """Time of the reference core at that host for each file; none by default."""
    file_cpu: TimePerFile | None = None
    """Time of the reference core for each file that it saves, beside that of the file system."""
    make_cpu: TimePerFile | None = None
    """Time of the reference core for each file that it makes when it comes back, beside that of the file system;
    file_cpu by default."""
    look_cpu: TimePerFile | None = None
    """Time of the reference core for each file that it looks at and leaves alone, beside that of the file system; none
    by default."""
    reads_records: Annotated[bool, Word()] = False
    """Whether it also reads the record of each file that it looks at and leaves alone, such as for its rights, where
    directories say times and sizes; file systems whose directories do not say them always have it read."""
    part: PositiveSize | None = None
    """Bytes of a part of an object in an object store, with one request for each; those of the store by default."""
    part_buffers: PositiveCount | None = None
    """Parts that it holds in memory: it fills a part before it sends it, and fills the next when one of these has been
    sent; as many as it needs by default."""
    list_record: SizePerFile | None = None
    """Bytes that a copy of a tree to another host sends for each file of the source, sent or not: its name and
    attributes; none by default."""
    delta_block: PositiveSize | None = None
    """Bytes of a block of files that both ends have, of which a repeated copy to another host sends those that changed;
    files that differ are sent whole by default."""
    delta_checksum: PositiveSize | None = None
    """Bytes of the checksums of a block, which the receiver sends; none by default."""
    delta_cpu: TimePerByte | None = None
    """Time of the reference core, at each end, for each byte of files whose checksums are made; none by default."""
    checksums: Annotated[bool, Word()] = False
    """Whether a repeated copy reads all files at both ends and compares their checksums, not times and sizes."""
    workers: PositiveCount | None = None
    """Workers who walk the files of a backup at once, or files that it asks for ahead, where the job does not say how
    many; one by default."""
    walks_first: Annotated[bool, Word()] = False
    """Whether it looks at all files before it saves or sends the first: for their number, a list of them, or a map of
    inodes and directories."""
    in_turn: Share | None = None
    """Share of file_cpu and make_cpu that only one of several workers takes at a time; none by default."""
    attributes: Count | None = None
    """Changes of attributes (times, owner, rights) that it makes to each file that comes back; none by default."""
    share_calls: Count | None = None
    """Requests that a copy of a tree waits for with each file that it makes on a share of another host: look-up,
    create, attributes, close; none, as of a program with an agent at both ends, by default."""
    file_flushes: Count | None = None
    """Times that it waits for each file that comes back until that is on disk (fsync); none by default."""
    alternates: Annotated[bool, Word()] = False
    """Whether it reads and then sends or writes to tape, by turns, instead of both at once; in a spooled backup, on the
    way from the spool."""
    one_pass: Annotated[bool, Word()] = True
    """Whether restores read what lies interleaved on a cartridge in one pass, or once for each: parts of a save set,
    and save sets of other restores that come before the tape moves."""
    copies_log: Annotated[bool, Word()] = False
    """Whether it also copies the log that a database writes meanwhile, and replays it when files come back, so that a
    hot copy of them needs no lock."""
    group_time: Duration | None = None
    """Time from the start of a group of save sets until the first of them begins."""
    index_record: SizePerFile | None = None
    """Bytes that its index keeps for each file."""
    index_time: Duration | None = None
    """Time to save the index, whatever its size."""
    system_state_time: Duration | None = None
    """Time to save the state of the operating system through its shadow copy service."""


class BackupToolSpec(Modelled, BackupToolSheet):
    """The backup program that runs a job."""

    conditional: ClassVar[Mapping[str, str]] = {
        "start_time": "in backups and restores",
        "mount_time": "in snapshot copies and in restores from frozen images",
        "check_cpu": "in backups of databases",
        "copies_log": "in hot copies of databases",
        "file_time": "in image, file_level and frozen_image backups and their restores",
        "file_marks": "in backups to tape",
        "block": "in backups to tape, and copies to it",
        "unload_after": "in backups to tape, and copies to it",
        "request": "in restores of frozen_image backups, in image backups, and with 'alternates'",
        "reads_ahead": "in image backups",
        "copy_cpu": "in image and file_level backups, copies of databases, and restores from frozen images",
        "scan_cpu": "in image backups of a level other than full",
        "restore_cpu": "in restores from disk and tape of image and file_level backups",
        "server_cpu": "in backups of files, blocks and databases to another host, and restores from there",
        "server_file_cpu": "in file_level backups to another host, and restores from there",
        "file_cpu": "in file_level backups and their restores",
        "make_cpu": "in restores of file_level backups",
        "look_cpu": LOOKING,
        "reads_records": LOOKING,
        "part": "where objects are written or read",
        "part_buffers": "where objects are written",
        "delta_block": "in repeated copies of trees to another host",
        "delta_checksum": "with 'delta_block', in repeated copies of trees to another host",
        "delta_cpu": "in repeated copies of trees, with 'delta_block' or 'checksums'",
        "checksums": "in repeated copies of trees",
        "alternates": "in file_level and image backups and their restores, and in copies of trees",
        "workers": "in file_level backups that do not say 'workers'",
        "walks_first": "in file_level backups, and copies of trees",
        "list_record": "in copies of trees to another host",
        "in_turn": "in file_level backups, and restores of them, with several workers",
        "attributes": "in restores of file_level backups",
        "share_calls": "in copies of trees to another host",
        "file_flushes": "in restores of file_level backups, and in copies of trees",
        "one_pass": "in restores from tape of backups with 'multiplexing'",
        "group_time": "in start_group",
        "index_record": "in save_index",
        "index_time": "in save_index",
        "system_state_time": "in system_state",
    }

    def asks(self, address: str, *, image: bool) -> Iterator[str]:
        """The keys of its requests in a backup of an image, or of files."""
        if image or self.alternates:
            yield f"{address}.request"
        if image:
            yield f"{address}.reads_ahead"
