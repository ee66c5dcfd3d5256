"""Rows of a fit that are left out in turn and predicted by the others, in a document made for it."""

from pathlib import Path

import pytest

from simbackup.errors import InputError
from simbackup.experiments.cross_validate import cross_validate

FOLDER = "900-two-rows"
OTHER = "901-one-row"
SHEET = "ssd/made-up"
RATE = """\
title: A device made up
kind: ssd
description: >-
  It reads at a rate that is fitted.
parameters:
  capacity: {value: 100 GB, basis: assumed, range: [50 GB, 200 GB], why: "made up"}
  read_rate: {value: 100 MB/s, basis: fitted, fitted_to: [first, second], uncertainty: 1 MB/s,
    plausible: [10 MB/s, 400 MB/s], why: "made up"}
  write_rate: {value: 1 GB/s, basis: assumed, range: [0.5 GB/s, 2 GB/s], why: "made up"}
  read_latency: {value: 0 s, basis: assumed, range: [0 s, 1 ms], why: "made up"}
  write_latency: {value: 0 s, basis: assumed, range: [0 s, 1 ms], why: "made up"}
"""
SITE = """\
title: A backup of {size} into nul, one buffer of 1 MiB that waits for nothing but the device
hosts:
  server: {{owns: [c], cores: 4, memory: 8 GiB, dirty_limit: 50 %, dirty_background: 10 %, copy_rate: 1 GB/s}}
devices:
  c: {{model: ssd/made-up}}
  nothing: {{kind: nul}}
data:
  db: {{on: c, size: {size}}}
jobs:
  full: {{method: database_native, data: db, to: nothing, buffers: 1, engine: {{transfer_size: 1 MiB, io_depth: 4,
    request_latency: 0 s, compress_cpu: 0 ns/B, expand_cpu: 0 ns/B, buffer_sets: 3, memory_limit: 100 MiB}}}}
"""
FIT = """\
constants:
  rate:
    datasheet: ssd/made-up
    parameter: read_rate
    rows: [{rows}]
    plausible: [10 MB/s, 400 MB/s]
    why: Made up.
"""


def measured(rows: dict[str, str]) -> str:
    """A file of measured rows: seconds of a scenario each."""
    lines = ["document: made-up.txt", "measurements:"]
    for name, seconds in rows.items():
        lines += [f"  {name}:", f"    value: {seconds}", "    at: nowhere", "    operation: backup"]
        lines += [f"    result: {name}.yaml#jobs.full.elapsed"]
    return "\n".join(lines) + "\n"


def document(root: Path, folder: str, rows: dict[str, str], fitted: str) -> None:
    """A document of which each row is the backup of 1 GB, or of 2 GB for the second."""
    there = root / "scenarios" / "published" / folder
    there.mkdir(parents=True)
    (there / "measured.yaml").write_text(measured(rows), encoding="utf-8")
    (there / "calibration.yaml").write_text(FIT.format(rows=fitted), encoding="utf-8")
    for name in rows:
        size = "2 GB" if name == "second" else "1 GB"
        (there / f"{name}.yaml").write_text(SITE.format(size=size), encoding="utf-8")


@pytest.fixture(autouse=True)
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """1 GB in 10 s is 100 MB/s, 2 GB in 25 s is 80 MB/s."""
    (tmp_path / "models" / "ssd").mkdir(parents=True)
    (tmp_path / "models" / f"{SHEET}.yaml").write_text(RATE, encoding="utf-8")
    document(tmp_path, FOLDER, {"first": "10.0 s", "second": "25.0 s"}, "first, second")
    document(tmp_path, OTHER, {"first": "10.0 s"}, "first")
    monkeypatch.setenv("SIMBACKUP_PATH", str(tmp_path))


@pytest.mark.slow
def test_each_of_two_rows_is_predicted_by_the_other() -> None:
    found = cross_validate([FOLDER])
    assert [(one.document, one.constant, one.row) for one in found.left_out] == [
        (FOLDER, f"{SHEET}#read_rate", "first"),
        (FOLDER, f"{SHEET}#read_rate", "second"),
    ]
    assert [one.value for one in found.left_out] == pytest.approx([80e6, 100e6], rel=1e-3)
    assert [one.error for one in found.left_out] == pytest.approx([12.5 / 10 - 1, 20 / 25 - 1], rel=1e-2)
    assert {one.unit for one in found.left_out} == {"B/s"}
    assert found.single == []


def test_a_constant_of_one_row_is_listed_and_has_no_error() -> None:
    found = cross_validate([OTHER])
    assert found.left_out == []
    assert found.single == [(f"{SHEET}#read_rate", "first")]


def test_several_documents_are_taken_together_and_in_order() -> None:
    found = cross_validate([OTHER, FOLDER])
    assert [one.row for one in found.left_out] == ["first", "second"]
    assert len(found.single) == 1


def test_the_datasheet_stays_as_it_is(tmp_path: Path) -> None:
    cross_validate([FOLDER])
    assert (tmp_path / "models" / f"{SHEET}.yaml").read_text(encoding="utf-8") == RATE


def test_the_row_that_is_left_out_does_not_count(tmp_path: Path) -> None:
    """Whatever the first row says, its prediction comes from the second."""
    file = tmp_path / "scenarios" / "published" / FOLDER / "measured.yaml"
    file.write_text(measured({"first": "5.0 s", "second": "25.0 s"}), encoding="utf-8")
    first, second = cross_validate([FOLDER]).left_out
    assert (first.value, first.error) == (pytest.approx(80e6, rel=1e-3), pytest.approx(12.5 / 5 - 1, rel=1e-2))
    assert (second.value, second.error) == (pytest.approx(200e6, rel=1e-3), pytest.approx(10 / 25 - 1, rel=1e-2))


@pytest.mark.slow
def test_a_prediction_out_of_the_plausible_range_stops_at_its_end(tmp_path: Path) -> None:
    file = tmp_path / "scenarios" / "published" / FOLDER / "measured.yaml"
    file.write_text(measured({"first": "10.0 s", "second": "2000 s"}), encoding="utf-8")
    first = cross_validate([FOLDER]).left_out[0]
    assert first.value == pytest.approx(10e6, rel=1e-3)


@pytest.mark.slow
def test_two_rows_of_document_002_predict_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The storage limits both; its latency has a row of its own."""
    monkeypatch.delenv("SIMBACKUP_PATH")
    found = cross_validate(["002"])
    assert {one.row for one in found.left_out} == {"sql-buffers", "sql-all"}
    assert all(abs(one.error) < 0.02 for one in found.left_out)
    assert [row for _, row in found.single] == ["sql-base"]


def test_a_row_of_document_003_is_reported_by_its_name_from_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that pull a constant either way: the errors are of opposite sign."""
    monkeypatch.delenv("SIMBACKUP_PATH")
    left = {one.row: one for one in cross_validate(["003"]).left_out}
    assert set(left) == {"lvm-dd-same-disk", "lvm-dd-second-disk"}
    assert left["lvm-dd-same-disk"].error * left["lvm-dd-second-disk"].error < 0.0
    assert all(abs(one.error) < 0.25 for one in left.values())


@pytest.mark.slow
def test_an_unknown_document_is_reported() -> None:
    with pytest.raises(InputError, match="there is no such document"):
        cross_validate(["902"])
