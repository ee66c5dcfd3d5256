import math

import pytest
import simpy

from simbackup.devices.changes import Spread
from simbackup.devices.disk.live import Disk
from simbackup.devices.image import Times
from simbackup.devices.mirror.live import Mirror, MirrorParameters, State
from simbackup.devices.raid.live import ArrayLayout, Controller, Raid
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Region
from simbackup.devices.volume.live import Volume
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks

MB = 1e6
FIGURES = disks.DiskParameters(90e9, 100.0, 1e-3, 5e-3, 9e-3, 50e6, 50e6, 0.0, 1e6)
TURN = 5e-3
"""Half a revolution of that disk."""
SPREAD = Spread(8192.0, 1000 * MB)
STATES: tuple[State, ...] = ("new", "synchronising", "attached", "split")


class Bench:
    """A volume of 10 GB at the beginning of one disk, and its mirror at the beginning of another."""

    def __init__(self) -> None:
        self.env = simpy.Environment()
        self.network = FlowNetwork(self.env)
        self.here, self.there = Disk("devices.a", FIGURES), Disk("devices.b", FIGURES)
        self.volume = Volume(self.env, "devices.v", Region(self.here, 0.0, 10e9))

    def mirror(self, state: State = "attached", *, fast_resync: bool = True, in_flight: float = 1.0) -> Mirror:
        parameters = MirrorParameters(MB, 0.5 * MB, in_flight, fast_resync=fast_resync)
        region = Region(self.there, 0.0, 10e9)
        return Mirror("devices.m", self.volume, region, parameters=parameters, times=Times(3.0, 2.0), state=state)


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("cache", [1e9, 0.0])
def test_a_write_cache_gathers_whole_stripes(bench: Bench, cache: float) -> None:
    """Without it, each half a megabyte on RAID 5 is written when the disks come round, and in part read before."""
    layout = ArrayLayout("5", 5, 2.0**20)
    array = Raid("devices.r", layout, FIGURES, Controller(write_cache=cache))
    parameters = MirrorParameters(MB, 0.5 * MB, 1.0, fast_resync=True)
    region = Region(array, 0.0, 10e9)
    mirror = Mirror("devices.m", bench.volume, region, parameters=parameters, times=Times(3.0, 2.0), state="new")
    held = mirror.copying(10e9, scattered=False).demands[array.link]
    streaming = array.stream("write", 0.0, 0.5 * MB)
    assert held == pytest.approx(streaming) if cache else held > 3.0 * streaming


def test_regions_here_and_there_cost_a_move_for_each(bench: Bench) -> None:
    """Two requests of a region: the first is come upon after a move over what lies between, the second goes on."""
    regions = 100.0
    shape = bench.mirror("split").copying(regions * MB, scattered=True)
    seek = 1e-3 + 4e-3 * (10e9 / regions / 90e9 * 3) ** 0.5
    read = 0.5 * 0.01 + 0.5 * (seek + TURN + 0.01)
    write = 0.5 * (TURN + 0.01) + 0.5 * (seek + TURN + 0.01)
    assert 0.5 * MB / shape.cap == pytest.approx(read + write, rel=1e-2)


def test_regions_smaller_than_a_request_are_copied_piece_by_piece(bench: Bench) -> None:
    """Updates of 8 KiB in regions of 4 KiB: each needs a request of its own, until most have changed."""
    parameters = MirrorParameters(4096.0, 0.5 * MB, 1.0, fast_resync=True)
    region = Region(bench.there, 0.0, 10e9)
    mirror = Mirror("devices.m", bench.volume, region, parameters=parameters, times=Times(3.0, 2.0))
    mirror.create()
    mirror.changes.scatter("workloads.u", Spread(8192.0, 10e9)).update(1000.0)
    pieces = mirror.behind[1] / 8192.0
    seek = 1e-3 + 4e-3 * (10e9 / pieces / 90e9 * 3) ** 0.5
    each = seek + TURN + 8192 / 50e6
    sparse = mirror.copying(mirror.behind[1], scattered=True)
    assert 8192 / sparse.cap == pytest.approx(2 * each, rel=0.01)
    mirror.changes.scatter("workloads.u", Spread(8192.0, 10e9)).update(1e7)
    dense = mirror.copying(mirror.behind[1], scattered=True)
    assert dense.cap > 10 * sparse.cap


def test_a_write_cache_gathers_beside_users_too(bench: Bench) -> None:
    """A user who comes now and then costs a return of the arms, and no parity of its own for each request."""
    layout = ArrayLayout("6", 6, 65536.0)
    arrays = [Raid(f"devices.{n}", layout, FIGURES, Controller(write_cache=1e9)) for n in "rs"]
    here, there = (Region(array, 0.0, 10e9) for array in arrays)
    parameters = MirrorParameters(MB, 65536.0, 32.0, fast_resync=True)
    volume = Volume(bench.env, "devices.w", here)
    mirror = Mirror("devices.n", volume, there, parameters=parameters, times=Times(3.0, 2.0), state="new")
    alone = mirror.copying(10e9, scattered=False)
    for array in arrays:
        bench.network.start("workloads.u", "transactions", math.inf, {array.link: 0.002}, cap=1.0, sequential=False)
    bench.env.run(until=1.0)
    beside = mirror.copying(10e9, scattered=False)
    assert alone.demands[there.store.link] < beside.demands[there.store.link] < 1.01 * alone.demands[there.store.link]
    assert alone.demands[here.store.link] < beside.demands[here.store.link] < 1.01 * alone.demands[here.store.link]


def test_both_disks_of_each_pair_return_to_what_they_write(bench: Bench) -> None:
    """Users come before nearly each request, and a cache holds one: four units go to eight disks, all of them."""
    request, layout = 4 * 65536.0, ArrayLayout("10", 8, 65536.0)
    array = Raid("devices.r", layout, FIGURES, Controller(write_cache=request))
    parameters = MirrorParameters(MB, request, 1.0, fast_resync=True)
    there = Region(array, 0.0, 10e9)
    mirror = Mirror("devices.n", bench.volume, there, parameters=parameters, times=Times(3.0, 2.0), state="new")
    alone = mirror.copying(10e9, scattered=False).demands[array.link]
    bench.network.start("workloads.u", "transactions", math.inf, {array.link: 0.002}, cap=450.0, sequential=False)
    bench.env.run(until=1.0)
    beside = mirror.copying(10e9, scattered=False).demands[array.link]
    seek = 1e-3 + 4e-3 * ((10e9 - request) / 3 / 4 / 90e9 * 3) ** 0.5
    assert (beside - alone) * request == pytest.approx(seek + TURN, rel=0.02)


def test_solid_state_disks_have_no_arms() -> None:
    env = simpy.Environment()
    here, there = (Ssd(f"devices.{n}", Flash(100e9, 100e6, 50e6, 1e-4, 2e-4)) for n in "ab")
    volume = Volume(env, "devices.v", Region(here, 0.0, 10e9))
    parameters = MirrorParameters(MB, 0.5 * MB, 1.0, fast_resync=True)
    mirror = Mirror("devices.m", volume, Region(there, 0.0, 10e9), parameters=parameters, times=Times(0.0, 0.0))
    both = 5e-3 + 1e-4 + 10e-3 + 2e-4
    for scattered in (False, True):
        assert 0.5 * MB / mirror.copying(5 * MB, scattered=scattered).cap == pytest.approx(both)
