"""What files cost besides their bytes."""

from __future__ import annotations

import math


def positioned_reads(size: float, fragment: float, reads_per_file: float) -> float:
    """Positioned reads that one file takes: those of its directory and inode, and one for each fragment of its data.

    Parameters
    ----------
    size
        Bytes of the file.
    fragment
        Mean contiguous run of a file's data, bytes.
    reads_per_file
        Positioned reads besides the data.

    >>> positioned_reads(size=100_000, fragment=65536, reads_per_file=0.5)
    2.5
    """
    return reads_per_file + max(math.ceil(size / fragment), 1)
