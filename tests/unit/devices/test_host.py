"""A host's cores, its reading, and the host below a virtual machine, against calculations by hand."""

import math

import pytest
import simpy

from simbackup.devices.host.live import Host, Machine
from simbackup.devices.network.live import Network
from simbackup.devices.raid.array import ArrayLayout, Controller
from simbackup.devices.raid.live import FlashArray
from simbackup.devices.shape import FlowShape
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Region
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from tests.cases import for_each


def machine(
    cores: float = 2.0, speed: float = 1.0, read_ahead: float | None = None, *, looks_ahead: bool = False
) -> Machine:
    return Machine(cores, 1e9, 1e9, 0.0, read_ahead=read_ahead, memory=4e9, speed=speed, looks_ahead=looks_ahead)


def ssd() -> Ssd:
    return Ssd("devices.a", Flash(1e12, 100e6, 50e6, 1e-3, 1e-3))


class Computer:
    """A host with two virtual machines of one core each."""

    def __init__(self, cores: float = 2.0, speed: float = 1.0) -> None:
        self.env = simpy.Environment()
        self.network = FlowNetwork(self.env)
        self.real = Host(self.network, "hosts.real", machine(cores, speed))
        self.guests = [Host(self.network, f"hosts.guest{i}", machine(1.0, 99.0), self.real) for i in range(2)]

    def computing(self, host: Host, seconds: float) -> Flow:
        """A program that computes for so many seconds of one core."""
        shape = host.then(FlowShape(), 1.0)
        return shape.start(self.network, "jobs.j", "compute", seconds)


def test_a_faster_core_takes_less_time_than_the_reference_core() -> None:
    host = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine(speed=2.6))
    assert host.seconds(1.3) == pytest.approx(0.5)


def test_a_virtual_machine_is_as_fast_as_the_host_below() -> None:
    computer = Computer(speed=0.5)
    assert computer.guests[0].seconds(1.0) == 2.0


def test_what_a_virtual_machine_computes_its_host_computes() -> None:
    computer = Computer()
    guest, other = computer.guests
    for shape in (guest.working(FlowShape(), 3.0), guest.then(FlowShape(), 3.0)):
        assert shape.demands == {guest.cpu: 3.0, computer.real.cpu: 3.0}
        assert other.cpu not in shape.demands


def test_a_virtual_machine_waits_once_for_what_both_compute() -> None:
    computer = Computer()
    assert computer.guests[0].then(FlowShape(), 3.0).cap == pytest.approx(1 / 3.0)
    assert math.isinf(computer.guests[0].working(FlowShape(), 3.0).cap)


@for_each("cores, seconds", [(1.0, 20.0), (1.5, 40 / 3), (2.0, 10.0), (8.0, 10.0)])
def test_two_virtual_machines_share_the_cores_of_their_host(cores: float, seconds: float) -> None:
    computer = Computer(cores)
    flows = [computer.computing(guest, 10.0) for guest in computer.guests]
    computer.env.run(until=computer.env.all_of([flow.done for flow in flows]))
    assert computer.env.now == pytest.approx(seconds)
    computer.network.advance()
    assert computer.real.cpu.units == pytest.approx(20.0)
    assert [guest.cpu.units for guest in computer.guests] == pytest.approx([10.0, 10.0])


def test_a_program_on_the_host_takes_cores_from_its_virtual_machine() -> None:
    computer = Computer(cores=1.0)
    flows = [computer.computing(host, 10.0) for host in (computer.real, computer.guests[0])]
    computer.env.run(until=computer.env.all_of([flow.done for flow in flows]))
    assert computer.env.now == pytest.approx(20.0)


def test_two_programs_of_a_virtual_machine_have_its_cores_alone() -> None:
    computer = Computer(cores=8.0)
    flows = [computer.computing(computer.guests[0], 10.0) for _ in range(2)]
    computer.env.run(until=computer.env.all_of([flow.done for flow in flows]))
    assert computer.env.now == pytest.approx(20.0)


def reading(host: Host, cached: float, each: float | None = None) -> FlowShape:
    return host.reading(Region(ssd(), 0.0, 1e9), each, cached)


@pytest.mark.parametrize("cached", [0.0, 0.4])
def test_reading_loads_the_device_with_what_is_not_in_memory(cached: float) -> None:
    host = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine())
    shape = reading(host, cached, each=5e-9)
    assert sorted(shape.demands.values()) == pytest.approx(sorted([5e-9, (1 - cached) * 10e-9]))
    assert list(shape.moves.values()) == pytest.approx([1 - cached])
    assert shape.cap == pytest.approx(1 / 5e-9)


def test_reading_from_memory_takes_no_device() -> None:
    host = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine(read_ahead=1e6))
    shape = reading(host, 1.0)
    assert shape.demands == {host.cpu: 1e-9}
    assert (shape.cap, shape.cause) == (pytest.approx(1e9), "hosts.h.cores")


@for_each("cached", [0.0, 0.5, 0.9])
def test_windows_are_waited_for_unless_they_lie_in_memory(cached: float) -> None:
    """A megabyte takes 1 ms and 10 ms from the device, and 1 ms of a core."""
    host = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine(read_ahead=1e6))
    shape = reading(host, cached)
    assert shape.cap == pytest.approx(1e6 / ((1 - cached) * 11e-3 + 1e-3))


@for_each("each, seconds", [(1e-9, 6e-3), (5e-9, 8e-3), (11e-9, 11e-3), (20e-9, 20e-3)])
def test_windows_asked_for_early_are_waited_for_half_as_long(each: float, seconds: float) -> None:
    """A megabyte takes 1 ms and 10 ms from the device: max(w, (11 ms + w) / 2)."""
    host = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine(read_ahead=1e6, looks_ahead=True))
    shape = reading(host, 0.0, each)
    assert shape.cap == pytest.approx(1e6 / seconds)
    assert sum(shape.parts.values()) == pytest.approx(seconds / 1e6)


def test_a_program_that_asks_for_more_than_the_window_gets_it_at_once() -> None:
    host = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine(read_ahead=1e6))
    shape = host.reading(Region(ssd(), 0.0, 1e9), 1e-9, request=4e6)
    assert shape.cap == pytest.approx(4e6 / (41e-3 + 4e-3))


def test_an_array_of_the_operating_system_is_read_stripes_ahead() -> None:
    """Two stripes of four disks of data, 512 KiB of each disk, against a window of 128 KiB."""
    layout = ArrayLayout("5", 5, 524288.0, stripes_ahead=2.0)
    figures = Flash(1e12, 500e6, 400e6, 1e-4, 1e-4)
    array = FlashArray("devices.md", layout, figures, Controller())
    assert array.ahead == 2 * 4 * 524288
    host = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine(read_ahead=131072.0))
    window = 2 * 4 * 524288
    fetched = array.continued(0.0, window).latency
    assert host.reading(Region(array, 0.0, 1e9), 0.0).cap == pytest.approx(window / fetched)


def test_a_bus_delays_each_window() -> None:
    host, store = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine(read_ahead=1e6)), ssd()
    store.path = (Network(Link("links.bus", 1e9), 2e-3, 1e9),)
    assert host.reading(Region(store, 0.0, 1e9)).cap == pytest.approx(1e6 / (13e-3 + 1e-3))


def test_each_device_has_a_page_cache_of_its_own() -> None:
    host, one, other = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine()), ssd(), ssd()
    other.name = "devices.b"
    assert host.cache(one) is host.cache(one)
    assert host.cache(one) is not host.cache(other)
