"""Native backups whose volumes and files share disks, against a simulation of each request."""

from functools import partial

import pytest

import simbackup as sb
from tests.cases import for_each
from tests.oracles.requests import Mechanics, buffers_round

pytestmark = pytest.mark.usefixtures("no_serial_share")

MIB = 2**20
SIZE = 8e9
CAPACITY, RATE, REVOLUTION = 4e12, 150e6, 1 / 120
DISK = (
    "capacity: 4 TB, rotation_speed: 7200 rpm, track_to_track_seek: 1 ms, average_seek: 8 ms, full_stroke_seek: 16 ms, "
    "outer_rate: 150 MB/s, inner_rate: 150 MB/s, stream_turn: 512 KiB, command_overhead: 0 s"
)
SITE = f"""\
title: A native backup to disks
hosts: {{server: {{model: host/linux-modern-server, owns: [flash, disk, array]}}}}
devices:
  flash: {{kind: ssd, capacity: 9 TB, read_rate: 3 GB/s, write_rate: 3 GB/s, read_latency: 0 s, write_latency: 0 s}}
  disk: {{kind: disk, {DISK}}}
  array: {{kind: raid, level: "10", disks: 12, stripe_unit: 64 KiB, controller_overhead: 0 s, disk: {{{DISK}}}}}
data: {{db: {{on: flash, size: 8 GB}}}}
jobs:
  save: {{method: database_native, data: db, to: [disk], buffers: 7, transfer_size: 1 MiB,
    engine: {{model: backup_engine/sql-server-2008, memory_limit: 9 GiB}}}}
"""


def seek(here: int, there: int, files: int, volumes: int, disks: int) -> float:
    """Seconds between two places, which lie one behind the other on so many disks of data."""
    begins = [0.0] * volumes + [volumes * SIZE + i * SIZE / files for i in range(files)]
    apart = abs(begins[here] - begins[there]) / disks / CAPACITY
    return 1e-3 + 7e-3 * (3.0 * apart) ** 0.5


def simulated(changes: dict[str, object]) -> float:
    """Seconds for each buffer."""
    result = sb.simulate(sb.load(SITE, changes))
    size = {"256 KiB": MIB / 4, "4 MiB": 4.0 * MIB}.get(str(changes.get("jobs.save.transfer_size")), MIB)
    return result.get("jobs.save.elapsed") / (SIZE / size)


@pytest.mark.slow
@for_each("source", [3e9, 100e6])
@for_each(
    "files, buffers, size",
    [
        (1, 16, 1),
        (2, 2, 1),
        (2, 7, 1),
        (2, 50, 1),
        (4, 7, 1),
        (4, 16, 4),
        (8, 2, 1),
        (8, 7, 1),
        (8, 16, 0.25),
        (8, 50, 1),
    ],
)
def test_files_on_one_disk(files: int, buffers: int, size: float, source: float) -> None:
    """Written as fast as the disk takes them, or more slowly than it could."""
    mechanics = Mechanics(RATE, REVOLUTION, partial(seek, files=files, volumes=0, disks=1))
    measured = buffers_round(buffers, int(size * MIB), mechanics, files=files, servers=[source])
    words = {0.25: "256 KiB", 1: "1 MiB", 4: "4 MiB"}[size]
    changes = {"jobs.save.to": ["disk"] * files, "jobs.save.buffers": buffers, "jobs.save.transfer_size": words}
    found = simulated({**changes, "devices.flash.read_rate": f"{source} B/s"})
    assert found == pytest.approx(measured.seconds, rel=0.1)


@for_each("files, buffers", [(1, 2), (1, 7), (2, 7), (4, 16), (8, 7), (8, 50)])
def test_a_database_and_its_files_on_one_disk(files: int, buffers: int) -> None:
    mechanics = Mechanics(RATE, REVOLUTION, partial(seek, files=files, volumes=1, disks=1))
    measured = buffers_round(buffers, MIB, mechanics, files=files, volumes=1)
    found = simulated({"data.db.on": "disk", "jobs.save.to": ["disk"] * files, "jobs.save.buffers": buffers})
    assert found == pytest.approx(measured.seconds, rel=0.1)


@pytest.mark.slow
@for_each("files, buffers", [(1, 14), (2, 8), (2, 14), (2, 50), (4, 14), (4, 50), (8, 8), (8, 24)])
def test_files_on_a_striped_mirror(files: int, buffers: int) -> None:
    """Each of six pairs of disks has parts of a buffer, which waits for the last of twelve."""
    mechanics = Mechanics(RATE, REVOLUTION, partial(seek, files=files, volumes=0, disks=6))
    measured = buffers_round(buffers, MIB, mechanics, files=files, servers=[3e9], disks=12, copies=2)
    found = simulated({"jobs.save.to": ["array"] * files, "jobs.save.buffers": buffers})
    assert found == pytest.approx(measured.seconds, rel=0.12)
