"""What files cost besides their bytes."""

from __future__ import annotations


def positioned_reads(size: float, fragment: float, reads_per_file: float) -> float:
    """Positioned reads that one file takes in the mean: those of its directory and inode, and those of its data.

    A file of `s` bytes in runs of `f` bytes in the mean takes `s / f` reads, and one at least.

    Parameters
    ----------
    size
        Bytes of the file outside its record; none where it lies inside.
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


def outside_record(size: float, resident: float) -> float:
    """Bytes of a file's data that lie outside its record: all of them, or none of a small file that fits into it.

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
