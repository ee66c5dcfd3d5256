"""Copies of a tree of files: first and repeated, on one host and over a network, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simbackup as sb
from simbackup.equations.change import Change, differs
from simbackup.errors import InputError
from simbackup.results.causes import split
from simbackup.results.result import Result
from tests.cases import for_each

FILES = 100_000
SIZE = 10e9
SITE = """
title: A tree of files and its copy
hosts:
  here: {cores: 8, copy_rate: 10 GB/s, memory: 64 GB, dirty_limit: 40 %, dirty_background: 0 %, owns: [disk, spare]}
  there: {cores: 8, copy_rate: 10 GB/s, memory: 64 GB, dirty_limit: 40 %, dirty_background: 0 %, owns: [far]}
devices:
  disk: {kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0.1 ms,
    write_latency: 0 s}
  spare: {kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0.1 ms, write_latency: 0 s}
  far: {kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0.4 ms, write_latency: 0 s}
links:
  lan: {joins: [here, there], rate: 100 MB/s, latency: 0 s, duplex: full}
data:
  tree: {on: disk, size: 10 GB, files: 100_000, layout: scattered, change: {daily: 1 %},
    filesystem: {reads_per_file: 2, cpu_per_file: 0.05 ms/file, walk_cpu: 0.02 ms/file, create_cpu: 0.3 ms/file,
      fragment: 1 MB}}
  copied: {on: spare, size: 10 GB, files: 100_000, layout: scattered, filesystem: {reads_per_file: 2,
    cpu_per_file: 0.05 ms/file, walk_cpu: 0.02 ms/file, create_cpu: 0.3 ms/file, fragment: 1 MB}}
  mirrored: {on: far, size: 10 GB, files: 100_000, layout: scattered, filesystem: {reads_per_file: 2,
    cpu_per_file: 0.05 ms/file, walk_cpu: 0.02 ms/file, create_cpu: 0.3 ms/file, fragment: 1 MB}}
jobs:
  copy: {method: copy_tree, data: tree, to: TO}
