"""Mirrors, snapshots and volumes that write elsewhere, and what changes under them."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st
from oracles.snapshot import image_read

from simbackup.devices.changes import Spread
from simbackup.devices.disk.live import Disk
from simbackup.devices.image import Times
from simbackup.devices.raid.live import ArrayLayout, Raid
from simbackup.devices.redirect.live import Fragments, Redirect, RedirectSnapshot, RedirectStore, RedirectVolume, Space
from simbackup.devices.shape import FlowShape
from simbackup.devices.snapshot.live import ImageReader, Snapshot
from simbackup.devices.space import ExtentSet
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Region, Store
from simbackup.devices.volume.live import Volume
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks
from simbackup.equations import raid
from simbackup.equations.snapshot import CopyOnWriteParameters
from simbackup.trace.trace import Trace
from tests.cases import for_each

GRANULE = 8192.0


def test_over_a_step_the_share_of_fresh_granules_falls_by_no_more_than_was_asked() -> None:
    scatter = Spread(2 * GRANULE, 1000 * GRANULE, 0.2, 0.8).over(GRANULE)
    steps = 0
    while math.isfinite(step := scatter.step(0.05)):
        before = scatter.fresh()
        scatter.update(step)
        assert 0.9 * before <= scatter.fresh() < before  # 5 % of one part, and a part that hardly counts any more
        steps += 1
    assert steps < 1000
    assert scatter.fresh() <= 1e-3 * scatter.hits
    assert scatter.touched == pytest.approx(1000, rel=0.01)


# Images that are read while their volume changes
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


# Ranges against plain sets of bytes
END = 60
RANGES = st.lists(st.tuples(st.integers(0, END), st.integers(0, END)), max_size=12)


def both(ranges: list[tuple[int, int]]) -> tuple[ExtentSet, set[int]]:
    extents, naive = ExtentSet(), set[int]()
    for begin, end in ranges:
        extents.add(begin, end)
        naive |= set(range(begin, end))
    return extents, naive


@given(RANGES, RANGES)
def test_it_loses_what_a_plain_set_of_bytes_loses(ranges: list[tuple[int, int]], gone: list[tuple[int, int]]) -> None:
    extents, naive = both(ranges)
    for begin, end in gone:
        extents.remove(begin, end)
        naive -= set(range(begin, end))
    assert {int(byte) for begin, end in extents.ranges for byte in range(int(begin), int(end))} == naive
    assert extents.total == len(naive)


@given(RANGES)
def test_it_holds_what_a_plain_set_of_bytes_holds(ranges: list[tuple[int, int]]) -> None:
    extents, naive = both(ranges)
    assert {int(byte) for begin, end in extents.ranges for byte in range(int(begin), int(end))} == naive
    assert extents.total == len(naive)


@given(RANGES, st.integers(0, END))
def test_state_tells_whether_a_byte_is_missing_and_until_where(ranges: list[tuple[int, int]], at: int) -> None:
    extents, naive = both(ranges)
    missing, until = extents.state(at)
    assert missing is (at not in naive)
    later = [byte for byte in range(at, END + 1) if (byte not in naive) is not missing]
    assert until == (later[0] if later else math.inf)


@given(RANGES, st.integers(0, END), st.integers(0, END), st.integers(0, END))
def test_gap_is_the_longest_run_that_needs_no_more_room(
    ranges: list[tuple[int, int]], begin: int, size: int, room: int
) -> None:
    extents, naive = both(ranges)
    run = 0
    while run < size and len(set(range(begin, begin + run + 1)) - naive) <= room:
        run += 1
    found = extents.gap(begin, begin + size, room)
    assert found == run


# Redirect on write
BLOCK = 4096.0
GB = 1e9
REDIRECT_FIGURES = disks.DiskParameters(
    capacity=100e9, rotation_speed=100.0, track_to_track_seek=1e-3, average_seek=5e-3, full_stroke_seek=9e-3,
    outer_rate=50e6, inner_rate=50e6, command_overhead=0.5e-3, stream_turn=1e6,
)  # fmt: skip
WAFL = Redirect(block=BLOCK, run=1048576.0, request=65536.0, write_latency=0.5e-3)


def array(level: raid.Level = "dp", count: int = 10, groups: int = 1) -> Raid:
    return Raid("devices.array", ArrayLayout(level, count, 65536.0, groups), REDIRECT_FIGURES)


def store(below: Store, updated: float = 0.0, parameters: Redirect = WAFL) -> RedirectStore:
    """A volume of 100 GB of which a share of the blocks was updated, as far as that can be."""
    made = RedirectStore(below, parameters, 0.0, 100 * GB)
    if updated:
        blocks = 100 * GB / BLOCK
        made.fragments.of("users", 0.0, 100 * GB, Spread(BLOCK, 100 * GB)).scatter.update(updated * blocks)
    return made


def volume(size: float = 100.0, *, guaranteed: bool = True, room: float = 200.0) -> RedirectVolume:
    """A volume with 50 GB of data."""
    space = Space(room * GB)
    made = RedirectVolume(
        simpy.Environment(), "devices.vol", (array(), 0.0, size * GB),
        parameters=WAFL, space=space, guaranteed=guaranteed, trace=Trace(),
    )  # fmt: skip
    made.allocated.add(0.0, 50 * GB)
    return made


def snapshot(of: RedirectVolume, name: str = "snap", guarantee: float = 0.0) -> RedirectSnapshot:
    made = RedirectSnapshot(f"devices.{name}", of, Times(1.0, 1.0), guarantee=guarantee * GB)
    made.create()
    return made


def write(on: RedirectVolume, begin: float, size: float) -> None:
    on.wrote(on.stretch(begin * GB, size * GB), size * GB)


@for_each("below", [array(), Disk("devices.a", REDIRECT_FIGURES), Ssd("devices.s", Flash(100e9, 5e8, 2e8, 5e-5, 1e-4))])
def test_fresh_data_are_read_as_from_the_device_itself(below: Store) -> None:
    made = store(below)
    assert made.stream("read", 0.0, GB) == below.stream("read", 0.0, GB)
    assert made.continued(GB, 131072.0) == below.continued(GB, 131072.0)
    assert made.request("read", 0.0, GB, 8192.0) == below.request("read", 0.0, GB, 8192.0)
    assert made.alone(0.0, GB) == below.alone(0.0, GB)


def test_a_break_is_a_request_to_another_place() -> None:
    made, below = store(Disk("devices.a", REDIRECT_FIGURES), 100.0), Disk("devices.a", REDIRECT_FIGURES)
    hop = below.scattered("read", 0.0, 100 * GB, BLOCK).latency - BLOCK / 50e6
    window = 65536.0
    expected = below.continued(0.0, window).latency + 16 * hop  # every block is apart, and one disk serves one by one
    assert made.continued(0.0, window).latency == pytest.approx(expected)
    assert made.stream("read", 0.0, GB) == pytest.approx(1 / 50e6 + hop / BLOCK)
    assert made.alone(0.0, GB) == pytest.approx(window / (window / 50e6 + 16 * hop))


def test_flash_has_latency_and_no_arms() -> None:
    flash = Ssd("devices.s", Flash(100e9, 5e8, 2e8, 5e-5, 1e-4))
    assert store(flash, 100.0).stream("read", 0.0, GB) == pytest.approx(flash.stream("read", 0.0, GB))
    assert store(flash, 100.0).continued(0.0, 65536.0).latency > flash.continued(0.0, 65536.0).latency


@pytest.mark.parametrize("piece", [1048576.0, 16777216.0])
def test_a_long_write_skips_what_is_in_use_between_two_pieces_of_free_space(piece: float) -> None:
    """One piece of two is free: `1 / R + (seek over a piece + half a revolution + overhead) / piece`."""
    made = store(Disk("devices.a", REDIRECT_FIGURES), parameters=replace(WAFL, free_run=piece))
    skipped = disks.seek_time(REDIRECT_FIGURES, piece / 100e9) + 5e-3 + 0.5e-3
    assert made.stream("write", 0.0, 50 * GB) == pytest.approx(1 / 50e6 + skipped / piece)


@for_each("below", [array(), Disk("devices.a", REDIRECT_FIGURES)])
@for_each("piece", [None, 50 * GB])
def test_a_long_write_to_free_space_in_one_piece_is_one_to_the_device_itself(below: Store, piece: float | None) -> None:
    made = store(below, parameters=replace(WAFL, free_run=piece))
    assert made.stream("write", 0.0, 40 * GB) == below.stream("write", 0.0, 40 * GB)


def test_shorter_pieces_of_free_space_are_never_faster() -> None:
    """From a stripe unit of 64 KiB to a stripe of 512 KiB, a piece lies on as many more disks as it is larger."""
    pieces = [2.0**n for n in range(12, 37)]
    made = [store(array(), parameters=replace(WAFL, free_run=piece)).stream("write", 0.0, GB) for piece in pieces]
    assert all(later <= 1.001 * before for before, later in pairwise(made))
    assert made[7] == pytest.approx(made[4], rel=0.01)
    assert made[8] > 2.0 * made[16]


@given(st.floats(0.001, 10.0), st.integers(4, 28))
def test_read_ahead_never_makes_a_window_slower_and_leaves_the_device_as_busy(updated: float, count: int) -> None:
    ahead = Redirect(BLOCK, 1048576.0, 65536.0, 0.5e-3, read_ahead=2097152.0)
    plain, better = store(array(count=count), updated), store(array(count=count), updated, ahead)
    assert better.continued(0.0, 65536.0).latency <= plain.continued(0.0, 65536.0).latency * (1 + 1e-9)
    assert better.alone(0.0, GB) >= plain.alone(0.0, GB) * (1 - 1e-9)
    assert better.stream("read", 0.0, GB) == plain.stream("read", 0.0, GB)


@given(st.floats(0.0, 5.0), st.floats(0.01, 5.0))
def test_more_updates_are_never_faster_to_read(updated: float, more: float) -> None:
    one, other = store(array(), updated), store(array(), updated + more)
    assert other.stream("read", 0.0, GB) >= one.stream("read", 0.0, GB)
    assert other.continued(0.0, 65536.0).latency >= one.continued(0.0, 65536.0).latency


@for_each("level, count, groups", [("4", 8, 1), ("dp", 8, 1), ("dp", 16, 2), ("5", 8, 1)])
def test_a_small_write_costs_its_share_of_a_stripe_and_no_reads(level: raid.Level, count: int, groups: int) -> None:
    below = array(level, count, groups)
    service = store(below).request("write", 0.0, GB, 8192.0)
    assert service.latency == 0.5e-3
    stripe = 8192.0 / (below.data_disks * 50e6)
    assert stripe < service.busy < 2 * stripe
    assert service.busy < below.request("write", 0.0, GB, 8192.0).busy / 20


def test_a_rewritten_range_lies_in_sequence_again() -> None:
    fragments = Fragments(BLOCK)
    fragments.of("users", 0.0, GB, Spread(BLOCK, GB)).scatter.update(100_000)
    before = fragments.aged["users"].updated
    fragments.rewrite(0.0, 0.25 * GB)
    assert fragments.aged["users"].updated == pytest.approx(0.75 * before)
    fragments.rewrite(0.0, GB)
    assert fragments.breaks(0.0, GB) == pytest.approx(0.0, abs=1e-12)


def test_room_is_taken_by_what_is_new_and_by_what_is_kept() -> None:
    made = volume()
    write(made, 0.0, 10.0)
    assert (made.used, made.held) == (50 * GB, 0.0)
    snapshot(made)
    write(made, 0.0, 10.0)
    write(made, 5.0, 10.0)
    assert (made.used, made.held) == pytest.approx((65 * GB, 15 * GB), rel=1e-6)
    write(made, 45.0, 10.0)  # half of it was never written before
    assert (made.used, made.held) == pytest.approx((75 * GB, 20 * GB), rel=1e-6)


def test_each_snapshot_keeps_what_changed_until_the_next() -> None:
    made = volume()
    first = snapshot(made, "first")
    write(made, 0.0, 10.0)
    second = snapshot(made, "second")
    write(made, 5.0, 10.0)
    assert [first.kept, second.kept] == pytest.approx([10 * GB, 10 * GB], rel=1e-6)
    second.remove()  # the first still needs what changed since, but each block only once
    assert made.held == pytest.approx(15 * GB, rel=1e-6)
    first.remove()
    assert made.held == 0.0


def test_the_oldest_snapshot_frees_what_only_it_kept() -> None:
    made = volume()
    first = snapshot(made, "first")
    write(made, 0.0, 10.0)
    snapshot(made, "second")
    write(made, 5.0, 10.0)
    first.remove()
    assert made.held == pytest.approx(10 * GB, rel=1e-6)


def test_random_updates_are_kept_once_each() -> None:
    made = volume()
    snap = snapshot(made)
    spread = Spread(BLOCK, 50 * GB)
    blocks = 50 * GB / BLOCK
    made.updated("users", (0.0, 50 * GB), spread, blocks)
    assert snap.kept == pytest.approx(50 * GB * (1 - 0.36788), rel=1e-4)
    made.updated("users", (0.0, 50 * GB), spread, blocks)  # reported again, not done again
    assert snap.kept == pytest.approx(50 * GB * (1 - 0.36788), rel=1e-4)


@for_each("guaranteed, room, fits", [(True, 200.0, 40.0), (False, 200.0, 40.0), (False, 60.0, 10.0)])
def test_a_write_fits_as_far_as_there_is_room(*, guaranteed: bool, room: float, fits: float) -> None:
    made = volume(90.0, guaranteed=guaranteed, room=room)
    assert made.fits(0.0, 50 * GB) == 50 * GB  # overwriting takes nothing
    snapshot(made)
    assert made.fits(0.0, 50 * GB) == pytest.approx(fits * GB, rel=1e-6)


def test_clones_take_their_guarantee_and_give_it_back() -> None:
    made = volume(100.0, room=200.0)
    twin = snapshot(made, "twin", guarantee=100.0)
    assert made.space.free == 0.0
    other = RedirectSnapshot("devices.b", made, Times(1.0, 1.0), guarantee=100 * GB)
    assert other.hindrance == "fails: not enough space on 'devices.array'"
    twin.remove()
    assert (made.space.free, other.hindrance) == (100 * GB, None)
    made.space.taken["rest"] = lambda: 30 * GB
    assert other.hindrance == "fails: space not guaranteed, 'devices.array' lacks 30 GB"


def test_reads_of_the_image_go_where_the_volume_is() -> None:
    made = volume()
    snap = snapshot(made)
    assert snap.source(GB, GB) == Region(made.store, GB, GB)
    assert (snap.hindrance, snap.removable) == ("exists already", True)
    snap.remove()
    assert (snap.loss, snap.removable) == ("is not there", False)
