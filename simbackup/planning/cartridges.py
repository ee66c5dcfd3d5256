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

    The bytes of a session are divided evenly among as many of them as it has save sets of systems, up to `streams`. It
    goes on where the last one ended unless sessions begin `fresh` ones, which are taken out. What is kept for as long
    lies together, and apart from the rest, as backup programs do it: one on which nothing is kept is written again.
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
    """Those that are not full, for the next session, by how long they are kept; the first begun first."""

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
        """Bytes that can still be written to a cartridge; none of what rounding leaves."""
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
