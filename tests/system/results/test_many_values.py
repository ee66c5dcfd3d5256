"""Results with so many values that their record states each origin once."""

import json
from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.output import seal
from simbackup.results import saved
from simbackup.results.folder import RESULT
from simbackup.results.result import Result
from tests.shared import simulated

NAME = "planning/spread-starts"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(saved, "MANY", 1)
    return simulated(NAME).save(tmp_path / "saved")


def changed(folder: Path, **parts: object) -> None:
    """Change parts of a record, and give it its checksum."""
    content = seal.unseal(folder, RESULT.record)
    (folder / RESULT.record).write_text(seal._sealed(content | parts))


@pytest.mark.slow
def test_values_come_back_in_their_order(folder: Path) -> None:
    again, values = Result.load(folder), simulated(NAME).values
    assert again.values == values
    content = json.loads((folder / RESULT.record).read_text())
    assert list(content["values"]) == [value.address for value in values]
    assert len(content["origins"]) < len(values) / 2


@pytest.mark.parametrize("values", [{"links.lan.rate": 100_000}, {"links.lan.rate": "x"}])
def test_a_value_without_its_origin_is_damage(folder: Path, values: object) -> None:
    changed(folder, values=values)
    with pytest.raises(ResultError, match=r"is damaged \((origins|values)"):
        Result.load(folder)
