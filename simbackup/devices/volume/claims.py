"""How writers of a volume divide the free space of a snapshot's copy area."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Mapping
from typing import TYPE_CHECKING, Any

import simpy

from simbackup.engine.events import LAST, Call

if TYPE_CHECKING:
    from simbackup.devices.snapshot.live import Snapshot
    from simbackup.devices.volume.live import Volume


class Claims:
    """How much of each copy area each writer of a volume may fill before it claims again.

    A writer claims space, writes, and reports what it has written. All claims together never exceed the free space:
    each gets at most an equal share. If others have claimed too much, they first report what they have written.
    """

    def __init__(self, volume: Volume) -> None:
        self.volume = volume
        self.held: dict[Hashable, Mapping[Snapshot, float]] = {}

    def take(
        self, writer: Hashable, wanted: Mapping[Snapshot, float]
    ) -> Generator[simpy.Event, Any, dict[Snapshot, float]]:
        """Bytes of each snapshot's chunks that a writer may copy now; a snapshot without space becomes invalid."""
        self.held[writer] = {}
        if len(self.held) > 1 and wanted:
            yield self._reported()
            if any(self._must_ask(writer, snapshot, size) for snapshot, size in wanted.items()):
                self.volume.announce()
                yield self._reported()
        granted: dict[Snapshot, float] = {}
        for snapshot, size in wanted.items():
            free = self._free(writer, snapshot)
            if free < snapshot.parameters.chunk:
                if snapshot.active:
                    snapshot.invalidate(float(self.volume.env.now))
            else:
                granted[snapshot] = min(free, self._share(snapshot, size))
        self.held[writer] = granted
        return granted

    def leave(self, writer: Hashable) -> None:
        """Withdraw the claims of a writer that is done."""
        self.held.pop(writer, None)

    def _reported(self) -> simpy.Event:
        """The end of the instant, when all interrupted writers have reported what they wrote."""
        return Call(self.volume.env, lambda _: None, priority=LAST)

    def _must_ask(self, writer: Hashable, snapshot: Snapshot, size: float) -> bool:
        """Whether others have claimed so much that too little is free, though there is a chunk for each."""
        enough = snapshot.room >= len(self.held) * snapshot.parameters.chunk
        return enough and self._free(writer, snapshot) < self._share(snapshot, size)

    def _free(self, writer: Hashable, snapshot: Snapshot) -> float:
        """Bytes that no other writer has claimed."""
        return snapshot.room - sum(held.get(snapshot, 0.0) for who, held in self.held.items() if who != writer)

    def _share(self, snapshot: Snapshot, size: float) -> float:
        """Bytes that one writer may claim at most, in whole chunks if there are several writers."""
        if len(self.held) == 1:
            return min(size, snapshot.room)
        chunk = snapshot.parameters.chunk
        return min(size, max(snapshot.room // len(self.held) // chunk, 1.0) * chunk)
