"""Cartridges of a target over time: written session by session, reused when all on them has expired, bought."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

ROUNDING = 1e-9
"""Share of a cartridge that is a rounding error."""


@dataclass(slots=True, eq=False)
class Written:
    """A cartridge with data."""

    used: float = 0.0
    """Bytes that are written."""
    holds: set[Hashable] = field(default_factory=set[Hashable])
    """The save sets of which parts are on it."""


@dataclass(slots=True)
class Cartridges:
    """The cartridges of a target over time.

    A session goes on where the last one ended, unless sessions begin `fresh` cartridges. Save sets that are kept
    equally long share cartridges. A cartridge whose save sets have all expired is used again. If there is none, a
    cartridge that was never used is begun, and if there is none either, one is bought.
    """

    capacity: float
    """Bytes of a cartridge."""
    streams: int = 1
    """Greatest number of cartridges among which the bytes of a session are divided evenly."""
    fresh: bool = False
    """Whether each session begins cartridges of its own, which are then taken out."""
    owned: int = 0
    """Cartridges at the start."""
    new: int = 0
    """Cartridges that were never used."""
    bought: int = 0
    """Cartridges bought so far."""
    begun: int = 0
    """New cartridges that were begun since this was last reset."""
    written: list[Written] = field(default_factory=list[Written])
    """Cartridges with data."""
    filling: dict[Hashable, list[Written]] = field(default_factory=dict[Hashable, list[Written]])
    """Cartridges with free space, by how long their save sets are kept, for the next session; the first begun first."""

    @property
    def in_use(self) -> int:
        """Number of cartridges with data that are kept."""
        return len(self.written)

    @property
    def empty(self) -> int:
        """Number of cartridges that can be written from their beginning."""
        return self.owned + self.bought - self.in_use

    def session(self, sets: Sequence[tuple[Hashable, float, int]], kept: Hashable = None) -> None:
        """Write save sets that are `kept` equally long, and take the cartridges out if sessions do so.

        Each comes with its bytes on tape, and the number of systems that have a stream in it.

        >>> tapes = Cartridges(capacity=18e12, fresh=True)
        >>> for week in range(3):
        ...     tapes.session([(week, 20e12, 1)])
        ...     tapes.free({week - 2})
        >>> tapes.in_use, tapes.bought, tapes.empty
        (4, 6, 2)
        """
        streams = min(self.streams, sum(systems for *_, systems in sets))
        opened = [] if self.fresh else self.filling.get(kept, [])
        going_on, begun = iter(opened[:streams]), list[Written]()
        share, left, cartridge = sum(size for _, size, _ in sets) / streams, 0.0, None
        for name, size, _ in sets:
            rest = size
            while rest > self.capacity * ROUNDING:
                if left <= self.capacity * ROUNDING:
                    left, cartridge = share, next(going_on, None)
                if cartridge is None or self._space(cartridge) <= 0.0:
                    cartridge = self._take()
                    begun.append(cartridge)
                part = min(rest, left, self._space(cartridge))
                cartridge.used += part
                cartridge.holds.add(name)
                rest, left = rest - part, left - part
        self.filling[kept] = [] if self.fresh else [each for each in (*opened, *begun) if self._space(each) > 0.0]

    def _space(self, cartridge: Written) -> float:
        """Free bytes of a cartridge; 0 if they are a rounding error."""
        space = self.capacity - cartridge.used
        return space if space > self.capacity * ROUNDING else 0.0

    def free(self, names: set[Hashable]) -> None:
        """Forget save sets that have expired."""
        if not names:
            return
        for cartridge in self.written:
            cartridge.holds -= names
        self.written = [cartridge for cartridge in self.written if cartridge.holds]
        self.filling = {kept: [each for each in filling if each.holds] for kept, filling in self.filling.items()}

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
