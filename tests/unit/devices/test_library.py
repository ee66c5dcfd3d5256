"""Libraries of tapes and of optical disks, visit by visit."""

from collections.abc import Generator
from typing import Any

import pytest
import simpy

from simbackup.devices.library import Cartridge, Drive, DriveLoad, Library
from simbackup.devices.shape import FlowShape
from simbackup.devices.tape.live import TapeDrive
from simbackup.engine.link import Link
from simbackup.equations import tape
from simbackup.trace.clock import Clock
from simbackup.trace.trace import Trace

FIGURES = tape.TapeDriveParameters(
    native_rate=10e6,
    cartridge_capacity=10e9,
    tape_length=100.0,
    passes=10,
    read_speed=1.0,
    search_speed=5.0,
    load_time=30.0,
    unload_time=10.0,
    locate_overhead=2.0,
    turn_time=1.0,
    buffer=8e6,
    reposition_time=4.0,
)
EXCHANGE = 12.0
LOAD, UNLOAD = 30.0, 10.0


def library(drives: int = 1, cartridges: int = 2, robots: int = 1, unload_after: float | None = None) -> Library:
    env = simpy.Environment()
    names = [f"devices.jukebox.drive.{i + 1}" for i in range(drives)]
    return Library(
        Clock(env, Trace()), "devices.jukebox", simpy.Resource(env, robots), EXCHANGE,
        [Cartridge(f"cartridge.{i + 1}", FIGURES.cartridge_capacity) for i in range(cartridges)],
        [TapeDrive(name, Link(name, 1.0), FIGURES) for name in names],
        unload_after,
    )  # fmt: skip


def spans(jukebox: Library, job: str) -> list[tuple[str, float]]:
    return [(s.activity, s.end - s.start) for s in jukebox.clock.trace.spans if s.job == job]


def visit(
    jukebox: Library, job: str, byte: float = 0.0, *, at: float = 0.0, hold: float = 0.0, wanted: int | None = None
) -> Generator[simpy.Event, Any, None]:
    """From some time on: take a drive and a cartridge, a wanted one by its number, go to a byte, hold it, give back."""
    yield jukebox.clock.env.timeout(at)
    want = None if wanted is None else jukebox.cartridges[wanted]
    drive = yield from jukebox.take_drive(job, want)
    cartridge = want
    if cartridge is None:
        cartridge = yield from jukebox.take_scratch(job)
        assert cartridge is not None
    else:
        yield from jukebox.reserve(job, cartridge)
    drive = yield from jukebox.mount(job, drive, cartridge)
    assert drive.cartridge is cartridge
    yield from jukebox.locate(job, drive, byte)
    yield jukebox.clock.env.timeout(hold)
    yield from jukebox.release(job, drive)
    jukebox.give_drive(drive)


def timeline(jukebox: Library, job: str) -> list[tuple[float, str]]:
    return [(s.start, s.activity) for s in jukebox.clock.trace.spans if s.job == job]


def play(jukebox: Library, *visits: Generator[simpy.Event, Any, None], until: float = 1e5) -> None:
    """Let all visits take place, and what follows from them; each has to end."""
    env = jukebox.clock.env
    playing = [env.process(each) for each in visits]
    env.run(until=until)
    assert all(each.processed for each in playing)


def test_a_new_cartridge_is_initialised_when_it_is_first_loaded_and_never_again() -> None:
    jukebox = library(cartridges=1)
    for drive in jukebox.drives:
        drive.initialise_time = 1800.0
    jukebox.cartridges[0].new = True
    play(jukebox, visit(jukebox, "jobs.a"), visit(jukebox, "jobs.b", at=5000.0))
    assert spans(jukebox, "jobs.a")[:3] == [("mount", EXCHANGE), ("load", LOAD), ("initialise", 1800.0)]
    assert [activity for activity, _ in spans(jukebox, "jobs.b")] == ["mount", "load", "unload", "dismount"]


def test_a_drive_that_stays_loaded_has_the_old_cartridge_ejected_first() -> None:
    jukebox = library(unload_after=100.0)
    play(jukebox, visit(jukebox, "jobs.a", 4.5e9), visit(jukebox, "jobs.b", at=60.0, wanted=1))
    assert spans(jukebox, "jobs.b") == [
        ("rewind", pytest.approx(12.0)),
        ("unload", UNLOAD),
        ("dismount", EXCHANGE),
        ("mount", EXCHANGE),
        ("load", LOAD),
    ]


def test_the_idle_drive_that_holds_the_cartridge_takes_the_place_of_an_empty_one() -> None:
    jukebox = library(drives=2, unload_after=100.0)
    play(jukebox, visit(jukebox, "jobs.a"), visit(jukebox, "jobs.b", at=60.0))
    # Who takes any drive gets the empty one; the fullest cartridge is in the other.
    assert spans(jukebox, "jobs.b") == []
    assert jukebox.free.count == 0
    assert len(jukebox.idle) == 2


