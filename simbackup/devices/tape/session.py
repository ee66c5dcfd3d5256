"""Multiplexing: several streams write interleaved blocks to one drive."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import simpy

from simbackup.devices.tape.drive import Drive
from simbackup.devices.tape.live import Library
from simbackup.engine.flow import Flow
from simbackup.engine.network import FlowNetwork
from simbackup.trace.activity import Activity

Wait = Generator[simpy.Event, Any, None]
Keep = Callable[[float, str, float, float], None]
"""Takes note of bytes that are on tape: how many, the cartridge, where they begin, over how many bytes they spread."""


@dataclass(slots=True, eq=False)
class Seat:
    """A stream at a shared drive: its job, host bytes per byte on the tape, and who takes note of what is written."""

    job: str
    compression: float
    keep: Keep
    flow: Flow | None = None
    noted: float = 0.0


@dataclass(slots=True, eq=False)
class Session:
    """A drive that takes the streams of one pool, so many at once, from the first to the last of them.

    What lies on the cartridge between two changes of its streams belongs to all of them, in proportion to their rates.
    A follower of all streams ends when the cartridge is full; then one of the streams brings another.
    """

    network: FlowNetwork
    library: Library
    drive: Drive
    pool: str | None
    most: int
    stay: float | None = None
    seats: list[Seat] = field(default_factory=list[Seat])
    marks: float = 0.0
    loaded: bool = False
    changing: bool = False
    changed: simpy.Event = field(init=False)
    follower: Flow | None = None
    name: str = field(init=False)
    """The address of what holds the follower."""

    def __post_init__(self) -> None:
        self.name = self.drive.name
        self.changed = self.library.clock.env.event()

    def hold(self) -> tuple[dict[Flow, float], dict[Flow, float]] | None:
        """The follower moves on the tape what all streams do."""
        if self.follower is None or not self.follower.active:
            return None
        return {self.follower: 1.0}, {
            seat.flow: 1.0 / seat.compression for seat in self.seats if seat.flow is not None and seat.flow.active
        }

    def solved(self, *, binding: bool) -> None:
        """Nothing follows from new rates."""

    def admits(self, pool: str | None, most: int) -> bool:
        """Whether one more stream of a pool may come that shares a drive with so many at most."""
        return pool == self.pool and len(self.seats) < min(self.most, most) and self.drive not in self.library.broken

    def ready(self, job: str) -> Generator[simpy.Event, Any, bool]:
        """Wait for a cartridge with room, or bring one; whether there is any."""
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
        """Let a stream flow on to the tape, until it ends or the cartridge is full."""
        self._note()
        seat.flow, seat.noted = flow, 0.0
        cartridge = self.drive.cartridge
        if self.follower is None and cartridge is not None:
            rate = 2.0 * self.drive.parameters.native_rate  # more than the tape ever takes
            self.follower = self.network.start(self.name, Activity.TRANSFER, cartridge.room, {}, cap=rate)
            self.library.clock.env.process(self._watch(self.follower))
        if self.follower is not None:
            self.network.couple(self, self.follower, flow)

    def end(self, seat: Seat) -> float:
        """Take note that a stream does not flow any more; its bytes since it began to."""
        self._note()
        flow, seat.flow = seat.flow, None
        return flow.completed if flow is not None else 0.0

    def leave(self, seat: Seat, sessions: list[Session]) -> Wait:
        """Go away from the drive; the last stream gives it back."""
        self.seats.remove(seat)
        if self.seats:
            self.library.vacate()
            return
        sessions.remove(self)
        self._unfollow()
        yield from self._put_away(seat.job)
        self.library.give_drive(self.drive)

    def _change(self, job: str) -> Wait:
        """Put the full cartridge away, and bring another one with room if there is."""
        yield from self._put_away(job)
        cartridge = yield from self.library.take_scratch(job, self.pool, self.drive)
        if cartridge is not None:
            self.drive = yield from self.library.mount(job, self.drive, cartridge)
            yield from self.library.locate(job, self.drive, cartridge.end)
            self.loaded = True

    def _put_away(self, job: str) -> Wait:
        cartridge = self.drive.cartridge
        self.loaded = False
        if cartridge is None or not cartridge.in_use:
            return
        yield from self.library.mark(job, self.drive, self.marks)
        self.marks = 0.0
        yield from self.library.release(job, self.drive, self.stay)

    def _note(self) -> None:
        """Take note of what has come on the tape since the streams changed last."""
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

    def _watch(self, follower: Flow) -> Wait:
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
    sessions: list[Session],
    seat: Seat,
    room: tuple[str | None, int, float | None],
) -> Generator[simpy.Event, Any, Session]:
    """A place at a drive for a stream of a pool: at one that others share already, else at one of its own.

    `room` are the pool, the most streams of a drive, and the seconds for which it stays loaded when idle.
    """
    pool, most, stay = room
    claim: Any = None
    with library.clock.span(seat.job, library.name, Activity.WAIT_FOR_DRIVE):
        while True:
            found = next((each for each in sessions if each.admits(pool, most)), None)
            if found is not None:
                if claim is not None:
                    library.free.release(claim) if claim.triggered else claim.cancel()
                break
            claim = claim if claim is not None else library.claim()
            if claim.triggered:
                found = Session(network, library, library.drive_of(claim), pool, most, stay)
                library.claims[found.drive] = claim
                sessions.append(found)
                library.vacate()  # it has room for others that wait, who need no drive of their own
                break
            yield claim | library.vacated
    found.seats.append(seat)
    return found
