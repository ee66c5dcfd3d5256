"""The ledger of a study, its ranges, and searches for constants."""

import math
import os
from pathlib import Path

import pytest

from simbackup.errors import Place, Problem, ResultError
from simbackup.experiments.least_squares import least_squares
from simbackup.experiments.runner import StudyLedger
from simbackup.experiments.study_file import values_of
from simbackup.experiments.study_point import Point, PointResult
from simbackup.schema.study import RangeSpec
from simbackup.schema.tree import from_plain
from tests.cases import for_each

POINT = Point("one", "one.yaml", None, {}, {"data.db.size": "1 GB"}, ("jobs.copy.elapsed",), 0)
OUTCOME = PointResult("k1", {"jobs.copy.elapsed": 0.1 + 0.2}, "copy: too large", 17, {"jobs.copy.elapsed": 1e-300})


def kept(folder: Path, *outcomes: PointResult) -> Path:
    ledger = StudyLedger(folder)
    for outcome in outcomes:
        ledger.add(POINT, outcome)
    ledger.close()
    return next((folder / "ledger").glob("*.jsonl"))


def test_figures_that_were_asked_for_at_different_times_are_found_together(tmp_path: Path) -> None:
    kept(tmp_path / "f", OUTCOME, PointResult("k1", {"jobs.copy.rate": 5.0}, "copy: too large", 17))
    found = StudyLedger(tmp_path / "f").find("k1", (*POINT.show, "jobs.copy.rate"))
    assert found is not None
    assert found.figures == {"jobs.copy.elapsed": 0.1 + 0.2, "jobs.copy.rate": 5.0}


def test_a_last_line_cut_anywhere_is_ignored_and_the_others_are_not(tmp_path: Path) -> None:
    file = kept(tmp_path / "f", OUTCOME, PointResult("k2", {"jobs.copy.elapsed": 2.0}))
    whole = file.read_bytes()
    first = whole.index(b"\n") + 1
    for end in range(first, len(whole) - 1):  # without its last byte, the end of the line, it is whole
        file.write_bytes(whole[:end])
        ledger = StudyLedger(tmp_path / "f")
        assert (ledger.find("k1", POINT.show), ledger.find("k2", POINT.show)) == (OUTCOME, None)


def test_a_record_of_another_version_is_ignored(tmp_path: Path) -> None:
    ledger = StudyLedger(tmp_path / "f")
    ledger._append({"key": "k1", "figures": {"jobs.copy.elapsed": 1.0}})
    ledger.close()
    assert len(StudyLedger(tmp_path / "f")) == 0


def test_a_point_that_could_not_be_run_is_tried_again(tmp_path: Path) -> None:
    ledger = StudyLedger(tmp_path / "f")
    ledger.add(POINT, PointResult("k1", problems=(Problem(Place("a"), "data", "is too large"),)))
    ledger.add(POINT, PointResult("k1", lost="killed"))
    assert len(ledger) == 0


def test_the_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ResultError, match="is not the folder of a study"):
        StudyLedger(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_results_are_replaced_only_as_they_were_written(tmp_path: Path) -> None:
    first = StudyLedger(tmp_path / "f")
    first.write("results.parquet", b"one")
    first.close()
    second = StudyLedger(tmp_path / "f")
    second.write("results.parquet", b"two")
    second.close()
    (tmp_path / "f" / "results.parquet").write_bytes(b"mine")
    third = StudyLedger(tmp_path / "f")
    with pytest.raises(ResultError, match="did not write it"):
        third.write("results.parquet", b"three")
    third.close()
    assert (tmp_path / "f" / "results.parquet").read_bytes() == b"mine"


def test_what_else_lies_in_the_ledger_is_passed_over(tmp_path: Path) -> None:
    ledger = kept(tmp_path / "f", OUTCOME).parent
    (ledger / "folder.jsonl").mkdir()
    (ledger / "nowhere.jsonl").symlink_to("nothing")
    (ledger / "deep.jsonl").write_text("[" * 100_000, encoding="utf-8")
    (ledger / "other.jsonl").write_text('"text"\n{"record": 3}\n', encoding="utf-8")
    assert len(StudyLedger(tmp_path / "f")) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_an_error_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, full = os.open, os.open("/dev/full", os.O_WRONLY)

    def replaced(path: Path, flags: int, mode: int = 0o777) -> int:
        return full if flags & os.O_EXCL else opened(path, flags, mode)

    ledger = StudyLedger(tmp_path / "f")
    monkeypatch.setattr("os.open", replaced)
    with pytest.raises(ResultError, match=r"cannot be written \(No space left on device\)"):
        ledger.add(POINT, OUTCOME)
    ledger.close()


# Ranges of a study file
@for_each(
    "first, last, count, by, values",
    [
        ("100 MB/s", "400 MB/s", 4, "difference", ("100 MB/s", "200 MB/s", "300 MB/s", "400 MB/s")),
        ("1 min", "4 min", 3, "factor", ("1 min", "2 min", "4 min")),
        (16, 1, 5, "factor", ("16", "8", "4", "2", "1")),
        ("10 %", "50 %", 3, "difference", ("10 %", "30 %", "50 %")),
        ("0 GB", "2 GB", 2, "difference", ("0 B", "2 GB")),
    ],
)  # fmt: skip
def test_a_range_becomes_its_values(first: object, last: object, count: int, by: str, values: tuple[str, ...]) -> None:
    asked = RangeSpec.model_validate({"first": first, "last": last, "count": count, "by": by})
    problems: list[object] = []
    assert values_of({"a": asked}, from_plain({}, Place("")), "vary", problems)["a"] == values  # type: ignore[arg-type]
    assert not problems


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [("1 GB", "2 h", "'1 GB' and '2 h' have no common unit"), ("0 GB", "1 GB", "begins and ends above zero")],
)
def test_what_is_no_range_is_reported(first: str, last: str, message: str) -> None:
    problems: list[object] = []
    asked = RangeSpec(first=first, last=last, count=3, by="factor")
    assert not values_of({"a": asked}, from_plain({}, Place("")), "vary", problems)  # type: ignore[arg-type]
    assert message in str(problems[0])


# Searches for constants: also where nothing moves in the middle of a range
def test_a_search_begins_where_something_moves() -> None:
    """Until it takes half a second, something else limits the figure."""

    def misfit(logarithms: list[float]) -> list[float]:
        return [math.log(max(math.exp(logarithms[0]), 0.5) / 0.7)]

    assert least_squares(misfit, [(1e-4, 2.0)]) == pytest.approx([0.7], rel=1e-3)  # type: ignore[arg-type]
