"""Streams at mirrored rotating disks, by hand: each reader has a copy, a writer all of them."""

import pytest

import simbackup as sb
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")

RATE, TURN, RUN = 100e6, 0.010, 1_000_000.0  # bytes a second of a disk; seconds of a turn; bytes of a turn
SITE = """\
title: Readers and writers of an array
hosts:
  server: {owns: [array, source, sink, other], cores: 64, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 1000 GB/s, speed: 1, read_ahead: 1 MB, looks_ahead: true}
devices:
  source: {kind: ssd, capacity: 4 TB, read_rate: 10 GB/s, write_rate: 10 GB/s, read_latency: 0 s, write_latency: 0 s}
  array: {kind: raid, level: "LEVEL", disks: DISKS, stripe_unit: 10 kB, controller_overhead: 0 s, MORE disk: {
    capacity: 1 TB, rotation_speed: 10000 / min, track_to_track_seek: 7 ms, average_seek: 7 ms, full_stroke_seek: 7 ms,
    outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0 s, stream_turn: 1 MB}}
  sink: {kind: nul}
  other: {kind: nul}
"""


def rates(level: str, disks: int, *, readers: int, writers: int = 0, more: str = "") -> tuple[list[float], list[float]]:
    """Bytes a second of readers and of writers that begin together and take equally long."""
    data = "".join(f"  read{i}: {{on: array, size: 100 GB}}\n" for i in range(readers))
    jobs = "".join(f"  reader{i}: {{method: image, data: read{i}, to: sink}}\n" for i in range(readers))
    data += "".join(f"  written{i}: {{on: source, size: 100 GB}}\n" for i in range(writers))
    jobs += "".join(f"  writer{i}: {{method: image, data: written{i}, to: array}}\n" for i in range(writers))
    site = SITE.replace("LEVEL", level).replace("DISKS", str(disks)).replace("MORE", more)
    rows = sb.simulate(f"{site}data:\n{data}jobs:\n{jobs}").job_rows
    found = {row["job"]: float(row["rate"]) for row in rows}
    return [found[f"reader{i}"] for i in range(readers)], [found[f"writer{i}"] for i in range(writers)]


@for_each("level, disks, data", [("1", 2, 1), ("10", 4, 2), ("10", 8, 4)])
def test_two_readers_of_a_mirror_have_a_copy_each(level: str, disks: int, data: int) -> None:
    """One reader gets what half of the disks give; two get twice that, and nobody turns."""
    for readers in (1, 2):
        found, _ = rates(level, disks, readers=readers)
        assert found == pytest.approx([data * RATE] * readers, rel=1e-3)


def test_three_copies_serve_three_readers() -> None:
    found, _ = rates("1", 3, readers=3)
    assert found == pytest.approx([RATE] * 3, rel=1e-3)


@for_each("readers, turning", [(3, 0.5), (4, 1.0), (6, 1.0)])
def test_more_readers_than_copies_turn(readers: int, turning: float) -> None:
    """R readers at 2 copies find R / 2 - 1 others before each run, one at most: `2 / (1 / rate + share turn / run)`."""
    found, _ = rates("10", 4, readers=readers)
    each = 1.0 / RATE + turning * TURN / RUN
    assert sum(found) == pytest.approx(2 * 2 / each, rel=1e-3)


def test_a_writer_works_at_all_copies() -> None:
    """A reader reads and turns at one of two copies; the writer writes to both, and turns where the reader is."""
    (reader,), (writer,) = rates("1", 2, readers=1, writers=1)
    turn = TURN / RUN
    each = (1.0 / RATE + turn) / 2 + 1.0 / RATE + turn / 2
    assert [reader, writer] == pytest.approx([1.0 / each] * 2, rel=1e-3)


def test_a_pair_that_has_lost_a_disk_serves_one_reader() -> None:
    found, _ = rates("10", 4, readers=2, more="failed: 1,")
    each = 1.0 / RATE + TURN / RUN
    assert sum(found) == pytest.approx(2 / each, rel=1e-3)


def test_a_controller_may_give_less_than_both_copies() -> None:
    """The first gets all that a copy has; two share what passes the controller."""
    for readers, each in ((1, RATE), (2, 75e6)):
        found, _ = rates("1", 2, readers=readers, more="controller_rate: 150 MB/s,")
        assert found == pytest.approx([each] * readers, rel=1e-3)