def test_two_who_want_the_cartridge_in_the_drive_of_the_other_do_not_wait_for_ever() -> None:
    jukebox = library(drives=2, unload_after=1e4)
    env = jukebox.clock.env

    def crosswise(job: str, wanted: int, first: int) -> Generator[simpy.Event, Any, None]:
        yield env.timeout(100.0)
        drive = yield from jukebox.take_drive(job, jukebox.cartridges[first])
        assert drive.cartridge is jukebox.cartridges[first]
        yield env.timeout(1.0)  # until the other has its drive too
        cartridge = jukebox.cartridges[wanted]
        yield from jukebox.reserve(job, cartridge)
        drive = yield from jukebox.mount(job, drive, cartridge)
        assert drive.cartridge is cartridge
        yield from jukebox.release(job, drive)
        jukebox.give_drive(drive)

    play(
        jukebox, visit(jukebox, "jobs.a", wanted=0), visit(jukebox, "jobs.b", wanted=1),
        crosswise("jobs.c", 1, 0), crosswise("jobs.d", 0, 1),
    )  # fmt: skip
    # Both unload at once; the robot brings both home, then each cartridge to the other drive.
    assert [t for a, t in spans(jukebox, "jobs.c") if a in {"mount", "load", "unload", "dismount"}] == [
        10.0,
        12.0,
        12.0,
        30.0,
    ]
    assert [d.cartridge for d in jukebox.drives] in ([None, None], jukebox.cartridges[::-1])


def test_who_begins_as_an_idle_drive_is_to_be_unloaded_takes_it_and_keeps_it() -> None:
    jukebox = library(drives=2, unload_after=100.0)
    play(
        jukebox,
        visit(jukebox, "jobs.a", hold=10.0, wanted=0),  # leaves its drive at 52 s, to be unloaded at 152 s
        visit(jukebox, "jobs.b", at=152.0, hold=300.0, wanted=0),
        visit(jukebox, "jobs.c", at=100.0, hold=100.0, wanted=1),  # leaves the other drive before jobs.b does
    )
    assert spans(jukebox, "jobs.b") == []
    assert timeline(jukebox, "devices.jukebox")[-2:] == [(452.0 + 100.0, "unload"), (452.0 + 110.0, "dismount")]
    assert [drive.cartridge for drive in jukebox.drives] == [None, None]
    assert jukebox.free.count == 0


def test_who_waits_for_a_cartridge_gets_it_from_a_drive_that_was_given_back_with_it() -> None:
    jukebox = library(drives=2, cartridges=2, unload_after=1e4)
    env = jukebox.clock.env

    def look() -> Generator[simpy.Event, Any, None]:
        yield env.timeout(100.0)
        drive = yield from jukebox.take_drive("jobs.b", jukebox.cartridges[0])
        yield env.timeout(60.0)
        jukebox.give_drive(drive)

    play(jukebox, visit(jukebox, "jobs.a", wanted=0), look(), visit(jukebox, "jobs.c", at=120.0, wanted=0))
    assert spans(jukebox, "jobs.c") == [("wait for the cartridge", 40.0)]


# A jukebox of optical disks, made of what all libraries share
class OpticalDrive(Drive):
    """A drive that writes at half the rate of its reads, and seeks in a fixed time."""

    kind = "optical drive"

    @property
    def native_rate(self) -> float:
        return 4e6

    @property
    def load_time(self) -> float:
        return 7.0

    @property
    def unload_time(self) -> float:
        return 3.0

    def locate_time(self, byte: float, drawn: float = 1.0) -> float:
        return 0.025 * drawn if byte != self.position else 0.0

    def crossing(self, stream: DriveLoad) -> FlowShape:
        rate = self.native_rate if stream.reading else self.native_rate / 2.0
        return FlowShape().plus({self.link: 1.0 / rate}, {self.link: 1.0})


def test_disks_are_exchanged_in_the_times_of_their_drive() -> None:
    env, trace = simpy.Environment(), Trace()
    disks = [Cartridge(f"disk.{i}", 650e6) for i in (1, 2)]
    drive = OpticalDrive("devices.jukebox.drive.1", Link("devices.jukebox.drive.1", 1.0))
    library = Library(Clock(env, trace), "devices.jukebox", simpy.Resource(env, 1), 5.0, disks, [drive])

    def job() -> Generator[simpy.Event, Any, None]:
        taken = yield from library.take_drive("jobs.one")
        for disk in disks:
            yield from library.reserve("jobs.one", disk, taken)
            taken = yield from library.mount("jobs.one", taken, disk)
            yield from library.locate("jobs.one", taken, 100e6)
            yield from library.mark("jobs.one", taken, 3.0)
            yield from library.release("jobs.one", taken)
        library.give_drive(taken)

    env.process(job())
    env.run()
    each = 5.0 + 7.0 + 0.025 + 3.0 + 5.0  # exchange, load, seek, unload, exchange; it neither rewinds nor marks
    assert env.now == pytest.approx(2.0 * each, rel=1e-12)
    library.record(trace)
    assert [(row.address, row.kind) for row in trace.devices] == [(drive.name, "optical drive")]


def test_it_follows_the_rate_of_its_host_and_loads_each_direction_differently() -> None:
    drive = OpticalDrive("drive", Link("drive", 1.0))
    assert (
        drive.crossing(DriveLoad()).demands[drive.link]
        == 2.0 * drive.crossing(DriveLoad(reading=True)).demands[drive.link]
    )
    assert drive.links == (drive.link,)
    assert drive.waits(DriveLoad()) == 0.0
