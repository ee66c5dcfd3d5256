"""Publications that were answered blindly: what a version said stays as it was, beside today's answers."""

import csv
import json
import statistics
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from simbackup.cli import app as cli
from simbackup.errors import InputError
from simbackup.experiments.blind_predictions import Answers, Held, ledger
from simbackup.experiments.reproduce import Reproduction, chosen, reproduce
from simbackup.results.compare import Row, documents
from simbackup.schema.measured import BlindAnswer, Measured, read_measured
from tests.shared import IN_ONE_PROCESS, reproduced

TOP = Path(__file__).parents[2]
VALIDATION = TOP / "scenarios" / "validation"
FOLDERS = [measured.folder.name for measured in documents("validation")]
MOST_FITTED = {
    "percona-lvm-2009": 2,
    "duplicacy-clouds-2018": 4,
    "velero-small-files": 2,
    "walg": 2,
    "innodb-compression-2009": 5,
    "storage-protect-blueprints": 4,
}
"""Constants that may be fitted to a publication, where that is not one: one of each program or service."""


pytestmark = IN_ONE_PROCESS


@pytest.fixture(scope="module")
def found() -> Reproduction:
    return reproduced("validation")


def given() -> dict[tuple[str, str], dict[str, str]]:
    """The blind answers as they were given, which no change of the program changes; rows are only added."""
    with (Path(__file__).parent / "blind.csv").open(encoding="utf-8", newline="") as file:
        return {(row["publication"], row["id"]): row for row in csv.DictReader(file)}


def key(row: Row) -> tuple[str, str]:
    return row.measurement.folder, row.measurement.id


@pytest.mark.slow
def test_one_name_means_all_publications(found: Reproduction) -> None:
    assert [summary.document for summary in found.summaries] == FOLDERS
    assert [str(m.folder) for m in chosen([str(VALIDATION)])] == [str(m.folder) for m in chosen(["validation"])]
    assert {m.folder.name for m in chosen([])}.isdisjoint(FOLDERS)
    assert [m.folder.name for m in chosen(["tk70"])] == ["tk70-1990"]


def test_a_document_that_is_named_is_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(path: Path, shown: str) -> Measured:
        read.append(path.parent.name)
        return read_measured(path, shown)

    monkeypatch.setattr("simbackup.results.compare.read_measured", noted)
    chosen(["tk70"])
    assert read == ["tk70-1990"]


def test_the_rows_are_those_that_were_asked_with_the_answers_that_were_given(found: Reproduction) -> None:
    def number(text: str) -> float | None:
        return float(text) if text else None

    ledgered = {name: row for name, row in given().items() if name[0] in FOLDERS}
    assert {key(row) for row in found.rows} == ledgered.keys()
    for row in found.rows:
        m, reported = row.measurement, ledgered[key(row)]
        assert (m.value, m.unit, m.low, m.high) == (
            float(reported["value"]), reported["unit"], number(reported["low"]), number(reported["high"]),
        )  # fmt: skip
        answer = (
            BlindAnswer(
                float(reported["blind"]),
                number(reported["blind_low"]),
                number(reported["blind_high"]),
                reported["version"],
            )
            if reported["blind"]
            else None
        )
        assert (m.blind, m.row.fit) == (answer, reported["role"] == "fit")


def test_ids_are_unique_in_all_documents() -> None:
    """Values name rows by their ids alone."""
    ids = [row.id for measured in documents("*") for row in measured.rows]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_row_is_reproduced_or_rightly_declared_off(folder: str, found: Reproduction) -> None:
    rows = [row for row in found.rows if row.measurement.folder == folder]
    assert [row.measurement.id for row in rows if not row.good] == []


