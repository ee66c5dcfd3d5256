from dataclasses import replace
from itertools import pairwise

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from simbackup.devices.changes import Spread
from simbackup.devices.disk.live import Disk
from simbackup.devices.image import Times
from simbackup.devices.raid.live import ArrayLayout, Raid
from simbackup.devices.redirect.live import Fragments, Redirect, RedirectSnapshot, RedirectStore, RedirectVolume, Space
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Region, Store
from simbackup.equations import disk as disks
from simbackup.equations import raid
from simbackup.trace.trace import Trace
from tests.cases import for_each

BLOCK = 4096.0
GB = 1e9
FIGURES = disks.DiskParameters(
    capacity=100e9, rotation_speed=100.0, track_to_track_seek=1e-3, average_seek=5e-3, full_stroke_seek=9e-3,
    outer_rate=50e6, inner_rate=50e6, command_overhead=0.5e-3, stream_turn=1e6,
)  # fmt: skip
WAFL = Redirect(block=BLOCK, run=1048576.0, request=65536.0, write_latency=0.5e-3)


def array(level: raid.Level = "dp", count: int = 10, groups: int = 1) -> Raid:
    return Raid("devices.array", ArrayLayout(level, count, 65536.0, groups), FIGURES)


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


@for_each("below", [array(), Disk("devices.a", FIGURES), Ssd("devices.s", Flash(100e9, 5e8, 2e8, 5e-5, 1e-4))])
def test_fresh_data_are_read_as_from_the_device_itself(below: Store) -> None:
    made = store(below)
    assert made.stream("read", 0.0, GB) == below.stream("read", 0.0, GB)
    assert made.continued(GB, 131072.0) == below.continued(GB, 131072.0)
    assert made.request("read", 0.0, GB, 8192.0) == below.request("read", 0.0, GB, 8192.0)
    assert made.alone(0.0, GB) == below.alone(0.0, GB)


def test_a_break_is_a_request_to_another_place() -> None:
    made, below = store(Disk("devices.a", FIGURES), 100.0), Disk("devices.a", FIGURES)
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
    made = store(Disk("devices.a", FIGURES), parameters=replace(WAFL, free_run=piece))
    skipped = disks.seek_time(FIGURES, piece / 100e9) + 5e-3 + 0.5e-3
    assert made.stream("write", 0.0, 50 * GB) == pytest.approx(1 / 50e6 + skipped / piece)


@for_each("below", [array(), Disk("devices.a", FIGURES)])
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
