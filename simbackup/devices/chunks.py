"""A deduplicated save set as a block device: its reader seeks after each piece."""

from __future__ import annotations

import math

from simbackup.devices.over import Over
from simbackup.devices.store import Direction, Service, Store


class ChunkStore(Over):
    """A device with a deduplicated store: a sequential reader seeks after each piece.

    The pieces of a save set have `together` bytes on average, and the next one may be anywhere in the store. For each
    piece `read` bytes are read, as for a container, or only the piece. `at_once` pieces are requested at a time, so
    that a reader waits for the device no longer than it works, or for its part of the latency of one piece. Writes
    continue where the last one ended.

    Readers request `asked` bytes at a time, a piece unless stated. No other reader comes between these, and a piece
    costs the same wherever the arm comes from.
    """

    def __init__(
        self,
        below: Store,
        extent: tuple[float, float],
        together: float,
        read: float | None = None,
        *,
        at_once: float = 1.0,
        asked: float = math.inf,
    ) -> None:
        super().__init__(below)
        self.begin, self.extent = extent
        self.together = together
        self.read = max(read or 0.0, together)
        self.at_once = at_once
        self.asked = asked

    @property
    def jumps(self) -> float:
        """Share (0 to 1) of the requests that begin a piece."""
        return min(self.asked / min(self.together, self.extent), 1.0)

    def _piece(self) -> Service:
        """The time of one piece."""
        size = min(self.read, self.extent)
        one = self.below.scattered("read", self.begin, max(self.extent, size), size)
        return Service(max(one.latency / self.at_once, one.busy), one.busy)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of the device's time for each byte: those of its piece when it is read."""
        if direction == "write":
            return self.below.stream(direction, position, size)
        return self._piece().busy / min(self.together, self.extent)

    def sides(self, position: float, size: float) -> float:
        """One: requests for pieces go to any disk."""
        del position, size
        return 1.0

    def alone(self, position: float, size: float) -> float:
        """Greatest rate of one reader, bytes a second: one piece after the other."""
        del position, size
        return min(self.together, self.extent) / self._piece().latency

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """The time of a request; a read seeks to each piece."""
        if direction == "write":
            return self.below.request(direction, head, position, size)
        return self.continued(position, size)

    def scattered(
        self, direction: Direction, begin: float, extent: float, size: float, waiting: float = 1.0
    ) -> Service:
        """The time of a request at a random place."""
        if direction == "write":
            return self.below.scattered(direction, begin, extent, size, waiting)
        return self.continued(begin, size)

    def continued(self, position: float, size: float) -> Service:
        """The time of a read that continues the one before: that of its part of the pieces."""
        del position
        one, pieces = self._piece(), size / min(self.together, self.extent)
        return Service(one.latency * pieces, one.busy * pieces)
