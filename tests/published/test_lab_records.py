"""Committed records of labs: rows that were measured beside what the program simulates today."""

from pathlib import Path

import pytest

from simbackup.lab.record import PACK, unpacked
from tests.shared import IN_ONE_PROCESS, reproduced

pytestmark = IN_ONE_PROCESS
RECORDS = sorted(Path(__file__).parents[2].glob(f"lab/*/{PACK}"))


@pytest.mark.slow
def test_rows_of_records_are_reproduced_or_declared_off() -> None:
    found = reproduced("lab")
    assert len(found.rows) > 20
    assert [row.measurement.id for row in found.rows if not row.good] == []


def test_only_mixtures_are_held_out() -> None:
    for row in reproduced("lab").rows:
        assert row.role == ("held-out" if "-mixture" in row.measurement.id else "fitted"), row.measurement.id


def test_packs_are_as_they_were_written() -> None:
    assert RECORDS
    for file in RECORDS:
        lab, predictions = unpacked(file)
        assert lab.lines
        assert all(line["runs"] == 0 for line in predictions if line["basis"] == "shipped")
