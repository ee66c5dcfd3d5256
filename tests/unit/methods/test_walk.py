"""What a file of a walk costs, and what of a cartridge is read together."""

from dataclasses import replace

import pytest
import simpy
from hypothesis import example, given
from hypothesis import strategies as st

from simbackup.catalogue import Extent
from simbackup.data.live import DataSet, Files
from simbackup.devices.disk.live import Disk
from simbackup.devices.host.live import Host, Machine
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Region, Store
from simbackup.devices.volume.live import Volume
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks
from simbackup.methods.file_backup.walk import Walkers, walking
from simbackup.methods.tape_reader import passes
from simbackup.system import JobFailedError
from tests.cases import for_each

FIGURES = disks.DiskParameters(100e9, 100.0, 1e-3, 5e-3, 9e-3, 50e6, 50e6, 0.5e-3, 1e6)
SMALL = Files(reads_per_file=2.0, cpu_per_file=1e-3, fragment=64e3, record=1000.0)
ENV = simpy.Environment()


def disk() -> Disk:
    return Disk("devices.a", FIGURES)


def ssd() -> Ssd:
    return Ssd("devices.a", Flash(100e9, 100e6, 50e6, 1e-4, 2e-4))


def host(speed: float = 1.0, read_ahead: float | None = None) -> Host:
    machine = Machine(4.0, 1e9, 1e9, 0.0, read_ahead=read_ahead, memory=1e9, speed=speed)
    return Host(FlowNetwork(ENV), "hosts.h", machine)


def data(store: Store, each: float = 40e3, files: Files | None = SMALL) -> DataSet:
    """9 GB of files of one size, from the beginning of the device."""
    volume = Volume(ENV, "devices.a", Region(store, 0.0, store.size))
    return DataSet("d", volume, 0.0, 9e9, int(9e9 / each), 1.0, files, file_size=each)


def times(
    walked: DataSet, machine: Host | None = None, file_cpu: float = 0.0, cached: float = 0.0
) -> tuple[float, float, float]:
    """Seconds of one file in all, of its device, and of its host's cores."""
    machine, region = machine or host(), walked.volume.region.part(walked.begin, walked.size)
    shape = walking(machine, replace(walked, cached=cached), region, Walkers(file_cpu=file_cpu))
    each, link = walked.size / walked.files, region.store.link
    assert shape.moves.get(link, 0.0) == 1.0 - cached
    return each / shape.cap, each * shape.demands.get(link, 0.0), each * shape.demands[machine.cpu]


def test_data_without_a_file_system_cannot_be_walked() -> None:
    walked = data(disk(), files=None)
    with pytest.raises(JobFailedError, match="'d' has no file system"):
        walking(host(), walked, walked.volume.region, Walkers())


def walked_alone(windows: int, fetched: float, work: float) -> float:
    """Seconds until a program has worked on a file of so many windows, window by window.

    It waits for the first, and asks for the next one whenever it comes to the first page of a window.
    """
    came, now = {0: fetched}, 0.0
    for number in range(windows):
        came[number + 1] = now + fetched if number else fetched + fetched
        now = max(now, came[number]) + work
    return now


@for_each("work", [0.0, 0.3, 1.0, 2.5])
@for_each("windows", [60, 1000])
def test_a_large_file_is_read_ahead_of_the_program_as_windows_one_by_one(windows: int, work: float) -> None:
    """On flash, which delivers any number of windows at once; `work` is that on a window, in times of its request."""
    machine = host(read_ahead=100e3)
    machine.machine = replace(machine.machine, looks_ahead=True)
    files = Files(reads_per_file=0.0, cpu_per_file=0.0, fragment=1e9, record=1.0, record_read=1e9)
    store = Ssd("devices.a", Flash(100e9, 1e12, 50e6, 1e-3, 2e-4))
    large = replace(data(store, each=windows * 100e3, files=files), scattered=0.0)
    shape = walking(machine, large, large.volume.region.part(0.0, large.size), Walkers())
    shape = machine.then(shape, work * 1e-3 / 100e3)
    alone = walked_alone(windows, 1e-3, work * 1e-3)
    assert windows * 100e3 / shape.cap == pytest.approx(alone, rel=1.5 / windows)


# What of a cartridge is read together
SIZES = st.floats(1e4, 1e9)
PLACES = st.floats(0.0, 1e9)
SPREADS = st.floats(1.0, 8.0)
BYTE_APART = [Extent(0.0, 1e4, "c1", 0.0), Extent(1e4, 1e4, "c1", 1.0)]


@st.composite
def runs(draw: st.DrawFn) -> list[Extent]:
    """Runs of a save set, one behind the other in it, anywhere on a cartridge."""
    found, begin = list[Extent](), 0.0
    for _ in range(draw(st.integers(1, 6))):
        found.append(Extent(begin, draw(SIZES), "c1", draw(PLACES), draw(SPREADS)))
        begin += found[-1].size
    return found


@given(runs(), st.floats(0.5, 4.0))
@example(BYTE_APART, 1.0)
def test_all_that_is_wanted_is_read_once(wanted: list[Extent], compression: float) -> None:
    found = [run for each in passes(wanted, compression) for run in each]
    for run in wanted:
        mine = sorted(r for r in found if run.begin <= r.begin + 1e-6 < run.begin + run.size)
        assert abs(sum(r.size for r in mine) - run.size) <= 1e-9 * run.size + 1e-3 * len(found) + 20.0 * compression
