"""Equations of page cache that only tests need."""


def writer_time(size: float, write_rate: float, disk_rate: float, limit: float, background: float) -> float:
    """Seconds until a program has written `size` bytes through a page cache (not until they are on disk).

    Write-back starts when `background` bytes are dirty; from then on the cache fills at the difference of the rates;
    once `limit` bytes are dirty, the writer is held to the disk's rate (mm/page-writeback.c of Linux 2.6).

    Parameters
    ----------
    size
        Bytes that are written.
    write_rate, disk_rate
        Bytes a second of the writer when nothing holds it, and of the disk.
    limit, background
        Bytes that may be dirty before the writer is held, and before write-back begins.

    >>> writer_time(2e9, write_rate=200e6, disk_rate=100e6, limit=800e6, background=200e6)
    13.0
    """
    started = background / write_rate
    if size <= background or write_rate <= disk_rate:
        return size / write_rate
    full = started + (limit - background) / (write_rate - disk_rate)
    if size <= write_rate * full:
        return size / write_rate
    return full + (size - write_rate * full) / disk_rate
