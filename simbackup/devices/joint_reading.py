"""Restores that want the same cartridge join one pass, as long as the tape has not moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

import simpy

if TYPE_CHECKING:
    from simbackup.devices.library import Cartridge


Range = tuple[float, float]
"""A run of bytes on a tape: where it begins and where it ends."""
Wants = TypeVar("Wants")


@dataclass(slots=True)
class JointReading(Generic[Wants]):
    """A pass over one cartridge that several restores share; the first of them reads for all."""

    ready: simpy.Event
    """Succeeds when the cartridge is mounted."""
    done: simpy.Event
    """Succeeds when everything is read."""
    wanted: list[Wants] = field(default_factory=list[Wants])
    """What each restore wants."""
    lies: list[Range] = field(default_factory=list[Range])
    """Begin and end of all runs that are wanted, in bytes of tape."""
    sources: list[object] = field(default_factory=list[object])
    """The copies to which these belong."""

    def take(self, wants: Wants, lies: Sequence[Range], source: object) -> None:
        """Add the runs of another restore."""
        self.wanted.append(wants)
        self.lies += lies
        self.sources.append(source)

    def meets(self, lies: Sequence[Range], source: object) -> bool:
        """Whether runs of another copy overlap those that are read."""
        among = any(begin < until and since < end for begin, end in lies for since, until in self.lies)
        return among and all(source is not one for one in self.sources)


@dataclass(slots=True)
class JointReadings(Generic[Wants]):
    """The cartridges of a library that are about to be read."""

    env: simpy.Environment
    _open: dict[Cartridge, JointReading[Wants]] = field(default_factory=dict["Cartridge", JointReading[Wants]])
    """The pass that is about to begin, by cartridge."""

    def join(
        self, cartridge: Cartridge, wants: Wants, lies: Sequence[Range], source: object
    ) -> JointReading[Wants] | None:
        """The pass that also reads these runs; None if none is about to begin that overlaps them."""
        found = self._open.get(cartridge)
        if found is None or not found.meets(lies, source):
            return None
        found.take(wants, lies, source)
        return found

    def begin(self, cartridge: Cartridge, wants: Wants, lies: Sequence[Range], source: object) -> JointReading[Wants]:
        """A reading that others may join until the tape moves."""
        reading = JointReading[Wants](self.env.event(), self.env.event())
        reading.take(wants, lies, source)
        self._open.setdefault(cartridge, reading)
        return reading

    def close(self, cartridge: Cartridge, reading: JointReading[Wants]) -> list[Wants]:
        """Let the tape move: those who read together."""
        if self._open.get(cartridge) is reading:
            del self._open[cartridge]
        return reading.wanted
