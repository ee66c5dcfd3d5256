"""What a file may say about backup programs, in a few values."""

from __future__ import annotations

from typing import Annotated

from simbackup.methods.selection import Reads
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
    TimePerByte,
    TimePerFile,
    Word,
)


class BackupToolSheet(Frozen):
    """The costs of a backup program."""

    start_time: Duration
    """Time from its start until it begins to move data, once for each run of a job. Add what has no key of its own,
    such as the time in which a hypervisor creates and removes the snapshot of a machine.
    """
    mount_time: Duration
    """Time to mount a snapshot or an image and unmount it again: in `snapshot_copy`, and in restores from frozen images
    and, if it `mounts_images`, of selected files of an image.
    """
    mounts_images: Annotated[bool, Word()] = False
    """Whether a restore of selected files mounts an image that lies on a disk, and takes the files from it; by default,
    an image comes back from a disk as a whole.
    """
    check_cpu: TimePerByte | None = None
    """Time of the reference core for each byte of a finished backup that it reads again to check it; none by default.
    """
    file_time: Duration | None = None
    """Time that program and database spend exchanging messages for each file, in backup and restore."""
    file_marks: Ratio | None = None
    """Tape marks that are written for each file, and waited for; none by default. The image of a file system counts as
    one file.
    """
    block: PositiveSize | None = None
    """Bytes that it writes to tape, or reads from tape, with each command; by default, commands take no time."""
    unload_after: Duration | None = None
    """Idle time after which it unloads a tape drive, unless the library states one; by default, it unloads when a job
    ends.
    """
    request: PositiveSize | None = None
    """Bytes that it reads with one request. Used for images if the host does not read further ahead, for copies from a
    frozen image, and if it `alternates`.
    """
    reads_ahead: Annotated[bool, Word()] = False
    """Whether it issues its next read while it processes the previous one, as with asynchronous reads, even if its host
    does not read ahead.
    """
    copy_cpu: PositiveTimePerByte | None = None
    """Time of the reference core for each byte that it copies; by default, twice that given by the host's copy_rate."""
    scan_cpu: TimePerByte | None = None
    """Time of the reference core for each byte that an incremental image reads to find changes: a program that states
    this reads all bytes. By default, changes are tracked, and it reads only those.
    """
    restore_cpu: PositiveTimePerByte | None = None
    """Time of the reference core for each restored byte; by default, copy_cpu, or one copy for a restore from tape or
    of a copied database.
    """
    server_cpu: TimePerByte | None = None
    """Time of the reference core at the host with the target, if that is a different host, for each byte that it
    receives or sends; by default, twice that given by its copy_rate.
    """
    file_cpu: TimePerFile | None = None
    """Time of the reference core for each file that it saves, in addition to that of the file system."""
    make_cpu: TimePerFile | None = None
    """Time of the reference core for each file that it creates in a restore, in addition to that of the file system;
    file_cpu by default.
    """
    look_cpu: TimePerFile | None = None
    """Time of the reference core for each file that it examines but does not save, in addition to that of the file
    system; none by default.
    """
    part: PositiveSize | None = None
    """Size of the parts in which it writes or reads objects of an object store, one request each; by default, that of
    the store.
    """
    workers: PositiveCount | None = None
    """Number of workers that walk the files of a backup at the same time, or of files that it requests ahead, if the
    job does not state it; one by default.
    """
    serial_share: Share | None = None
    """Share of the work of a job that one of several workers does while the others wait; zero where the workers are
    requests ahead of a single program. By default, that of the job.
    """
    attributes: Count | None = None
    """Number of changes of attributes (times, owner, rights) that it makes to each restored file; none by default."""
    ends_in_cache: Annotated[bool, Word()] = False
    """Whether a restore ends when its last bytes are in the memory of their host, as of programs that never ask for a
    flush; they go to disk afterwards. By default, it ends when all is on disk. Save
    sets are always on disk at the end.
    """
    resumes: Annotated[bool, Word()] = False
    """Whether a job that is tried again goes on with what its last attempt stored on a disk or as objects: it reads
    that once more, and sends only the rest. By default, it sends everything again.
    """
    alternates: Annotated[bool, Word()] = False
    """Whether reading alternates with sending or writing to tape, instead of both happening at once; in a spooled
    backup, this applies to the way from the spool.
    """
    restore_reads: Annotated[Reads, Word()] = "wanted"
    """What a restore of selected files reads: only these (`wanted`), as programs do that note where on tape each file
    lies; everything before the last of them (`to_last`); or `all`, as tar does. On a disk, this counts where a
    `compressor` of the program has made one stream of the save set.
    """
    copies_log: Annotated[bool, Word()] = False
    """Whether it also copies the log that a database writes meanwhile, and replays it in a restore, so that a hot copy
    needs no lock.
    """
    shares_threads: Annotated[bool, Word()] = False
    """Whether the threads of its compressor serve all workers and streams of a backup together, as a pool. Otherwise,
    each has that many threads of its own.
    """


class BackupToolSpec(Modelled, BackupToolSheet):
    """The backup program that runs a job."""


SHEETS = {"backup_tool": BackupToolSheet}
