"""Programs that know which files have changed do not look at the others."""

from __future__ import annotations

import pytest

import simbackup as sb
from simbackup.errors import InputError

SITE = """\
title: An increment of a ZFS file system, of which 1,000 files of 700 KB changed
hosts:
  media: {model: host/linux-2013-server, owns: [pool]}
  backup: {model: host/linux-2013-server, owns: [copy]}
devices:
  pool: {model: raid/zfs-raidz1, disk: disk/nearline-3tb-2011, disks: 4}
  copy: {model: raid/zfs-raidz1, disk: disk/nearline-3tb-2011, disks: 4}
links:
  lan: {model: network/gigabit-ethernet, joins: [media, backup]}
data:
  files: {on: pool, size: 1.4 TB, files: 2_000_000, filesystem: filesystem/zfs, layout: LAYOUT,
    change: {daily: 0.05 %}}
jobs:
  send: {method: file_level, data: files, to: copy, level: incremental, since: 24 h, tool: backup_tool/zfs-send}
"""
CALLS = "tool: {model: backup_tool/zfs-send, tracks_files: false}"


def elapsed(text: str) -> float:
    result = sb.simulate(text)
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result.get("jobs.send.elapsed")


def test_only_the_changed_files_cost_time() -> None:
    """1,000 times 2 reads of 8 to 12 ms, divided by a few at once, and 6 s on the line: 7 to 30 s."""
    assert 7.0 < elapsed(SITE.replace("LAYOUT", "scattered")) < 30.0


@pytest.mark.parametrize("layout", ["scattered", "together"])
def test_the_number_of_the_others_does_not_matter(layout: str) -> None:
    """Of ten times as many files of a tenth of the size, a tenth as many changed for each: the same bytes and reads."""
    text = SITE.replace("LAYOUT", layout)
    more = text.replace("1.4 TB", "7 TB").replace("2_000_000", "10_000_000").replace("0.05 %", "0.01 %")
    more = more.replace(
        "disk/nearline-3tb-2011, disks: 4", "{model: disk/nearline-3tb-2011, capacity: 15 TB}, disks: 4"
    )
    assert elapsed(more) == pytest.approx(elapsed(text), rel=0.1)
    looked_at = more.replace("tool: backup_tool/zfs-send", CALLS)
    assert elapsed(looked_at) > 2.0 * elapsed(more)


def test_a_full_backup_reads_all() -> None:
    full = (
        SITE.replace("LAYOUT", "together").replace("level: incremental, since: 24 h, ", "").replace("1.4 TB", "14 GB")
    )
    assert elapsed(full) == pytest.approx(elapsed(full.replace("tool: backup_tool/zfs-send", CALLS)))


@pytest.mark.parametrize("first", ["true", "false"])
def test_a_repeated_copy_of_a_tree_looks_at_no_other_files(first: str) -> None:
    text = SITE.replace("LAYOUT", "scattered").replace(
        "jobs:", "  there: {on: copy, size: 1.4 TB, files: 2_000_000, filesystem: filesystem/zfs}\njobs:"
    )
    job = text[text.index("  send:") :]
    tool = f"{{start_time: 0 s, mount_time: 0 s, tracks_files: KNOWN, walks_first: {first}}}"
    text = text.replace(job, f"  send: {{method: copy_tree, data: files, to: there, since: 24 h, tool: {tool}}}\n")
    assert elapsed(text.replace("KNOWN", "true")) < 120.0
    assert elapsed(text.replace("KNOWN", "false")) > 600.0


def test_an_image_by_a_program_of_files_is_refused() -> None:
    with pytest.raises(InputError, match=r"jobs.send.method: 'backup_tool/zfs-send' saves file by file"):
        sb.load(SITE.replace("LAYOUT", "scattered").replace("file_level", "image"))
