"""Publications on tape that nobody fitted to: their rows, and what a first version said of them blindly."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from simbackup.errors import InputError
from simbackup.experiments.reproduce import reproduce
from simbackup.schema.measured import read_measured

VALIDATION = Path(__file__).parents[2] / "scenarios" / "validation"
FOLDERS = ("bs2000-lto6", "data-protector-tape", "tk70-1990")


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_row_is_reproduced_or_rightly_declared_off_and_was_fitted_by_nobody(folder: str) -> None:
    found = reproduce([str(VALIDATION / folder)], intervals=False)
    assert all(row.good for row in found.rows)
    assert {row.role for row in found.rows} == {"opened"}
    assert found.constants == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_rows_are_nearer_than_they_were_blindly(folder: str) -> None:
    found = reproduce([str(VALIDATION / folder)], intervals=False)
    blind, now = list[float](), list[float]()
    for row in found.rows:
        m = row.measurement
        assert m.blind is not None
        blind.append(abs(m.blind / m.value - 1.0))
        now.append(abs(row.simulated / m.value - 1.0))
    assert statistics.median(now) < statistics.median(blind)


def test_a_blind_answer_stands_in_the_unit_of_its_row(tmp_path: Path) -> None:
    folder = VALIDATION / "tk70-1990"
    text = (folder / "measured.yaml").read_text(encoding="utf-8").replace("blind: 125 kB/s", "blind: 125 s", 1)
    for name in ("direct.yaml", "dd.yaml"):
        (tmp_path / name).touch()
    path = tmp_path / "measured.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="'125 s' is not a figure in kB/s"):
        read_measured(path, "measured.yaml")
