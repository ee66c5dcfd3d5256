"""simbackup.devices.times"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    pass


class Times(NamedTuple):
    """Seconds to create a snapshot, to remove it, and to look a chunk up on each read."""

    create: float
    remove: float
    lookup: float = 0.0
