"""Redirect-on-write volumes, their snapshots and clones: nothing is copied; overwritten blocks stay allocated.

Updates fragment the data, and reading the fragments costs more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import simpy

from simbackup import units
from simbackup.devices.changes import SPENT, Changes, Scatter, Spread
from simbackup.devices.image import FrozenImage, Times, lost
from simbackup.devices.space import ExtentSet, Space
from simbackup.devices.store import Direction, Over, Region, Service, Store
from simbackup.devices.volume.live import Stretch, Volume
from simbackup.equations import fragmentation as equations
from simbackup.late import Late
from simbackup.parameters import parameters_of
from simbackup.trace.trace import Trace

if TYPE_CHECKING:
    from simbackup.devices.redirect.spec import CloneSpec, RedirectSnapshotSpec, RedirectVolumeSpec
    from simbackup.devices.site import Site

STEPS = 60
"""Number of halvings that find a number of updates."""
HALVINGS = 50
"""Halvings by which the bytes are found that still fit."""
REST = 1.0
"""Bytes of a write below which nothing of it is still to come."""


@dataclass(frozen=True, slots=True)
class Redirect(Late):
    """Parameters of a redirect-on-write volume.

    Fields are those of `RedirectVolumeSheet`, in SI units.
    """

    block: float
    run: float
    request: float
    write_latency: float
    read_ahead: float | None = None
    free_run: float | None = None


@dataclass(slots=True)
class Aged:
    """Data that were written in sequence, and the updates that have moved parts of them since."""

    begin: float
    """Byte of the device at which they begin."""
    size: float
    """Bytes."""
    unit: float
    """Bytes that one update writes to a new place."""
    scatter: Scatter
    """The updates."""
    seen: float = 0.0

    @property
    def updated(self) -> float:
        """Expected share (0 to 1) of the data that updates have moved."""
        return min(self.scatter.touched * self.unit / self.size, 1.0)

    def rewrite(self, share: float) -> None:
        """Put a share of the data in sequence again, and set the number of updates to what is still moved."""
        left, low, high = (1.0 - share) * self.scatter.touched, 0.0, self.scatter.updates
        for _ in range(STEPS):
            middle = (low + high) / 2.0
            self.scatter.updates = middle
            low, high = (middle, high) if self.scatter.touched < left else (low, middle)
        self.scatter.updates = low


@dataclass(slots=True)
class Fragments:
    """All fragmented data of a volume; positions are those on the device."""

    block: float
    """Bytes of a block."""
    aged: dict[str, Aged] = field(default_factory=dict[str, Aged])
    """The data of each user workload, by name."""

    def of(self, users: str, begin: float, size: float, spread: Spread) -> Aged:
        """The data that some users' updates move, added when first needed."""
        if users not in self.aged:
            unit = max(spread.size, self.block)
            self.aged[users] = Aged(begin, size, unit, spread.over(unit))
        return self.aged[users]

    def breaks(self, begin: float, size: float) -> float:
        """Mean breaks in sequence per byte of a range.

        The updates of several users, and those before the beginning, break the same order independently of each other.
        """
        whole = 1.0
        for aged in self.aged.values():
            share = max(min(begin + size, aged.begin + aged.size) - max(begin, aged.begin), 0.0) / size
            whole *= 1.0 - share * equations.broken_share(aged.updated) * self.block / aged.unit
        return (1.0 - whole) / self.block

    def rewrite(self, begin: float, size: float) -> None:
        """Note that a range was written in sequence."""
        for aged in self.aged.values():
            share = max(min(begin + size, aged.begin + aged.size) - max(begin, aged.begin), 0.0) / aged.size
            if share > 0.0:
                aged.rewrite(share)


