"""Where the tables of a plan are written, and what is never replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.planning.writing import check_tables, write_tables

TABLES = {"clients": [{"name": "a", "size": 1}], "nights": [{"date": "2027-01-04"}]}


def test_only_what_the_program_wrote_is_replaced(tmp_path: Path) -> None:
    folder = write_tables(TABLES, tmp_path / "plan")
    check_tables(folder)
    write_tables(TABLES, folder)
    own = folder / "nights.csv"
    own.write_text("mine\n", encoding="utf-8")
    with pytest.raises(ResultError, match=r"nights\.csv exists, and simbackup did not write it"):
        check_tables(folder)
    with pytest.raises(ResultError, match=r"nights\.csv exists"):
        write_tables(TABLES, folder)
    assert own.read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize("name", ["", "plan.csv", "nowhere/plan"])
def test_a_place_for_no_tables_is_refused_before_the_plan(name: str, tmp_path: Path) -> None:
    with pytest.raises(ResultError):
        check_tables(tmp_path / name if name else Path())
