"""`simbackup report`, as a user types it."""

from pathlib import Path

import pytest

from tests.shared import Say, simulated

WRITE, OTHER = "published/003-lvm-snapshots/no-snapshot", "published/003-lvm-snapshots/same-disk"


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each test is in an empty folder."""
    monkeypatch.chdir(tmp_path)


def test_a_scenario_is_reported_on(say: Say, tmp_path: Path) -> None:
    assert say("report", WRITE) == (0, "", "written to report.html\n")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "dd of 2 GiB, no snapshot" in text
    assert "Without it:" in text
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.slow
def test_quick_runs_nothing_again(say: Say, tmp_path: Path) -> None:
    assert say("report", WRITE, "--quick", "-o", "own.html") == (0, "", "written to own.html\n")
    assert "Without it:" not in (tmp_path / "own.html").read_text(encoding="utf-8")


def test_tables_are_written_beside_the_page(say: Say, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    code, _, error = say("report", WRITE, "--quick", "--excel", "tables.xlsx")
    assert (code, error) == (0, "written to report.html\n")
    sheet = openpyxl.load_workbook(tmp_path / "tables.xlsx")["Jobs"]
    heads, [row] = [cell.value for cell in sheet[1]], list(sheet.iter_rows(min_row=2, values_only=True))
    elapsed = simulated(WRITE).job_rows[0]["elapsed"]
    assert row[heads.index("elapsed (s)")] == pytest.approx(elapsed, rel=1e-12)


@pytest.mark.slow
def test_two_scenarios_are_compared(say: Say, tmp_path: Path) -> None:
    assert say("report", WRITE, OTHER, "--quick")[0] == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "2 scenarios compared" in text
    assert "devices.cow" in text


def test_what_is_set_holds_for_every_scenario(say: Say, tmp_path: Path) -> None:
    assert say("report", WRITE, "--quick", "--set", "data.file.size=4 GiB")[0] == 0
    assert "4.29 GB" in (tmp_path / "report.html").read_text(encoding="utf-8")