class RedirectStore(Over):
    """A volume as its readers and writers see it: reads go to the blocks, writes go to free places in runs.

    It takes no time itself: all requests go to the device below, one for each fragment.
    """

    def __init__(self, below: Store, parameters: Redirect, begin: float, size: float) -> None:
        super().__init__(below)
        self.parameters = parameters
        self.begin = begin
        self.room = size
        self.fragments = Fragments(parameters.block)

    def _hop(self) -> Service:
        """The time of a seek to a block elsewhere on the volume, without its transfer in one piece with others.

        Both places are drawn at random.
        """
        block, there = self.parameters.block, self.begin + max(self.room - self.parameters.block, 0.0) / 2.0
        one = self.below.scattered("read", self.begin, self.room, block)
        each = self.below.stream("read", there, block) * block
        return Service(max(one.latency - each, 0.0), max(one.busy - each / self.below.sides(there, block), 0.0))

    def _disks(self) -> int:
        """Requests that the device below serves at once: latency of one divided by its time on the device."""
        one = self.below.request("read", self.begin, self.begin, self.parameters.block)
        return max(round(one.latency / one.busy), 1)

    def _breaks(self, position: float, size: float) -> float:
        """Expected number of fragments that begin inside a range."""
        return self.fragments.breaks(position, size) * max(size - self.parameters.block, 0.0)

    def _ahead(self, size: float) -> float:
        """Bytes that are requested from the disks at once when a client requests `size` bytes in sequence."""
        return min(max(size, self.parameters.read_ahead or 0.0), self.room)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of the device's time for each byte of a sequential stream: its transfer, and a hop at each break.

        A stream of writes fills one piece of free space after the other; the allocator takes one that is near.
        """
        each = self.below.stream(direction, position, size)
        if direction == "write":
            return each + self._skip(position)
        return each + self.fragments.breaks(position, size) * self._hop().busy

    def sides(self, position: float, size: float) -> float:
        """Streams that the device below reads at once; between fragments, each goes to any of its disks."""
        sides = self.below.sides(position, size)
        hop = self.fragments.breaks(position, size) * self._hop().busy
        return (
            sides
            if not hop
            else self.stream("read", position, size) / (self.below.stream("read", position, size) / sides + hop)
        )

    def _skip(self, position: float) -> float:
        """Seconds of the device's time, for each byte of a long write, to go on to the next piece of free space.

        Between two pieces lies as much that is in use, so that the arms of the disks that hold one pass over a piece.
        """
        piece = self.parameters.free_run
        if piece is None or piece >= self.room / 2.0:
            return 0.0
        here = min(position, self.begin + self.room - 2.0 * piece)
        one = self.below.request("read", here, here + piece, piece)
        return max(one.busy / piece - self.below.stream("read", here + piece, piece), 0.0)

    def alone(self, position: float, size: float) -> float:
        """Greatest rate of one reader: one window after the other, all fragments of each requested at once."""
        if not self.fragments.breaks(position, size):
            return self.below.alone(position, size)
        window = min(self._ahead(self.parameters.request), size)
        breaks = self.fragments.breaks(position, size) * window
        rate = 1.0 / self.below.stream("read", position, window)
        return window / equations.fetch_time(window, breaks, self._disks(), self._hop().latency, rate)

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """The time of a request: a read goes to each fragment, a write is safe before it goes to disk in a run."""
        if direction == "write":
            whole = max(size, self.parameters.block)
            each = self.below.stream("write", self.begin, whole) + self._hop().busy / self.parameters.run
            return Service(self.parameters.write_latency, whole * each)
        one, breaks = self.below.request(direction, head, position, size), self._breaks(position, size)
        return self._fetched(one, breaks)

    def scattered(
        self, direction: Direction, begin: float, extent: float, size: float, waiting: float = 1.0
    ) -> Service:
        """The time of a request at a random place of an extent."""
        if direction == "write":
            return self.request(direction, begin, begin, size)
        return self._fetched(self.below.scattered(direction, begin, extent, size, waiting), self._breaks(begin, size))

    def continued(self, position: float, size: float) -> Service:
        """The time of a read that continues the one before: its part of everything that is requested at once."""
        ahead = max(min(self._ahead(size), self.size - position), size)
        share = size / ahead
        one = self._fetched(self.below.continued(position, ahead), self.fragments.breaks(position, ahead) * ahead)
        return Service(one.latency * share, one.busy * share)

    def _fetched(self, one: Service, breaks: float) -> Service:
        """The time of a contiguous read with so many breaks in it."""
        if not breaks:
            return one
        hop = self._hop()
        queue = equations.longest_queue(breaks, self._disks())
        return Service(one.latency + queue * hop.latency, one.busy + breaks * hop.busy)

    def append(self, position: float, size: float) -> Service:
        """The time of a write, which never misses its place, as any free place will do."""
        return self.request("write", position, position, size)


class RedirectVolume(Volume):
    """A volume whose writes go to free places; with a guarantee all its room on the device is reserved."""

    in_place = False

    def __init__(  # noqa: PLR0913
        self,
        env: simpy.Environment,
        name: str,
        place: tuple[Store, float, float],
        *,
        parameters: Redirect,
        space: Space,
        guaranteed: bool,
        trace: Trace,
    ) -> None:
        below, begin, size = place
        self.store = RedirectStore(below, parameters, begin, size)
        super().__init__(env, name, Region(self.store, begin, size))
        self.parameters = parameters
        self.space = space
        self.guaranteed = guaranteed
        self.trace = trace
        self.allocated = ExtentSet()
        self.images: list[RedirectSnapshot] = []
        self.coming: list[tuple[float, float]] = []
        self.seen: dict[str, float] = {}
        self.full_since: float | None = None
        space.taken[name] = self.taken

    def taken(self) -> float:
        """Bytes that it takes on its device: its size where that is guaranteed, else what it uses and has promised."""
        return self.region.size if self.guaranteed else self.used + self.promised

    def occupied(self, written: float) -> float:
        """Bytes of the data as they are now, and of what snapshots keep."""
        return self.used

    def record(self, trace: Trace) -> None:
        """Record in the trace what it uses and keeps, and how fragmented it is."""
        region = self.region
        trace.device(
            self.name, "volume", 0.0, units=0.0, bytes_moved=0.0, peak_bytes_per_s=0.0,
            used_bytes=self.used, kept_bytes=self.held,
            breaks=self.store.fragments.breaks(region.begin, region.size) * region.size,
        )  # fmt: skip

    @property
    def held(self) -> float:
        """Bytes that were overwritten, and that snapshots keep: each keeps what changed until the next was taken."""
        return sum(image.changes.total for image in self.images)

    @property
    def used(self) -> float:
        """Bytes of the data as they are now, and of what snapshots keep."""
        return self.allocated.total + self.held

    @property
    def promised(self) -> float:
        """Bytes of room that writes under way will still take; nobody else may have it."""
        return sum(self._new(begin, end - begin) for begin, end in self.coming)

    @property
    def free(self) -> float:
        """Bytes that may still be written to new places and kept."""
        inside = self.region.size - self.used - self.promised
        return max(inside if self.guaranteed else min(inside, self.space.free), 0.0)

    @property
    def full(self) -> bool:
        """Whether updates fail because what they overwrite cannot be kept."""
        return self.full_since is not None

    def _new(self, begin: float, size: float) -> float:
        """Bytes of room that a write in sequence takes: what was never written, and what a snapshot comes to keep."""
        end = begin + size
        there = size - _missing(self.allocated, begin, end)
        kept = _missing(self.images[-1].changes.runs, begin, end) - (size - there) if self.images else 0.0
        return size - there + max(kept, 0.0)

    def fits(self, begin: float, size: float) -> float:
        """Bytes of a write in sequence that find room."""
        if self._new(begin, size) <= self.free:
            return size
        low, high = 0.0, size
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self._new(begin, middle) <= self.free else (low, middle)
        return low

    def expect(self, begin: float, size: float) -> None:
        """Reserve room for a write that begins now, until `wrote` has reported all of it."""
        if size >= REST:
            self.coming.append((begin, begin + size))

    def forgo(self, begin: float, end: float) -> None:
        """Release the reserved room of the rest of a write, which will not come."""
        for i, (first, last) in enumerate(self.coming):
            if first < end and abs(last - end) < REST:
                self.coming[i : i + 1] = [(first, begin)] if begin - first >= REST else []
                return

    def _come(self, begin: float, end: float) -> None:
        """Release the reserved room of a part that was written."""
        for i, (first, last) in enumerate(self.coming):
            if abs(begin - first) < REST:
                self.coming[i : i + 1] = [(end, last)] if last - end >= REST else []
                return

    def wrote(self, stretch: Stretch, size: float) -> None:
        """Note that the first `size` bytes of a stretch are on disk, in a free place and in sequence."""
        super().wrote(stretch, size)
        end = stretch.begin + size
        self._come(stretch.begin, end)
        for begin, until in _present(self.allocated, stretch.begin, end) if self.images else ():
            self.images[-1].changes.add(begin, until - begin)
        self.allocated.add(stretch.begin, end)
        self.store.fragments.rewrite(self.region.begin + stretch.begin, size)

    def lay(self, data: str, place: tuple[float, float], spread: Spread | None, updates: float) -> None:
        """Place data at the start: in sequence, or fragmented by earlier updates."""
        begin, size = place
        self.allocated.add(begin, begin + size)
        if spread is not None:
            self.updated(data, place, spread, updates)

    def updated(self, users: str, place: tuple[float, float], spread: Spread, updates: float) -> None:
        """Note how many updates some users have made in all."""
        fresh = updates - self.seen.get(users, 0.0)
        self.seen[users] = updates
        if self.full:
            return  # they failed
        self.store.fragments.of(users, self.region.begin + place[0], place[1], spread).scatter.update(fresh)
        if self.images:
            self.images[-1].changes.scatter(users, spread).update(fresh)

    def until_next(self, users: str, place: tuple[float, float], spread: Spread, change: float) -> float:
        """Updates until their cost or the room has changed; where there is none left the volume is full."""
        aged = self.store.fragments.of(users, self.region.begin + place[0], place[1], spread)
        least = aged.scatter.step(change)
        if not self.images:
            return least
        changes = self.images[-1].changes
        scatter = changes.scatter(users, spread)
        fresh = scatter.fresh()
        if fresh <= SPENT * scatter.hits:
            return least  # all that they overwrite is kept already
        if self.free >= changes.granule:
            return max(min(least, scatter.step(change), self.free / (fresh * changes.granule)), 1.0)
        if self.full_since is None:
            self.full_since = self.env.now
            self.trace.note(self.env.now, self.name, "is full: writes fail, as snapshots keep the old data")
        return least


class RedirectSnapshot(FrozenImage):
    """A snapshot of a redirect-on-write volume: pointers to the blocks as they were, which stay allocated.

    A clone is one that can be guaranteed as much room as its volume has, so that all of it could be written anew.
    """

    def __init__(
        self,
        name: str,
        origin: RedirectVolume,
        times: Times,
        *,
        guarantee: float = 0.0,
    ) -> None:
        super().__init__(name, origin, times)
        self.volume = origin
        self.lookup_size = origin.parameters.block
        self.guarantee = guarantee
        self.changes = self._none()
        if guarantee:
            origin.space.taken[name] = lambda: guarantee if self.active else 0.0

    def _none(self) -> Changes:
        return Changes(self.volume.parameters.block, self.volume.region.size)

    @property
    def hindrance(self) -> str | None:
        """Why it cannot be created now; None if it can."""
        if self.active:
            return "exists already"
        free = self.volume.space.free
        if self.guarantee and free < self.lookup_size:
            return f"fails: not enough space on '{self.volume.region.store.name}'"
        if free < self.guarantee:
            short = units.show_short(self.guarantee - free, "B")
            return f"fails: space not guaranteed, '{self.volume.region.store.name}' lacks {short}"
        return None

    @property
    def loss(self) -> str | None:
        """Why there is no frozen image; None if there is one."""
        return None if self.active else "is not there"

    @property
    def kept(self) -> float:
        """Bytes that were overwritten since, until the next snapshot was taken, and that it keeps."""
        return self.changes.total

    def record(self, trace: Trace) -> None:
        """Record its state and what it keeps in the trace."""
        state = "active" if self.active else "removed"
        trace.device(
            self.name, "snapshot", 0.0, units=self.kept / self.lookup_size, bytes_moved=self.kept,
            peak_bytes_per_s=0.0, state=state, kept_bytes=self.kept,
        )  # fmt: skip

    def create(self) -> None:
        """Freeze the volume as it is now."""
        self.active, self.changes = True, self._none()
        self.volume.images.append(self)
        self.volume.announce()

    def remove(self) -> None:
        """Remove the frozen image; what only it kept is free again."""
        if self.active:
            images = self.volume.images
            i = images.index(self)
            if i:  # what changed since goes to the snapshot before it
                images[i - 1].changes.take(self.changes)
            images.remove(self)
            self.volume.full_since = None
            self.volume.announce()
        self.active, self.changes = False, self._none()
        self.readers.fail(lost(self))


def _present(extents: ExtentSet, begin: float, end: float) -> list[tuple[float, float]]:
    """The parts of a range that are in a set."""
    return [(max(b, begin), min(e, end)) for b, e in extents.ranges if b < end and e > begin]


def _missing(extents: ExtentSet, begin: float, end: float) -> float:
    """Bytes of a range that are not in a set."""
    return end - begin - sum(e - b for b, e in _present(extents, begin, end))


def make_volume(site: Site, volume: RedirectVolumeSpec) -> RedirectVolume:
    """The volume, in the room reserved for it and in what all volumes of its device share."""
    area, size = site.room, volume.size.si
    begin = min(area.begin, area.store.size - size)  # one that takes what it uses may reach over others' room
    place = (area.store, max(begin, 0.0), min(size, area.store.size))
    return RedirectVolume(
        site.system.env, site.address, place, parameters=parameters_of(Redirect, volume),
        space=site.system.spaces[volume.on], guaranteed=volume.guarantee == "volume", trace=site.system.trace,
    )  # fmt: skip


def make_snapshot(site: Site, snapshot: RedirectSnapshotSpec) -> RedirectSnapshot:
    """A snapshot."""
    volume, times, _ = _origin(site, snapshot.of)
    return RedirectSnapshot(site.address, volume, times)


def make_clone(site: Site, clone: CloneSpec) -> RedirectSnapshot:
    """A clone, which is guaranteed as much room as its volume."""
    volume, times, size = _origin(site, clone.of)
    return RedirectSnapshot(site.address, volume, times, guarantee=size)


def _origin(site: Site, of: str) -> tuple[RedirectVolume, Times, float]:
    """The volume that an image freezes, the times that it takes, and the bytes of the volume."""
    said = cast("RedirectVolumeSpec", site.spec.devices[of])  # the checks have found it
    volume = cast("RedirectVolume", site.volume(of))
    return volume, Times(said.create_time.si, said.remove_time.si), said.size.si
