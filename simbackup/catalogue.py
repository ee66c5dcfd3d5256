"""The catalogue: which backup saved what, and where each byte of it lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Extent(NamedTuple):
    """A run of a save set: where it begins in the set, its size, the cartridge or volume, and where it lies on it.

    Where blocks of others lie between its own it is spread over so many times its size.
    """

    begin: float
    size: float
    medium: str
    position: float
    spread: float = 1.0


@dataclass(slots=True)
class SaveSet:
    """What one run of a backup job saved, and the places of its copy in order."""

    job: str
    data: str
    method: str
    target: str
    size: float
    files: float
    compression: float
    time: float
    extents: list[Extent] = field(default_factory=list[Extent])

    @property
    def done(self) -> float:
        """Bytes of the save set that are on media, from its beginning."""
        return self.extents[-1].begin + self.extents[-1].size if self.extents else 0.0

    def locate(self, begin: float, size: float) -> list[Extent]:
        """The runs on media that hold `size` bytes from a byte of the save set on."""
        found: list[Extent] = []
        for extent in self.extents:
            low = max(begin, extent.begin)
            high = min(begin + size, extent.begin + extent.size)
            if low < high:
                offset = (low - extent.begin) * extent.spread / self.compression
                found.append(extent._replace(begin=low, size=high - low, position=extent.position + offset))
        return found


@dataclass(slots=True)
class Catalogue:
    """All save sets in the order in which they were made."""

    save_sets: list[SaveSet] = field(default_factory=list[SaveSet])

    def last(self, job: str) -> SaveSet | None:
        """The newest complete save set of a backup job, of whichever of its runs."""
        runs = f"{job}."
        return next((s for s in reversed(self.save_sets) if s.job == job or s.job.startswith(runs)), None)

    def since(self, job: str, time: float) -> list[SaveSet]:
        """The save sets of a backup job, of whichever of its runs, that were made after a time, oldest first."""
        runs = f"{job}."
        return [s for s in self.save_sets if s.time > time and (s.job == job or s.job.startswith(runs))]
