"""A host's cores, its reading, and the host below a virtual machine, against calculations by hand."""

import pytest
import simpy

from simbackup.devices.host.live import Host, Machine
from simbackup.devices.raid.live import ArrayLayout, Controller, FlashArray
from simbackup.devices.shape import FlowShape
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Region
from simbackup.engine.network import FlowNetwork


def machine(
    cores: float = 2.0, speed: float = 1.0, read_ahead: float | None = None, *, looks_ahead: bool = False
) -> Machine:
    return Machine(cores, 1e9, 1e9, 0.0, read_ahead=read_ahead, memory=4e9, speed=speed, looks_ahead=looks_ahead)


def ssd() -> Ssd:
    return Ssd("devices.a", Flash(1e12, 100e6, 50e6, 1e-3, 1e-3))


def reading(host: Host, cached: float, each: float | None = None) -> FlowShape:
    return host.reading(Region(ssd(), 0.0, 1e9), each, cached)


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
