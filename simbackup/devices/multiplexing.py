"""Multiplexing: several streams write interleaved blocks to one drive."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import simpy

from simbackup.devices.library import Drive, Library
from simbackup.engine.flow import Flow
from simbackup.engine.network import FlowNetwork
from simbackup.errors import JobFailedError
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

Keep = Callable[[float, str, float, float], None]
"""Notes bytes that are on tape: how many, the cartridge, the first byte of tape, and the bytes of tape they span."""


@dataclass(slots=True, eq=False)
class Seat:
    """A stream at a shared drive."""

    job: str
    """The address of its job."""
    compression: float
    """Bytes of the host for each byte on the tape."""
    keep: Keep
    """Notes where its bytes are on the tape."""
    flow: Flow | None = None
    """The flow to the tape; None while it does not write."""
    noted: float = 0.0
    """Bytes of that flow that are noted."""


@dataclass(slots=True, eq=False)
class Session:
    """A drive that streams of one pool share, from the first of them to the last.

    Between two changes of its streams, a run of the tape belongs to all of them, in proportion to their rates. A flow
    that follows all streams ends when the cartridge is full; then one of the streams brings another cartridge.
    """

    network: FlowNetwork
    library: Library
    drive: Drive
    pool: str | None
    """The pool of all streams; None in a library without pools."""
    most: int
    """Greatest number of streams at once."""
    stay: float | None = None
    """Seconds for which the drive stays loaded when idle; None to unload it at once."""
    seats: list[Seat] = field(default_factory=list[Seat])
    """The streams that share the drive."""
    marks: float = 0.0
    """Tape marks still to be written on the cartridge."""
    loaded: bool = False
    """Whether a cartridge with free space is in the drive."""
    changing: bool = False
    """Whether a stream is changing the cartridge."""
    changed: simpy.Event = field(init=False)
    """Succeeds when that change has ended, and is then replaced."""
    follower: Flow | None = None
    """The flow that moves the tape by what all streams write."""
    name: str = field(init=False)
    """The address of the drive, which limits the follower."""

    def __post_init__(self) -> None:
        self.name = self.drive.name
        self.changed = self.library.clock.env.event()

    def constraint(self) -> tuple[dict[Flow, float], dict[Flow, float]] | None:
        """The constraint of the engine: the follower moves as many bytes of tape as all streams together."""
        if self.follower is None or not self.follower.active:
            return None
        return {self.follower: 1.0}, {
            seat.flow: 1.0 / seat.compression for seat in self.seats if seat.flow is not None and seat.flow.active
        }

    def solved(self, *, binding: bool) -> None:
        """Nothing depends on new rates."""

    def admits(self, pool: str | None, most: int) -> bool:
        """Whether it has a place for another stream of a pool that accepts a number of streams on its drive."""
        return pool == self.pool and len(self.seats) < min(self.most, most) and self.drive not in self.library.broken

    def ready(self, job: str) -> Generator[simpy.Event, Any, bool]:
        """Wait for a cartridge with free space, or bring one; whether there is any."""
        clock = self.library.clock
        while not self.loaded:
            if self.changing:
                with clock.span(job, self.library.name, Activity.WAIT_FOR_ANY_CARTRIDGE):
                    yield self.changed
                continue
            self.changing = True
            yield from self._change(job)
            self.changing, (event, self.changed) = False, (self.changed, clock.env.event())
            event.succeed()
            if not self.loaded:
                return False
        return True

    def begin(self, seat: Seat, flow: Flow) -> None:
        """Let a stream write to the tape, until it ends or the cartridge is full."""
        self._note()
        seat.flow, seat.noted = flow, 0.0
        cartridge = self.drive.cartridge
        if self.follower is None and cartridge is not None:
            rate = 2.0 * self.drive.native_rate  # more than the tape ever takes
            self.follower = self.network.start(self.name, Activity.TRANSFER, cartridge.room, {}, cap=rate)
            self.library.clock.env.process(self._watch(self.follower))
        if self.follower is not None:
            self.network.couple(self, self.follower, flow)

    def end(self, seat: Seat) -> float:
        """Note that a stream no longer writes; return the bytes that it wrote since it began."""
        self._note()
        flow, seat.flow = seat.flow, None
        return flow.completed if flow is not None else 0.0

    def leave(self, seat: Seat) -> Process:
        """Leave the drive; the last stream returns it to the library."""
        self.seats.remove(seat)
        if self.seats:
            self.library.vacate()
            return
        self.library.sessions.remove(self)
        self._unfollow()
        yield from self._put_away(seat.job)
        self.library.give_drive(self.drive)

    def _change(self, job: str) -> Process:
        """Put the full cartridge away, and bring one with free space if there is any."""
        yield from self._put_away(job)
        cartridge = yield from self.library.take_scratch(job, self.pool, self.drive)
        if cartridge is not None:
            self.drive = yield from self.library.mount(job, self.drive, cartridge)
            yield from self.library.locate(job, self.drive, cartridge.end)
            self.loaded = True

    def _put_away(self, job: str) -> Process:
        cartridge = self.drive.cartridge
        self.loaded = False
        if cartridge is None or not cartridge.in_use:
            return
        yield from self.library.mark(job, self.drive, self.marks)
        self.marks = 0.0
        yield from self.library.release(job, self.drive, self.stay)

    def _note(self) -> None:
        """Note what was written since the last change of the streams."""
        cartridge = self.drive.cartridge
        came = [(seat, seat.flow.completed - seat.noted) for seat in self.seats if seat.flow is not None]
        width = sum(size / seat.compression for seat, size in came)
        if cartridge is None or width <= 0.0:
            return
        for seat, size in came:
            if size > 0.0:
                seat.keep(size, cartridge.name, cartridge.end, width)
                seat.noted += size
        cartridge.end = min(cartridge.end + width, cartridge.capacity)
        self.drive.position = cartridge.end

    def _watch(self, follower: Flow) -> Process:
        """Stop all streams when the cartridge is full."""
        yield follower.done
        if self.follower is not follower or not math.isclose(follower.completed, follower.amount):
            return
        self._note()
        self.loaded = False
        if self.drive.cartridge is not None:
            self.drive.cartridge.end = self.drive.position = self.drive.cartridge.capacity
        for seat in self.seats:
            if seat.flow is not None:
                self.network.stop(seat.flow)
        self._unfollow()

    def _unfollow(self) -> None:
        follower, self.follower = self.follower, None
        self.network.uncouple(self)
        if follower is not None:
            self.network.stop(follower)


def take_seat(
    network: FlowNetwork,
    library: Library,
    seat: Seat,
    room: tuple[str | None, int, float | None],
) -> Generator[simpy.Event, Any, Session]:
    """Wait for a place on a drive for a stream: on one that others share, or else on one of its own.

    `room` is the pool, the greatest number of streams on a drive, and the seconds for which an idle drive stays loaded.
    """
    pool, most, stay = room
    claim: Any = None
    with library.clock.span(seat.job, library.name, Activity.WAIT_FOR_DRIVE):
        while True:
            found = next((each for each in library.sessions if each.admits(pool, most)), None)
            if found is not None:
                if claim is not None:
                    library.free.release(claim) if claim.triggered else claim.cancel()
                break
            claim = claim if claim is not None else library.claim()
            if claim.triggered:
                found = Session(network, library, library.drive_of(claim), pool, most, stay)
                library.claims[found.drive] = claim
                library.sessions.append(found)
                library.vacate()  # it has room for others that wait, who need no drive of their own
                break
            try:
                yield from library.clock.wait(seat.job, claim | library.vacated)
            except JobFailedError:
                if not claim.triggered:
                    claim.cancel()
                elif claim.ok:
                    library.free.release(claim)
                raise
    found.seats.append(seat)
    return found
