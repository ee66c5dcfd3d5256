"""Times of a serpentine tape drive: where a byte is, and how long locates and rewinds take.

Bytes are counted as they lie on the medium, after compression. Data begin at the physical beginning of the
tape and run forward in even passes and backward in odd ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class TapeDriveParameters:
    """Figures of one drive with one kind of cartridge, as their datasheets give them.

    Parameters
    ----------
    native_rate
        Bytes per second to the medium while streaming.
    cartridge_capacity
        Native bytes.
    tape_length
        Recorded metres.
    passes
        Passes over the length that fill the cartridge: tracks over the tracks written at once.
    read_speed, search_speed
        Metres per second; rewinding is at search speed.
    load_time, unload_time
        Seconds from cartridge inserted to ready, and from rewound to ejected.
    initialise_time
        Extra seconds for the first load of a new cartridge.
    locate_overhead
        Seconds that a locate takes besides the distance at search speed: stop, start, and the mean read-in.
    turn_time
        Seconds to change direction or pass.
    buffer
        Bytes as they lie on the medium: a drive compresses before it buffers.
    host_rate
        Bytes per second that the interface takes; infinite if it never limits.
    reposition_time
        Seconds from stopping while writing or reading until the tape continues at the same place.
    slowest_rate
        Bytes per second to the medium at the lowest speed that the drive matches to its host; the native rate for a
        drive of one speed.
    command_time
        Seconds that each command takes at the interface besides its bytes.
    write_through
        Whether the drive confirms a record only when it is on the tape.

    """

    native_rate: float
    cartridge_capacity: float
    tape_length: float
    passes: int
    read_speed: float
    search_speed: float
    load_time: float
    unload_time: float
    locate_overhead: float
    turn_time: float
    buffer: float
    host_rate: float = math.inf
    reposition_time: float = 0.0
    slowest_rate: float | None = None
    command_time: float = 0.0
    write_through: bool = False
    initialise_time: float = 0.0


def pass_capacity(drive: TapeDriveParameters) -> float:
    """Bytes that one pass over the tape holds.

    Parameters
    ----------
    drive
        Drive and cartridge.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6)
    >>> round(pass_capacity(drive) / 1e6)
    673

    """
    return drive.cartridge_capacity / drive.passes


def pass_of(drive: TapeDriveParameters, byte: float) -> int:
    """Number, from 0, of the pass that contains a byte.

    Parameters
    ----------
    drive
        Drive and cartridge.
    byte
        Bytes on the medium before it; the capacity itself counts to the last pass.

    Raises
    ------
    ValueError
        If the byte lies beyond the cartridge.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6)
    >>> pass_of(drive, 0), pass_of(drive, 1e9), pass_of(drive, 35e9)
    (0, 1, 51)

    """
    # Sums of many blocks may pass the end by a rounding error, never by more.
    if not 0 <= byte <= drive.cartridge_capacity * (1 + _ROUNDING):
        raise ValueError(f"byte {byte} is outside a cartridge of {drive.cartridge_capacity} bytes")
    return min(int(byte / pass_capacity(drive)), drive.passes - 1)


def longitudinal_position(drive: TapeDriveParameters, byte: float) -> float:
    """Distance of a byte from the beginning of the tape, in metres.

    Parameters
    ----------
    drive
        Drive and cartridge.
    byte
        Bytes on the medium before it.

    Raises
    ------
    ValueError
        If the byte lies beyond the cartridge.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6)
    >>> longitudinal_position(drive, 0), longitudinal_position(drive, 35e9 / 52)
    (0.0, 541.0)

    """
    number = pass_of(drive, byte)
    along = byte / pass_capacity(drive) - number
    share = along if _runs_forward(number) else 1 - along
    return drive.tape_length * min(max(share, 0.0), 1.0)


def locate_time(drive: TapeDriveParameters, from_byte: float, to_byte: float) -> float:
    """Seconds to go from one byte to another on the loaded tape.

    Two regimes, after Hillyer and Silberschatz, "On the Modeling and Performance Characteristics of a Serpentine Tape
    Drive", SIGMETRICS 1996. The drive reaches a target a short distance ahead in the same pass by reading on, at
    `distance / read_speed`. Any other costs `locate_overhead + distance / search_speed`, and one `turn_time` if the
    pass changes or the target lies against its direction. Within a pass, the shorter of the two times counts.

    The article searches to a key point ahead of the target and reads in from there; here the read-in is its mean, part
    of `locate_overhead`. So means over many locates hold, but a single locate may be wrong by about a section of the
    tape at read speed (some 15 s on a DLT 4000), and schedules that exploit key points cannot be compared.

    Parameters
    ----------
    drive
        Drive and cartridge.
    from_byte, to_byte
        Bytes on the medium.

    Raises
    ------
    ValueError
        If a byte lies beyond the cartridge.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6)
    >>> locate_time(drive, 1e9, 1e9), round(locate_time(drive, 0, 35e9 / 52 + 1), 1)
    (0.0, 125.7)

    """
    if from_byte == to_byte:
        return 0.0
    distance = abs(longitudinal_position(drive, to_byte) - longitudinal_position(drive, from_byte))
    search = drive.locate_overhead + distance / drive.search_speed
    if from_byte < to_byte and pass_of(drive, from_byte) == pass_of(drive, to_byte):
        return min(search, distance / drive.read_speed)
    return search + drive.turn_time


def rewind_time(drive: TapeDriveParameters, from_byte: float) -> float:
    """Seconds to rewind from a byte to the beginning of the tape; 0 if it is there already.

    Parameters
    ----------
    drive
        Drive and cartridge.
    from_byte
        Bytes on the medium.

    Raises
    ------
    ValueError
        If the byte lies beyond the cartridge.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6)
    >>> rewind_time(drive, 0), round(rewind_time(drive, 35e9 / 52), 1)
    (0.0, 124.2)

    """
    distance = longitudinal_position(drive, from_byte)
    return drive.locate_overhead + distance / drive.search_speed if distance > 0 else 0.0


def mean_locate_from_start(drive: TapeDriveParameters) -> float:
    """Mean seconds from the beginning of the tape to a uniformly chosen byte (average access time).

    The integral of `locate_time`. All passes but the first cost the overhead, half the length at search speed and a
    turn. In the first pass, reading on is quicker up to a break-even distance b, and searching is quicker beyond it.

    Parameters
    ----------
    drive
        Drive and cartridge.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6)
    >>> round(mean_locate_from_start(drive), 1)
    64.8

    """
    length, overhead = drive.tape_length, drive.locate_overhead
    gained = 1 / drive.read_speed - 1 / drive.search_speed
    break_even = min(length, overhead / gained) if gained > 0 else length
    read_on = break_even**2 / (2 * drive.read_speed)
    search = overhead * (length - break_even) + (length**2 - break_even**2) / (2 * drive.search_speed)
    first_pass = (read_on + search) / length
    other_pass = overhead + drive.turn_time + length / (2 * drive.search_speed)
    return (first_pass + (drive.passes - 1) * other_pass) / drive.passes


def _runs_forward(number: int) -> bool:
    return number & 1 == 0
