"""Values of links, servers and object stores halved and doubled: which way each moves a job, and about how far."""

from functools import cache

import pytest

import simbackup as sb
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")

LINE, BUCKET, SPOOLED = "planning/offsite", "planning/object-store", "planning/spooled"
LOSSLESS = (("links.line.loss", "0 %"), ("jobs.night.connections", 1))
"""One connection, which its window limits, or the line."""


Value = str | int
Given = tuple[tuple[str, Value], ...]
Row = tuple[str, str, str, Value, Value, Value, float, float, Given]


@cache
def elapsed(scenario: str, job: str, changes: Given) -> float:
    return float(sb.simulate(scenario, dict(changes)).get(f"jobs.{job}.elapsed"))


ROWS: list[Row] = [
    # scenario, job, key, half, stated, double, time at half and at double over that as stated, given
    (LINE, "night", "links.line.rate", "58.85 MB/s", "117.7 MB/s", "235.4 MB/s", 2.0, 0.52, ()),
    (LINE, "back", "links.line.rate", "58.85 MB/s", "117.7 MB/s", "235.4 MB/s", 2.0, 0.52, ()),
    (LINE, "night", "links.line.latency", "100 ms", "200 ms", "400 ms", 0.5, 2.0, LOSSLESS),
    (LINE, "night", "links.line.window", "512 KiB", "1 MiB", "2 MiB", 2.0, 0.5, LOSSLESS),
    (LINE, "night", "links.line.loss", "0.2 %", "0.4 %", "0.8 %", 0.707, 1.414, ()),
    (LINE, "night", "jobs.night.connections", 1, 2, 4, 2.0, 0.5, (("links.line.loss", "0.1 %"),)),
    (LINE, "back", "jobs.back.connections", 1, 2, 4, 2.0, 0.5, (("links.line.loss", "0.1 %"),)),
    (BUCKET, "as_files", "jobs.as_files.connections", 16, 32, 64, 2.0, 0.5, ()),
    (BUCKET, "as_files", "devices.bucket.write_latency", "50 ms", "100 ms", "200 ms", 0.55, 1.9, ()),
    (BUCKET, "as_files", "devices.bucket.connection_rate", "42.5 MB/s", "85 MB/s", "170 MB/s", 1.05, 0.97, ()),
    (BUCKET, "as_files", "links.line.latency", "2.5 ms", "5 ms", "10 ms", 0.98, 1.045, ()),
    (BUCKET, "as_objects", "jobs.as_objects.object_size", "32 MiB", "64 MiB", "128 MiB", 1.11, 0.99, ()),
    (BUCKET, "as_files", "devices.bucket.write_requests", "50 /s", "100 /s", "200 /s", 2.0, 0.5, ()),
    (BUCKET, "back", "devices.bucket.read_requests", "20 /s", "40 /s", "80 /s", 2.0, 0.5, ()),
    (BUCKET, "to_cloud", "jobs.to_cloud.connections", 8, 16, 32, 2.0, 0.5, ()),
    (BUCKET, "to_cloud", "devices.bucket.part", "4 MiB", "8 MiB", "16 MiB", 1.45, 0.99, ()),
    (SPOOLED, "in_turns", "jobs.in_turns.tool.server_cpu", "200 ns/B", "400 ns/B", "800 ns/B", 0.72, 1.92, ()),
    (SPOOLED, "back", "jobs.at_once.tool.restore_cpu", "200 ns/B", "400 ns/B", "800 ns/B", 0.5, 2.0, ()),
    (BUCKET, "back", "devices.bucket.read_latency", "400 ms", "800 ms", "1600 ms", 0.6, 1.8, ()),
]


@pytest.mark.slow
@for_each("row", [pytest.param(row, id=f"{row[1]}-{row[2]}") for row in ROWS])
def test_a_value_halved_and_doubled(row: Row) -> None:
    """Within a tenth of the expected ratio."""
    scenario, job, key, half, stated, double, at_half, at_double, given = row
    as_stated = elapsed(scenario, job, (*given, (key, stated)))
    ratios = [elapsed(scenario, job, (*given, (key, value))) / as_stated for value in (half, double)]
    assert ratios == pytest.approx([at_half, at_double], rel=0.1)
    assert (ratios[0] - 1.0) * (ratios[1] - 1.0) < 0.0
