"""What a scenario states either acts, or is warned about, or is refused: cases in which once nothing was said."""

from __future__ import annotations

from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import InputError
from simbackup.run import IdleKeyWarning, ran

HOSTS = """\
title: Keys of backups to other hosts
hosts:
  c: {model: host/linux-modern-server, owns: [d, void]}
  s: {model: host/linux-modern-server, owns: [e, lib, own]}
devices:
  d: {model: ssd/nvme-gen3-2018, capacity: 4 TB}
  e: {model: ssd/nvme-gen4-2021}
  void: {kind: nul}
  bucket: {model: object_store/amazon-s3-standard}
  own: {model: object_store/amazon-s3-standard}
  lib: {model: tape_library/atl-p3000, drive: tape_drive/lto-5, drives: 2}
links:
  lan: {model: network/ten-gigabit-ethernet, joins: [c, s]}
  wan: {model: network/ten-gigabit-ethernet, joins: [c, bucket]}
data:
  x: {on: d, size: 50 GB, files: 2000, filesystem: filesystem/xfs, compression: 2}
  small: {on: d, size: 10 GB, files: 100_000, filesystem: filesystem/xfs}
jobs:
"""
CHUNKS = "deduplication/content-chunks-2015"


def site(*jobs: str) -> str:
    return HOSTS + "".join(f"  {job}\n" for job in jobs)


def elapsed(text: str, job: str, changes: dict[str, Any] | None = None) -> float:
    result = ran(text, changes)
    assert result.all_ended_well
    return result.get(f"jobs.{job}.elapsed")


def idle(text: str) -> list[str]:
    return [line.partition("warning: ")[2].partition(": has")[0] for line in ran(text).warnings]


@pytest.mark.parametrize(
    ("jobs", "job", "address", "values"),
    [
        pytest.param(
            (f"b: {{method: image, data: x, to: e, deduplication: {{model: {CHUNKS}, ratio: 2, restore_rate: 2 MB/s}}}}",
             "back: {restore: b, after: b}"),
            "back", "jobs.b.deduplication.restore_rate", ("2 MB/s", "200 MB/s"), id="rate of a restore",
        ),
        pytest.param(
            ("o: {method: file_level, data: x, to: bucket}", "check: {restore: o, to: void, workers: 64, after: o}"),
            "check", "jobs.check.workers", (1, 64), id="workers of a check of objects",
        ),
        pytest.param(
            ("t: {method: image, data: x, to: e, tool: {model: backup_tool/bacula-3, file_marks: 500 %}}",
             "tape: {method: copy_save_set, save_set: t, to: lib, inline: true}"),
            "t", "jobs.t.tool.file_marks", (5, 500), id="file marks of an inline copy",
        ),
        pytest.param(
            ("q: {method: file_level, data: x, to: e, tool: {model: backup_tool/bacula-3, request: 4 KiB}}",
             "check: {restore: q, to: void, after: q}"),
            "check", "jobs.q.tool.request", ("4 KiB", "1 MiB"), id="request of a check",
        ),
        pytest.param(
            (f"f: {{method: file_level, data: x, to: e, workers: 2, tool: {{model: backup_tool/restic-0.14, "
             f"shares_threads: true}}, deduplication: {{model: {CHUNKS}, ratio: 5}}}}",),
            "f", "jobs.f.tool.shares_threads", (True, False), id="threads shared with deduplication",
        ),
    ],
)  # fmt: skip
def test_what_has_an_effect_is_not_warned_about(
    jobs: tuple[str, ...], job: str, address: str, values: tuple[Any, Any]
) -> None:
    text = site(*jobs)
    assert address not in idle(text)
    one, other = (elapsed(text, job, {address: value}) for value in values)
    assert one != other


def test_threads_that_expand_logs_have_an_effect_in_a_replay() -> None:
    text = """\
title: A log that is replayed
hosts: {s: {model: host/linux-modern-server, owns: [d, e]}}
devices: {d: {model: ssd/nvme-gen3-2018}, e: {model: ssd/nvme-gen3-2018}}
data: {db: {on: d, size: 10 GB, database: database/mysql-5.0-innodb}}
jobs:
  full: {method: hot_copy, data: db, to: e, tool: {copies_log: true, start_time: 1 s}}
  log: {method: binary_log, data: db, to: e, changed: 20 %, after: full, compressor: {model: compressor/gzip-6, expand_threads: 1}}
  back: {restore: full, replay: log, after: log}
"""
    try:
        sb.load(text)
    except InputError as error:
        pytest.fail(str(error))
    assert "jobs.log.compressor.expand_threads" not in idle(text)
