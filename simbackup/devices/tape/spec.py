"""What a file may say of tape drives and tape libraries."""

from __future__ import annotations

from typing import Annotated, Literal

from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Length,
    Pieces,
    PositiveCount,
    PositiveSize,
    Rate,
    Speed,
    Text,
    Word,
)


class TapeDriveSheet(Frozen):
    """A serpentine tape drive and its cartridge."""

    media: Annotated[str, Word()]
    """The type of cartridge that it takes, such as `LTO-9`."""
    native_rate: Rate
    """Rate without compression."""
    slowest_rate: Rate | None = None
    """Lowest rate without compression to which it slows down for a slow host; its one rate unless stated."""
    cartridge_capacity: PositiveSize
    """Native capacity of a cartridge."""
    tape_length: Length
    """Recordable length of the tape."""
    passes: PositiveCount
    """End-to-end passes of the tape."""
    read_speed: Speed
    """Speed of the tape while it reads or writes."""
    search_speed: Speed
    """Speed of the tape while it searches or rewinds."""
    load_time: Duration
    """From insertion to ready at the beginning of the tape."""
    unload_time: Duration
    """From the beginning of the tape to ready for removal."""
    locate_overhead: Duration
    """Starting and stopping of one locate."""
    turn_time: Duration
    """Change of pass or of direction."""
    reposition_time: Duration
    """From stopping while it writes to writing on at the same place."""
    buffer: PositiveSize
    """The drive's buffer."""
    host_rate: Rate | None = None
    """Greatest rate at the interface, whatever the compression."""


class TapeDriveSpec(Modelled, TapeDriveSheet):
    """A tape drive in a library."""


class TapeLibrarySheet(Frozen):
    """A tape library."""

    slots: Pieces
    """Cartridge slots."""
    bays: Pieces
    """Greatest number of drives."""
    robots: Pieces
    """Robots that move cartridges."""
    exchange_time: Duration
    """Mean time of one move between a slot and a drive."""


class TapeLibrarySpec(Modelled, TapeLibrarySheet):
    """A tape library with its drives and cartridges."""

    kind: Literal["tape_library"]
    drive: TapeDriveSpec
    """Its drives: a datasheet `tape_drive/name`, or a mapping."""
    drives: Pieces
    """Number of drives."""
    media: Text | None = None
    """The type of its cartridges; the one that its drives take unless stated."""
    cartridges: Pieces | None = None
    """Cartridges in all; as many as there are slots unless stated."""
    pools: dict[str, Pieces] | None = None
    """Cartridges set aside for a named pool; the others are the pool of jobs that name none."""
    unload_after: Duration | None = None
    """Idle time for which a drive stays loaded; unless stated a job ends with its cartridge back in the slot."""
