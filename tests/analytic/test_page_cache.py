"""dd through a page cache, composed of flows and a buffer, against its closed form."""

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st
from oracles.page_cache import writer_time

from simbackup.devices.disk.live import Disk
from simbackup.devices.host.live import Host, Machine
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region
from simbackup.devices.volume.live import Volume
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks

RATES = st.floats(1e6, 1e9)


@given(st.floats(1e6, 1e11), RATES, RATES, st.floats(1e6, 1e10), st.floats(0.01, 0.99))
def test_a_writer_takes_the_time_of_the_closed_form(
    size: float, write: float, rate: float, limit: float, share: float
) -> None:
    env = simpy.Environment()
    network = FlowNetwork(env)
    disk = Disk("devices.a", disks.DiskParameters(1e12, 100.0, 1e-3, 5e-3, 9e-3, rate, rate, 0.0, 1e6))
    volume = Volume(env, "devices.a", Region(disk, 0.0, disk.size))
    host = Host(network, "hosts.h", Machine(2.0, write, limit, share * limit))
    fill = FlowShape({host.cpu: 1.0 / write}).at_most(write, host.cpu.name)
    flow = fill.start(network, "jobs.dd", "write", size)
    host.cache(disk).take("jobs.dd", VolumeRange(volume, 0.0, size), flow)
    env.run(until=flow.done)
    assert env.now == pytest.approx(writer_time(size, write, rate, limit, share * limit), rel=1e-6)
