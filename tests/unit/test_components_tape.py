from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
import simpy

from simbackup.components.clock import Clock
from simbackup.components.tape import Cartridge, Drive, Library
from simbackup.engine.flows import Link
from simbackup.engine.trace import Trace
from simbackup.equations import tape

FIGURES = tape.TapeDrive(
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
)
EXCHANGE = 12.0


def library(drives: int = 1, cartridges: int = 2, robots: int = 1) -> Library:
    env = simpy.Environment()
    names = [f"devices.jukebox.drive.{i + 1}" for i in range(drives)]
    return Library(
        Clock(env, Trace()), "devices.jukebox", simpy.Resource(env, robots), EXCHANGE,
        [Cartridge(f"cartridge.{i + 1}", FIGURES.cartridge_capacity) for i in range(cartridges)],
        [Drive(name, FIGURES, Link(name, 1.0)) for name in names],
    )  # fmt: skip


def spans(jukebox: Library, job: str) -> list[tuple[str, float]]:
    return [(s.activity, s.end - s.start) for s in jukebox.clock.trace.spans if s.job == job]


def visit(jukebox: Library, job: str, byte: float) -> Generator[simpy.Event, Any, None]:
    drive = yield from jukebox.take_drive(job)
    cartridge = yield from jukebox.take_scratch(job)
    assert cartridge is not None
    yield from jukebox.mount(job, drive, cartridge)
    yield from jukebox.locate(job, drive, byte)
    yield from jukebox.dismount(job, drive)
    jukebox.give_drive(drive)


def test_every_step_of_a_visit_by_hand() -> None:
    jukebox = library()
    jukebox.clock.env.run(until=jukebox.clock.env.process(visit(jukebox, "jobs.a", 4.5e9)))
    # Pass 4 runs forward: 50 m from the beginning. There: overhead, way, turn; back: overhead, way.
    assert spans(jukebox, "jobs.a") == [
        ("exchange", 12.0),
        ("load", 30.0),
        ("locate", pytest.approx(2.0 + 10.0 + 1.0)),
        ("rewind", pytest.approx(2.0 + 10.0)),
        ("unload", 10.0),
        ("exchange", 12.0),
    ]
    assert jukebox.clock.env.now == pytest.approx(sum(time for _, time in spans(jukebox, "jobs.a")))
    assert not any(c.in_use for c in jukebox.cartridges)
    assert jukebox.drives[0].cartridge is None


def test_nothing_is_recorded_of_steps_that_take_no_time() -> None:
    jukebox = library()
    jukebox.clock.env.run(until=jukebox.clock.env.process(visit(jukebox, "jobs.a", 0.0)))
    assert [activity for activity, _ in spans(jukebox, "jobs.a")] == ["exchange", "load", "unload", "exchange"]


def test_one_robot_serves_three_drives_in_turn() -> None:
    jukebox = library(drives=3, cartridges=3)
    env = jukebox.clock.env
    env.run(until=env.all_of([env.process(visit(jukebox, f"jobs.{i}", 0.0)) for i in range(3)]))
    queued = [sum(t for activity, t in spans(jukebox, f"jobs.{i}") if activity == "mount queue") for i in range(3)]
    # Mounted at 12, 24 and 36 s; back at the robot 40 s later, at 52, 64 and 76 s, which find it idle.
    assert queued == [0.0, 12.0, 24.0]
    assert env.now == 36.0 + 40.0 + 12.0


def test_two_robots_halve_the_queue() -> None:
    jukebox = library(drives=3, cartridges=3, robots=2)
    env = jukebox.clock.env
    env.run(until=env.all_of([env.process(visit(jukebox, f"jobs.{i}", 0.0)) for i in range(3)]))
    assert [time for activity, time in spans(jukebox, "jobs.2") if activity == "mount queue"] == [12.0]


def test_whoever_finds_all_drives_taken_waits_for_one() -> None:
    jukebox = library(drives=1, cartridges=2)
    env = jukebox.clock.env
    env.run(until=env.all_of([env.process(visit(jukebox, f"jobs.{i}", 0.0)) for i in range(2)]))
    assert spans(jukebox, "jobs.1")[0] == ("wait for a drive", 12.0 + 30.0 + 10.0 + 12.0)


def test_whoever_finds_the_only_cartridge_in_use_waits_for_it() -> None:
    jukebox = library(drives=2, cartridges=1)
    env = jukebox.clock.env
    env.run(until=env.all_of([env.process(visit(jukebox, f"jobs.{i}", 0.0)) for i in range(2)]))
    assert spans(jukebox, "jobs.1")[0] == ("wait for a cartridge", 64.0)


def test_reserve_waits_until_a_certain_cartridge_is_back() -> None:
    jukebox = library(drives=2, cartridges=2)
    env = jukebox.clock.env
    env.process(visit(jukebox, "jobs.a", 0.0))
    env.run(until=1.0)
    env.run(until=env.process(jukebox.reserve("jobs.b", jukebox.cartridges[0])))
    assert spans(jukebox, "jobs.b") == [("wait for the cartridge", 63.0)]


def test_the_fullest_cartridge_with_room_is_taken() -> None:
    jukebox = library(cartridges=4)
    for cartridge, end in zip(jukebox.cartridges, (1e9, 10e9, 3e9, 10e9 - 0.5), strict=True):
        cartridge.end = end
    assert jukebox.scratch() is jukebox.cartridges[2]
    jukebox.cartridges[2].in_use = True
    assert jukebox.scratch() is jukebox.cartridges[0]
    jukebox.cartridges[0].end = 10e9
    assert jukebox.scratch() is None


def test_a_drive_writes_at_what_compression_and_interface_allow() -> None:
    drive = library().drives[0]
    assert drive.rate(1.0) == 10e6
    assert drive.rate(2.0) == 20e6
