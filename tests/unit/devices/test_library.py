"""A library whose drives are not those of tapes: a jukebox of optical disks, made of what all libraries share."""

from collections.abc import Generator
from typing import Any

import pytest
import simpy

from simbackup.devices.library import Cartridge, Drive, DriveLoad, Library
from simbackup.devices.shape import FlowShape
from simbackup.engine.link import Link
from simbackup.trace.clock import Clock
from simbackup.trace.trace import Trace


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
