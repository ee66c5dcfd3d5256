from __future__ import annotations

from pathlib import Path

import pytest

import simbackup as sb
from simbackup.experiments.study import read_study

SCENARIO = """\
title: A file written to a volume
hosts: {server: {model: host/linux-2.6.9-dual-xeon-2800, owns: [disk]}}
devices:
  disk: {model: disk/scsi-10k-146gb-2004}
  volume: {kind: logical_volume, on: disk, size: 2 GB}
  backups: {kind: logical_volume, on: disk, size: 3 GB}
data:
  db: {on: volume, size: 1 GB, database: database/mysql-5.0-myisam}
jobs:
  copy: {method: hot_copy, data: db, to: backups}
"""
STUDY = """\
title: A study
scenarios: {one: one.yaml}
show: [jobs.copy.bytes]
"""
CASES = """\
cases:
  small: {data.db.size: 1 GB, devices.volume.size: 1 GB}
  large: {data.db.size: 8 GB, devices.volume.size: 9 GB, devices.backups.size: 8 GB}
"""


def written(folder: Path, more: str = "") -> Path:
    (folder / "one.yaml").write_text(SCENARIO, encoding="utf-8")
    file = folder / "a.study.yaml"
    file.write_text(STUDY + more, encoding="utf-8")
    return file


def problems(file: Path) -> list[str]:
    with pytest.raises(sb.InputError) as caught:
        read_study(file)
    return [f"{problem.place.line}: {problem.address}: {problem.message}" for problem in caught.value.problems]


def test_values_of_a_case_change_together(tmp_path: Path) -> None:
    table = sb.study(written(tmp_path, CASES))
    assert table.varied == ("case",)
    assert [(row["scenario"], row["case"], row["jobs.copy.bytes"]) for row in table.rows] == [
        ("one", "small", 1e9), ("one", "large", 8e9)
    ]  # fmt: skip


def test_every_case_is_run_with_every_value(tmp_path: Path) -> None:
    table = sb.study(written(tmp_path, CASES + "vary: {data.db.files: [1, 2, 3]}\n"), workers=2)
    assert table.varied == ("case", "data.db.files")
    assert [(row["case"], row["data.db.files"]) for row in table.rows] == [
        (case, files) for case in ("small", "large") for files in ("1", "2", "3")
    ]


def test_a_study_without_cases_has_no_such_column(tmp_path: Path) -> None:
    table = sb.study(written(tmp_path, "vary: {data.db.size: [1 GB, 2 GB]}\n"))
    assert table.varied == ("data.db.size",)
    assert "case" not in table.rows[0]


def test_the_figures_of_a_job_that_failed_are_none(tmp_path: Path) -> None:
    file = written(tmp_path, "cases: {full: {devices.backups.size: 1500 MB}}\n")
    second = "  second: {method: hot_copy, data: db, to: backups}\n"
    (tmp_path / "one.yaml").write_text(SCENARIO + second, encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8").replace("copy.bytes", "second.bytes"), encoding="utf-8")
    assert sb.study(file).rows[0]["jobs.second.bytes"] is None


def test_a_wrong_value_is_told_at_its_place_in_the_case(tmp_path: Path) -> None:
    file = written(tmp_path, "cases:\n  odd:\n    data.db.files: 2\n    data.db.size: 1 parsec\n")
    assert [text.rsplit(": ", 1)[0] for text in problems(file)] == ["7: data.db.size"]


def test_an_address_that_is_not_there_is_told_at_its_place_in_the_case(tmp_path: Path) -> None:
    file = written(tmp_path, "cases:\n  odd:\n    data.dbb.size: 1 GB\n")
    assert problems(file) == ["6: data.dbb.size: there is no 'dbb' under data"]


def test_an_address_is_varied_or_set_by_a_case(tmp_path: Path) -> None:
    file = written(tmp_path, "vary: {data.db.size: [1 GB]}\ncases:\n  odd: {data.db.size: 2 GB}\n")
    assert problems(file)[0] == "6: data.db.size: is varied, and set by a case"


def test_a_case_without_values_is_none(tmp_path: Path) -> None:
    assert problems(written(tmp_path, "cases:\n  nothing: {}\n"))
