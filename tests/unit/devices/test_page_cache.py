import math
from collections.abc import Generator
from typing import Any

import pytest
import simpy

from simbackup.devices.disk.live import Disk
from simbackup.devices.host.live import Host, Machine
from simbackup.devices.host.page_cache import PageCache, VolumeRange
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region
from simbackup.devices.volume.live import Volume
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks

DISK = 50e6
FIGURES = disks.DiskParameters(100e9, 100.0, 1e-3, 5e-3, 9e-3, DISK, DISK, 0.0, 1e6)


class Bench:
    """A host with a cache of 400 MB, write-back from 100 MB, and a disk of 50 MB/s."""

    def __init__(self, memory: float = 1.0, dirty_expire: float = math.inf) -> None:
        self.env = simpy.Environment()
        self.network = FlowNetwork(self.env)
        self.disk = Disk("devices.a", FIGURES)
        self.volume = Volume(self.env, "devices.a", Region(self.disk, 0.0, self.disk.size))
        machine = Machine(4.0, 200e6, memory * 400e6, memory * 100e6, dirty_expire=dirty_expire)
        self.host = Host(self.network, "hosts.h", machine)
        self.written: dict[str, float] = {}
        self.on_disk: dict[str, float] = {}

    @property
    def cache(self) -> PageCache:
        return self.host.cache(self.disk)

    def writer(self, name: str, size: float, begin: float = 0.0, rate: float = 200e6) -> simpy.Process:
        return self.env.process(self._write(name, size, begin, rate))

    def _write(self, name: str, size: float, begin: float, rate: float) -> Generator[simpy.Event, Any, None]:
        fill = FlowShape({self.host.cpu: 1.0 / rate}).at_most(rate, self.host.cpu.name)
        flow = fill.start(self.network, f"jobs.{name}", "write", size)
        dirty = self.cache.take(f"jobs.{name}", VolumeRange(self.volume, begin, size), flow)
        yield flow.done
        self.written[name] = float(self.env.now)
        yield dirty.on_disk
        self.on_disk[name] = float(self.env.now)

    def run(self, *writers: simpy.Process) -> None:
        self.env.run(until=self.env.all_of(writers))
        self.network.advance()


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_small_write_far_out_reaches_the_disk(bench: Bench) -> None:
    begin, size = 9e10, 612.12
    size = next(s for s in (size + i * 1e-6 for i in range(100)) if (begin + s) - begin > s * (1.0 + 2e-9))
    bench.run(bench.writer("a", size, begin))
    assert bench.volume.stretch(begin, size).size == size


def test_a_slow_writer_does_not_hold_up_a_fast_one(bench: Bench) -> None:
    bench.run(bench.writer("slow", 100e6, rate=1e6), bench.writer("fast", 1e9, begin=10e9))
    assert bench.written["slow"] == pytest.approx(100.0)
    assert bench.on_disk["slow"] >= 100.0
    assert bench.on_disk["fast"] < 2 * 1e9 / DISK


def test_write_back_starts_anew_for_a_later_writer(bench: Bench) -> None:
    def later() -> Generator[simpy.Event, Any, None]:
        yield bench.env.timeout(100.0)
        yield bench.writer("late", 50e6)

    bench.run(bench.writer("early", 50e6), bench.env.process(later()))
    assert bench.written["late"] == pytest.approx(100.25)
    assert bench.on_disk["late"] == pytest.approx(101.25)


def test_write_back_below_the_background_limit_waits_for_the_end_of_its_writer(bench: Bench) -> None:
    bench.run(bench.writer("short", 10e6), bench.writer("long", 60e6, begin=1e9, rate=20e6))
    assert bench.written["long"] == pytest.approx(3.0)
    assert bench.on_disk["short"] == pytest.approx(10 / 200 + 10 / 50)


def test_what_has_become_old_is_written_back_however_little_it_is() -> None:
    """At 2 MB/s the background limit of 100 MB is 50 s away; after 30 s the disk begins, then follows the writer."""
    bench = Bench(dirty_expire=30.0)
    bench.run(bench.writer("dd", 80e6, rate=2e6))
    assert bench.written["dd"] == pytest.approx(40.0)
    assert bench.on_disk["dd"] == pytest.approx(40.0, rel=0.02)
