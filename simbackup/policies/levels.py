"""Levels of backups, and on which earlier one each is based."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Level(StrEnum):
    """How much a backup saves: everything, or what has changed since an earlier one, its base."""

    FULL = "full"
    """Everything."""
    SYNTHETIC = "synthetic_full"
    """Everything, of which the client sends what has changed since the last backup; the target makes the rest."""
    DIFFERENTIAL = "differential"
    """What has changed since the last full backup."""
    CUMULATIVE = "cumulative"
    """What has changed since the last full or differential backup."""
    INCREMENTAL = "incremental"
    """What has changed since the last backup of any level."""

    @property
    def whole(self) -> bool:
        """Whether a restore from it needs no other save set."""
        return self is Level.FULL or self is Level.SYNTHETIC


BASES = {
    Level.DIFFERENTIAL: frozenset({Level.FULL, Level.SYNTHETIC}),
    Level.CUMULATIVE: frozenset({Level.FULL, Level.SYNTHETIC, Level.DIFFERENTIAL}),
    Level.INCREMENTAL: frozenset(Level),
}
"""The levels on which a level can be based."""


@dataclass(frozen=True, slots=True)
class RestorePoint:
    """A moment to which a client can be restored."""

    number: int
    """The number of its save set."""
    time: datetime
    """The moment."""
    level: Level
    """The level."""
    base: int | None = None
    """The number of the save set on which it is based; None for a full backup."""


def base_of(level: Level, before: Iterable[RestorePoint]) -> RestorePoint | None:
    """The newest restore point that a backup of a level is based on, None for one that needs none.

    >>> full = RestorePoint(0, datetime(2027, 1, 2), Level.FULL)
    >>> daily = RestorePoint(1, datetime(2027, 1, 3), Level.INCREMENTAL, 0)
    >>> base_of(Level.INCREMENTAL, [full, daily]).number, base_of(Level.DIFFERENTIAL, [full, daily]).number
    (1, 0)
    """
    if level.whole:
        return None
    newest_first = sorted(before, key=lambda point: point.number, reverse=True)
    return next((point for point in newest_first if point.level in BASES[level]), None)
