"""Backups and restores of data in which nothing, or next to nothing, has changed."""

import pytest

import simbackup as sb
from simbackup.results.shown import note_rows
from tests.cases import for_each

SITE = """\
title: Data that do not change
hosts: {server: {model: host/linux-modern-server, owns: [disk, other]}}
devices:
  disk: {model: disk/sata-7200-1tb-2008}
  other: {model: disk/sata-7200-1tb-2008}
  volume: {kind: logical_volume, on: other, size: 100 GB}
  library: {model: tape_library/autoloader-8, drive: tape_drive/lto-3, drives: 1}
  cloud: {model: object_store/azure-blob-standard}
links:
  bus: {joins: [server, library], rate: 300 MB/s, latency: 0.1 ms}
  line: {joins: [server, cloud], rate: 100 MB/s, latency: 10 ms}
data:
  files: {on: disk, size: 1 GB, files: 1000, filesystem: filesystem/xfs, change: {daily: DAILY, run: 64 KiB}}
jobs:
"""
CHUNKS = ", deduplication: {model: deduplication/appliance-2008, last: 1 d}"


def site(jobs: str, daily: str) -> str:
    return SITE.replace("DAILY", daily) + jobs


@for_each("scan", ["", ", tool: {start_time: 0 s, mount_time: 0 s, scan_cpu: 1 ns/B}"])
@for_each("method", ["image", "file_level"])
@for_each("to", ["volume", "library", "cloud"])
def test_an_incremental_of_nothing_is_one_byte(method: str, to: str, scan: str) -> None:
    if scan and method == "file_level":
        scan = ", workers: 2"
    jobs = f"  night: {{method: {method}, level: incremental, since: 1 d, data: files, to: {to}{scan}}}\n"
    jobs += "  back: {restore: night, after: night}\n"
    nothing, next_to_nothing = (sb.simulate(site(jobs, daily)) for daily in ("0 %", "1e-8 %"))
    assert nothing.get("jobs.night.bytes") == nothing.get("jobs.back.bytes") == 1.0
    for job in ("night", "back"):
        least, most = (result.get(f"jobs.{job}.elapsed") for result in (nothing, next_to_nothing))
        assert least == pytest.approx(most, rel=1e-3)


@pytest.mark.parametrize("to", ["volume", "cloud"])
def test_a_full_backup_without_new_chunks_takes_no_room_and_comes_back_as_others_do(to: str) -> None:
    at = CHUNKS.replace("}", ", at: client}") if to == "cloud" else CHUNKS
    jobs = f"  full: {{method: image, data: files, to: {to}{at}}}\n  back: {{restore: full, after: full}}\n"
    same, little, some = (sb.simulate(site(jobs, daily)) for daily in ("0 %", "1e-6 %", "1 %"))
    times = [result.get("jobs.back.elapsed") for result in (same, little, some)]
    assert times[0] == pytest.approx(times[1], rel=1e-3)
    assert 0.5 * times[2] < times[0] < 1.05 * times[2]


@for_each("to", ["volume", "library", "cloud"])
def test_a_restore_finds_no_more_than_an_incremental_saved(to: str) -> None:
    jobs = f"  night: {{method: file_level, level: incremental, since: 1 d, data: files, to: {to}}}\n"
    jobs += "  some: {restore: night, after: night, select: {files: 100, size: 100 MB}}\n"
    result = sb.simulate(site(jobs, "1 %"))
    assert result.get("jobs.some.bytes") == pytest.approx(1e7)
    assert result.get("jobs.some.files") == 10.0
    [note] = note_rows(result.trace)
    assert note["what"] == "finds less than 'select' asks for, as only 10 MB in 10 files were saved"
