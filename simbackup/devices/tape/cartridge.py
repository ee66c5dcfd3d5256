"""Cartridges, and how much of them is written."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_ROOM = 1.0
"""Bytes on a cartridge below which it is full."""


@dataclass(slots=True, eq=False)
class Cartridge:
    """A tape cartridge."""

    name: str
    capacity: float
    """Bytes that fit on the tape, after compression."""
    pool: str | None = None
    """Its pool; None in a library without pools."""
    end: float = 0.0
    """Bytes on the tape that are written."""
    in_use: bool = False
    """Whether a job has reserved it."""
    new: bool = False
    """Whether it was never loaded."""
    unreadable: bool = False
    """Whether no drive can read it; a job that loads it finds out."""

    @property
    def room(self) -> float:
        """Free bytes on it."""
        return self.capacity - self.end


def no_room(library: str, pool: str | None) -> str:
    """The message when no cartridge of a pool, or of a library without pools, has free space.

    >>> no_room("jukebox", "monthly")
    "the pool 'monthly' of 'jukebox' is full"
    """
    named = f"the pool '{pool}'" if pool else "the pool"
    return f"{named} of '{library}' is full"
