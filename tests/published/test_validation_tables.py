"""The tables of what has been validated are those of the program. Run this file to write them anew."""

from pathlib import Path

import pytest

import simbackup as sb
from simbackup.results.compare import documents
from simbackup.results.validated_range import ERRORS, SPANS, checked, distance
from tests.published.validation_tables import covered, errors
from tests.shared import IN_ONE_PROCESS, reproduced

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
LVM = "published/003-lvm-snapshots/same-disk"


@IN_ONE_PROCESS
def test_the_tables_are_those_of_the_program() -> None:
    assert (FOLDER / ERRORS).read_text(encoding="utf-8") == errors(reproduced().rows)
    assert (FOLDER / SPANS).read_text(encoding="utf-8") == covered()


def test_every_measured_row_is_in_the_table() -> None:
    measured = [(document.folder.name, row.id) for document in documents() for row in document.rows]
    assert sorted((row.document, row.id) for row in checked()) == sorted(measured)


def test_a_published_scenario_is_inside_of_what_it_validates() -> None:
    found = distance(sb.simulate(LVM))
    assert found is not None
    assert found.itself
    assert (found.outside, found.uncovered) == ((), ())
    assert {row.document for row in found.rows} == {"003-lvm-snapshots"}


def test_a_value_beyond_all_measured_ones_is_reported() -> None:
    found = distance(sb.simulate(LVM, {"data.file.size": "8 GiB"}))
    assert found is not None
    assert not found.itself
    [one] = found.outside
    assert (one.address, one.value, one.high) == ("data.file.size", 8 * 2**30, 2 * 2**30)


def test_what_extends_a_published_scenario_is_compared_with_its_document() -> None:
    found = distance(sb.simulate("planning/flash-copy-area"))
    assert found is not None
    assert not found.itself
    assert found.rows


def test_what_extends_nothing_published_has_no_distance() -> None:
    assert distance(sb.simulate("teaching/one-file-from-tape")) is None


@pytest.mark.parametrize("table", [ERRORS, SPANS])
def test_the_tables_are_small(table: str) -> None:
    assert (FOLDER / table).stat().st_size < 400_000


if __name__ == "__main__":
    (FOLDER / ERRORS).write_text(errors(reproduced().rows), encoding="utf-8")
    (FOLDER / SPANS).write_text(covered(), encoding="utf-8")
