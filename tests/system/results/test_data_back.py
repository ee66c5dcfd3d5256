"""When the data of a restore are back, and when its drive is free again."""

import pytest

import simbackup as sb
from simbackup.results.figures import job_figures
from simbackup.results.result import Result

SITE = """\
title: A tape whose drive takes 17 s to unload, and a robot that takes 6 s to move a cartridge
hosts:
  server: {model: host/linux-modern-server, owns: [disk, library]}
devices:
  disk: {model: disk/nearline-20tb-2022}
  library: {model: tape_library/atl-p3000, drive: tape_drive/quantum-dlt7000, drives: 1}
data:
  files: {on: disk, size: 30 GB, files: 1000, filesystem: filesystem/xfs}
jobs:
  save: {method: file_level, data: files, to: library}
  back: {restore: save, after: save}
"""


def spans(result: Result, job: str) -> list[tuple[str, float, float]]:
    return [(span.activity, span.start, span.end) for span in result.spans[f"jobs.{job}"]]


def test_data_from_a_drive_that_stays_loaded_are_back_at_the_end() -> None:
    result = sb.simulate(SITE, {"devices.library.unload_after": "1 h"})
    row = result.row_of["back"]
    assert row["back"] == pytest.approx(row["elapsed"])


def test_one_of_two_drives_that_has_ended_does_not_count_as_the_end() -> None:
    """The second cartridge is read while the first is rewound."""
    changes = {"devices.library.drives": 2, "jobs.save.streams": 2, "jobs.back.streams": 2}
    result = sb.simulate(SITE, changes)
    last = max(end for what, _, end in spans(result, "back") if what in {"transfer", "restore", "write-back"})
    assert result.get("jobs.back.back") == pytest.approx(last - result.get("jobs.back.start"))


def test_several_restores_are_back_with_the_last_of_them() -> None:
    rows = [
        {"start": start, "end": 100.0, "elapsed": 100.0 - start, "back": back, "bytes": 1.0, "files": 1.0, "lock": 0.0,
         "status": "done"}
        for start, back in ((10.0, 20.0), (30.0, 40.0))
    ]  # fmt: skip
    assert job_figures(rows)["back"] == 60.0
