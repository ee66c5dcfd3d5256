"""How fast a tape streams, and what it loses where its host cannot keep it moving."""

from __future__ import annotations

from simbackup.equations.tape import TapeDriveParameters


def transfer_rate(drive: TapeDriveParameters, compression: float) -> float:
    """Host bytes per second while the tape streams: `min(native_rate * compression, host_rate)`.

    Parameters
    ----------
    drive
        Drive and cartridge.
    compression
        Host bytes per byte on the medium; somewhat below 1 for data that the drive's compression expands.

    Raises
    ------
    ValueError
        If the ratio is not positive.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6, host_rate=8.5e6)
    >>> transfer_rate(drive, 1.5), transfer_rate(drive, 2.0)
    (7500000.0, 8500000.0)

    """
    return min(_drain_rate(drive, compression), drive.host_rate)


def stop_start_rate(drive: TapeDriveParameters, host_rate: float, compression: float = 1.0) -> float:
    """Host bytes per second between a tape and a host that may be too slow to keep it moving.

    Let the host send h, the tape take d (the native rate times the compression) and the buffer hold B. For
    `h >= d` the tape streams at d. A drive that matches its speed to the host streams at h down to its lowest speed,
    whose d counts from there on. For `h < d` the buffer runs empty and the tape stops, backs up and starts
    again, which takes r; meanwhile the buffer takes in up to B at h.

    - `h r <= B`: the buffer never refuses data, so the host is not held up and the rate is h. (This needs a
      drive that writes again by the time the buffer is full, whether or not it waits for that.)
    - `h r > B`: the buffer is full before the tape runs, and the host waits. The full buffer then lasts
      `B / (d - h)`, in which the tape writes `B d / (d - h)`. A cycle takes `r + B / (d - h)`, so the rate is
      `B d / (B + r (d - h))`.

    The second form is h at `h r = B` and d at `h = d`, and rises with h between: the rate has no jump and
    never exceeds h. A host that is slower than the tape in reading holds it up in the same way. Holds for steady hosts.

    Parameters
    ----------
    drive
        Drive and cartridge.
    host_rate
        Bytes per second that the host would send or take; the drive's own interface limits it too.
    compression
        Host bytes per byte on the medium.

    Raises
    ------
    ValueError
        If the host rate is negative or the ratio not positive.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6, reposition_time=2.0)
    >>> stop_start_rate(drive, 2e6), stop_start_rate(drive, 4.5e6), stop_start_rate(drive, 9e6)
    (2000000.0, 4444444.444444444, 5000000.0)

    """
    if host_rate < 0:
        raise ValueError("host_rate must not be negative")
    offered = min(host_rate, drive.host_rate)
    streaming = _drain_rate(drive, compression)
    if offered >= streaming:
        return streaming
    drained = streaming if drive.slowest_rate is None else drive.slowest_rate * compression
    if offered >= drained or offered * drive.reposition_time <= drive.buffer:
        return offered
    return drive.buffer * drained / (drive.buffer + drive.reposition_time * (drained - offered))


def reposition_share(drive: TapeDriveParameters, host_rate: float, compression: float = 1.0) -> float:
    """Share of the time in which a tape backs up and starts again while its host has to wait.

    A cycle of `stop_start_rate` takes `r + B / (d - h)`, of which r is lost and the rest is writing at d: at a rate of
    x the tape writes for the share x / d. Zero where the tape streams, and where the buffer spares the host waiting.

    Parameters
    ----------
    drive, host_rate, compression
        As for `stop_start_rate`.

    Raises
    ------
    ValueError
        If the host rate is negative or the ratio not positive.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6, reposition_time=2.0)
    >>> reposition_share(drive, 2e6), round(reposition_share(drive, 4.5e6), 6), reposition_share(drive, 9e6)
    (0.0, 0.111111, 0.0)

    """
    moved = stop_start_rate(drive, host_rate, compression)
    drained = _drain_rate(drive, compression) if drive.slowest_rate is None else drive.slowest_rate * compression
    refused = moved < min(host_rate, drive.host_rate) and moved < drained
    return 1.0 - moved / drained if refused else 0.0


def _drain_rate(drive: TapeDriveParameters, compression: float) -> float:
    if compression <= 0:
        raise ValueError(f"a compression ratio must be positive, not {compression}")
    return drive.native_rate * compression
