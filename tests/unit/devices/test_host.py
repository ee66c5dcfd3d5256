"""A host's cores, its reading, and the host below a virtual machine, against calculations by hand."""

import pytest
import simpy

from simbackup.devices.host.live import Host, Machine
from simbackup.devices.raid.array import ArrayLayout, Controller
from simbackup.devices.raid.live import FlashArray
from simbackup.devices.shape import FlowShape
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Region
from simbackup.engine.network import FlowNetwork
from tests.cases import for_each


def machine(
    cores: float = 2.0, speed: float = 1.0, read_ahead: float | None = None, *, looks_ahead: bool = False
) -> Machine:
    return Machine(cores, 1e9, 1e9, 0.0, read_ahead=read_ahead, memory=4e9, speed=speed, looks_ahead=looks_ahead)


def ssd() -> Ssd:
    return Ssd("devices.a", Flash(1e12, 100e6, 50e6, 1e-3, 1e-3))


def reading(host: Host, cached: float, each: float | None = None) -> FlowShape:
    return host.reading(Region(ssd(), 0.0, 1e9), each, cached)


@pytest.mark.parametrize("cached", [0.0, 0.4])
def test_reading_loads_the_device_with_what_is_not_in_memory(cached: float) -> None:
    host = Host(FlowNetwork(simpy.Environment()), "hosts.h", machine())
    shape = reading(host, cached, each=5e-9)
    assert sorted(shape.demands.values()) == pytest.approx(sorted([5e-9, (1 - cached) * 10e-9]))
    assert list(shape.moves.values()) == pytest.approx([1 - cached])
    assert shape.cap == pytest.approx(1 / 5e-9)


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
