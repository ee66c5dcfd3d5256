"""Where the tables of a plan are written, and what is never replaced."""

from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.planning.writing import check_tables, write_tables
from tests.cases import for_each

TABLES = {"clients": [{"name": "a", "size": 1}], "nights": [{"date": "2027-01-04"}]}


def test_tables_replace_tables_as_a_whole(tmp_path: Path) -> None:
    folder = write_tables(TABLES, tmp_path / "plan")
    check_tables(folder)
    write_tables({"clients": TABLES["clients"]}, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["clients.csv", "tables.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["plan"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nights.csv", "or that were changed since: nights.csv"),
        ("mine.txt", "that simbackup did not write, .*mine.txt"),
    ],
)
def test_a_folder_with_anything_else_in_it_stays_as_it_is(tmp_path: Path, name: str, said: str) -> None:
    folder = write_tables(TABLES, tmp_path / "plan")
    (folder / name).write_text("mine\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ResultError, match=said):
        check_tables(folder)
    with pytest.raises(ResultError, match=said):
        write_tables({"clients": []}, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_tables_do_not_go_between_files_of_others(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(ResultError, match="holds no tables of simbackup; choose another folder"):
        check_tables(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@for_each("name", ["", "plan.csv", "nowhere/plan"])
def test_a_place_for_no_tables_is_refused_before_the_plan(name: str, tmp_path: Path) -> None:
    with pytest.raises(ResultError):
        check_tables(tmp_path / name if name else Path())
