"""Dumps of databases in memory, and of narrow rows."""

import pytest

import simbackup as sb
from simbackup.errors import InputError

IN_MEMORY = """\
title: pg_dump of a database that is in memory, by six jobs; its disk reads 110 MB/s
hosts:
  desktop: {model: host/linux-2013-server, cores: 4, memory: 16 GiB, owns: [disk, usb]}
devices:
  disk: {model: disk/sata-7200-1tb-2008}
  usb: {model: ssd/sata-ssd-2015}
data:
  db: {on: disk, size: 7.2 GB, content: 1.9 GB, cached: SHARE, compression: 5, database: database/postgresql}
jobs:
  dump: {method: logical_dump, data: db, to: usb, workers: 6, compressor: compressor/gzip-6}
"""
NARROW = """\
title: A table of 200 million rows of one integer, dumped by pg_dump with gzip
hosts:
  desktop: {model: host/linux-2013-server, cores: 4, memory: 16 GiB, owns: [disk, usb]}
devices:
  disk: {model: ssd/sata-ssd-2015}
  usb: {model: disk/sata-7200-2tb-2010}
data:
  db: {on: disk, size: 7.2 GB, compression: 5, database: database/postgresql, rows: 200_000_000}
jobs:
  dump: {method: logical_dump, data: db, to: usb, compressor: compressor/gzip-6}
"""


def read(share: str, method: str = "logical_dump") -> tuple[float, float]:
    """Seconds of a backup, and bytes that its disk reads."""
    text = IN_MEMORY.replace("SHARE", share).replace("logical_dump", method)
    if method == "hot_copy":
        text = text.replace("workers: 6", "workers: 6, tool: backup_tool/pg-basebackup")
    result = sb.simulate(text)
    row = next((row for row in result.device_rows if row["device"] == "devices.disk"), {"bytes": 0.0})
    return result.get("jobs.dump.elapsed"), row["bytes"]


def test_pages_in_memory_are_not_read_by_a_dump() -> None:
    """Four cores set the time: 180 s of processor time or less, over four of them."""
    elapsed, moved = read("100 %")
    assert moved == 0.0
    assert 15.0 < elapsed < 45.0
    assert read("0 %")[0] > 63.0
    assert read("50 %")[1] == pytest.approx(3.6e9)


def test_a_copy_of_the_files_reads_them_all() -> None:
    assert read("100 %", "hot_copy")[1] == pytest.approx(7.2e9)


def test_a_dump_of_narrow_rows_is_far_smaller_than_their_pages() -> None:
    """36 bytes in the heap, 28 of them header and item identifier; 8 of values are 9.5 of text: 1.9 GB, not 7.2."""
    result = sb.simulate(NARROW)
    assert result.get("jobs.dump.bytes") == pytest.approx(1.9e9, rel=0.05)
    assert 60.0 < result.get("jobs.dump.elapsed") < 95.0


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("rows: 200_000_000", "rows: 400_000_000", r"data.db.rows: 400,000,000 rows do not fit: each takes 28 B"),
        ("postgresql", "mongodb-wiredtiger", r"data.db.rows: the database engine does not say what a row takes"),
    ],
)
def test_rows_that_cannot_be_are_refused(old: str, new: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        sb.load(NARROW.replace(old, new))
