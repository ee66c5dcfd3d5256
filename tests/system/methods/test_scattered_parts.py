"""Files that are scattered lie anywhere in the data, whichever part of them a cartridge or a stream gets."""

import pytest

import simbackup as sb

SITE = """\
title: Scattered files
hosts:
  server: {owns: [disk, store, jukebox], cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 80 %,
    copy_rate: 1000 GB/s}
devices:
  disk: {model: disk/nearline-20tb-2022, capacity: 100 GB, outer_rate: 200 MB/s, inner_rate: 200 MB/s}
  store: {kind: ssd, capacity: 1 TB, read_rate: 5 GB/s, write_rate: 5 GB/s, read_latency: 0 s, write_latency: 0 s}
  jukebox:
    model: tape_library/autoloader-8
    drives: 1
    drive: {model: tape_drive/lto-5, buffer: 4 GB, cartridge_capacity: CAPACITY}
data:
  users: {on: disk, size: 80 GB, files: 80_000, layout: scattered,
    filesystem: {reads_per_file: 0, cpu_per_file: 0 ms/file, fragment: 1 GB}}
jobs:
  full: {method: file_level, data: users, to: TO, streams: STREAMS}
"""


def read(to: str, capacity: str = "100 GB", streams: int = 1) -> float:
    """Seconds for which the disk is read."""
    text = SITE.replace("CAPACITY", capacity).replace("TO", to).replace("STREAMS", str(streams))
    result = sb.simulate(text)
    assert result.jobs.loc["full", "status"] == "done"
    return float(result.get("devices.disk.busy_s"))


@pytest.mark.slow
@pytest.mark.parametrize("streams", [2, 4])
def test_each_of_several_streams_seeks_across_all_data(streams: int) -> None:
    assert read("store", streams=streams) == pytest.approx(read("store"), rel=1e-9)