def test_an_opened_row_is_never_held_out(found: Reproduction) -> None:
    assert {row.role for row in found.rows} <= {"fitted", "seen", "opened", "projection"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_at_most_one_constant_is_fitted(folder: str, found: Reproduction) -> None:
    ids = {row.measurement.id for row in found.rows if row.measurement.folder == folder}
    fitted = [constant.address for constant in found.constants if not ids.isdisjoint(constant.fitted_to)]
    assert len(fitted) <= MOST_FITTED.get(folder, 1)


def test_the_ledger_compares_the_same_rows_then_and_now(found: Reproduction) -> None:
    lines = ledger(found)
    versions = sorted({f"all of version {row['version']}" for row in given().values()})
    assert [line.publication for line in lines] == [*FOLDERS, *(versions if len(versions) > 1 else []), "all"]
    predicted = [row for row in found.rows if row.predicted]
    assert all(given()[key(row)]["role"] == "predict" and row.role != "fitted" for row in predicted)
    blind = [abs(row.blind_error or 0.0) for row in predicted]
    assert (lines[-1].rows, lines[-1].blind.median) == (len(predicted), statistics.median(blind))
    for some in (lines[: len(FOLDERS)], lines[len(FOLDERS) : -1] or lines[-1:]):
        assert sum(line.rows for line in some) == lines[-1].rows
        assert sum(line.today.far for line in some) == lines[-1].today.far
        assert sum(line.blind.intervals.hold for line in some) == lines[-1].blind.intervals.hold
    assert lines[-1].today.median < lines[-1].blind.median


@pytest.mark.parametrize(("errors", "far"), [([-0.75, 1.0], 1), ([-0.6, 2.0], 2), ([-0.5, 1.0], 0), ([-1.0], 1)])
def test_an_answer_is_far_off_by_a_factor_to_either_side(errors: list[float], far: int) -> None:
    assert Answers.of(errors, Held(0, 0)).far == far


def test_intervals_then_and_now_are_counted_where_there_are_any() -> None:
    """A blind interval that ends below the figure does not hold, and one that meets what the document allows does."""
    found = reproduce(["tk70-1990"], intervals=False)

    def with_interval(row: Row, low: float, high: float) -> Row:
        blind = BlindAnswer(row.simulated, low, high, "0.2")
        return replace(row, measurement=replace(row.measurement, blind=blind), answer=(low, high))

    direct, dd = found.rows
    measured = direct.measurement.value
    rows = [with_interval(direct, 0.5 * measured, 2.0 * measured), with_interval(dd, 1.0, 2.0)]
    line = ledger(replace(found, rows=rows))[-1]
    assert (line.versions, line.blind.intervals, line.today.intervals) == (("0.2",), Held(1, 2), Held(1, 2))
    allowed = replace(rows[1].measurement, low=1.5, high=60.0)
    line = ledger(replace(found, rows=[rows[0], replace(rows[1], measurement=allowed)]))[-1]
    assert line.blind.intervals == Held(2, 2)
    of_both = ledger(replace(found, rows=[rows[0], dd]))
    assert [one.publication for one in of_both[1:]] == ["all of version 0.1", "all of version 0.2", "all"]
    assert of_both[-1].blind.intervals == Held(1, 1)


def test_rows_without_blind_answers_make_no_ledger() -> None:
    assert ledger(reproduce(["003"], intervals=False)) == []


def test_json_has_the_publication_the_id_and_the_blind_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["simbackup", "reproduce", "tk70-1990", "--json"])
    with pytest.raises(SystemExit):
        cli.main()
    rows = json.loads(capsys.readouterr().out)
    assert [(row["publication"], row["id"], row["blind"]) for row in rows] == [
        ("tk70-1990", "direct", 125.0), ("tk70-1990", "dd", 125.0),
    ]  # fmt: skip
    assert all(row["predicted"] for row in rows)


def test_an_unknown_name_is_answered_with_collections_too() -> None:
    with pytest.raises(InputError, match="did you mean 'validation'"):
        chosen(["validatoin"])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("{value: 125 s", "125 s' is not a figure in kB/s"),
        ("{value: 125 kB/s, high: 9 s", "9 s' is not a figure in kB/s"),
        ("{value: 125 kB/s, low: 9 kB/s, high: 8 kB/s", "is above high"),
        ("{low: 9 kB/s", "value"),
    ],
)
def test_a_blind_answer_stands_in_the_unit_of_its_row(answer: str, message: str, tmp_path: Path) -> None:
    folder = VALIDATION / "tk70-1990"
    text = (folder / "measured.yaml").read_text(encoding="utf-8").replace("{value: 125 kB/s", answer, 1)
    for name in ("direct.yaml", "dd.yaml"):
        (tmp_path / name).touch()
    path = tmp_path / "measured.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_measured(path, "measured.yaml")
