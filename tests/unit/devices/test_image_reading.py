import math

import pytest
import simpy
from oracles.snapshot import image_read

from simbackup.devices.changes import Spread
from simbackup.devices.disk.live import Disk
from simbackup.devices.image import Times
from simbackup.devices.shape import FlowShape
from simbackup.devices.snapshot.live import ImageReader, Snapshot
from simbackup.devices.store import Region, Store
from simbackup.devices.volume.live import Volume
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks
from simbackup.equations.snapshot import CopyOnWriteParameters
from simbackup.trace.trace import Trace
from tests.cases import for_each

CHUNK = 8192.0
DATA = 2e9
COW = CopyOnWriteParameters(chunk=CHUNK, record=16.0, in_flight=2.0**20, commit_backlog=65536.0)
FIGURES = disks.DiskParameters(90e9, 100.0, 1e-3, 5e-3, 9e-3, 50e6, 50e6, 0.0, 1e6)
SPREAD = Spread(CHUNK, DATA, begin=0.0, extent=DATA)


class Bench:
    """A volume on a disk, an image of it with a copy area here or there, and a network."""

    def __init__(self, *, apart: bool = False) -> None:
        self.env = simpy.Environment()
        self.network = FlowNetwork(self.env)
        self.here: Store = Disk("devices.a", FIGURES)
        self.there: Store = Disk("devices.b", FIGURES) if apart else self.here
        self.volume = Volume(self.env, "devices.v", Region(self.here, 0.0, 10e9))
        self.area = Region(self.there, 30e9, 5e9)
        self.image = Snapshot("devices.c", self.volume, self.area, parameters=COW, times=Times(0.0, 0.0), trace=Trace())
        self.image.create()

    def update(self, copied: float) -> None:
        """Let users touch a share of the chunks of the data."""
        scatter = self.image.changes.scatter("workloads.u", SPREAD)
        scatter.update(-math.log(1.0 - copied) * DATA / CHUNK - scatter.updates)
        self.volume.moved()

    def reader(self, window: float | None = CHUNK) -> ImageReader:
        return ImageReader(self.image, Region(self.here, 0.0, DATA), 0.0, window)


@pytest.mark.slow
@for_each("copied", [0.01, 0.1, 0.5, 0.9])
@for_each("apart", [False, True])
def test_copied_chunks_are_read_in_the_area_event_by_event(copied: float, apart: bool) -> None:
    """Seconds of both devices, chunk by chunk; on one disk the arm comes back for each chunk that did not change."""
    bench = Bench(apart=apart)
    bench.update(copied)
    used = bench.image.used * CHUNK
    origin, area = image_read(Region(bench.here, 0.0, DATA / 10), bench.area, CHUNK, copied, used=used)
    more = bench.reader().more()
    stream = 1.0 / 50e6
    assert more.share == pytest.approx(copied)
    if apart:
        assert (stream + more.origin) * DATA / 10 == pytest.approx(origin, rel=0.02)
        assert more.area * DATA / 10 == pytest.approx(area, rel=0.02)
    else:
        assert (stream + more.origin + more.area) * DATA / 10 == pytest.approx(origin, rel=0.02)
        assert (stream + more.wait) * DATA / 10 == pytest.approx(origin, rel=0.02)


@pytest.mark.parametrize("unit", [1.0, 4.0])
def test_a_reader_gets_slower_while_writers_go_on(unit: float) -> None:
    """Half of the data were copied when half had been read: the second half takes as long as if all were so.

    A unit of the flow may be several bytes that are read, as where they are compressed before they are written.
    """
    bench = Bench()
    plain = Region(bench.here, 0.0, DATA).streaming("read").cycle({("hosts.h", ""): 1.0 / 20e6})
    flow = bench.reader().on(plain).times(unit).start(bench.network, "jobs.b", "save", DATA / unit)
    bench.env.run(until=50.0)
    assert flow.completed == pytest.approx(1e9 / unit)
    bench.update(0.5)
    bench.env.run(until=flow.done)
    rest = 1e9 * (1.0 / 20e6 + bench.reader().more().wait)
    assert bench.env.now == pytest.approx(50.0 + rest)
    bench.update(0.6)
    assert not bench.volume.readers


def test_a_flow_takes_no_new_link_on_its_way() -> None:
    bench = Bench()
    flow = FlowShape({bench.here.link: 1e-8}).start(bench.network, "jobs.b", "save", 1e9)
    with pytest.raises(ValueError, match=r"was not started on devices\.b"):
        FlowShape({Disk("devices.b", FIGURES).link: 1e-8}).change(bench.network, flow)
