"""Jobs that read a frozen image fail when it is lost, wherever their bytes go, and leave what they held to others."""

from typing import Any

import simbackup as sb
from simbackup.results.result import Result
from simbackup.results.shown import note_rows
from tests.cases import for_each

SITE = """\
title: A volume whose snapshot is lost while it is read
hosts:
  client: {model: host/linux-modern-server, owns: [disk, spare, void, library]}
  server: {model: host/linux-modern-server, owns: [store, second]}
devices:
  disk: {model: disk/nearline-20tb-2022}
  spare: {model: disk/nearline-20tb-2022}
  store: {model: disk/nearline-20tb-2022}
  second: {model: disk/nearline-20tb-2022}
  void: {kind: nul}
  library: {model: tape_library/atl-p3000, drive: tape_drive/lto-5, drives: 1}
  bucket: {model: object_store/amazon-s3-standard}
  volume: {kind: logical_volume, on: disk, size: 200 GB}
  cow: {model: snapshot/lvm2-2.6.9, of: volume, on: disk, size: 1 GB}
links:
  lan: {model: network/ten-gigabit-ethernet, joins: [client, server]}
  wan: {model: network/ten-gigabit-ethernet, joins: [client, bucket]}
data:
  files: {on: volume, size: 100 GB, files: 1000, filesystem: filesystem/xfs}
  other: {on: spare, size: 10 GB}
jobs:
  snapshot: {method: create_snapshot, snapshot: cow}
  change: {method: write, data: files, portion: 50 %, after: snapshot}
"""
TARGETS = {
    "disk": "to: spare",
    "disk of another host": "to: store",
    "streams": "to: store, streams: 3",
    "nothing": "to: void",
    "objects": "to: bucket",
    "tape": "to: library",
    "shared drive": "to: library, multiplexing: 4, streams: 2",
    "spool": "to: library, spool: {on: spare, size: 20 GB}",
}


def row(result: Result, job: str) -> dict[str, Any]:
    return next(row for row in result.job_rows if row["job"] == job)


def lost_at(result: Result) -> float:
    """When the copy area was full, in seconds."""
    (time,) = [note["at"] for note in note_rows(result.trace) if note["address"] == "devices.cow"]
    return time


@for_each("method", ["image", "file_level"])
@for_each("target", TARGETS)
def test_a_backup_fails_when_the_copy_area_is_full(target: str, method: str) -> None:
    """Only what puts a cartridge away ends later; the drive, the room and the disks are free for the next backup."""
    jobs = f"  save: {{method: {method}, data: files, {TARGETS[target]}, source: cow, after: snapshot}}\n"
    jobs += f"  next: {{method: image, data: other, {TARGETS[target]}, after: change}}\n"
    result = sb.simulate(SITE + jobs)
    save, lost = row(result, "save"), lost_at(result)
    assert (save["status"], save["reason"]) == ("failed", "'cow' became invalid: its copy area is full")
    if "library" in TARGETS[target]:
        assert lost <= save["end"] < lost + 5 * 60.0
    else:
        assert save["end"] == lost
    assert row(result, "next")["status"] == "done"
