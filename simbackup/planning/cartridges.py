"""Cartridges of a target over time: written session by session, reused when all on them has expired, bought."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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

    Each session writes to as many of them at once as it has save sets of systems, up to `streams`, in equal parts, one
    after the other; it goes on where the last one ended unless sessions begin `fresh` ones, which are taken out. What
    is kept for as long lies together, and apart from the rest, as backup programs do it: one on which nothing is kept
    is written again.
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
    filling: dict[Hashable, list[Written]] = field(default_factory=dict[Hashable, list[Written]])
    """Those that the next session goes on with, by how long they are kept."""

    @property
    def in_use(self) -> int:
        """Cartridges on which something is kept."""
        return len(self.written)

    @property
    def empty(self) -> int:
        """Cartridges that can be written from their beginning."""
        return self.owned + self.bought - self.in_use

    def session(self, sets: Sequence[tuple[Hashable, float, int]], kept: Hashable = None) -> None:
        """Write save sets that are `kept` for as long, and take the cartridges out if they go away.

        Each comes with its bytes as they take room on tape, and the number of systems that have a stream in it.

        >>> tapes = Cartridges(capacity=18e12, fresh=True)
        >>> for week in range(3):
        ...     tapes.session([(week, 20e12, 1)])
        ...     tapes.free({week - 2})
        >>> tapes.in_use, tapes.bought, tapes.empty
        (4, 6, 2)
        """
        filling = self.filling.setdefault(kept, [])
        if self.fresh:
            filling.clear()
        streams = min(self.streams, sum(systems for *_, systems in sets))
        for name, size, _ in sets:
            for stream in range(streams):
                self._write(filling, stream, name, size / streams)

    def free(self, names: set[Hashable]) -> None:
        """Forget save sets that have expired."""
        if not names:
            return
        for cartridge in self.written:
            cartridge.holds -= names
        self.written = [cartridge for cartridge in self.written if cartridge.holds]
        self.filling = {kept: [each for each in filling if each.holds] for kept, filling in self.filling.items()}

    def _write(self, filling: list[Written], stream: int, name: Hashable, size: float) -> None:
        while size > self.capacity * ROUNDING:
            if stream >= len(filling):
                filling.append(self._take())
            elif self.capacity - filling[stream].used <= self.capacity * ROUNDING:
                filling[stream] = self._take()
            cartridge = filling[stream]
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
