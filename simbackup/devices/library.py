"""Libraries of cartridges: what jobs share of them, whatever their drives are.

A kind of library makes a `Library` with `Drive`s of its own, which state how long they take and how a byte loads them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar, cast

import simpy

from simbackup.devices.network.live import NEAR, Travel
from simbackup.devices.shape import FlowShape
from simbackup.engine.limit import Limit, OnOwnLink, Use
from simbackup.engine.link import Link
from simbackup.errors import JobFailedError, UnreadableError
from simbackup.trace.activity import Activity, Nature, nature_of
from simbackup.trace.clock import Clock, Process
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Trace

if TYPE_CHECKING:
    from simbackup.devices.multiplexing import Session


LEAST_ROOM = 1.0
"""Bytes on a cartridge below which it is full."""
Range = tuple[float, float]
"""A run of bytes on a tape: where it begins and where it ends."""
Wants = TypeVar("Wants")


@dataclass(slots=True, eq=False)
class Cartridge:
    """A cartridge: a tape or a disk that a robot moves."""

    name: str
    capacity: float
    """Bytes that fit on it, after compression."""
    pool: str | None = None
    """Its pool; None in a library without pools."""
    end: float = 0.0
    """Bytes on it that are written."""
    in_use: bool = False
    """Whether a job has reserved it."""
    new: bool = False
    """Whether it was never loaded."""
    unreadable: bool = False
    """Whether no drive can read it; a job that loads it finds out."""

    @property
    def room(self) -> float:
        """Free bytes on it."""
        return self.capacity - self.end


class DriveLoad(NamedTuple):
    """A stream of bytes that a drive writes or reads for a host, as far as it matters to its rate."""

    compression: float = 1.0
    """Bytes of the host for each byte on the medium."""
    block: float | None = None
    """Bytes of one command; None if that does not limit."""
    reading: bool = False
    """Whether the drive reads."""
    spread: float = 1.0
    """Bytes that pass the heads for each byte of its own, if blocks of other streams are between them."""
    shares: bool = False
    """Whether other streams use the drive at the same time."""
    away: Travel = NEAR
    """How long its commands travel."""
    comes: float = math.inf
    """Bytes a second that whoever reads for it brings at most."""
    waiting: float = 0.0
    """Bytes that wait at the host while the drive takes none."""


@dataclass(slots=True, eq=False)
class Drive(ABC):
    """A drive and its state: each kind of drive says how long it takes, and how a byte loads it."""

    kind: ClassVar[str]
    """What tables of results call it."""

    name: str
    link: Link
    """The time of its medium, as a resource."""
    cartridge: Cartridge | None = field(default=None, kw_only=True)
    """The cartridge that is loaded."""
    position: float = field(default=0.0, kw_only=True)
    """The byte of the medium at its heads."""
    visits: int = field(default=0, kw_only=True)
    """How often it has become idle."""
    stay: float | None = field(default=None, kw_only=True)
    """Seconds for which it stays loaded when idle; None to unload it at once."""
    waits_for_repair: bool = field(default=False, kw_only=True)
    """Whether it is broken, and no job has it."""
    native_rate: float = field(init=False)
    """Greatest rate, bytes a second, at which it fills a cartridge."""
    load_time: float = field(init=False)
    """Seconds from a cartridge in its slot until it can be read or written."""
    unload_time: float = field(init=False)
    """Seconds until the robot can take the cartridge, after the rewind."""
    initialise_time: float = field(default=0.0, init=False)
    """Further seconds of the first load of a new cartridge."""
    mark_time: float = field(default=0.0, init=False)
    """Seconds of a mark behind a save set."""

    @property
    def links(self) -> Sequence[Link]:
        """What serves nobody while it is broken: its medium, and whatever else bytes pass in it."""
        return (self.link,)

    @abstractmethod
    def locate_time(self, byte: float, drawn: float = 1.0) -> float:
        """Seconds until its heads are at a byte; `drawn` is the factor that chance draws for their fixed part."""

    def rewind_time(self) -> float:
        """Seconds until it can unload; none by default."""
        return 0.0

    @abstractmethod
    def crossing(self, stream: DriveLoad) -> FlowShape:
        """The shape of a flow through it, for each byte of the host: the links that it occupies, and for how long."""

    def waits(self, stream: DriveLoad) -> float:
        """Seconds that a host waits with each byte that it hands over, besides the time of links; none by default."""
        return 0.0

    def law(self, stream: DriveLoad) -> Use:
        """The rate that is left of one that a host offers or takes: all of it, unless overridden."""
        return OnOwnLink(lambda rate, _: Limit(rate, self.name), self.link)

    def recorded(self, used: Sequence[tuple[float, float]], end: float) -> Mapping[str, Any]:
        """Further columns in tables of results; `used` are shares of its rate in use, each from a time on."""
        return {}


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
    _open: dict[Cartridge, JointReading[Wants]] = field(default_factory=dict[Cartridge, JointReading[Wants]])
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


def _patiently(event: simpy.Event) -> Process:
    """Wait for an event whatever fails."""
    yield event


@dataclass(slots=True)
class Library:
    """A library: cartridges, drives that wait for work, and robots.

    With `unload_after`, of the library or else of the program, an idle drive keeps its cartridge for a while. The next
    job that wants this cartridge then needs no mount.
    """

    clock: Clock
    name: str
    robots: simpy.Resource
    """The robots, each of which moves one cartridge at a time."""
    exchange_time: float
    """Seconds of one move between a slot and a drive."""
    cartridges: list[Cartridge]
    drives: Sequence[Drive]
    unload_after: float | None = None
    """Seconds for which an idle drive stays loaded; None for what each program states."""
    idle: list[Drive] = field(init=False)
    """Drives that no job has and that work."""
    free: simpy.Resource = field(init=False)
    """As many places as there are drives; a job claims one before it takes a drive."""
    claims: dict[Drive, Any] = field(default_factory=dict[Drive, Any])
    """The claim of each drive that a job has, or that waits for its repair."""
    returned: simpy.Event = field(init=False)
    """Succeeds when a cartridge or a drive comes back, and is then replaced."""
    sessions: list[Session] = field(init=False)
    """Drives that several streams share now."""
    vacated: simpy.Event = field(init=False)
    """Succeeds when a shared drive has a place for another stream, and is then replaced."""
    readings: JointReadings[Any] = field(init=False)
    """Passes over cartridges that several restores share."""
    broken: dict[Drive, bool] = field(default_factory=dict[Drive, bool])
    """Drives that do not work, and whether they never will again."""
    stops: list[simpy.Event] = field(default_factory=list[simpy.Event])
    """What keeps the robots from moving: each succeeds when it is over."""

    def __post_init__(self) -> None:
        self.idle = list(self.drives)
        self.free = simpy.Resource(self.clock.env, len(self.drives))
        self.returned = self.clock.env.event()
        self.vacated = self.clock.env.event()
        self.sessions = []
        self.readings = JointReadings(self.clock.env)

    @property
    def links(self) -> list[Link]:
        """What serves jobs: the links of its drives."""
        return [link for drive in self.drives for link in drive.links]

    def record(self, trace: Trace) -> None:
        """Record in the trace how long each drive moved its medium, and what went through it."""
        used, now = dict[str, list[tuple[float, float]]](), float(self.clock.env.now)
        for rate in link_rates(trace, {drive.name for drive in self.drives}):
            used.setdefault(rate.link, []).append((rate.time, rate.busy))
        moving: dict[str, list[float]] = {drive.name: [] for drive in self.drives}
        for span in trace.spans:
            if span.cause in moving and nature_of(span.activity) is Nature.MECHANICAL:
                moving[span.cause].append(span.end - span.start)
        for drive in self.drives:
            link = drive.link
            trace.device(
                drive.name, drive.kind, sum(moving[drive.name]) + link.busy_s, units=link.units,
                bytes_moved=link.bytes_moved, peak_bytes_per_s=link.peak_bytes_per_s,
                **drive.recorded(used.get(drive.name, ()), now),
            )  # fmt: skip

    # Drives: for jobs.

    def take_drive(
        self, job: str, wanted: Cartridge | None = None, needs: int = 1
    ) -> Generator[simpy.Event, Any, Drive]:
        """A drive, as soon as one is idle: the one with a wanted cartridge if possible, else an empty one.

        The job `needs` so many drives at once, those that it has among them; it fails if fewer will ever work.
        """
        claim = self.claim(needs)
        with self.clock.span(job, self.name, Activity.WAIT_FOR_DRIVE):
            yield from self.clock.wait(job, claim)
        return self.drive_of(claim, wanted)

    def claim(self, needs: int = 1) -> Any:
        """A claim of a drive, which is granted when one is idle; fails if fewer than it needs will ever work."""
        self.need(needs)
        claim: Any = self.free.request()
        claim.needs = needs
        return claim

    def need(self, number: int) -> None:
        """Fail if fewer than so many drives will ever work again."""
        if self.lasting < number:
            raise self._lacking(number)

    @property
    def lasting(self) -> int:
        """How many drives work, or will again."""
        return len(self.drives) - sum(self.broken.values())

    def _lacking(self, number: int) -> JobFailedError:
        """That fewer than so many drives will ever work again."""
        left, name = self.lasting, self.name.removeprefix("devices.")
        if not left:
            return JobFailedError(f"'{name}' has no working drive")
        return JobFailedError(f"'{name}' has {left} working drive{'s' * (left != 1)}, and {number} are needed")

    def drive_of(self, claim: simpy.Event, wanted: Cartridge | None = None) -> Drive:
        """The drive that a granted claim gives: the one with a wanted cartridge if possible, else an empty one."""
        drive = min(self.idle, key=lambda d: (d.cartridge is not wanted or wanted is None, d.cartridge is not None))
        self.idle.remove(drive)
        self.claims[drive] = claim
        return drive

    def give_drive(self, drive: Drive) -> None:
        """Return a drive to the idle ones; a broken one keeps its claim, and is not given to others."""
        if drive.cartridge is not None and drive.cartridge.in_use:  # the job failed with it
            drive.cartridge.in_use = False
            self._announce()
        if drive in self.broken:
            drive.cartridge, drive.position = None, 0.0  # somebody takes it out by hand
            drive.waits_for_repair = True
            self._announce()
            return
        claim = self.claims.pop(drive)
        self._set_idle(drive)
        self.free.release(claim)

    # Drives: for failures and repairs.

    def next_to_fail(self) -> Drive | None:
        """The first drive that works for a job, or else the first that works; None if none does."""
        working = [drive for drive in self.drives if drive not in self.broken]
        return next((drive for drive in working if drive not in self.idle), next(iter(working), None))

    def ruin(self, cartridge: str) -> None:
        """Make a cartridge unreadable; nobody notices before it is loaded."""
        next(each for each in self.cartridges if each.name == cartridge).unreadable = True

    def lose(self, drive: Drive, *, for_good: bool) -> None:
        """Break a drive: its job finds out, no other gets it, and jobs fail that wait for more than will ever work."""
        self.broken[drive] = for_good
        if drive in self.idle:
            claim = self.free.request()
            if claim.triggered:
                self.idle.remove(drive)
                self.claims[drive] = claim
                self.give_drive(drive)
            else:  # those who came at this instant take every idle drive
                claim.cancel()
        waiting: list[Any] = [*cast("Any", self.free).queue]
        for claim in waiting:
            if claim.needs > self.lasting:
                claim.cancel()
                claim.fail(self._lacking(claim.needs))

    def regain(self, drive: Drive) -> None:
        """Let a drive work again."""
        del self.broken[drive]
        if drive.waits_for_repair:
            drive.waits_for_repair = False
            self.give_drive(drive)

    # Cartridges: for jobs.

    def scratch(self, pool: str | None = None) -> Cartridge | None:
        """The fullest cartridge of a pool that has free space and that no job has reserved; None if there is none."""
        best: Cartridge | None = None
        for cartridge in self.cartridges:  # a plain loop: thousands of cartridges are asked each time one is needed
            fuller = best is None or cartridge.end > best.end
            if fuller and cartridge.pool == pool and not cartridge.in_use and cartridge.room >= LEAST_ROOM:
                best = cartridge
        return best

    def take_scratch(
        self, job: str, pool: str | None = None, drive: Drive | None = None
    ) -> Generator[simpy.Event, Any, Cartridge | None]:
        """Wait for a cartridge of a pool with free space, and reserve it; None if all are full and none is in use.

        A job that waits with a loaded drive unloads it first, as others may need that cartridge.
        """

        def used() -> bool:
            return any(c.in_use for c in self.cartridges if c.pool == pool)

        if drive is not None and drive.cartridge is not None and self.scratch(pool) is None and used():
            yield from self._eject(job, drive)
        with self.clock.span(job, self.name, Activity.WAIT_FOR_ANY_CARTRIDGE):
            while (cartridge := self.scratch(pool)) is None and used():
                yield from self.clock.wait(job, self.returned)
        if cartridge is not None:
            cartridge.in_use = True
        return cartridge

    def reserve(self, job: str, cartridge: Cartridge, drive: Drive | None = None) -> Process:
        """Reserve a cartridge as soon as it is free; a job that waits with a loaded drive unloads it first."""
        if cartridge.in_use and drive is not None and drive.cartridge is not None:
            yield from self._eject(job, drive)
        with self.clock.span(job, f"{self.name}.{cartridge.name}", Activity.WAIT_FOR_THE_CARTRIDGE):
            while cartridge.in_use:
                yield from self.clock.wait(job, self.returned)
        cartridge.in_use = True

    def mount(self, job: str, drive: Drive, cartridge: Cartridge) -> Generator[simpy.Event, Any, Drive]:
        """Bring a reserved cartridge into a drive and load it.

        Returns the drive that has it in the end: if an idle drive has it already, the two drives are swapped. A job
        that fails before that gives the cartridge back.
        """
        try:
            return (yield from self._mounted(job, drive, cartridge))
        except JobFailedError:
            if cartridge.in_use and drive.cartridge is not cartridge:
                cartridge.in_use = False
                self._announce()
            raise

    def _mounted(self, job: str, drive: Drive, cartridge: Cartridge) -> Generator[simpy.Event, Any, Drive]:
        drive = self._swap_drives(drive, cartridge)
        if drive.cartridge is not None and drive.cartridge is not cartridge:
            yield from self._eject(job, drive)
        with self.clock.span(job, f"{self.name}.{cartridge.name}", Activity.WAIT_FOR_THE_CARTRIDGE):
            while any(other.cartridge is cartridge for other in self.drives if other is not drive):
                # it is on its way to its slot, or in a drive that will be given back
                yield from self.clock.wait(job, self.returned)
                drive = self._swap_drives(drive, cartridge)
        if drive.cartridge is cartridge:
            return drive
        yield from self._move(job, Activity.MOUNT, needed=True)
        with self.clock.span(job, drive.name, Activity.LOAD):
            yield self._timeout(job, "drive.load_time", drive.load_time)
        if cartridge.new:
            with self.clock.span(job, drive.name, Activity.INITIALISE):
                yield self._timeout(job, "drive.initialise_time", drive.initialise_time)
            cartridge.new = False
        drive.cartridge, drive.position = cartridge, 0.0
        if cartridge.unreadable:
            yield from self._eject(job, drive)
            cartridge.in_use, cartridge.end = False, cartridge.capacity  # nobody writes on it either
            self._announce()
            raise UnreadableError(self.name.removeprefix("devices."), cartridge.name)
        return drive

    def _swap_drives(self, drive: Drive, cartridge: Cartridge) -> Drive:
        """If an idle drive already has the cartridge, take that drive instead of one's own."""
        holder = next((d for d in self.idle if d.cartridge is cartridge), None)
        if holder is None:
            return drive
        self.idle.remove(holder)
        self.claims[holder] = self.claims.pop(drive)
        self._set_idle(drive)
        return holder

    def locate(self, job: str, drive: Drive, byte: float) -> Process:
        """Bring the heads to a byte."""
        with self.clock.span(job, drive.name, Activity.LOCATE):
            drawn = self.clock.drawn(f"{self.name}.drive.locate_overhead", job, 1.0)
            yield self.clock.env.timeout(drive.locate_time(byte, drawn))
        drive.position = byte

    def mark(self, job: str, drive: Drive, marks: float) -> Process:
        """Write marks behind a save set, each of which takes the drive a while."""
        with self.clock.span(job, drive.name, Activity.TAPE_MARKS):
            yield self.clock.env.timeout(marks * drive.mark_time)

    def release(self, job: str, drive: Drive, stay: float | None = None) -> Process:
        """Release the cartridge in a drive: it goes back to its slot, unless idle drives stay loaded.

        `stay` is the number of seconds that it stays loaded, unless the library states one.
        """
        if drive.cartridge is None:
            return
        cartridge = drive.cartridge
        drive.stay = stay if self.unload_after is None else self.unload_after
        if drive.stay is None:
            yield from self._eject(job, drive)
        cartridge.in_use = False
        self._announce()

    def _set_idle(self, drive: Drive) -> None:
        """Make a drive idle, and wake jobs that want the cartridge in it."""
        drive.visits += 1
        self.idle.append(drive)
        if drive.cartridge is not None and drive.stay is not None:
            self.clock.env.process(self._unload_later(drive, drive.stay))
            self._announce()

    def _unload_later(self, drive: Drive, after: float) -> Process:
        """Unload a drive that has been idle for so many seconds."""
        visits = drive.visits
        yield self.clock.env.timeout(after)
        if drive not in self.idle or drive.visits != visits:
            return
        claim = self.free.request()
        if not claim.triggered:  # those who came at this instant take every idle drive
            claim.cancel()
            return
        self.idle.remove(drive)
        self.claims[drive] = claim
        yield from self._eject(self.name, drive)
        self.give_drive(drive)

    def _eject(self, job: str, drive: Drive) -> Process:
        """Rewind, unload, and bring the cartridge back to its slot."""
        with self.clock.span(job, drive.name, Activity.REWIND):
            yield self.clock.env.timeout(drive.rewind_time())
        with self.clock.span(job, drive.name, Activity.UNLOAD):
            yield self._timeout(job, "drive.unload_time", drive.unload_time)
        yield from self._move(job, Activity.DISMOUNT)
        drive.cartridge, drive.position = None, 0.0
        self._announce()

    def _timeout(self, job: str, key: str, seconds: float) -> simpy.Event:
        """A timeout of so many seconds, times the factor that `chance:` draws for the key, if it states one."""
        return self.clock.env.timeout(seconds * self.clock.drawn(f"{self.name}.{key}", job, 1.0))

    def vacate(self) -> None:
        """Wake jobs that wait for a place at a shared drive."""
        event, self.vacated = self.vacated, self.clock.env.event()
        event.succeed()

    def _announce(self) -> None:
        """Wake jobs that wait for a cartridge or a drive."""
        event, self.returned = self.returned, self.clock.env.event()
        event.succeed()

    def _move(self, job: str, activity: str, *, needed: bool = False) -> Process:
        """One move of a robot between a slot and a drive, which a job that fails needs no more unless it puts away."""
        robot = self.robots.request()
        with self.clock.span(job, f"{self.name}.robot", Activity.WAIT_FOR_ROBOT):
            yield from self.clock.wait(job, robot) if needed else _patiently(robot)
            while self.stops:
                self.robots.release(robot)
                yield from self.clock.wait(job, self.stops[0]) if needed else _patiently(self.stops[0])
                robot = self.robots.request()
                yield from self.clock.wait(job, robot) if needed else _patiently(robot)
        with self.clock.span(job, f"{self.name}.robot", activity):
            yield self._timeout(job, "exchange_time", self.exchange_time)
        self.robots.release(robot)


def no_room(library: str, pool: str | None) -> str:
    """The message when no cartridge of a pool, or of a library without pools, has free space.

    >>> no_room("jukebox", "monthly")
    "the pool 'monthly' of 'jukebox' is full"
    """
    named = f"the pool '{pool}'" if pool else "the pool"
    return f"{named} of '{library}' is full"
