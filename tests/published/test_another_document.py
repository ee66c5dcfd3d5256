"""A document needs its folder only: commands, tables and constants know it, and the code holds no total."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from how_to import DOCS, written

import simbackup as sb
from simbackup import shelf
from simbackup.cli.show_published import markdown
from simbackup.experiments.calibrate import calibrate
from simbackup.experiments.identifiability import cross_validate
from simbackup.experiments.overview import fitted_list, scenario_list
from simbackup.experiments.reproduce import reproduce
from simbackup.results.compare import documents

TOP = Path(__file__).parents[2]
NAME = "005-usb-disk"
ROWS = ["usb-size", "usb-write-10", "usb-write-40", "usb-backup", "usb-backup-rate", "usb-restore"]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A root with the document of the page that says how to add one."""
    written((DOCS / "how-to" / "add-a-document.md").read_text(encoding="utf-8"), tmp_path)
    monkeypatch.setenv("SIMBACKUP_PATH", str(tmp_path / "site"))
    yield tmp_path / "site"
    shelf.forget()


@pytest.mark.usefixtures("root")
def test_the_document_is_one_of_all() -> None:
    before = {path.parent.name for path in (TOP / "scenarios" / "published").glob("*/measured.yaml")}
    assert {document.folder.name for document in documents()} == before | {NAME}
    assert f"published/{NAME}/backup" in {row["name"] for row in scenario_list()}


@pytest.mark.slow
def test_its_rows_are_reproduced_by_name_and_by_folder(root: Path) -> None:
    named = reproduce(["005"], workers=1, intervals=False)
    assert [row.measurement.id for row in named.rows] == ROWS
    assert (named.total.rows, named.total.results, named.total.errors.groups, named.total.constants) == (6, 4, 4, 0)
    folder = reproduce([str(root / "scenarios" / "published" / NAME)], workers=1, intervals=False)
    assert [row.as_dict() for row in folder.rows] == [row.as_dict() for row in named.rows]


@pytest.mark.usefixtures("root")
def test_its_rows_stand_beside_a_run_of_its_scenario() -> None:
    rows = sb.simulate(f"published/{NAME}/backup").compare()
    assert list(rows["id"]) == ["usb-size", "usb-backup", "usb-backup-rate", "usb-restore"]


@pytest.mark.slow
def test_its_constant_is_fitted_and_listed(root: Path) -> None:
    [fitted] = calibrate("005")
    assert (root / "models" / "ssd" / "usb-stick.yaml").read_text(encoding="utf-8").count("fitted_to") == 1
    assert fitted.constant in {row["constant"] for row in fitted_list()}
    found = reproduce(["005"], workers=1, intervals=False)
    assert [summary.constants for summary in found.summaries] == [1]
    assert all(row.good for row in found.rows)
    assert [row.role for row in found.rows] == ["input", "fitted", "fitted", "held-out", "duplicate", "held-out"]


@pytest.mark.slow
@pytest.mark.usefixtures("root")
def test_the_generated_tables_have_it() -> None:
    found = reproduce(["005"], workers=1, intervals=False)
    assert markdown(found).count("\n| usb-") == len(ROWS)
    assert {one.row for one in cross_validate([NAME]).left_out} == {"usb-write-10", "usb-write-40"}


@pytest.mark.slow
def test_a_folder_named_published_that_lies_in_no_root(root: Path) -> None:
    elsewhere = root.parent / "elsewhere" / "published" / "mine"
    elsewhere.parent.mkdir(parents=True)
    (root / "scenarios" / "published" / NAME).rename(elsewhere)
    assert [row.measurement.id for row in reproduce([str(elsewhere)], workers=1, intervals=False).rows] == ROWS


def test_no_code_names_a_document_or_counts_them() -> None:
    names = [path.parent.name for path in (TOP / "scenarios" / "published").glob("*/measured.yaml")]
    wanted = re.compile("|".join([*map(re.escape, names), *(rf"published/{name[:3]}\b" for name in names)]))
    code = {path: path.read_text(encoding="utf-8") for path in (TOP / "simbackup").rglob("*.py")}
    doctest = re.compile(r"^ *(>>>|\.\.\.) .*$", re.MULTILINE)
    assert [path.name for path, text in code.items() if wanted.search(doctest.sub("", text))] == []