"""


def test_explain_names_the_end_whose_walk_is_the_longer() -> None:
    result = sb.simulate(sb.load(SITE.replace("TO}", "mirrored, since: 1 d}")))
    assert next(iter(split(result, "copy"))) == ("devices.far", "walk")


def elapsed(to: str, more: str = "", changes: dict[str, Any] | None = None) -> float:
    """Seconds of the copy."""
    result = sb.simulate(sb.load(SITE.replace("TO}", f"{to}{more}}}")), changes)
    assert result.jobs.loc["copy", "status"] == "done"
    return result.get("jobs.copy.elapsed")


# a file is read in two positioned reads of 0.1 ms, one of 0.1 ms for its 100 kB, which take 50 us, and opened
READ = 3 * 0.1e-3 + SIZE / FILES / 2e9 + 0.05e-3
COPIED = 2.0 * SIZE / FILES / 10e9
CREATED = 0.3e-3


def test_a_first_copy_goes_at_the_pace_of_the_slower_end() -> None:
    assert elapsed("copied") == pytest.approx(FILES * max(READ + COPIED, CREATED), rel=0.02)
    slower = {"data.copied.filesystem.create_cpu": "1 ms/file"}
    assert elapsed("copied", "", slower) == pytest.approx(FILES * 1e-3, rel=0.02)


def test_a_program_that_alternates_reads_a_file_and_then_writes_it() -> None:
    alternating = ", tool: {start_time: 0 s, mount_time: 0 s, alternates: true}"
    assert elapsed("copied", alternating) == pytest.approx(FILES * (READ + COPIED + CREATED), rel=0.02)


def test_a_copy_to_a_share_waits_for_each_request_and_for_the_making_of_each_file() -> None:
    calls = ", tool: {start_time: 0 s, mount_time: 0 s, share_calls: 6, server_file_cpu: 1 ms/file}"
    slow = {"links.lan.latency": "0.5 ms", "links.lan.rate": "1 GB/s", "links.lan.window": "64 MiB"}
    each = READ + SIZE / FILES / 10e9 + 6 * 0.5e-3 + 1e-3 + CREATED
    assert elapsed("mirrored", calls, slow) == pytest.approx(FILES * each, rel=0.02)
    assert elapsed("mirrored", calls + ", workers: 10", slow) < FILES * each / 5.0


def test_over_a_network_the_line_limits_what_is_sent() -> None:
    assert elapsed("mirrored") == pytest.approx(SIZE / 100e6, rel=0.02)


def test_several_workers_copy_other_parts_at_once() -> None:
    one = FILES * (READ + COPIED)  # four wait a little for each other at the disk
    assert one / 4.0 <= elapsed("copied", ", workers: 4") < one / 2.0


def test_a_repeated_copy_walks_both_trees_and_sends_what_has_changed() -> None:
    """Two positioned reads and some core time for each file at either end, at once; one per cent is sent."""
    looked = FILES * (2 * 0.1e-3 + 0.02e-3)
    sent = 0.01 * FILES * (READ - 2 * 0.1e-3 + COPIED)
    assert elapsed("copied", ", since: 1 d") == pytest.approx(looked + sent, rel=0.05)
    slow = FILES * (2 * 0.4e-3 + 0.02e-3)
    assert elapsed("mirrored", ", since: 1 d") == pytest.approx(slow, rel=0.05)


def test_the_program_counts_every_file_that_it_lists() -> None:
    listing = ", since: 1 d, tool: {start_time: 0 s, mount_time: 0 s, file_cpu: 2 ms/file, look_cpu: 0.5 ms/file}"
    before, after = elapsed("copied", ", since: 1 d"), elapsed("copied", listing)
    assert after - before == pytest.approx(FILES * (0.99 * 0.5e-3 + 0.01 * 2e-3), rel=0.05)


DELTA = {
    "data.tree.change": {"daily": "0.2 %", "daily_files": "2 %", "run": "10 kB"},
    "data.mirrored.filesystem.create_cpu": "0.01 ms/file",
    "links.lan.rate": "100 kB/s",
}
BLOCKS = "start_time: 0 s, mount_time: 0 s, delta_block: 1000 B"


def test_blocks_that_changed_cross_the_line_and_files_are_read_at_both_ends() -> None:
    """A tenth of each file that differs has changed, in runs of ten blocks; the receiver reads its version, too."""
    result = sb.simulate(sb.load(SITE.replace("TO}", f"mirrored, since: 1 d, tool: {{{BLOCKS}}}}}")), DELTA)
    sent = 0.02 * SIZE * (1.0 - 0.9 ** (1.0 + 1000.0 / 10e3))
    assert result.get("links.lan.bytes") == pytest.approx(sent, rel=1e-3)
    assert result.get("jobs.copy.elapsed") == pytest.approx(sent / 1e5, rel=0.02)
    assert result.get("devices.disk.bytes") == pytest.approx(0.02 * SIZE, rel=1e-3)
    assert result.get("devices.far.bytes") == pytest.approx(2 * 0.02 * SIZE, rel=1e-3)


IMAGE = {
    "data.tree.files": 1, "data.mirrored.files": 1, "links.lan.rate": "10 GB/s", "links.lan.window": "1 GB",
    "data.tree.change": {"daily": "1 %", "run": "100 kB", "in_place": True},
}  # fmt: skip


def image(more: str = "", changes: dict[str, Any] | None = None) -> Result:
    tool = f"tool: {{{BLOCKS}{more}}}"
    result = sb.simulate(sb.load(SITE.replace("TO}", f"mirrored, since: 1 d, {tool}}}"), {**IMAGE, **(changes or {})}))
    assert result.jobs.loc["copy", "status"] == "done"
    return result


def test_one_large_file_is_read_at_one_end_and_then_at_the_other() -> None:
    """Checksums of all of it come first, at 1 ns for each byte; it lies in fragments of 1 MB at both ends.

    Both hosts read ahead of the program, in 0.6 and 0.9 ns for each byte, so that the processor sets the pace.
    """
    result = image(", delta_cpu: 1 ns/B", {"hosts.there.memory": "64 GB"})
    here, there = SIZE * (1e-9 + 1 / 10e9), SIZE * 1e-9
    assert max(1 / 2e9 + 0.1e-3 / 1e6, 1 / 2e9 + 0.4e-3 / 1e6) < 1e-9
    assert result.get("jobs.copy.files") == 1
    assert result.get("jobs.copy.elapsed") == pytest.approx(here + there, rel=1e-3)


def test_where_hardly_a_file_differs_both_ends_are_walked_at_once() -> None:
    """The sender waits for the checksums of one file, not for looks at all those before it."""
    changes = {"data.tree.change": {"daily": "0.001 %", "run": "10 kB"}}
    whole, blocks = (elapsed("mirrored", f", since: 1 d, tool: {{{tool}}}", changes) for tool in (BLOCKS[:32], BLOCKS))
    assert blocks == pytest.approx(whole, rel=1e-3)


def test_only_what_is_sent_is_encrypted() -> None:
    """The processor of the sender works for so much longer, of eight cores."""
    plain, dear = (8 * image(more).get("hosts.here.cores.busy_s") for more in ("", ", copy_cpu: 20 ns/B"))
    sent = 1.0 - 0.99 ** (1.0 + 1000.0 / 100e3)
    assert dear - plain == pytest.approx(SIZE * sent * (20e-9 - 1 / 10e9), rel=0.02)


def test_a_receiver_with_little_memory_reads_its_old_blocks_twice() -> None:
    little, much = (image("", {"hosts.there.memory": memory}) for memory in ("8 GB", "64 GB"))
    sent = 1.0 - 0.99 ** (1.0 + 1000.0 / 100e3)
    again = little.get("devices.far.bytes") - much.get("devices.far.bytes")
    assert again == pytest.approx(SIZE * (1.0 - sent), rel=1e-3)


@for_each("files, block", [(10_000, 1000.0), (100, 10_000.0), (1, 50_000.0)])
def test_blocks_grow_with_the_root_of_the_size_of_files(files: int, block: float) -> None:
    changes = {"data.tree.files": files, "data.mirrored.files": files}
    result = image(", most_delta_block: 50 kB", changes)
    differs = 1.0 - 0.99 ** (1.0 + SIZE / files / 100e3)
    touched = 1.0 - (1.0 - 0.01 / differs) ** (1.0 + block / 100e3)
    assert result.get("links.lan.bytes") == pytest.approx(differs * SIZE * touched, rel=0.01)


@for_each("size, run", [(10_000, 1_000), (1_000, 1_000), (200, 2_000)])
def test_files_in_which_runs_fall_by_chance_are_as_many_as_the_law_says(size: int, run: int) -> None:
    """Runs that begin anywhere in 20 MB until 2 % of it has changed, and the files in which one byte has."""
    random, whole = np.random.default_rng(7), 20_000_000
    marks = np.zeros(whole + 1, dtype=np.int32)
    starts = random.integers(0, whole, round(-np.log(0.98) * whole / run))
    np.add.at(marks, starts, 1)
    np.add.at(marks, np.minimum(starts + run, whole), -1)
    changed = np.cumsum(marks[:-1]) > 0
    files = changed.reshape(-1, size).any(axis=1).mean()
    law = differs(Change(daily=float(changed.mean()), places=1.0 + size / run), 86_400.0)
    assert law == pytest.approx(files, rel=0.1)


def test_on_one_host_files_that_differ_are_copied_whole() -> None:
    whole, blocks = (elapsed("copied", f", since: 1 d, tool: {{{tool}}}", DELTA) for tool in (BLOCKS[:32], BLOCKS))
    assert blocks == whole


def test_checksums_of_all_files_take_reading_them_at_both_ends() -> None:
    """One byte takes 5 ns at each end; the far disk, whose reads take 0.4 ms, is the slower one."""
    tool = "start_time: 0 s, mount_time: 0 s, checksums: true, delta_cpu: 5 ns/B"
    result = sb.simulate(sb.load(SITE.replace("TO}", f"mirrored, since: 1 d, tool: {{{tool}}}}}")))
    each = 3 * 0.4e-3 + SIZE / FILES * (1.0 / 2e9 + 5e-9) + 0.05e-3
    assert result.get("jobs.copy.elapsed") == pytest.approx(FILES * each, rel=0.02)
    assert result.get("devices.disk.bytes") == pytest.approx(SIZE, rel=1e-3)


def test_files_that_are_looked_at_share_the_reads_of_directories_and_records() -> None:
    """A hundred files to a directory, which takes two reads; 16 records come with one."""
    shared = {"entry": "80 B", "directory_read": "4000 B", "record": "250 B", "record_read": "4000 B"}
    changes = {f"data.{end}.filesystem.{key}": value for end in ("tree", "copied") for key, value in shared.items()}
    changes |= {f"data.{end}.directories": 1000 for end in ("tree", "copied")}
    reads = 0.02 + 1.0 / 16.0
    looked = 0.99 * FILES * (reads * (0.1e-3 + 4000.0 / 2e9) + 0.02e-3)
    sent = 0.01 * FILES * (READ + 2 * 250.0 / 2e9 + COPIED)
    assert elapsed("copied", ", since: 1 d", changes) == pytest.approx(looked + sent, rel=0.01)


@for_each(
    "change, says",
    [
        ({"jobs.copy.to": "tree"}, "jobs.copy.to: 'tree' would be copied onto itself"),
        ({"data.copied.filesystem": None}, "jobs.copy.to: 'copied' has no file system"),
        ({"data.tree.change": None, "jobs.copy.since": "1 d"}, "jobs.copy.since: 'tree' does not say how it changes"),
        ({"jobs.copy.to": "mirrored", "links": None}, "there is no connection from 'here' to 'far'"),
    ],
)
def test_what_is_missing_is_reported(change: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        elapsed("copied", "", change)


def test_a_program_that_lists_all_files_first_sends_after_the_slower_walk() -> None:
    """The far disk takes two reads of 0.4 ms for each file; half of the files then cross the line."""
    listing = ", since: 1 d, tool: {start_time: 0 s, mount_time: 0 s, walks_first: true}"
    half = {"data.tree.change.daily": "50 %"}
    looked = FILES * (2 * 0.4e-3 + 0.02e-3)
    assert elapsed("mirrored", listing, half) == pytest.approx(looked + SIZE / 2.0 / 100e6, rel=0.02)
    at_once = elapsed("mirrored", listing.replace("true", "false"), half)
    assert at_once == pytest.approx(max(looked, SIZE / 2.0 / 100e6), rel=0.02)


@pytest.mark.parametrize("workers", [1, 4])
def test_a_program_that_looks_at_a_share_waits_for_the_line_with_each_file(workers: int) -> None:
    """A round trip of 2 ms besides the reads of the far disk, which workers make side by side."""
    looking = f", since: 1 d, workers: {workers}, tool: {{start_time: 0 s, mount_time: 0 s, share_look_calls: 1}}"
    each = 2 * 0.4e-3 + 0.02e-3 + 2e-3
    far = {"links.lan.latency": "2 ms"}
    assert elapsed("mirrored", looking, far) == pytest.approx(FILES * each / workers, rel=0.02)
