"""Reading a frozen image, a growing part of which is in a copy area."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region, Service
from simbackup.engine.flow import Flow
from simbackup.engine.network import FlowNetwork
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.devices.snapshot.live import Snapshot

CHANGE = 0.01
"""Change of the copied share below which a flow is left unchanged."""


class More(NamedTuple):
    """What reading a byte of an image costs in addition to reading it in the origin; an amount may be negative."""

    origin: float = 0.0
    """Seconds of the origin's time."""
    area: float = 0.0
    """Seconds of the copy area's time."""
    wait: float = 0.0
    """Seconds for which its reader waits."""
    share: float = 0.0
    """Share (0 to 1) of the byte that comes from the copy area."""

    def times(self, units: float) -> More:
        """The amounts multiplied."""
        return More(*(units * each for each in self))

    def minus(self, other: More) -> More:
        """The difference to another."""
        return More(*(mine - its for mine, its in zip(self, other, strict=True)))


@dataclass(slots=True)
class ImageReader:
    """A sequential reader of a part of a frozen image, and what that costs in addition to reading the origin.

    Each copied piece is read in the copy area, at another place than the last, and the origin is then read behind it:
    its arm returns, or passes over the piece. The copied share of the whole part is assumed also for what is still to
    be read.
    """

    image: Snapshot
    """The image."""
    region: Region
    """The part, on the origin."""
    begin: float
    """Byte of the volume at which it begins."""
    window: float | None
    """Bytes that a host requests at once, and then waits for; None if reads are complete before they are needed."""
    together: float = 1.0
    """Share (0 to 1) of the part that is read in sequence."""
    unit: float = 1.0
    """Bytes of a unit of the flow."""

    def times(self, units: float) -> ImageReader:
        """The reader for a flow whose unit is so many units of this one."""
        return replace(self, unit=self.unit * units)

    def on(self, shape: FlowShape) -> FlowShape:
        """The shape of reading as it costs now; it changes later."""
        links = dict.fromkeys((self.region.store.link, self.image.area.store.link), 0.0)
        return self._with(shape.plus(links, links), self.more())._replace(source=self)

    def follow(self, network: FlowNetwork, flow: Flow, shape: FlowShape) -> None:
        """Change the flow whenever more has been copied, until it ends."""
        before, readers = self.more(), self.image.origin.readers
        last = before

        def again() -> None:
            nonlocal last
            if not flow.active:
                readers.remove(again)
            elif (now := self.more()).share > last.share + CHANGE:
                last = now
                self._with(shape.by_one if flow.phase_change else shape, now.minus(before).times(self.unit)).change(
                    network, flow
                )

        readers.append(again)

    def more(self) -> More:
        """What a byte costs now."""
        origin = area = wait = share = 0.0
        found = self.image.changes.pieces(self.begin, self.region.size)
        unchanged = 1.0 - sum(size for size, _ in found) / self.region.size
        for size, piece in found:
            pieces = self.together * size / piece / self.region.size
            there, back = self._piece(piece, unchanged)
            at_once = max(pieces * self.window, 1.0) if self.window else 1.0
            area += pieces * there.busy
            origin += pieces * back.busy
            wait += pieces * max((there.latency + back.latency) / at_once, there.busy + back.busy)
            share += size / self.region.size
        return More(origin, area, wait, share)

    def _piece(self, piece: float, unchanged: float) -> tuple[Service, Service]:
        """The time of one piece in the area, and what its origin takes in addition to reading it there.

        A share of the pieces follows an unchanged piece, and is followed by one, for which the origin is needed.
        """
        store, area = self.region.store, self.image.area
        middle = min(self.region.begin + self.region.size / 2.0, store.size - 1.0)
        used = min(max(self.image.used * self.image.parameters.chunk, piece), area.size)
        at = max(min(area.begin + used / 3.0, area.store.size - piece), 0.0)
        there = area.store.request("read", area.begin, at, piece)  # two places of the used part are a third of it apart
        passed = store.stream("read", self.region.begin, self.region.size) * piece
        sides = store.sides(self.region.begin, self.region.size)
        if area.store.link is store.link:
            back, over = store.request("read", at, middle, 1.0), store.request("read", middle, at, piece)
            there = Service(
                unchanged * over.latency + (1.0 - unchanged) * there.latency,
                unchanged * over.busy + (1.0 - unchanged) * there.busy,
            )
            return there, Service(unchanged * back.latency - passed, unchanged * back.busy - passed / sides)
        ahead = store.request("read", middle, middle, 1.0)  # the arm waits until the end of a long piece comes round
        return there, Service(min(ahead.latency - passed, 0.0), min(ahead.busy - passed / sides, 0.0))

    def _with(self, shape: FlowShape, more: More) -> FlowShape:
        """The shape with further costs at origin and copy area."""
        here, there = self.region.store, self.image.area.store
        shape = shape.plus({here.link: more.origin}, {here.link: -more.share})
        shape = shape.plus({there.link: more.area}, {there.link: more.share})
        return shape.after(more.wait, there.name, Activity.READ) if self.window and more.wait > 0.0 else shape
