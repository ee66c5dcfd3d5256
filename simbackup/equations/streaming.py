"""How fast a tape streams, and how much speed it loses if its host cannot keep it streaming."""

from __future__ import annotations

import math

from simbackup.equations.tape import TapeDriveParameters


def interface_rate(drive: TapeDriveParameters, block: float | None = None) -> float:
    """Host bytes per second over the interface, one block per command: `block / (block / host_rate + c)`.

    A command takes c besides its bytes, and the next one is sent when it is done, as tape drivers do. Holds for blocks
    of one size, one command at a time.

    Parameters
    ----------
    drive
        Drive and cartridge.
    block
        Bytes of a command; commands take no time unless it is given.

    Raises
    ------
    ValueError
        If the block has no bytes.

    Examples
    --------
    >>> drive = TapeDriveParameters(
    ...     140e6, 1.5e12, 846, 80, 6.3, 7, 12, 17, 4, 3, 256e6, host_rate=280e6, command_time=1e-4
    ... )
    >>> interface_rate(drive), round(interface_rate(drive, 64512) / 1e6), round(interface_rate(drive, 262144) / 1e6)
    (280000000.0, 195, 253)

    """
    if block is None:
        return drive.host_rate
    if block <= 0:
        raise ValueError(f"a block has bytes, not {block}")
    each = block / drive.host_rate + drive.command_time
    return block / each if each > 0.0 else math.inf


def handing_over(drive: TapeDriveParameters, compression: float, block: float | None = None) -> float:
    """Seconds per byte that a host waits when it hands data to the drive: `1 / interface_rate`.

    The data go to the drive's buffer; `stop_start_rate` accounts for a full buffer. A drive that writes through
    answers when the byte is on tape, so the host waits for the tape if that takes longer.

    Parameters
    ----------
    drive, compression, block
        As for `transfer_rate`.

    Examples
    --------
    >>> drive = TapeDriveParameters(
    ...     140e6, 1.5e12, 846, 80, 6.3, 7, 12, 17, 4, 3, 256e6, host_rate=280e6, command_time=1e-4
    ... )
    >>> round(handing_over(drive, 1.0, 64512) * 1e9, 2)
    5.12

    """
    taken = 1.0 / interface_rate(drive, block)
    return max(taken, 1.0 / drain_rate(drive, compression)) if drive.write_through else taken


def transfer_rate(drive: TapeDriveParameters, compression: float, block: float | None = None) -> float:
    """Host bytes per second while the tape streams: `min(native_rate * compression, interface_rate)`.

    Parameters
    ----------
    drive
        Drive and cartridge.
    compression
        Host bytes per byte on the medium; slightly below 1 for data that the drive's compression expands.
    block
        Bytes of a command; commands take no time unless it is given.

    Raises
    ------
    ValueError
        If the ratio is not positive, or the block has no bytes.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6, host_rate=8.5e6)
    >>> transfer_rate(drive, 1.5), transfer_rate(drive, 2.0)
    (7500000.0, 8500000.0)

    """
    return min(drain_rate(drive, compression), interface_rate(drive, block))


