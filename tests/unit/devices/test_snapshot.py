import pytest
import simpy

from simbackup.devices.disk.live import Disk
from simbackup.devices.image import Times
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.store import Region, Store
from simbackup.devices.volume.live import Stretch, Volume, first_write_shape
from simbackup.equations import disk as disks
from simbackup.equations.snapshot import CopyOnWriteParameters
from simbackup.trace.trace import Trace

CHUNK = 8192.0
COW = CopyOnWriteParameters(chunk=CHUNK, record=1.0, in_flight=2.0**20, commit_backlog=8 * CHUNK)
FIGURES = disks.DiskParameters(90e9, 100.0, 1e-3, 5e-3, 9e-3, 50e6, 50e6, 0.0, 1e6)
GROUP = 8 * CHUNK
MOVE = GROUP / 50e6
TURN = 5e-3


class Bench:
    """A volume at the beginning of a disk, with copy areas at the third of the disk that costs an average seek."""

    def __init__(self) -> None:
        self.env = simpy.Environment()
        self.trace = Trace()
        self.disk: Store = Disk("devices.a", FIGURES)
        self.volume = Volume(self.env, "devices.v", Region(self.disk, 0.0, 10e9))

    def snapshot(self, name: str, chunks: int = 1000, on: Store | None = None) -> Snapshot:
        area = Region(on or self.disk, 30e9, (chunks + 2) * CHUNK)
        made = self.over(f"devices.{name}", self.volume, area)
        made.create()
        return made

    def over(self, name: str, volume: Volume, area: Region, cow: CopyOnWriteParameters = COW) -> Snapshot:
        return Snapshot(name, volume, area, parameters=cow, times=Times(1.0, 1.0), trace=self.trace)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_with_several_snapshots_a_stretch_is_what_the_same_ones_need(bench: Bench) -> None:
    one, two = bench.snapshot("one"), bench.snapshot("two")
    one.wrote(0.0, 4 * CHUNK)
    two.wrote(2 * CHUNK, 4 * CHUNK)
    found, at = [], 0.0
    while at < 10 * CHUNK:
        stretch = bench.volume.stretch(at, 10 * CHUNK - at)
        found.append((stretch.size / CHUNK, stretch.fresh))
        at += stretch.size
    assert found == [(2, (two,)), (2, ()), (2, (one,)), (4, (one, two))]


def test_chunks_lie_behind_header_and_records(bench: Bench) -> None:
    records = CopyOnWriteParameters(chunk=CHUNK, record=CHUNK / 2, in_flight=2.0**20, commit_backlog=CHUNK)
    area = Region(bench.disk, 30e9, 100 * CHUNK)
    cow = bench.over("devices.cow", bench.volume, area, records)
    places = []
    for i in range(5):  # two records fill one chunk: header, records, chunk, chunk, records, chunk, chunk, records ...
        places.append((cow.position() - area.begin) / CHUNK)
        assert cow.position() == area.begin + (places[-1]) * CHUNK
        cow.wrote(i * CHUNK, CHUNK)
    assert places == [2, 3, 5, 6, 8]


def test_the_cycle_on_one_disk_by_hand(bench: Bench) -> None:
    cow = bench.snapshot("cow")
    shape = first_write_shape(bench.disk, 0.0, Stretch(0.0, 8 * GROUP, (cow,)), GROUP)
    # The arm goes a third of the stroke to the area and back; the records lie near the chunks, a short seek away.
    seek = 1e-3 + 4e-3 * (cow.position(4 * GROUP) / 90e9 * 3) ** 0.5
    near = 1e-3 + 4e-3 * ((cow.position(4 * GROUP) - cow.area.begin) / 90e9 * 3) ** 0.5
    assert shape.parts == {
        ("devices.a", "copy read"): pytest.approx((TURN + MOVE) / GROUP),
        ("devices.a", "copy write"): pytest.approx((seek + TURN + MOVE) / GROUP, rel=1e-4),
        ("devices.a", "metadata commit"): pytest.approx(
            (1.0 + 8.0 / CHUNK) * (near + TURN + MOVE / 8) / GROUP,
            rel=1e-4,  # eight records of a byte fill that much
        ),
        ("devices.a", "own write"): pytest.approx((seek + TURN + MOVE) / GROUP, rel=1e-4),
    }
    assert shape.cap == pytest.approx(1.0 / sum(shape.parts.values()))
    assert shape.demands[bench.disk.link] == pytest.approx(1.0 / shape.cap)
    assert shape.moves[bench.disk.link] == pytest.approx(3.0 + (1.0 + 8.0 / CHUNK) / 8)


def test_an_area_on_another_disk_saves_the_long_seeks(bench: Bench) -> None:
    other = Disk("devices.b", FIGURES)
    shape = first_write_shape(bench.disk, 0.0, Stretch(0.0, 8 * GROUP, (bench.snapshot("cow", on=other),)), GROUP)
    assert shape.demands[bench.disk.link] == pytest.approx(2 * (TURN + MOVE) / GROUP)
    assert shape.parts["devices.b", "copy write"] < 1.3 * (1e-3 + TURN + MOVE) / GROUP
    # nothing overlaps: the pace is that of all steps together, and neither disk is busy all the time
    assert max(shape.demands.values()) < 1.0 / shape.cap
    assert sum(shape.demands.values()) == pytest.approx(1.0 / shape.cap)


@pytest.mark.parametrize("chunks", [1, 8, 1000])
def test_an_area_and_a_volume_at_the_end_of_the_disk_can_be_filled(bench: Bench, chunks: int) -> None:
    area = Region(bench.disk, 90e9 - (chunks + 2) * CHUNK, (chunks + 2) * CHUNK)
    volume = Volume(bench.env, "devices.w", Region(bench.disk, 90e9 - 1e6, 1e6))
    cow = bench.over("devices.cow", volume, area)
    cow.create()
    stretch = volume.stretch(1e6 - CHUNK, CHUNK)
    assert volume.write_shape(stretch).cap > 0.0


def test_a_full_copy_area_makes_the_snapshot_invalid_at_the_next_first_write(bench: Bench) -> None:
    cow = bench.snapshot("cow", chunks=20)
    bench.volume.wrote(bench.volume.stretch(0.0, 20 * CHUNK), 20 * CHUNK)
    assert bench.volume.stretch(0.0, 20 * CHUNK).fresh == ()
    assert cow.active
    changed = bench.volume.changed
    assert bench.volume.stretch(20 * CHUNK, 80 * CHUNK) == (20 * CHUNK, 80 * CHUNK, ())
    assert not cow.active
    assert cow.invalid_since == 0.0
    assert changed.triggered


def test_an_invalid_snapshot_can_be_removed_and_created_again(bench: Bench) -> None:
    cow = bench.snapshot("cow", chunks=1)
    bench.volume.wrote(bench.volume.stretch(0.0, CHUNK), CHUNK)
    bench.volume.stretch(CHUNK, CHUNK)
    assert cow.invalid_since is not None
    cow.remove()
    assert cow.invalid_since is None
    cow.create()
    assert bench.volume.stretch(0.0, CHUNK).fresh == (cow,)
