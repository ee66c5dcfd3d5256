"""Cartridges, and how much of them is written."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_ROOM = 1.0
"""Bytes on a cartridge below which it is full."""


@dataclass(slots=True, eq=False)
class Cartridge:
    """A cartridge, its pool, and how much of it is written, in bytes on the tape.

    A `new` one was never loaded.
    """

    name: str
    capacity: float
    pool: str | None = None
    end: float = 0.0
    in_use: bool = False
    new: bool = False
    unreadable: bool = False
    """Whether no drive can read it; whoever loads it finds out."""

    @property
    def room(self) -> float:
        """Bytes of room left on it."""
        return self.capacity - self.end


def no_room(library: str, pool: str | None) -> str:
    """What is wrong when no cartridge of a pool, or of a library without pools, has room.

    >>> no_room("jukebox", "monthly")
    "the pool 'monthly' of 'jukebox' is full"
    """
    named = f"the pool '{pool}'" if pool else "the pool"
    return f"{named} of '{library}' is full"
