"""What a file costs besides its bytes, and reads in sequence while the host reads ahead."""

from __future__ import annotations

from typing import NamedTuple


def positioned_reads(size: float, fragment: float, reads_per_file: float) -> float:
    """Mean positioned reads of a file: for its directory and inode, and for its data.

    A file of `s` bytes in runs of `f` bytes on average takes `s / f` reads, at least one.

    Parameters
    ----------
    size
        Bytes of the file outside its record; 0 if it lies inside.
    fragment
        Mean contiguous run of a file's data, bytes.
    reads_per_file
        Positioned reads besides the data.

    >>> positioned_reads(size=100_000, fragment=65536, reads_per_file=0.5)
    2.02587890625
    >>> positioned_reads(size=0, fragment=65536, reads_per_file=0.5)
    0.5
    """
    return reads_per_file + (max(size / fragment, 1.0) if size > 0.0 else 0.0)


def behind_the_first(size: float, window: float) -> float:
    """Share of a file that is read with later requests than the first: `max(1 - w / s, 0)`.

    Parameters
    ----------
    size
        Bytes of the file.
    window
        Bytes of one request.

    >>> behind_the_first(size=1_000_000, window=250_000), behind_the_first(size=100, window=250_000)
    (0.75, 0.0)
    """
    return max(1.0 - window / size, 0.0) if size > 0.0 else 0.0


def outside_record(size: float, resident: float) -> float:
    """Bytes of a file's data that lie outside its record: none if the file is small enough to fit into it, else all.

    Parameters
    ----------
    size
        Bytes of the file.
    resident
        Bytes of the largest file that lies inside its record.

    >>> outside_record(100, resident=700), outside_record(800, resident=700)
    (0.0, 800.0)
    """
    return 0.0 if size <= resident else float(size)


class Looking(NamedTuple):
    """Positioned reads for a file that is only looked up, and the bytes that they return."""

    reads: float
    bytes: float


def looking(
    entry: float, directory_read: float, record: float, record_read: float, directories_per_file: float
) -> Looking:
    """Mean reads for a file that is only looked up, in a walk directory by directory.

    `max(e / b, d) + min(r / m, 1)` reads: a directory takes one for each `b` bytes of its entries of `e` bytes, and at
    least one, with `d` directories per file. A read of `m` bytes of records (inodes) of `r` bytes serves all files
    whose records it holds, because the cache keeps them until the walk comes to these files. Card, Ts'o and Tweedie,
    "Design and Implementation of the Second Extended Filesystem", Proceedings of the First Dutch International
    Symposium on Linux, 1994, for records of a directory close to each other. Holds where the records of a directory
    follow each other and those of the previous directory; in an aged file system, a read returns fewer useful records.

    Parameters
    ----------
    entry
        Bytes of an entry in a directory.
    directory_read
        Bytes of a directory that one read returns.
    record
        Bytes of a file's record, which is read, too; 0 if entries contain all that is needed.
    record_read
        Bytes of records that one read returns.
    directories_per_file
        Directories over files.

    >>> looking(entry=32, directory_read=4096, record=256, record_read=131072, directories_per_file=1 / 32)
    Looking(reads=0.033203125, bytes=384.0)
    >>> looking(entry=128, directory_read=4096, record=0, record_read=4096, directories_per_file=0.001)
    Looking(reads=0.03125, bytes=128.0)
    """
    listing, records = max(entry / directory_read, directories_per_file), min(record / record_read, 1.0)
    return Looking(listing + records, listing * directory_read + records * record_read)


def directories_with(files: float, changed: float, directories: float) -> float:
    """Directories that have at least one of the files that have changed: `d (1 - (1 - p)^(n / d))`.

    Parameters
    ----------
    files
        Number of files `n`.
    changed
        Share of them that have changed `p`, which lie in any directory.
    directories
        Number of directories `d`.

    >>> directories_with(1000, 1.0, 100), round(directories_with(1000, 0.1, 100), 3)
    (100.0, 65.132)
    """
    return directories * (1.0 - (1.0 - changed) ** (files / directories)) if directories > 0.0 else 0.0


def round_trips(size: float, request: float, calls: float) -> float:
    """Round trips to read a file over a network, one request at a time: its calls, and the requests for its data.

    `c + max(s / r, 1)`, and `c` of an empty file. If a protocol combines calls or reads ahead, state fewer
    calls or a larger request. Callaghan, Pawlowski and Staubach, "NFS Version 3 Protocol Specification", RFC 1813,
    1995, for the calls of a file.

    Parameters
    ----------
    size
        Bytes of the file.
    request
        Bytes of one request for data.
    calls
        Requests besides those for data: look-up, attributes, open, close.

    >>> round_trips(size=100_000, request=50_000, calls=3), round_trips(size=10, request=50_000, calls=3)
    (5.0, 4.0)
    """
    return calls + positioned_reads(size, request, 0.0)


