"""What a disk loses when streams take turns."""

from __future__ import annotations

from simbackup.equations.disk import MEAN_SEEK_SHARE, DiskParameters, rotational_latency, seek_time


def turn_time(disk: DiskParameters, distance_share: float = MEAN_SEEK_SHARE) -> float:
    """Seconds that a disk loses when it turns to a stream from another: a seek, half a revolution, the overhead.

    Parameters
    ----------
    disk
        The drive.
    distance_share
        Mean seek between two streams as a share of the stroke; a third for streams anywhere on the disk.

    Raises
    ------
    ValueError
        If the distance is not a share.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 128 * 1024)
    >>> round(turn_time(disk), 6)
    0.0085

    """
    return seek_time(disk, distance_share) + rotational_latency(disk) + disk.command_overhead