def stop_start_rate(
    drive: TapeDriveParameters,
    host_rate: float,
    compression: float = 1.0,
    block: float | None = None,
    *,
    reading: bool = False,
) -> float:
    """Host bytes per second between a tape and a host that may be too slow to keep it streaming.

    Let the host send h, the tape take d (the native rate times the compression) and the buffer hold B (its bytes times
    the compression, because the data in it are compressed). For `h >= d`, the tape streams at d. A drive that matches
    its speed to the host streams at h down to its lowest speed; below that, d is the rate at the lowest speed. The
    model allows any speed in between, whereas real drives have some ten to fifteen. For `h < d`, the buffer runs
    empty, and the tape stops, backs up and starts again, which takes r; meanwhile the buffer takes in up to B at h.

    - `h r <= B`: the buffer never refuses data, so the host is not held up and the rate is h. (This needs a
      drive that writes again by the time the buffer is full, whether or not it waits for that.)
    - `h r > B`: the buffer is full before the tape runs, and the host waits. The full buffer then lasts
      `B / (d - h)`, in which the tape writes `B d / (d - h)`. A cycle takes `r + B / (d - h)`, so the rate is
      `B d / (B + r (d - h))`.

    The second form is h at `h r = B` and d at `h = d`, and rises with h between: the rate has no jump and never
    exceeds h. A host that reads more slowly than the tape holds it up in the same way. Holds for steady hosts.

    A drive that writes through buffers nothing: the host sends a record when the previous one is on the tape. By then
    the tape has run on and has to back up. So each record takes `block / d + r`, or longer if the next one takes
    longer than r to arrive. It reads ahead like other drives.

    Parameters
    ----------
    drive
        Drive and cartridge.
    host_rate
        Bytes per second that the host would send or take; the drive's own interface limits it too.
    compression
        Host bytes per byte on the medium.
    block
        Bytes of a command, or record; commands take no time unless it is given.
    reading
        Whether the tape is read.

    Raises
    ------
    ValueError
        If the host rate is negative or the ratio not positive, or a drive that writes through is given no block.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6, reposition_time=2.0)
    >>> stop_start_rate(drive, 2e6), stop_start_rate(drive, 4.5e6), stop_start_rate(drive, 9e6)
    (2000000.0, 4444444.444444444, 5000000.0)
    >>> stop_start_rate(drive, 9e6, compression=2.0), stop_start_rate(drive, 8e6, compression=4.0)
    (8888888.888888888, 8000000.0)

    """
    if host_rate < 0:
        raise ValueError("host_rate must not be negative")
    interface = interface_rate(drive, block)
    offered, streaming = min(host_rate, interface), drain_rate(drive, compression)
    if drive.write_through and not reading:
        if block is None:
            raise ValueError("a drive that writes through needs the size of a record")
        return min(offered, block / (block / streaming + max(drive.reposition_time, block / interface)))
    if offered >= streaming:
        return streaming
    buffer = drive.buffer * compression
    drained = streaming if drive.slowest_rate is None else drive.slowest_rate * compression
    if offered >= drained or offered * drive.reposition_time <= buffer:
        return offered
    return buffer * drained / (buffer + drive.reposition_time * (drained - offered))


def held_up_share(
    drive: TapeDriveParameters,
    host_rate: float,
    compression: float = 1.0,
    block: float | None = None,
    *,
    reading: bool = False,
) -> float:
    """Share of the time that a host waits because the tape backs up and starts again.

    A host that would send at h and achieves x works for the share `x / h` of the time and waits for the rest. In a
    cycle of `stop_start_rate`, it waits `r - B / h` of `r + B / (d - h)`, from a full buffer until the tape runs. This
    is zero if the buffer just covers the stop, so there is no jump: a stop that the buffer covers costs nothing.

    Parameters
    ----------
    drive, host_rate, compression, block, reading
        As for `stop_start_rate`.

    Raises
    ------
    ValueError
        As for `stop_start_rate`.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6, reposition_time=2.0)
    >>> held_up_share(drive, 4e6), round(held_up_share(drive, 4.5e6), 6), held_up_share(drive, 9e6)
    (0.0, 0.012346, 0.0)

    """
    offered = min(host_rate, transfer_rate(drive, compression, block))
    moved = stop_start_rate(drive, host_rate, compression, block, reading=reading)
    return 1.0 - moved / offered if moved < offered else 0.0


def stop_frequency(drive: TapeDriveParameters, rate: float) -> float:
    """Least number of stops a second of a tape that moves a given mean number of bytes a second; 0 if it streams.

    (1 - x / d) min(x / B, 1 / r), from the cycle of `stop_start_rate`: while the buffer covers the stop, a cycle moves
    `B d / (d - x)`, for a drive that starts again when its buffer is full; otherwise, the tape runs for the share x /
    d of the time, and stops of r each fill the rest. A drive that writes through stops after each record, which this
    does not count.

    Parameters
    ----------
    drive
        Drive and cartridge.
    rate
        Bytes on the tape per second, x.

    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6, reposition_time=2.0)
    >>> stop_frequency(drive, 2e6), stop_frequency(drive, 5e6)
    (0.15, 0.0)
    """
    slowest = drive.native_rate if drive.slowest_rate is None else drive.slowest_rate
    if drive.write_through or not 0.0 < rate < slowest:
        return 0.0
    most = rate / drive.buffer
    return (1.0 - rate / slowest) * (min(most, 1.0 / drive.reposition_time) if drive.reposition_time else most)


def drain_rate(drive: TapeDriveParameters, compression: float) -> float:
    """Host bytes per second that the tape takes while it streams: `native_rate * compression`.

    Parameters
    ----------
    drive
        Drive and cartridge.
    compression
        Host bytes per byte on the medium.

    Raises
    ------
    ValueError
        If the ratio is not positive.

    Examples
    --------
    >>> drain_rate(TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6), 1.5)
    7500000.0

    """
    if compression <= 0:
        raise ValueError(f"a compression ratio must be positive, not {compression}")
    return drive.native_rate * compression