class Making(NamedTuple):
    """What creating one file costs, including its share of its directory.

    Seconds of the reference core, positioned writes in the background, and bytes written sequentially.
    """

    cpu: float
    writes: float
    bytes: float


def making(
    each: Making, attributes: float, attribute_cpu: float, log_record: float, directories_per_file: float
) -> Making:
    """Cost of creating a file and setting its attributes, including its share of created directories.

    A directory is created like a file. Each change, that is, the creation and every change of attributes, is a record
    in the journal: `(1 + d) (c + a u)` seconds and `(1 + d) (r + (1 + a) l)` bytes, with d directories per file, a
    changes of u seconds each, records of r bytes and l bytes of journal. Ganger and Patt, "Metadata Update Performance
    in File Systems", Proceedings of OSDI 1994, for which writes each file system waits for; Prabhakaran,
    Arpaci-Dusseau and Arpaci-Dusseau, "Analysis and Evolution of Journaling File Systems", USENIX Annual Technical
    Conference 2005, for journals that are written sequentially. Holds while the journal has room and nothing waits for
    it.

    Parameters
    ----------
    each
        Core seconds to create one file, its positioned writes, and the bytes of its record.
    attributes
        Changes of attributes for each file.
    attribute_cpu
        Core seconds of one change.
    log_record
        Bytes of the journal for each change.
    directories_per_file
        Directories over files.

    >>> making(Making(1e-4, 0.1, 256.0), 3, attribute_cpu=2e-5, log_record=200.0, directories_per_file=0.0)
    Making(cpu=0.00016, writes=0.1, bytes=1056.0)
    """
    objects = 1.0 + directories_per_file
    return Making(
        objects * (each.cpu + attributes * attribute_cpu),
        objects * each.writes,
        objects * (each.bytes + (1.0 + attributes) * log_record),
    )


def flushed_writes(flushes: float) -> float:
    """Positioned writes that a program waits for when it flushes a file f times: `2 f`.

    A flush (fsync) writes the new data of the file, and then, elsewhere, the transaction that makes its record
    durable. Prabhakaran, Arpaci-Dusseau and Arpaci-Dusseau, "Analysis and Evolution of Journaling File Systems",
    USENIX Annual Technical Conference 2005, for this order. Holds for one flush at a time; flushes of several programs
    may share a transaction.

    Parameters
    ----------
    flushes
        Flushes of each file.

    >>> flushed_writes(1.0)
    2.0
    """
    return 2.0 * flushes


def window_wait(request_time: float, work_time: float) -> float:
    """Seconds that a program waits for each window if the host requests the next window when it begins one.

    Linux since 2.6.23 marks the first page of each window, and requests the next window when the program reaches that
    page, whether it has arrived or not (mm/readahead.c). So the program has one window while another is on its way, or
    two are on their way. The program begins windows at `T(n+1) = max(T(n), T(n-1) + t) + w`; in the steady state they
    are `P = max(w, (t + w) / 2)` apart, of which it waits `P - w = max(0, (t - w) / 2)`. Range: the device serves both
    windows at once, or one after the other without a pause; its own capacity is a separate limit.

    Parameters
    ----------
    request_time
        Seconds until the device has delivered a window, t.
    work_time
        Seconds that the program works on a window, w.

    >>> window_wait(0.003, 0.001), window_wait(0.001, 0.003)
    (0.001, 0.0)
    """
    return max(0.0, (request_time - work_time) / 2.0)


def whole_stripes(stripe_unit: float, data_disks: int, stripes: float) -> float:
    """Minimum bytes that an operating system reads ahead on its own software array.

    Linux reads two whole stripes ahead (run() of drivers/md/raid0.c, raid5.c and raid10.c; later versions use twice
    the optimal request size that these report): `n d u`. Range: arrays of the operating system; controllers do not
    report the width of theirs.

    Parameters
    ----------
    stripe_unit
        Bytes on one disk before the next disk follows, u.
    data_disks
        Data disks of a stripe, d.
    stripes
        Whole stripes, n.

    >>> whole_stripes(65536.0, 4, 2.0)
    524288.0
    """
    return stripes * data_disks * stripe_unit
