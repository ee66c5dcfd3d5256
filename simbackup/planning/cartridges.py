"""Cartridges of a target over time: written session by session, reused when all on them has expired, bought."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

ROUNDING = 1e-9
"""Share of a cartridge that is lost to rounding."""


@dataclass(slots=True, eq=False)
class Written:
    """A cartridge with something on it: bytes, and the save sets of which parts are there."""

    used: float = 0.0
    holds: set[Hashable] = field(default_factory=set[Hashable])


@dataclass(slots=True)
class Cartridges:
    """The cartridges of a target, of one capacity in bytes.

    Each session writes to `streams` of them at once, in equal parts, one after the other; it goes on where the last
    one ended unless sessions begin `fresh` ones, which are taken out. One on which nothing is kept is written again.
    `owned` were there at the start, of which so many are `new`; one is bought, new, when there is none to write. Others
    are written again before a new one is begun; `begun` counts these.
    """

    capacity: float
    streams: int = 1
    fresh: bool = False
    owned: int = 0
    new: int = 0
    bought: int = 0
    begun: int = 0
    written: list[Written] = field(default_factory=list[Written])
    filling: list[Written] = field(default_factory=list[Written])

    @property
    def in_use(self) -> int:
        """Cartridges on which something is kept."""
        return len(self.written)

    @property
    def empty(self) -> int:
        """Cartridges that can be written from their beginning."""
        return self.owned + self.bought - self.in_use

    def session(self, sets: Iterable[tuple[Hashable, float]]) -> None:
        """Write save sets, each with its bytes as they take room on tape, and take the cartridges out if they go away.

        >>> tapes = Cartridges(capacity=18e12, fresh=True)
        >>> for week in range(3):
        ...     tapes.session([(week, 20e12)])
        ...     tapes.free({week - 2})
        >>> tapes.in_use, tapes.bought, tapes.empty
        (4, 6, 2)
        """
        if self.fresh:
            self.filling.clear()
        for name, size in sets:
            for stream in range(self.streams):
                self._write(stream, name, size / self.streams)

    def free(self, names: set[Hashable]) -> None:
        """Forget save sets that have expired."""
        if not names:
            return
        for cartridge in self.written:
            cartridge.holds -= names
        self.written = [cartridge for cartridge in self.written if cartridge.holds]
        self.filling = [cartridge for cartridge in self.filling if cartridge.holds]

    def _write(self, stream: int, name: Hashable, size: float) -> None:
        while size > self.capacity * ROUNDING:
            if stream >= len(self.filling):
                self.filling.append(self._take())
            elif self.capacity - self.filling[stream].used <= self.capacity * ROUNDING:
                self.filling[stream] = self._take()
            cartridge = self.filling[stream]
            part = min(size, self.capacity - cartridge.used)
            cartridge.used += part
            cartridge.holds.add(name)
            size -= part

    def _take(self) -> Written:
        """An empty cartridge, bought if there is none."""
        if self.empty <= 0:
            self.bought += 1
            self.new += 1
        if self.empty <= self.new:
            self.new -= 1
            self.begun += 1
        self.written.append(Written())
        return self.written[-1]
