"""Copies of a tree of files by a list (program/cp): first and repeated, here and over a share, against closed forms."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import InputError
from simbackup.results.causes import split
from tests.cases import for_each

FILES = 100_000
SIZE = 10e9
SITE = """
title: A tree of files and its copy
hosts:
  here: {cores: 8, speed: 1, copy_rate: 10 GB/s, memory: 64 GB, dirty_limit: 40 %, dirty_background: 0 %,
    owns: [disk, spare]}
  there: {cores: 8, speed: 1, copy_rate: 10 GB/s, memory: 64 GB, dirty_limit: 40 %, dirty_background: 0 %, owns: [far]}
devices:
  disk: {kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0.1 ms, write_latency: 0 s}
  spare: {kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0.1 ms, write_latency: 0 s}
  far: {kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0.4 ms, write_latency: 0 s}
links:
  lan: {joins: [here, there], rate: 1 GB/s, latency: 0.5 ms, window: 64 MiB, duplex: full}
data:
  tree: {on: disk, size: 10 GB, files: 100_000, layout: scattered, change: {daily: 1 %},
    filesystem: {reads_per_file: 2, cpu_per_file: 0.05 ms/file, walk_cpu: 0.02 ms/file, create_cpu: 0.3 ms/file,
      fragment: 1 MB}}
  copied: {on: spare, size: 10 GB, files: 100_000, layout: scattered, filesystem: {reads_per_file: 2,
    cpu_per_file: 0.05 ms/file, walk_cpu: 0.02 ms/file, create_cpu: 0.3 ms/file, fragment: 1 MB}}
  mirrored: {on: far, size: 10 GB, files: 100_000, layout: scattered, filesystem: {reads_per_file: 2,
    cpu_per_file: 0.05 ms/file, walk_cpu: 0.02 ms/file, create_cpu: 0.3 ms/file, fragment: 1 MB}}
jobs:
  copy: {method: program, program: program/cp, operation: copy, data: tree, target: TO}
"""
SHARE = "mirrored, share: {host: here, calls: 4, look_calls: 1, request: 1 MB, make_calls: 6}"

# a file is read in two positioned reads of 0.1 ms, one of 0.1 ms for its 100 kB, which take 50 us, and opened
READ = 3 * 0.1e-3 + SIZE / FILES / 2e9 + 0.05e-3
COPIED = 2.0 * SIZE / FILES / 10e9
WORK = 0.1e-3
CREATED = 0.3e-3


def elapsed(to: str, more: str = "", changes: dict[str, Any] | None = None) -> float:
    """Seconds of the copy."""
    result = sb.simulate(sb.load(SITE.replace("TO}", f"{to}{more}}}")), changes)
    assert result.jobs.loc["copy", "status"] == "done"
    return result.get("jobs.copy.elapsed")


def test_a_first_copy_reads_a_file_and_then_makes_it() -> None:
    assert elapsed("copied") == pytest.approx(FILES * (READ + COPIED + WORK + CREATED), rel=0.001)


def test_several_workers_copy_other_files_at_once() -> None:
    several = {"jobs.copy.program.options.workers": 4, "jobs.copy.serial_share": "0 %"}
    one = FILES * (READ + COPIED + WORK + CREATED)  # four wait a little for each other at the disk
    assert one / 4.0 <= elapsed("copied", "", several) < one / 3.0


def test_a_repeated_copy_looks_at_both_trees_and_copies_what_has_changed() -> None:
    """Two positioned reads and some core time for each file at either end, one after the other; one per cent is copied.

    Files that are looked at have been found already when they are copied.
    """
    looked = 0.99 * FILES * 2 * (2 * 0.1e-3 + 0.02e-3)
    copied = 0.01 * FILES * (READ + COPIED + WORK + CREATED)
    assert elapsed("copied", ", since: 1 d") == pytest.approx(looked + copied, rel=0.01)


def test_a_copy_to_a_share_waits_for_its_requests() -> None:
    """Six calls of 0.5 ms for each file that is made there, and one for the bytes of each, which cross the line."""
    near, far = elapsed("copied"), elapsed(SHARE)
    assert far - near == pytest.approx(FILES * (7 * 0.5e-3 + SIZE / FILES / 1e9), rel=0.05)


def test_explain_names_the_step_that_takes_longest() -> None:
    result = sb.simulate(sb.load(SITE.replace("TO}", "copied, since: 1 d}")))
    assert next(iter(split(result, "copy"))) == ("devices.disk", "workers: look")


def test_files_that_are_looked_at_share_the_reads_of_directories_and_records() -> None:
    """A hundred files to a directory, which takes two reads; 16 records come with one."""
    shared = {"entry": "80 B", "directory_read": "4000 B", "record": "250 B", "record_read": "4000 B"}
    changes = {f"data.{end}.filesystem.{key}": value for end in ("tree", "copied") for key, value in shared.items()}
    changes |= {f"data.{end}.directories": 1000 for end in ("tree", "copied")}
    reads = 0.02 + 1.0 / 16.0
    looked = 0.99 * FILES * 2 * (reads * (0.1e-3 + 4000.0 / 2e9) + 0.02e-3)
    copied = 0.01 * FILES * (READ + 2 * 250.0 / 2e9 + COPIED + WORK + CREATED)
    assert elapsed("copied", ", since: 1 d", changes) == pytest.approx(looked + copied, rel=0.01)


@for_each(
    "change, says",
    [
        ({"data.copied.filesystem": None}, "'copied' has no file system"),
        ({"data.tree.change": None, "jobs.copy.since": "1 d"}, "jobs.copy.since: 'tree' does not say how it changes"),
    ],
)
def test_what_is_missing_is_reported(change: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        elapsed("copied", "", change)
